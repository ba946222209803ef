// Placement on a star of 4 nodes and a dragonfly of 3 groups, 2 routers each, 2 nodes each.
#include <algorithm>
#include <set>
#include <sstream>

#include "check.hpp"
#include "odonata/machine/families/dragonfly/dragonfly.hpp"
#include "odonata/machine/families/star/star.hpp"
#include "odonata/placement/allocation.hpp"
#include "odonata/placement/distance.hpp"
#include "odonata/placement/mapping.hpp"
#include "odonata/units/errors.hpp"

namespace odonata::tests::placement_test {

namespace {

using Nodes = std::vector<std::int32_t>;

template <class T>
std::string text(const std::vector<T>& values) {
  std::ostringstream out;
  for (const T& value : values) out << value << ' ';
  return out.str();
}

LinkClass link(const char* name) { return {name, {1'000'000'000}, 0, 4096, 0}; }

Machine star() {
  return make_star({{"star", 4, 0, 0, {1'000'000'000}}, 4, link("injection"), link("ejection")});
}

// p = 2, a = 2, h = 1, g = 3: nodes 4 G to 4 G + 3 are in group G.
Machine dragonfly() {
  return make_dragonfly({{"small", 4, 0, 0, {1'000'000'000}},
                         2,
                         2,
                         1,
                         3,
                         Arrangement::relative,
                         0,
                         {},
                         link("injection"),
                         link("ejection"),
                         link("local"),
                         link("global")});
}

}  // namespace

TEST("placement/contiguous goes round the machine and past taken nodes") {
  const Machine machine = star();
  FreeNodes free(machine, 7);
  free.take(Nodes{0});
  CHECK_EQUAL(text(free.take(Strategy::contiguous, 2, 3, 0)), "3 1 ");
  CHECK_EQUAL(free.count(), 1);
}

TEST("placement/random keeps routers and groups together where it says so") {
  const Machine machine = dragonfly();
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    FreeNodes free(machine, seed);
    const Nodes groups = free.take(Strategy::random_groups, 4, 0, 0);
    CHECK_EQUAL(groups.front() % 4, 0);
    CHECK_EQUAL(groups.back(), groups.front() + 3);
    const Nodes routers = free.take(Strategy::random_routers, 4, 0, 1);
    CHECK_EQUAL(routers[0] / 2, routers[1] / 2);
    CHECK_EQUAL(routers[2] / 2, routers[3] / 2);
    const Nodes rest = free.take(Strategy::random, 4, 0, 2);
    std::set<std::int32_t> all(groups.begin(), groups.end());
    all.insert(routers.begin(), routers.end());
    all.insert(rest.begin(), rest.end());
    CHECK_EQUAL(all.size(), 12U);
  }
}

TEST("placement/the draws of a job depend on nothing but the seed and its number") {
  const Machine machine = dragonfly();
  FreeNodes one(machine, 3), other(machine, 3);
  CHECK_EQUAL(text(one.take(Strategy::random, 12, 0, 5)),
              text(other.take(Strategy::random, 12, 0, 5)));
}

TEST("placement/what can't be taken is refused") {
  const Machine machine = star();
  FreeNodes free(machine, 0);
  CHECK_THROWS(UserError, free.take(Strategy::random, 5, 0, 0));
  CHECK_THROWS(UserError, free.take(Strategy::random, 0, 0, 0));
  CHECK_THROWS(UserError, free.take(Strategy::contiguous, 1, 4, 0));
  CHECK_THROWS(UserError, free.take(Nodes{4}));
  CHECK_THROWS(UserError, free.take(Nodes{1, 1}));
  CHECK_THROWS(UserError, strategy_named("randm"));
}

TEST("placement/block fills nodes, cyclic deals ranks out") {
  const Nodes nodes{5, 9};
  CHECK_EQUAL(text(map_ranks(nodes, 4, 2, Order::block, 0, 0)), "5 5 9 9 ");
  CHECK_EQUAL(text(map_ranks(nodes, 4, 2, Order::cyclic, 0, 0)), "5 9 5 9 ");
  Nodes random = map_ranks(nodes, 4, 2, Order::random, 0, 0);
  std::sort(random.begin(), random.end());
  CHECK_EQUAL(text(random), "5 5 9 9 ");
  CHECK_THROWS(UserError, map_ranks(nodes, 5, 2, Order::block, 0, 0));
}

TEST("placement/distances count pairs by links between their routers") {
  const Machine machine = dragonfly();
  const auto routing = make_routing(machine, {});
  // Two ranks on router 0, one on router 1 of the same group: one pair at 0, two at 1.
  CHECK_EQUAL(text(count_distances(machine, *routing, {0, 1, 2})), "1 2 ");
}

}  // namespace odonata::tests::placement_test
