// Routing and its checks: `next` takes one of `choices`, and a cycle is found.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "check.hpp"
#include "odonata/machine/families/aries/aries.hpp"
#include "odonata/machine/families/dimensions.hpp"
#include "odonata/machine/families/dragonfly/dragonfly.hpp"
#include "odonata/machine/families/dragonfly_plus/dragonfly_plus.hpp"
#include "odonata/machine/families/families.hpp"
#include "odonata/machine/families/fat_tree/fat_tree.hpp"
#include "odonata/machine/families/gemini/gemini.hpp"
#include "odonata/machine/families/graph/graph.hpp"
#include "odonata/machine/families/hyperx/hyperx.hpp"
#include "odonata/machine/families/star/star.hpp"
#include "odonata/machine/families/torus/torus.hpp"
#include "odonata/machine/routing/deadlock.hpp"
#include "odonata/units/errors.hpp"

namespace odonata::tests::test_machine_routing {

namespace {

const LinkClass alike{"", {1'000'000'000}, 1'000, 4'096, 1'000};
const Basics basics{"test", 1, 1'000, 1'000, {1'000'000'000}};

Machine dragonfly(int p, int a, int h, int g) {
  return make_dragonfly(
      {basics, p, a, h, g, Arrangement::relative, 0, {}, alike, alike, alike, alike});
}

Machine dragonfly_plus(std::vector<std::int32_t> leaves, int spines, int ports, int cells,
                       int cables = 1) {
  DragonflyPlus d;
  d.basics = basics;
  d.cells = cells;
  d.leaves_per_cell = std::move(leaves);
  d.spines_per_cell = spines;
  d.nodes_per_leaf = 2;
  d.links_per_pair = cables;
  d.global_links_per_spine = ports;
  d.injection = d.ejection = d.local = d.global = alike;
  return make_dragonfly_plus(d);
}

Machine aries(int groups, int rows, int columns, int blue_links) {
  Aries a;
  a.basics = basics;
  a.groups = groups;
  a.rows = rows;
  a.columns = columns;
  a.nodes_per_router = 2;
  a.blue_links_per_group_pair = groups > 1 ? blue_links : 0;
  a.injection = a.ejection = a.green = a.black = a.blue = alike;
  return make_aries(a);
}

LinkClass named_class(const char* name) { return named(name, alike); }

Graph without_wires(int routers) {
  Graph graph;
  graph.basics = basics;
  graph.routers = routers;
  graph.injection = graph.ejection = alike;
  graph.own = {named_class("cable")};
  return graph;
}

// A ring of routers with one node each.
Machine ring(int routers) {
  Graph graph = without_wires(routers);
  for (int r = 0; r < routers; ++r) {
    graph.node_router.push_back(r);
    graph.wires.push_back({r, (r + 1) % routers, 2});
    graph.wires.push_back({(r + 1) % routers, r, 2});
  }
  return make_graph(graph);
}

// A mesh of rows x columns with one node a router.
Machine mesh(int rows, int columns) {
  Graph graph = without_wires(rows * columns);
  const auto join = [&](int a, int b) {
    graph.wires.push_back({a, b, 2});
    graph.wires.push_back({b, a, 2});
  };
  for (int r = 0; r < rows * columns; ++r) {
    graph.node_router.push_back(r);
    if (r % columns + 1 < columns) join(r, r + 1);
    if (r + columns < rows * columns) join(r, r + columns);
  }
  return make_graph(graph);
}

Machine hyperx(std::vector<std::int32_t> sizes, std::vector<std::int32_t> cables) {
  Hyperx h{basics, std::move(sizes), 2, std::move(cables), alike, alike, {}};
  for (std::size_t d = 0; d < h.sizes.size(); ++d)
    h.along.push_back(named(dimension_name(d), alike));
  return make_hyperx(h);
}

// `wrap`, `cables` and `far` of each dimension, or of none.
Machine torus(std::vector<std::int32_t> sizes, std::vector<std::int32_t> wrap = {},
              std::vector<std::int32_t> cables = {}, std::vector<std::int32_t> far = {}) {
  Torus t;
  t.basics = basics;
  t.sizes = std::move(sizes);
  t.nodes_per_router = 2;
  t.wrap = std::move(wrap);
  t.links_per_direction = std::move(cables);
  t.far_every = std::move(far);
  t.injection = t.ejection = alike;
  for (std::size_t d = 0; d < t.sizes.size(); ++d)
    t.along.push_back(named(dimension_name(d), alike));
  for (std::size_t d = 0; d < t.far_every.size(); ++d)
    if (t.far_every[d] > 0) t.along.push_back(named(dimension_name(d) + "-far", alike));
  return make_torus(t);
}

Machine gemini(std::vector<std::int32_t> sizes) {
  Gemini g;
  g.basics = basics;
  g.sizes = std::move(sizes);
  g.y_cable_every = g.z_cable_every = 2;
  g.injection = g.ejection = g.x = g.y = g.z = g.y_cable = alike;
  g.z_cable = {named("z-cable", alike)};
  return make_gemini(g);
}

Machine fat_tree(std::vector<std::int32_t> down, std::vector<std::int32_t> up,
                 std::vector<std::int32_t> parallel, int rails) {
  FatTree f{basics, std::move(down), std::move(up), {}, std::move(parallel),
            rails,  alike,           alike,         {}};
  if (rails > 1) f.cables.push_back(named("rail", alike));
  for (std::size_t level = 1; level < f.down.size(); ++level)
    f.cables.push_back(named("uplink" + std::to_string(level), alike));
  return make_fat_tree(f);
}

std::vector<Machine> small_machines() {
  std::vector<Machine> machines;
  machines.push_back(dragonfly(1, 1, 0, 1));   // a machine of one node
  machines.push_back(dragonfly(2, 1, 3, 4));   // groups of one router
  machines.push_back(dragonfly(2, 4, 2, 1));   // one group
  machines.push_back(dragonfly(2, 4, 2, 2));   // eight links a group pair
  machines.push_back(dragonfly(2, 4, 2, 9));
  machines.push_back(dragonfly(1, 3, 2, 4));   // two links a group pair
  machines.push_back(dragonfly_plus({3}, 2, 0, 1));        // one cell
  machines.push_back(dragonfly_plus({3}, 2, 2, 2));        // no third cell
  machines.push_back(dragonfly_plus({3}, 2, 3, 4));        // every spine joined to every cell
  machines.push_back(dragonfly_plus({2, 1, 3}, 2, 1, 3));  // detours turn at leaves
  machines.push_back(dragonfly_plus({2}, 3, 2, 5, 2));     // parallel cables
  machines.push_back(aries(1, 3, 4, 0));
  machines.push_back(aries(2, 2, 3, 7));
  machines.push_back(aries(4, 2, 3, 4));
  machines.push_back(aries(3, 2, 3, 1));  // one link a group pair
  machines.push_back(aries(3, 1, 4, 2));
  machines.push_back(aries(3, 4, 1, 2));
  machines.push_back(hyperx({5}, {}));
  machines.push_back(hyperx({3, 2, 4}, {1, 3, 2}));
  machines.push_back(torus({2}, {0}));
  machines.push_back(torus({3}));
  machines.push_back(torus({4}));
  machines.push_back(torus({7}, {0}, {2}));
  machines.push_back(torus({3, 6}, {}, {2, 1}, {0, 2}));
  machines.push_back(torus({5, 2, 4}, {1, 0, 1}, {1, 3, 2}));
  machines.push_back(torus({4, 3, 2, 4}, {1, 0, 0, 1}));
  machines.push_back(gemini({4, 3, 5}));
  machines.push_back(fat_tree({3}, {}, {}, 1));  // one router
  machines.push_back(fat_tree({2}, {}, {}, 3));  // three of them side by side
  machines.push_back(fat_tree({4, 3}, {2}, {3}, 1));
  machines.push_back(fat_tree({3, 3, 3}, {}, {}, 1));
  machines.push_back(fat_tree({2, 3, 1, 2}, {3, 1, 2}, {1, 2, 1}, 1));
  machines.push_back(fat_tree({2, 2, 3}, {1, 3}, {2, 1}, 2));
  machines.push_back(ring(7));
  machines.push_back(mesh(3, 4));
  machines.push_back(make_star({basics, 5, alike, alike}));
  return machines;
}

std::vector<std::string> policies_of(const Machine& machine) {
  // Engines of subnet managers want trees, go round, or have cycles: tests/machine has them.
  if (machine.family == "graph") return {"minimal"};
  std::vector<std::string> names;
  for (const PolicyAbout& policy : family_named(machine.family).policies)
    names.push_back(policy.name);
  return names;
}

// A routing whose virtual channels are all one, as in a careless design.
class SingleChannel final : public Routing {
 public:
  explicit SingleChannel(const Machine& machine)
      : Routing(false, false), inner_(make_routing(machine, {})) {}
  Hop next(RouteState& state, std::int32_t router, std::uint64_t packet,
           const Loads& loads) const override {
    return {inner_->next(state, router, packet, loads).link, 0};
  }
  [[nodiscard]] RouteState widened(const RouteState& state, std::int32_t router) const override {
    return inner_->widened(state, router);
  }
  void choices(const RouteState& state, std::int32_t router,
               std::vector<Choice>& out) const override {
    inner_->choices(state, router, out);
    for (Choice& choice : out) choice.hop.vc = 0;
  }
  [[nodiscard]] int num_vcs(int) const override {
    ++num_asked;
    return 1;
  }
  [[nodiscard]] int distance(std::int32_t from, std::int32_t to) const override {
    return inner_->distance(from, to);
  }

  mutable int num_asked = 0;

 private:
  std::unique_ptr<Routing> inner_;
};

// Is there such a choice? Where a packet has arrived, only the hop counts.
bool among(const std::vector<Routing::Choice>& choices, const Hop& hop, const RouteState& after,
           bool arrived) {
  return std::any_of(choices.begin(), choices.end(), [&](const Routing::Choice& c) {
    return c.hop.link == hop.link && c.hop.vc == hop.vc && (arrived || c.after == after);
  });
}

// Follows one packet under random loads; every step must be among the choices.
void follow(const Machine& machine, const Routing& routing, std::uint64_t packet) {
  const Draws draws(7, Purpose::shuffle, packet);
  const auto nodes = static_cast<std::uint32_t>(machine.num_nodes());
  const auto source = static_cast<std::int32_t>(draws.below(0, nodes));
  const auto target = static_cast<std::int32_t>(draws.below(1, nodes));
  std::int32_t here = machine.node_router[source];
  RouteState state = routing.start(source, target, machine.node_router[target]);
  std::vector<std::int32_t> loads(machine.num_links());
  std::uint64_t i = 2;
  std::vector<Routing::Choice> choices;
  while (!routing.arrived(state, here) && i < 10'000) {
    for (std::int32_t& load : loads) load = static_cast<std::int32_t>(draws.below(i++, 4'096));
    choices.clear();
    routing.choices(state, here, choices);
    const Hop hop = routing.next(state, here, packet, Loads(loads.data(), sizeof(loads[0])));
    const Link& link = machine.links[hop.link];
    CHECK_EQUAL(link.from, here);
    CHECK(hop.vc < routing.num_vcs(link.link_class));
    here = link.to;
    CHECK(among(choices, hop, routing.widened(state, here), routing.arrived(state, here)));
  }
  CHECK(routing.arrived(state, here));
}

bool same(const Hop& a, const Hop& b) { return a.link == b.link && a.vc == b.vc; }

// Do all packets between two nodes take the same hops, whatever the loads?
bool all_go_one_way(const Machine& machine, const Routing& routing, std::int32_t from,
                    std::int32_t to) {
  const std::int32_t begin = machine.node_router[from];
  const RouteState start = routing.start(from, to, machine.node_router[to]);
  const Draws draws(5, Purpose::shuffle, static_cast<std::uint64_t>(from));
  std::vector<std::int32_t> loads(machine.num_links());
  std::vector<Hop> first;
  for (std::uint64_t packet = 0; packet < 40; ++packet) {
    for (std::size_t i = 0; i < loads.size(); ++i)
      loads[i] = static_cast<std::int32_t>(draws.below(packet * loads.size() + i, 4'096));
    const std::vector<Hop> hops =
        routing.follow(machine, start, begin, packet, Loads(loads.data(), sizeof(loads[0])));
    if (packet == 0) first = hops;
    if (!std::equal(hops.begin(), hops.end(), first.begin(), first.end(), same)) return false;
  }
  return true;
}

// Does a policy of a family know whether all packets between these nodes go one way? Where several
// links join two groups it does not ask which is the nearest one.
bool knows_ways(const Machine& machine, const std::string& policy, std::int32_t from,
                std::int32_t to) {
  if (policy == "d-mod-k" || policy == "dimension-order") return true;
  const std::set<std::string> families{"aries", "dragonfly", "dragonfly-plus", "hyperx"};
  if (policy != "minimal" || !families.contains(machine.family)) return false;
  const auto group_of = [&](std::int32_t router) { return machine.group_of(router); };
  const auto here = group_of(machine.node_router[from]), there = group_of(machine.node_router[to]);
  return here == there ||
         std::count_if(machine.links.begin() + 2 * machine.num_nodes(), machine.links.end(),
                       [&](const Link& link) {
                         return group_of(link.from) == here && group_of(link.to) == there;
                       }) == 1;
}

// The first link of a class, from 2 on along a dimension, that leaves a router.
std::int32_t link_along(const Machine& machine, std::int32_t router, std::int32_t link_class) {
  const auto found =
      std::find_if(machine.links.begin(), machine.links.end(), [&](const Link& link) {
        return link.link_class == link_class && link.from == router;
      });
  return static_cast<std::int32_t>(found - machine.links.begin());
}

// Where a packet leaves a router for, if so many bytes wait for each link.
std::int32_t router_after(const Machine& machine, const Routing& routing, RouteState& state,
                          std::int32_t router, const std::vector<std::int32_t>& loads) {
  const Hop hop = routing.next(state, router, 0, Loads(loads.data(), sizeof(loads[0])));
  return machine.links[hop.link].to;
}

}  // namespace

TEST("machine/a reversal on a torus has the bias to make up for") {
  const Machine machine = torus({3, 5});
  const std::int32_t start = 0, x = 2, y = 3;
  const std::int32_t x_link = link_along(machine, start, x), y_link = link_along(machine, start, y);
  const std::int32_t middle = machine.links[y_link].to;
  const std::int32_t onward = link_along(machine, middle, y);
  const std::int32_t corner = machine.links[onward].to;
  const std::int32_t goal = machine.links[link_along(machine, corner, x)].to;
  const std::int32_t back = machine.links[link_along(machine, middle, x)].to;
  for (const Bytes bias : {99, 100}) {
    const auto routing = make_routing(machine, {"adaptive", 3, bias});
    RouteState state = routing->start(0, 0, goal);
    std::vector<std::int32_t> loads(machine.num_links());
    loads[x_link] = 1'000;
    CHECK_EQUAL(router_after(machine, *routing, state, start, loads), middle);
    loads[onward] = 100;  // straight on; nothing waits for the link back to the first dimension
    CHECK_EQUAL(router_after(machine, *routing, state, middle, loads), bias < 100 ? back : corner);
  }
}

TEST("machine/the global kind of UGAL sees the second link of a detour, the local one does not") {
  const Machine machine = hyperx({4}, {1});
  const std::int32_t start = 0, goal = 3;
  std::vector<std::int32_t> loads(machine.num_links(), 100);
  for (std::size_t i = 0; i < loads.size(); ++i)
    if (machine.links[i].from == start && machine.links[i].to != goal) loads[i] = 0;
  for (const char* policy : {"ugal-l", "ugal-g"}) {
    const auto routing = make_routing(machine, {policy, 3, 0});
    RouteState state = routing->start(0, 0, goal);
    const bool straight = router_after(machine, *routing, state, start, loads) == goal;
    CHECK_EQUAL(straight, std::string(policy) == "ugal-g");
  }
}

TEST("machine/choices hold every hop that next makes") {
  for (const Machine& machine : small_machines())
    for (const std::string& policy : policies_of(machine)) {
      const auto routing = make_routing(machine, {policy, 3, 100});
      for (std::uint64_t packet = 0; packet < 300; ++packet) follow(machine, *routing, packet);
    }
}

TEST("machine/packets go one way where a routing says so, and it does wherever it knows") {
  for (const Machine& machine : small_machines())
    for (const std::string& policy : policies_of(machine)) {
      const auto routing = make_routing(machine, {policy, 3, 0});
      for (std::int32_t from = 0; from < machine.num_nodes(); ++from)
        for (std::int32_t to = 0; to < machine.num_nodes(); ++to) {
          const bool one =
              routing->has_one_route(machine.node_router[from], machine.node_router[to]);
          if (one || knows_ways(machine, policy, from, to))
            CHECK_EQUAL(one, all_go_one_way(machine, *routing, from, to));
        }
    }
}

TEST("machine/a minimal route is as long as the distance under every policy") {
  for (const Machine& machine : small_machines())
    for (const std::string& policy : policies_of(machine)) {
      const auto routing = make_routing(machine, {policy, 3, 0});
      for (const std::int32_t from : machine.node_router)
        for (const std::int32_t to : machine.node_router)
          CHECK_EQUAL(routing->minimal_route(machine, from, to).size(),
                      static_cast<std::size_t>(routing->distance(from, to)));
    }
}

TEST("machine/no family has a cycle of channels under any policy") {
  for (const Machine& machine : small_machines())
    for (const std::string& policy : policies_of(machine)) {
      const DeadlockReport report = check_deadlock(machine, *make_routing(machine, {policy, 3, 0}));
      CHECK(report.deadlock_free);
      CHECK(report.cycle.empty());
      CHECK(report.used <= report.channels);
    }
}

TEST("machine/a ring with a single virtual channel deadlocks, and the cycle is shown") {
  const Machine machine = ring(5);
  const DeadlockReport report = check_deadlock(machine, SingleChannel(machine));
  CHECK(!report.deadlock_free);
  CHECK_EQUAL(report.cycle.size(), 5U);  // once round
  for (std::size_t i = 0; i < report.cycle.size(); ++i) {
    const Channel& here = report.cycle[i];
    const Channel& next = report.cycle[(i + 1) % report.cycle.size()];
    CHECK_EQUAL(machine.links[here.link].to, machine.links[next.link].from);
    CHECK_EQUAL(here.vc, 0);
  }
}

TEST("machine/a torus without its dateline deadlocks") {
  const Machine machine = torus({5, 3});
  const DeadlockReport report = check_deadlock(machine, SingleChannel(machine));
  CHECK(!report.deadlock_free);
  CHECK_EQUAL(report.cycle.size(), 5U);  // once round the longer dimension
  CHECK(check_deadlock(torus({3, 3}), SingleChannel(torus({3, 3}))).deadlock_free);
}

TEST("machine/a ring of three needs no second virtual channel: no route has two links") {
  const Machine machine = ring(3);
  CHECK(check_deadlock(machine, SingleChannel(machine)).deadlock_free);
}

TEST("machine/a dragonfly with a single virtual channel deadlocks") {
  const Machine machine = dragonfly(2, 4, 2, 9);
  CHECK(!check_deadlock(machine, SingleChannel(machine)).deadlock_free);
}

TEST("machine/virtual channels are asked for once a class, not once a link") {
  const Machine machine = dragonfly(2, 4, 2, 9);
  const SingleChannel routing(machine);
  (void)check_deadlock(machine, routing);
  CHECK_EQUAL(routing.num_asked, 2);  // local, global
}

TEST("machine/distances of whole groups agree with all pairs of routers") {
  for (const Machine& machine : small_machines()) {
    const auto routing = make_routing(machine, {});
    std::vector<std::int64_t> nodes(machine.num_routers());  // another number at each router
    for (const std::int32_t r : machine.node_router) nodes[r] = r * r % 7;
    const Distances found = routing->distances(nodes);
    const Distances twin = routing->Routing::distances(nodes);
    CHECK_EQUAL(found.diameter, twin.diameter);
    CHECK_EQUAL(found.sum, twin.sum);
  }
}

TEST("machine/arrangements by hand, seven groups, port by port") {
  // group 2: absolute skips itself; relative counts on; circulant goes to both sides in turn
  const std::vector<int> absolute{0, 1, 3, 4, 5, 6}, relative{3, 4, 5, 6, 0, 1},
      circulant{3, 1, 4, 0, 5, 6};
  for (int k = 0; k < 6; ++k) {
    const auto i = static_cast<std::size_t>(k);
    CHECK_EQUAL(group_behind(Arrangement::absolute, 2, k, 7), absolute[i]);
    CHECK_EQUAL(group_behind(Arrangement::relative, 2, k, 7), relative[i]);
    CHECK_EQUAL(group_behind(Arrangement::circulant, 2, k, 7), circulant[i]);
  }
}

TEST("machine/the port at the other end leads back, for every arrangement") {
  for (const char* name : {"absolute", "relative", "circulant"})
    for (int g = 2; g < 12; ++g)
      for (int i = 0; i < g; ++i) {
        const Arrangement arrangement = arrangement_named(name);
        std::set<int> reached;
        for (int k = 0; k < g - 1; ++k) {
          const int to = group_behind(arrangement, i, k, g);
          const int port = port_behind(arrangement, i, k, g);
          CHECK_EQUAL(group_behind(arrangement, to, port, g), i);
          CHECK_EQUAL(port_behind(arrangement, to, port, g), k);
          reached.insert(to);
        }
        CHECK_EQUAL(reached.size(), static_cast<std::size_t>(g - 1));
        CHECK(!reached.contains(i));
      }
}

TEST("machine/wrong parameters are refused") {
  CHECK_THROWS(UserError, dragonfly(1, 2, 1, 4));  // two ports a group, three peers
  CHECK_THROWS(UserError, dragonfly(0, 2, 1, 3));
  CHECK_THROWS(UserError, dragonfly(4'096, 4'096, 1, 2'048));  // more nodes than any machine
  CHECK_THROWS(UserError, aries(2, 6, 16, 961));
  CHECK_THROWS(UserError, aries(0, 6, 16, 24));
  CHECK_THROWS(UserError, torus({4, 1}));
  CHECK_THROWS(UserError, torus({4, 2}));          // two routers and a wrap
  CHECK_THROWS(UserError, torus({4, 4}, {1}));     // a dimension without its word
  CHECK_THROWS(UserError, torus({4'096}));         // more hops than a packet counts
  CHECK_THROWS(UserError, gemini({4, 4}));
  CHECK_THROWS(UserError, make_star({basics, -1, alike, alike}));
  CHECK_THROWS(UserError, arrangement_named("relativ"));
}

}  // namespace odonata::tests::test_machine_routing
