// Shift permutations on fat trees: node n sends to node n + k, for every k.
#include <algorithm>
#include <string>
#include <vector>

#include "check.hpp"
#include "odonata/machine/families/fat_tree/fat_tree.hpp"
#include "odonata/machine/routing/routing.hpp"

namespace odonata::tests::shift_test {

namespace {

const LinkClass cable_class{"", {1'000'000'000}, 1'000, 4'096, 1'000};

Machine tree(std::vector<std::int32_t> down, std::vector<std::int32_t> taper,
             std::vector<std::int32_t> parallel, int rails = 1) {
  FatTree f;
  f.basics = {"test", 1, 1'000, 1'000, {1'000'000'000}};
  f.down = std::move(down);
  f.taper = std::move(taper);
  f.parallel = std::move(parallel);
  f.rails = rails;
  f.injection = f.ejection = cable_class;
  if (rails > 1) f.cables.push_back(named("rail", cable_class));
  for (std::size_t level = 1; level < f.down.size(); ++level)
    f.cables.push_back(named("uplink" + std::to_string(level), cable_class));
  return make_fat_tree(f);
}

// Most nodes of a shift that share one link between routers.
int most_shared(const Machine& machine, const Routing& routing, int shift) {
  std::vector<int> load(machine.num_links());
  for (std::int32_t node = 0; node < machine.num_nodes(); ++node) {
    const std::int32_t target = (node + shift) % machine.num_nodes();
    RouteState state = routing.start(node, target, machine.node_router[target]);
    std::int32_t here = machine.node_router[node];
    while (!routing.arrived(state, here)) {
      const Hop hop = routing.next(state, here, 0, Loads{});
      ++load[hop.link];
      here = machine.links[hop.link].to;
    }
  }
  return *std::ranges::max_element(load);
}

int most_shared_by_any(const Machine& machine, const char* policy) {
  const auto routing = make_routing(machine, {policy, 0, 0});
  int most = 0;
  for (int shift = 1; shift < machine.num_nodes(); ++shift)
    most = std::max(most, most_shared(machine, *routing, shift));
  return most;
}

}  // namespace

TEST("machine/no shift shares a link of a non-blocking fat tree under d-mod-k or s-mod-k") {
  for (const char* policy : {"d-mod-k", "s-mod-k", "minimal"}) {
    CHECK_EQUAL(most_shared_by_any(tree({4, 5}, {}, {}), policy), 1);
    CHECK_EQUAL(most_shared_by_any(tree({3, 3, 3}, {}, {}), policy), 1);
    CHECK_EQUAL(most_shared_by_any(tree({2, 2, 2, 2}, {}, {}), policy), 1);
    CHECK_EQUAL(most_shared_by_any(tree({4, 6}, {}, {2}), policy), 1);
    CHECK_EQUAL(most_shared_by_any(tree({4, 4, 2}, {}, {2, 4}), policy), 1);
    CHECK_EQUAL(most_shared_by_any(tree({4, 4}, {}, {}, 2), policy), 1);
  }
}

TEST("machine/a taper of two at the leaves makes pairs of nodes share, and no more") {
  for (const char* policy : {"d-mod-k", "s-mod-k"}) {
    CHECK_EQUAL(most_shared_by_any(tree({4, 5}, {2}, {}), policy), 2);
    CHECK_EQUAL(most_shared_by_any(tree({4, 4, 4}, {2, 1}, {}), policy), 2);
  }
}

TEST("machine/random ways up share links even where nothing is tapered") {
  const Machine machine = tree({4, 4}, {}, {});
  const auto routing = make_routing(machine, {"random", 0, 0});
  CHECK(most_shared(machine, *routing, 4) > 1);
}

}  // namespace odonata::tests::shift_test
