#include "odonata/workload/symbolic.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "odonata/units/errors.hpp"
#include "odonata/workload/algorithms.hpp"

namespace odonata {

namespace {

using Symbols = std::vector<std::uint64_t>;

// One call of all ranks, as one of them sees it.
struct View {
  const Calls& calls;
  int rank;

  [[nodiscard]] int ranks() const { return static_cast<int>(calls.size()); }
  [[nodiscard]] const Call& of(int r) const { return calls[r]; }
  [[nodiscard]] const Call& own() const { return of(rank); }
  [[nodiscard]] bool is_root() const { return rank == own().root; }
};

// Appends a stretch of a rank's input.
void append(Symbols& out, int rank, const Span& from) {
  for (Bytes i = 0; i < from.bytes; ++i) out.push_back(symbol(rank, from.offset + i));
}

// The sum of a stretch of the inputs of the ranks first <= r < last.
Symbols combined(int first, int last, const Span& of) {
  Symbols out(of.bytes);
  for (int r = first; r < last; ++r)
    for (Bytes i = 0; i < of.bytes; ++i) out[i] += symbol(r, of.offset + i);
  return out;
}

std::vector<int> ring(int rank, int ranks) {
  return {(rank + ranks - 1) % ranks, (rank + 1) % ranks};
}
std::vector<int> sources(const View& v, int rank) {
  return v.of(rank).counts ? v.of(rank).counts->sources : ring(rank, v.ranks());
}
std::vector<int> destinations(const View& v, int rank) {
  return v.of(rank).counts ? v.of(rank).counts->destinations : ring(rank, v.ranks());
}

// Bytes that a rank has before the call, as the rows of the operations name them.
namespace inputs {

Bytes nothing(const View&) { return 0; }
Bytes block(const View& v) { return v.own().bytes; }
Bytes own_block(const View& v) { return v.own().block(input, v.rank).bytes; }
Bytes blocks(const View& v) { return v.own().blocks(input, 0, v.ranks()).bytes; }
Bytes block_at_root(const View& v) { return v.is_root() ? block(v) : 0; }
Bytes blocks_at_root(const View& v) { return v.is_root() ? blocks(v) : 0; }
Bytes blocks_for_destinations(const View& v) {
  const auto count = static_cast<int>(destinations(v, v.rank).size());
  return v.own().blocks(input, 0, count).bytes;
}

}  // namespace inputs

// Expected contents of a rank after the call, likewise.
namespace outputs {

Symbols nothing(const View&) { return {}; }
Symbols gathered(const View& v) {
  Symbols out;
  for (int r = 0; r < v.ranks(); ++r) append(out, r, {input, 0, v.own().block(output, r).bytes});
  return out;
}
Symbols gathered_at_root(const View& v) { return v.is_root() ? gathered(v) : Symbols{}; }
Symbols scattered(const View& v) {
  Symbols out;
  append(out, v.own().root, v.of(v.own().root).block(input, v.rank));
  return out;
}
Symbols transposed(const View& v) {
  Symbols out;
  for (int r = 0; r < v.ranks(); ++r) append(out, r, v.of(r).block(input, v.rank));
  return out;
}
Symbols data_of_root(const View& v) {
  Symbols out;
  append(out, v.own().root, {input, 0, v.own().bytes});
  return out;
}
Symbols sum(const View& v) { return combined(0, v.ranks(), {input, 0, v.own().bytes}); }
Symbols sum_at_root(const View& v) { return v.is_root() ? sum(v) : Symbols{}; }
Symbols sum_up_to(const View& v) { return combined(0, v.rank + 1, {input, 0, v.own().bytes}); }
Symbols sum_before(const View& v) {
  return v.rank == 0 ? Symbols{} : combined(0, v.rank, {input, 0, v.own().bytes});
}
Symbols sum_of_blocks(const View& v) {
  return combined(0, v.ranks(), v.own().block(input, v.rank));
}

// From each source in turn: the block at its k-th edge to this rank, the k-th time it is named.
template <class Sent>
Symbols from_each_source(const View& v, Sent sent) {
  Symbols out;
  std::vector<std::size_t> begin(v.calls.size());
  for (const int source : sources(v, v.rank)) {
    const std::vector<int> to = destinations(v, source);
    std::size_t& next = begin[source];
    while (to.at(next) != v.rank) ++next;
    append(out, source, sent(v.of(source), static_cast<int>(next++)));
  }
  return out;
}
Symbols from_sources(const View& v) {
  return from_each_source(v, [](const Call& call, int) { return Span{input, 0, call.bytes}; });
}
Symbols blocks_from_sources(const View& v) {
  return from_each_source(v, [](const Call& call, int edge) { return call.block(input, edge); });
}

}  // namespace outputs

struct Meaning {
  Bytes (*before)(const View& view);  // [B]
  Symbols (*after)(const View& view);
};

constexpr Meaning meanings[] = {
#define ODONATA_OPERATION(name, root, sizes, moves, input, output, ...)                            \
  {inputs::input, outputs::output},
#include "odonata/trace/collectives.inc"
#undef ODONATA_OPERATION
};

const Meaning& meaning(const std::string& operation) {
  return meanings[static_cast<std::size_t>(collective_of(operation))];
}

std::string place(const char* buffer, int rank, std::size_t offset) {
  return std::string(buffer) + " of rank " + std::to_string(rank) + " at byte " +
         std::to_string(offset);
}

// The first byte that isn't as it must be; bytes past the end of either side are poison.
std::string difference(const char* buffer, int rank, const Symbols& is, const Symbols& must) {
  const auto at = [](const Symbols& s, std::size_t i) {
    return i < s.size() ? s[i] : SymbolicMemory::poison;
  };
  for (std::size_t i = 0; i < std::max(is.size(), must.size()); ++i) {
    if (at(is, i) == at(must, i)) continue;
    const char* what = " is not what it must be";
    if (at(is, i) == SymbolicMemory::poison) what = " was never written";
    if (at(must, i) == SymbolicMemory::poison) what = " was written, and must not be";
    return place(buffer, rank, i) + what;
  }
  return {};
}

void check_room(const Span& to, const Symbols& payload) {
  if (std::cmp_greater(payload.size(), to.bytes))
    throw InternalError("collective: " + std::to_string(payload.size()) + " bytes into " +
                        std::to_string(to.bytes));
}

}  // namespace

std::uint64_t symbol(int rank, Bytes offset) {
  return mix(mix(static_cast<std::uint64_t>(rank)) ^ static_cast<std::uint64_t>(offset));
}

Symbols given(const std::string& operation, int rank, const Calls& calls) {
  Symbols out;
  append(out, rank, {input, 0, meaning(operation).before({calls, rank})});
  return out;
}

Symbols expected(const std::string& operation, int rank, const Calls& calls) {
  return meaning(operation).after({calls, rank});
}

SymbolicMemory::SymbolicMemory(const std::string& operation, Calls calls)
    : operation_(operation), calls_(std::move(calls)), buffers_(calls_.size()) {
  for (std::size_t r = 0; r < calls_.size(); ++r)
    buffers_[r][input] = given(operation, static_cast<int>(r), calls_);
}

// The buffer, made long enough for the span.
SymbolicMemory::Cells& SymbolicMemory::cells(std::int32_t rank, const Span& span) {
  if (span.offset < 0 || span.bytes < 0)
    throw InternalError("collective: a span of " + std::to_string(span.bytes) + " bytes at " +
                        std::to_string(span.offset));
  Cells& c = buffers_.at(rank).at(span.buffer);
  const auto end = static_cast<std::size_t>(span.offset + span.bytes);
  if (span.bytes > 0 && c.size() < end) c.resize(end, poison);
  return c;
}

Payload SymbolicMemory::read(std::int32_t rank, const Span& from) {
  const auto begin = cells(rank, from).begin() + (from.bytes > 0 ? from.offset : 0);
  return std::make_shared<const Symbols>(begin, begin + from.bytes);
}

void SymbolicMemory::write(std::int32_t rank, const Span& to, const Payload& payload) {
  check_room(to, *payload);
  if (payload->empty()) return;
  std::copy(payload->begin(), payload->end(), cells(rank, to).begin() + to.offset);
}

void SymbolicMemory::combine(std::int32_t rank, const Span& to, const Payload& payload) {
  check_room(to, *payload);
  if (payload->empty()) return;
  const auto begin = cells(rank, to).begin() + to.offset;
  std::transform(payload->begin(), payload->end(), begin, begin, std::plus<>{});
}

std::string SymbolicMemory::mistake() const {
  for (std::size_t i = 0; i < calls_.size(); ++i) {
    const auto r = static_cast<int>(i);
    std::string in = difference("input", r, buffers_[i][input], given(operation_, r, calls_));
    if (!in.empty()) return in;
    std::string out = difference("output", r, buffers_[i][output], expected(operation_, r, calls_));
    if (!out.empty()) return out;
  }
  return {};
}

}  // namespace odonata
