#include "odonata/workload/scatter/tree.hpp"

namespace odonata::scatter {

namespace {

template <class Key>
void each_stretch(Ranks ranks, Key key, const std::function<void(Ranks)>& take) {
  for (std::size_t first = 0, last = 0; first < ranks.size(); first = last) {
    while (last < ranks.size() && key(ranks[last]) == key(ranks[first])) ++last;
    take(ranks.subspan(first, last - first));
  }
}

void each_node(const Rank& rank, Ranks ranks, const std::function<void(Ranks)>& take) {
  each_stretch(ranks, [&](std::int32_t r) { return rank.node_of(r); }, take);
}

void append_rest_of_node(Tree& tree, Ranks ranks, std::int32_t leader) {
  for (const std::int32_t r : ranks.subspan(1)) tree.append(r, leader);
}

void append_node(Tree& tree, Ranks ranks, std::int32_t parent) {
  const std::int32_t leader = tree.append(ranks.front(), parent);
  append_rest_of_node(tree, ranks, leader);
  tree.close(leader);
}

}  // namespace

Tree::Tree(int ranks) : position(index(ranks)) {
  order.reserve(index(ranks));
  size.reserve(index(ranks));
  parent.reserve(index(ranks));
}

std::int32_t Tree::append(std::int32_t rank, std::int32_t above) {
  const auto at = static_cast<std::int32_t>(order.size());
  position[index(rank)] = at;
  order.push_back(rank);
  size.push_back(1);
  parent.push_back(above);
  return at;
}

void each_group(const Rank& rank, Ranks ranks, const std::function<void(Ranks)>& take) {
  each_stretch(ranks, [&](std::int32_t r) { return rank.group_of(r); }, take);
}
void each_router(const Rank& rank, Ranks ranks, const std::function<void(Ranks)>& take) {
  each_stretch(ranks, [&](std::int32_t r) { return rank.router_of(r); }, take);
}

// Other routers come first: their blocks travel farther, and more of them.
void append_rest_of_group(const Rank& rank, Tree& tree, Ranks ranks, std::int32_t leader) {
  Ranks own;
  each_router(rank, ranks, [&](Ranks router) {
    if (router.data() == ranks.data())
      own = router;
    else
      append_router(rank, tree, router, leader);
  });
  append_rest_of_router(rank, tree, own, leader);
}

void append_rest_of_router(const Rank& rank, Tree& tree, Ranks ranks, std::int32_t leader) {
  Ranks own;
  each_node(rank, ranks, [&](Ranks node) {
    if (node.data() == ranks.data())
      own = node;
    else
      append_node(tree, node, leader);
  });
  append_rest_of_node(tree, own, leader);
}

void append_group(const Rank& rank, Tree& tree, Ranks ranks, std::int32_t parent) {
  const std::int32_t leader = tree.append(ranks.front(), parent);
  append_rest_of_group(rank, tree, ranks, leader);
  tree.close(leader);
}

void append_router(const Rank& rank, Tree& tree, Ranks ranks, std::int32_t parent) {
  const std::int32_t leader = tree.append(ranks.front(), parent);
  append_rest_of_router(rank, tree, ranks, leader);
  tree.close(leader);
}

Task along(Rank rank, Call call, std::shared_ptr<const Tree> tree) {
  const std::int32_t here = tree->position[Tree::index(rank.index())];
  const std::int32_t count = tree->size[Tree::index(here)];
  const auto rank_at = [&](std::int32_t p) { return tree->order[Tree::index(p)]; };
  const auto blocks = [&](std::int32_t p, std::int32_t some) {
    return Span{scratch, (p - here) * call.bytes, some * call.bytes};
  };
  const bool root = rank.index() == call.root, leaf = !root && count == 1;
  const Span mine = leaf ? Span{output, 0, call.bytes} : blocks(here, count);
  if (!root) co_await rank.recv(rank_at(tree->parent[Tree::index(here)]), mine);
  std::vector<Request> sends;
  for (std::int32_t child = here + 1; child < here + count;) {
    const std::int32_t some = tree->size[Tree::index(child)];
    for (std::int32_t p = child; root && p < child + some; ++p)
      rank.copy(blocks(p, 1), {input, rank_at(p) * call.bytes, call.bytes});
    sends.push_back(rank.isend(rank_at(child), blocks(child, some)));
    child += some;
  }
  const Span own = root ? Span{input, call.root * call.bytes, call.bytes} : blocks(here, 1);
  if (!leaf) rank.copy({output, 0, call.bytes}, own);
  co_await rank.wait_all(sends);
}

}  // namespace odonata::scatter
