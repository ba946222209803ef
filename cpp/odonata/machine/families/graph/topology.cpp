#include "odonata/machine/families/graph/topology.hpp"

#include <algorithm>
#include <utility>

#include "odonata/machine/families/graph/adaptive.hpp"
#include "odonata/machine/families/graph/engines.hpp"
#include "odonata/machine/families/graph/fixed.hpp"
#include "odonata/machine/routing/detours.hpp"

namespace odonata {

namespace {

struct Engine {
  PolicyAbout about;
  Routes (*route)(const Machine&);
  bool acyclic = false;  // no route goes up after it went down
};

const std::vector<Engine>& engines() {
  static const std::vector<Engine> all{
      {{.name = "minhop",
        .meaning = "Tables of shortest routes: at each router the link with the fewest addresses",
        .oblivious = true},
       route_minhop},
      {{.name = "updown",
        .meaning = "Tables of routes up and then down a tree of the routers",
        .oblivious = true},
       route_updown,
       true},
      {{.name = "dmodk",
        .meaning = "Tables of routes up a tree by the link that belongs to the port, then down",
        .oblivious = true},
       route_dmodk,
       true},
      {{.name = "sssp",
        .meaning = "Tables of shortest routes along the links with the fewest routes so far",
        .oblivious = true},
       route_sssp},
  };
  return all;
}

// Can no packets wait for each other in a cycle, whatever the machine?
bool is_acyclic(const std::string& policy) {
  return std::ranges::any_of(engines(), [&](const Engine& engine) {
    return engine.about.name == policy && engine.acyclic;
  });
}

constexpr const char* plain = "minimal";
constexpr const char* shortest = "shortest";
constexpr const char* adaptive = "adaptive-shortest";

// Loads of traffic between routers along tables; each port on a router has an equal part.
void add_table_loads(const Machine& machine, const Routes& routes, const TrafficMatrix& traffic,
                     std::vector<double>& load) {
  const FixedRouting routing(machine, std::make_shared<const Routes>(routes), false);
  const RouterPorts at(machine);
  for (std::int32_t from = 0; from < machine.num_ports(); ++from)
    for (std::int32_t to = 0; to < machine.num_ports(); ++to) {
      const std::int32_t a = machine.port_router[from], b = machine.port_router[to];
      const double part = traffic.row(a)[b] / at.count(a) / at.count(b);
      if (a == b || part == 0) continue;
      for (const Hop& hop : routing.follow(machine, routing.start(from, to, b), a, 0, Loads{}))
        load[hop.link] += part;
    }
}

}  // namespace

const std::vector<PolicyAbout>& graph_policies() {
  static const std::vector<PolicyAbout> policies = [] {
    std::vector<PolicyAbout> all = detour_policies();
    all.front().meaning = "The tables of shape.routes if the file has some, else a shortest route";
    all.push_back({.name = shortest, .meaning = "A shortest route", .oblivious = true});
    all.push_back({.name = adaptive,
                   .meaning = "Any link of a shortest route, by the bytes that wait for it"});
    for (const Engine& engine : engines()) all.push_back(engine.about);
    return all;
  }();
  return policies;
}

// The tables that a policy follows; null: it has none.
std::shared_ptr<const Routes> GraphTopology::routes_of(const Machine& machine,
                                                       const std::string& policy) const {
  if (policy == plain) return routes_;
  for (const Engine& engine : engines())
    if (engine.about.name == policy) return std::make_shared<const Routes>(engine.route(machine));
  return nullptr;
}

std::unique_ptr<Routing> GraphTopology::routing(const Machine& machine,
                                                const RoutingOptions& options) const {
  RoutingOptions named = options;
  named.policy = graph_policies()[policy_at(graph_policies(), options.policy)].name;
  if (auto routes = routes_of(machine, named.policy))
    return std::make_unique<FixedRouting>(machine, std::move(routes), is_acyclic(named.policy));
  if (named.policy == adaptive) return std::make_unique<AdaptiveShortest>(machine, named, partial_);
  if (named.policy == shortest) named.policy = plain;
  return shortest_.routing(machine, named);
}

void GraphTopology::add_loads(const Machine& machine, const std::string& policy,
                              TrafficMatrix traffic, std::vector<double>& load) const {
  const std::string name = graph_policies()[policy_at(graph_policies(), policy)].name;
  if (const auto routes = routes_of(machine, name))
    return add_table_loads(machine, *routes, traffic, load);
  shortest_.add_loads(machine, name == shortest ? plain : name, std::move(traffic), load);
}

}  // namespace odonata
