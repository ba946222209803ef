#include "odonata/workload/layout.hpp"
#include "odonata/workload/scatter/tree.hpp"

namespace odonata::scatter {

namespace {

Tree group_first(const Rank& rank, int root) {
  const std::vector<std::int32_t> order = order_from(rank, root);
  Tree tree(rank.size());
  tree.append(root, 0);
  Ranks own;
  each_group(rank, order, [&](Ranks group) {
    if (group.front() == root)
      own = group;
    else
      append_group(rank, tree, group, 0);
  });
  append_rest_of_group(rank, tree, own, 0);
  tree.close(0);
  return tree;
}

}  // namespace

// The study's GLF, "global links first": group-first broadcast (Xiang, Liu 2016) made a scatter.
// The root sends the blocks of every other group to one leader there (the group's first rank by
// place), in order of the groups from its own on; then, as every leader does, the blocks of every
// other router of its group to a leader on it, and at last the blocks of its own router. A router's
// leader sends to its nodes. All sends of a rank are under way at once. n-1 messages.
//
// The study says no more than that GLF was inspired by group-first broadcast: that there is one
// leader a group, that it is the first by place, and that levels are linear is our reading.
Task glf(Rank rank, Call call) {
  const int root = call.root;
  auto tree = rank.shared("scatter/glf from " + std::to_string(root),
                          [&] { return group_first(rank, root); });
  return along(std::move(rank), call, std::move(tree));
}

}  // namespace odonata::scatter
