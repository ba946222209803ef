#include "odonata/workload/symbolic.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "odonata/units/errors.hpp"

namespace odonata {

namespace {

using Symbols = std::vector<std::uint64_t>;

// What goes in and must come out, as bytes: which ranks have it, and what byte i of it is.
struct Meaning {
  const char* operation;
  Bytes (*input)(int rank, int ranks, Call call);   // [B]
  Bytes (*output)(int rank, int ranks, Call call);  // [B]
  std::uint64_t (*result)(int rank, int ranks, Call call, Bytes i);
};

Bytes nothing(int, int, Call) { return 0; }
Bytes one(int, int, Call call) { return call.bytes; }
Bytes all(int, int ranks, Call call) { return ranks * call.bytes; }
Bytes one_at_root(int rank, int, Call call) { return rank == call.root ? call.bytes : 0; }
Bytes all_at_root(int rank, int n, Call call) { return rank == call.root ? n * call.bytes : 0; }

std::uint64_t concatenated(int, int, Call call, Bytes i) {
  return symbol(static_cast<int>(i / call.bytes), i % call.bytes);
}
std::uint64_t transposed(int rank, int, Call call, Bytes i) {
  return symbol(static_cast<int>(i / call.bytes), rank * call.bytes + i % call.bytes);
}
std::uint64_t roots_block(int rank, int, Call call, Bytes i) {
  return symbol(call.root, rank * call.bytes + i);
}
std::uint64_t roots(int, int, Call call, Bytes i) { return symbol(call.root, i); }
std::uint64_t sum(int, int ranks, Call, Bytes i) {
  std::uint64_t s = 0;
  for (int r = 0; r < ranks; ++r) s += symbol(r, i);
  return s;
}

constexpr Meaning meanings[] = {
    {"allgather", one, all, concatenated},      {"scatter", all_at_root, one, roots_block},
    {"gather", one, all_at_root, concatenated}, {"bcast", one_at_root, one, roots},
    {"reduce", one, one_at_root, sum},          {"allreduce", one, one, sum},
    {"alltoall", all, all, transposed},         {"barrier", nothing, nothing, roots},
};

const Meaning& meaning(const std::string& operation) {
  for (const Meaning& m : meanings)
    if (m.operation == operation) return m;
  throw UserError("unknown operation '" + operation + "'");
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

Symbols given(const std::string& operation, int rank, int ranks, Call call) {
  Symbols out(static_cast<std::size_t>(meaning(operation).input(rank, ranks, call)));
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = symbol(rank, static_cast<Bytes>(i));
  return out;
}

Symbols expected(const std::string& operation, int rank, int ranks, Call call) {
  const Meaning& m = meaning(operation);
  Symbols out(static_cast<std::size_t>(m.output(rank, ranks, call)));
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = m.result(rank, ranks, call, static_cast<Bytes>(i));
  return out;
}

SymbolicMemory::SymbolicMemory(const std::string& operation, int ranks, Call call)
    : operation_(operation), ranks_(ranks), call_(call), buffers_(static_cast<std::size_t>(ranks)) {
  for (int r = 0; r < ranks; ++r)
    buffers_[static_cast<std::size_t>(r)][input] = given(operation, r, ranks, call);
}

// The buffer, made long enough for the span.
SymbolicMemory::Cells& SymbolicMemory::cells(std::int32_t rank, const Span& span) {
  if (span.offset < 0 || span.bytes < 0)
    throw InternalError("collective: a span of " + std::to_string(span.bytes) + " bytes at " +
                        std::to_string(span.offset));
  Cells& c = buffers_.at(static_cast<std::size_t>(rank)).at(static_cast<std::size_t>(span.buffer));
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
  for (int r = 0; r < ranks_; ++r) {
    const auto& own = buffers_[static_cast<std::size_t>(r)];
    const std::string in = difference("input", r, own[input], given(operation_, r, ranks_, call_));
    if (!in.empty()) return in;
    const std::string out =
        difference("output", r, own[output], expected(operation_, r, ranks_, call_));
    if (!out.empty()) return out;
  }
  return {};
}

}  // namespace odonata
