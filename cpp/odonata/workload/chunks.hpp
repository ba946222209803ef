// One rank's data in as many chunks as ranks work on them, in whole bytes.
#pragma once

#include <algorithm>

#include "odonata/mpi/message.hpp"

namespace odonata {

/// Chunks of b bytes that differ by one byte at most: the first b mod n have one more.
struct EvenChunks {
  int count;
  Bytes bytes;  // [B] of all

  [[nodiscard]] Bytes start(int chunk) const {
    return bytes / count * chunk + std::min<Bytes>(chunk, bytes % count);
  }
  [[nodiscard]] Span of(Buffer buffer, int first, int last) const {
    return {buffer, start(first), start(last) - start(first)};
  }
  /// So many of them, in the place of all.
  [[nodiscard]] Span in(const Span& all, int first, int number) const {
    return all.part(start(first), start(first + number) - start(first));
  }
};

/// ceil(b / n) bytes each, of which the last may be shorter or empty.
struct FullChunks {
  int count;
  Bytes bytes;  // [B] of all

  [[nodiscard]] Bytes start(int chunk) const {
    return std::min((bytes + count - 1) / count * chunk, bytes);
  }
  [[nodiscard]] Span of(Buffer buffer, int first, int last) const {
    return {buffer, start(first), start(last) - start(first)};
  }
};

/// Segments of a stretch, of which the last may be shorter; an empty stretch is one segment.
struct Segments {
  Span all;
  Bytes bytes;  // [B] of a segment; 0: all in one

  [[nodiscard]] Bytes longest() const {
    return bytes == 0 ? all.bytes : std::min(bytes, all.bytes);
  }
  [[nodiscard]] int count() const {
    return all.bytes == 0 ? 1 : static_cast<int>((all.bytes + longest() - 1) / longest());
  }
  [[nodiscard]] Span of(int i) const {
    const Bytes start = i * longest();
    return all.part(start, std::min(longest(), all.bytes - start));
  }
};

}  // namespace odonata
