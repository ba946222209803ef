#include "odonata/placement/allocation.hpp"

#include <algorithm>
#include <numeric>

#include "odonata/random/draws.hpp"
#include "odonata/units/errors.hpp"

namespace odonata {

namespace {

// Nodes by block and number, blocks in random order.
std::vector<std::int32_t> blocks_shuffled(const std::vector<int>& block_of, int num_blocks,
                                          const Draws& draws) {
  std::vector<int> order(num_blocks);
  std::iota(order.begin(), order.end(), 0);
  shuffle(order, draws);
  std::vector<int> rank(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) rank[order[i]] = static_cast<int>(i);
  std::vector<std::int32_t> nodes(block_of.size());
  std::iota(nodes.begin(), nodes.end(), 0);
  const auto place = [&](std::int32_t node) {
    return rank[block_of[static_cast<std::size_t>(node)]];
  };
  std::stable_sort(nodes.begin(), nodes.end(), [&](auto a, auto b) { return place(a) < place(b); });
  return nodes;
}

}  // namespace

Strategy strategy_named(const std::string& name) {
  if (name == "contiguous") return Strategy::contiguous;
  if (name == "random") return Strategy::random;
  if (name == "random-routers") return Strategy::random_routers;
  if (name == "random-groups") return Strategy::random_groups;
  throw UserError("allocation: unknown", name, "contiguous, random, random-routers, random-groups");
}

FreeNodes::FreeNodes(const Machine& machine, std::uint64_t seed)
    : machine_(machine),
      seed_(seed),
      taken_(machine.node_router.size(), false),
      count_(machine.num_nodes()) {}

std::vector<std::int32_t> FreeNodes::take(Strategy strategy, int count, int first, int job) {
  if (count < 1 || count > count_)
    throw UserError("allocation: number of nodes: out of range", count,
                    "1 to " + std::to_string(count_) + ", which are free");
  if (first < 0 || first >= machine_.num_nodes())
    throw UserError("allocation: first node: out of range", first,
                    "0 to " + std::to_string(machine_.num_nodes() - 1));
  std::vector<std::int32_t> found;
  for (const std::int32_t node : candidates(strategy, first, job)) {
    if (taken_[node]) continue;
    if (static_cast<int>(found.size()) == count) break;
    found.push_back(node);
  }
  take(found);
  return found;
}

void FreeNodes::take(const std::vector<std::int32_t>& nodes) {
  for (const std::int32_t node : nodes) {
    if (node < 0 || node >= machine_.num_nodes())
      throw UserError("allocation: no such node", node,
                      "0 to " + std::to_string(machine_.num_nodes() - 1));
    if (taken_[node])
      throw UserError("allocation: node " + std::to_string(node) + " is taken twice");
    taken_[node] = true;
    --count_;
  }
}

// All nodes in the order in which the strategy wants them, free or not.
std::vector<std::int32_t> FreeNodes::candidates(Strategy strategy, int first, int job) const {
  const Draws draws(seed_, Purpose::allocation, static_cast<std::uint64_t>(job));
  std::vector<int> block_of(machine_.node_router.size());
  switch (strategy) {
    case Strategy::contiguous: {
      std::vector<std::int32_t> nodes(block_of.size());
      std::iota(nodes.begin(), nodes.end(), 0);
      std::rotate(nodes.begin(), nodes.begin() + first, nodes.end());
      return nodes;
    }
    case Strategy::random:
      std::iota(block_of.begin(), block_of.end(), 0);
      return blocks_shuffled(block_of, machine_.num_nodes(), draws);
    case Strategy::random_routers:
      return blocks_shuffled(machine_.node_router, machine_.num_routers(), draws);
    case Strategy::random_groups:
      for (std::size_t i = 0; i < block_of.size(); ++i)
        block_of[i] = machine_.group_of(machine_.node_router[i]);
      return blocks_shuffled(block_of, std::max(1, machine_.num_groups()), draws);
  }
  throw InternalError("allocation: a strategy without code");
}

}  // namespace odonata
