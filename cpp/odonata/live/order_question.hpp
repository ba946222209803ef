// Questions of ranks for an order: which rank of a communicator takes which place of a topology.
//
// A question and its answer take no simulated time. They don't pass through the rings, whose calls
// the simulator reads as simulated time goes by: a rank that asks keeps all others waiting.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace odonata::live {

/// An edge of a topology before its ranks are ordered: `from` sends to `to`.
struct Edge {
  std::int32_t from, to;
  std::int32_t weight;  // as the program gave it; 1 where it gave none
};

struct OrderQuestion {
  std::int32_t function = 0;          // of trace/functions.hpp: the program's call
  std::int32_t size = 0;              // places of the topology, at most as many as members
  std::vector<std::int32_t> members;  // ranks in the world of the communicator that it comes from
  std::vector<std::int32_t> grid;  // processes in each dimension, of a Cartesian topology
  std::vector<Edge> edges;
};

[[nodiscard]] std::vector<std::int32_t> encode(const OrderQuestion& question);
/// Throws InternalError if the words are not a question of one of `num_ranks` ranks.
[[nodiscard]] OrderQuestion decode_question(std::span<const std::int32_t> words, int num_ranks);

}  // namespace odonata::live
