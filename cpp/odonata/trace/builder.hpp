// Blocks of calls, put together one call at a time.
#pragma once

#include <functional>
#include <vector>

#include "odonata/trace/block.hpp"

namespace odonata::trace {

/// Collects calls, and hands over a block whenever one is full.
class BlockBuilder {
 public:
  using Sink = std::function<void(Block)>;

  explicit BlockBuilder(Sink sink) : sink_(std::move(sink)) {}

  void append(int rank, const Record& record, Found found, const std::vector<Outcome>& outcomes);
  /// Adds the source of a message to the block that comes next.
  void match(const Match& match) { block_.matches.push_back(match); }
  /// Hands over the remaining calls.
  void flush();

  static constexpr std::size_t most_records = 65'536;  // of a block
  static constexpr std::size_t most_words = 262'144;  // and outcomes, of a block of several calls

 private:
  Sink sink_;
  Block block_;
};

}  // namespace odonata::trace
