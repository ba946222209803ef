// Mapping: which node of its job each rank is on.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace odonata {

/// In which order ranks fill the nodes of an allocation of m nodes, k ranks each.
///
///     block   rank r on node r / k
///     cyclic  rank r on node r mod m
///     random  the places of block in random order
enum class Order : std::uint8_t { block, cyclic, random };

/// The order of that name; throws UserError.
[[nodiscard]] Order order_named(const std::string& name);

/// Node of each rank, on as many of `nodes` as are needed. Throws UserError if the nodes can't
/// take them. The draws depend on (seed, job) alone. [ranks]
[[nodiscard]] std::vector<std::int32_t> map_ranks(const std::vector<std::int32_t>& nodes, int ranks,
                                                  int ranks_per_node, Order order,
                                                  std::uint64_t seed, int job);

}  // namespace odonata
