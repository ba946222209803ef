#include "odonata/placement/mapping.hpp"

#include "odonata/random/draws.hpp"
#include "odonata/units/errors.hpp"

namespace odonata {

Order order_named(const std::string& name) {
  if (name == "block") return Order::block;
  if (name == "cyclic") return Order::cyclic;
  if (name == "random") return Order::random;
  throw UserError("mapping: unknown", name, "block, cyclic, random");
}

std::vector<std::int32_t> map_ranks(const std::vector<std::int32_t>& nodes, int ranks,
                                    int ranks_per_node, Order order, std::uint64_t seed, int job) {
  if (ranks < 1) throw UserError("ranks: out of range", ranks, "1 or more");
  if (ranks_per_node < 1)
    throw UserError("ranks a node: out of range", ranks_per_node, "1 or more");
  const auto n = static_cast<std::size_t>(ranks), k = static_cast<std::size_t>(ranks_per_node);
  const std::size_t used = (n + k - 1) / k;
  if (used > nodes.size())
    throw UserError("mapping: nodes of " + std::to_string(ranks) + " ranks, " +
                        std::to_string(ranks_per_node) + " a node",
                    used, "up to " + std::to_string(nodes.size()));
  std::vector<std::int32_t> made(n);
  for (std::size_t r = 0; r < n; ++r) made[r] = nodes[order == Order::cyclic ? r % used : r / k];
  if (order == Order::random)
    shuffle(made, Draws(seed, Purpose::mapping, static_cast<std::uint64_t>(job)));
  return made;
}

}  // namespace odonata
