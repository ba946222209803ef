// Calls of collectives with vectors of int, for their tests.
#pragma once

#include <numeric>

#include "preload/libmpi/core/collectives/collective.hpp"
#include "team.hpp"

namespace collective_calls {

using namespace odonata::libmpi;
using odonata::trace::Collective;

using Ints = std::vector<int>;

inline BufferBlocks ints(Ints& values, std::int64_t count) {
  BufferBlocks result;
  result.data = values.data();
  result.count = count;
  result.type = named_type(NamedType::T_INT);
  return result;
}

inline BufferBlocks ints(Ints& values, const std::vector<std::int64_t>& counts) {
  BufferBlocks result = ints(values, 0);
  result.counts = counts;
  result.displacements.resize(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), result.displacements.begin(), 0);
  return result;
}

inline BufferBlocks same_place() {
  BufferBlocks result;
  result.in_place = true;
  return result;
}

inline CollectiveCall collective(Collective kind, int root = odonata::trace::nobody) {
  CollectiveCall call;
  call.function = Function::Barrier;
  call.kind = kind;
  call.comm = self().world;
  call.root = root;
  return call;
}

inline int my_rank() { return self().world->rank; }
inline int world_size() { return self().world->size(); }
inline int value(int from, int to, int i = 0) { return 10000 * from + 100 * to + i; }

inline void equal(const Ints& got, const Ints& expected, int line) {
  if (got == expected) return;
  std::string text = "rank " + std::to_string(my_rank()) + " of " + std::to_string(world_size());
  for (const int each : got) text += " " + std::to_string(each);
  text += " is not";
  for (const int each : expected) text += " " + std::to_string(each);
  check::fail("libmpi", line, text);
}
#define CHECK_INTS(...) equal(__VA_ARGS__, __LINE__)

inline void for_sizes(const std::function<void()>& body) {
  for (int size = 1; size <= 9; ++size) team::run(size, body);
}

inline void wait(const RequestRef& request) {
  self().endpoint->wait(request->waiting(), [&] { return request->ready(); });
  request->finish();
}

inline Ints vector_of(int rank) { return {rank + 1, 2 * rank, 5 - rank}; }

inline Ints sum(int first, int end) {
  Ints total(3);
  for (int rank = first; rank < end; ++rank)
    for (std::size_t i = 0; i < 3; ++i) total[i] += vector_of(rank)[i];
  return total;
}

}  // namespace collective_calls
