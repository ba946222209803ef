#include "odonata/workload/layout.hpp"
#include "odonata/workload/scatter/tree.hpp"

namespace odonata::scatter {

namespace {

// Index of the router that serves each group (among routers with ranks in the root's group).
class Servers {
 public:
  Servers(const Rank& rank, Ranks own_group) : rank_(rank) {
    each_router(rank, own_group,
                [&](Ranks router) { routers_.push_back(rank.router_of(router.front())); });
  }

  /// A router that has a global link to the group; routers in turn for groups without one.
  std::size_t serving(int group) {
    for (std::size_t i = 0; i < routers_.size(); ++i)
      if (reaches(routers_[i], group)) return i;
    return turn_++ % routers_.size();
  }

 private:
  [[nodiscard]] bool reaches(int router, int group) const {
    const Machine& m = rank_.machine();
    const auto r = static_cast<std::size_t>(router);
    for (std::int32_t link = m.first_link[r]; link < m.first_link[r + 1]; ++link)
      if (m.group_of(m.links[link].to) == group) return true;
    return false;
  }

  const Rank& rank_;
  std::vector<std::int32_t> routers_;
  std::size_t turn_ = 0;
};

Tree router_first(const Rank& rank, int root) {
  const std::vector<std::int32_t> order = order_from(rank, root);
  std::vector<Ranks> groups, routers;
  each_group(rank, order, [&](Ranks group) { groups.push_back(group); });
  each_router(rank, groups.front(), [&](Ranks router) { routers.push_back(router); });
  Servers servers(rank, groups.front());
  std::vector<std::vector<Ranks>> served(routers.size());
  for (const Ranks group : std::span(groups).subspan(1))
    served[servers.serving(rank.group_of(group.front()))].push_back(group);

  Tree tree(rank.size());
  tree.append(root, 0);
  const auto serve = [&](std::size_t router, std::int32_t leader) {
    for (const Ranks group : served[router]) append_group(rank, tree, group, leader);
    append_rest_of_router(rank, tree, routers[router], leader);
    tree.close(leader);
  };
  for (std::size_t i = 1; i < routers.size(); ++i) serve(i, tree.append(routers[i].front(), 0));
  serve(0, 0);
  return tree;
}

}  // namespace

// The study's LLF, "local links first": router-first broadcast (Xiang, Liu 2016) made a scatter.
// The root sends to a leader on every other router of its own group, with the blocks of that
// router and of the groups that it serves; those leaders, and the root for its own router, send
// each group's blocks to one leader there (the group's first rank by place), and at last the blocks
// of their own router's other nodes. Inside the other groups blocks spread as in GLF. All sends of
// a rank are under way at once. n-1 messages.
//
// A group is served by a router of the root's group that has a link to it, the first of them; if
// no rank is on such a router, by the root group's routers in turn. The study says no more than
// that LLF was inspired by router-first broadcast; the rest is our reading.
Task llf(Rank rank, Call call) {
  const int root = call.root;
  auto tree = rank.shared("scatter/llf from " + std::to_string(root),
                          [&] { return router_first(rank, root); });
  return along(std::move(rank), call, std::move(tree));
}

}  // namespace odonata::scatter
