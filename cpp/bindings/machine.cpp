// odonata._core: machines, their builders and their checks.
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "bind.hpp"
#include "odonata/machine/aries/aries.hpp"
#include "odonata/machine/check.hpp"
#include "odonata/machine/deadlock.hpp"
#include "odonata/machine/dragonfly/dragonfly.hpp"
#include "odonata/machine/fluid.hpp"
#include "odonata/machine/graph/graph.hpp"
#include "odonata/machine/star/star.hpp"
#include "odonata/machine/topology.hpp"
#include "odonata/machine/wires.hpp"

using namespace nb::literals;
using namespace odonata;

namespace {

using Ints = nb::ndarray<nb::memview, const std::int32_t>;
using Rows = nb::ndarray<nb::numpy, const std::int32_t>;  // a memoryview has no columns
using GivenInts = std::vector<std::int32_t>;
using GivenWires = std::vector<std::array<std::int32_t, 3>>;

static_assert(sizeof(Link) == 3 * sizeof(std::int32_t));

// Rows of (from, to, class).
std::vector<Wire> wires(const GivenWires& given) {
  std::vector<Wire> made;
  made.reserve(given.size());
  for (const auto& [from, to, number] : given) made.push_back({from, to, number});
  return made;
}

Ints view(const Machine& machine, const std::vector<std::int32_t>& values) {
  return Ints(values.data(), {values.size()}, nb::find(machine));
}

Rows positions(const Machine& machine) {
  const std::size_t axes = machine.topology->axes().size();
  const auto routers = static_cast<std::size_t>(machine.num_routers());
  auto values = std::make_unique<std::vector<std::int32_t>>();
  for (std::int32_t r = 0; r < machine.num_routers(); ++r)
    for (const std::int32_t at : machine.topology->position(r)) values->push_back(at);
  const std::int32_t* data = values->data();
  const nb::capsule owner(values.release(), [](void* p) noexcept {
    delete static_cast<std::vector<std::int32_t>*>(p);
  });
  return Rows(data, {routers, axes}, owner);
}

std::shared_ptr<Machine> share(Machine&& machine) {
  return std::make_shared<Machine>(std::move(machine));
}

void bind_types(nb::module_& m) {
  nb::class_<LinkClass>(m, "LinkClass")
      .def(
          "__init__",
          [](LinkClass* c, const std::string& name, std::int64_t bandwidth, Time latency,
             Bytes buffer, Time credit_delay) {
            new (c) LinkClass{name, {bandwidth}, latency, buffer, credit_delay};
          },
          "name"_a, "bandwidth"_a, "latency"_a, "buffer"_a, "credit_delay"_a)
      .def_ro("name", &LinkClass::name)
      .def_prop_ro("bandwidth", [](const LinkClass& c) { return c.bandwidth.bytes_per_second; })
      .def_ro("latency", &LinkClass::latency)
      .def_ro("buffer", &LinkClass::buffer_bytes)
      .def_ro("credit_delay", &LinkClass::credit_delay);
  nb::class_<Basics>(m, "Basics")
      .def(
          "__init__",
          [](Basics* b, const std::string& name, int cores_per_node, Time router_delay,
             Time node_latency, std::int64_t node_bandwidth) {
            new (b) Basics{name, cores_per_node, router_delay, node_latency, {node_bandwidth}};
          },
          "name"_a, "cores_per_node"_a, "router_delay"_a, "node_latency"_a, "node_bandwidth"_a);
}

void bind_machine_class(nb::module_& m) {
  nb::class_<Level>(m, "Level")
      .def_ro("name", &Level::name)
      .def_ro("count", &Level::count)
      .def_prop_ro(
          "of_router",
          [](const Level& x) {
            return Ints(x.of_router.data(), {x.of_router.size()}, nb::find(x));
          },
          "Block of each router. [num_routers]");
  nb::class_<Machine>(m, "Machine")
      .def_ro("name", &Machine::name)
      .def_ro("family", &Machine::family)
      .def_ro("cores_per_node", &Machine::cores_per_node)
      .def_ro("router_delay", &Machine::router_delay)
      .def_ro("node_latency", &Machine::node_latency)
      .def_prop_ro("node_bandwidth",
                   [](const Machine& x) { return x.node_bandwidth.bytes_per_second; })
      .def_prop_ro("groups", &Machine::num_groups)
      .def("group_of", &Machine::group_of, "router"_a)
      .def_ro("levels", &Machine::levels)
      .def_prop_ro("axes", [](const Machine& x) { return x.topology->axes(); })
      .def(
          "position", [](const Machine& x, int router) { return x.topology->position(router); },
          "router"_a, "Coordinates of a router. [num_axes]")
      .def_prop_ro("positions", &positions, nb::rv_policy::automatic,
                   "Coordinates of each router. [num_routers, num_axes]")
      .def_prop_ro("num_nodes", &Machine::num_nodes)
      .def_prop_ro("num_routers", &Machine::num_routers)
      .def_prop_ro("num_links", &Machine::num_links)
      .def_ro("classes", &Machine::classes)
      .def_prop_ro(
          "node_router", [](const Machine& x) { return view(x, x.node_router); },
          "Router of each node. [num_nodes]")
      .def_prop_ro(
          "links",
          [](const Machine& x) {
            const std::int32_t* first = x.links.empty() ? nullptr : &x.links.front().from;
            return Rows(first, {x.links.size(), 3}, nb::find(x));
          },
          "From, to and class of each link. [num_links, 3]")
      .def_prop_ro(
          "first_link", [](const Machine& x) { return view(x, x.first_link); },
          "First link that leaves each router, and the number of links. [num_routers + 1]");
}

void bind_builders(nb::module_& m) {
  m.def(
      "make_dragonfly",
      [](const Basics& basics, int nodes_per_router, int routers_per_group,
         int global_links_per_router, int groups, const std::string& arrangement,
         int links_per_group_pair, const LinkClass& injection, const LinkClass& ejection,
         const LinkClass& local, const LinkClass& global) {
        return share(
            make_dragonfly({basics, nodes_per_router, routers_per_group, global_links_per_router,
                            groups, arrangement_named(arrangement), links_per_group_pair, injection,
                            ejection, local, global}));
      },
      "basics"_a, "nodes_per_router"_a, "routers_per_group"_a, "global_links_per_router"_a,
      "groups"_a, "arrangement"_a, "links_per_group_pair"_a, "injection"_a, "ejection"_a, "local"_a,
      "global_"_a);
  m.def(
      "make_aries",
      [](const Basics& basics, int groups, int rows, int columns, int nodes_per_router,
         int black_links, int blue_links, int nodes, const GivenInts& service_routers,
         const GivenWires& blue_wiring, const LinkClass& injection, const LinkClass& ejection,
         const LinkClass& green, const LinkClass& black, const LinkClass& blue) {
        return share(make_aries({basics, groups, rows, columns, nodes_per_router, black_links,
                                 blue_links, nodes, service_routers, wires(blue_wiring), injection,
                                 ejection, green, black, blue}));
      },
      "basics"_a, "groups"_a, "rows"_a, "columns"_a, "nodes_per_router"_a, "black_links"_a,
      "blue_links"_a, "nodes"_a, "service_routers"_a, "blue_wiring"_a, "injection"_a, "ejection"_a,
      "green"_a, "black"_a, "blue"_a);
  m.def(
      "make_star",
      [](const Basics& basics, int nodes, const LinkClass& injection, const LinkClass& ejection) {
        return share(make_star({basics, nodes, injection, ejection}));
      },
      "basics"_a, "nodes"_a, "injection"_a, "ejection"_a);
  m.def(
      "make_graph",
      [](const Basics& basics, int routers, const GivenInts& node_router, const GivenWires& links,
         const std::vector<LinkClass>& classes) {
        return share(make_graph({basics, routers, node_router, wires(links), classes}));
      },
      "basics"_a, "routers"_a, "node_router"_a, "links"_a, "classes"_a);
}

void bind_routing(nb::module_& m) {
  nb::class_<Routing>(m, "Routing")
      .def("num_vcs", &Routing::num_vcs, "link_class"_a)
      .def("distance", &Routing::distance, "from_router"_a, "to_router"_a)
      .def("minimal_route", &Routing::minimal_route, "machine"_a, "from_router"_a, "to_router"_a)
      .def(
          "route",
          [](const Routing& routing, const Machine& machine, int from, int to,
             std::uint64_t packet) {
            std::vector<std::pair<std::int32_t, std::int32_t>> hops;
            for (const Hop& hop : routing.route(machine, from, to, packet, Loads{}))
              hops.emplace_back(hop.link, hop.vc);
            return hops;
          },
          "machine"_a, "from_router"_a, "to_router"_a, "packet"_a,
          "Pairs of link and virtual channel of a packet on an idle machine.");
  m.def(
      "make_routing",
      [](const Machine& machine, const std::string& policy, std::uint64_t seed, Bytes bias) {
        return make_routing(machine, {policy_named(policy), seed, bias});
      },
      "machine"_a, "policy"_a, "seed"_a, "bias"_a, nb::keep_alive<0, 1>());
}

void bind_reports(nb::module_& m) {
  nb::class_<Channel>(m, "Channel").def_ro("link", &Channel::link).def_ro("vc", &Channel::vc);
  nb::class_<DeadlockReport>(m, "DeadlockReport")
      .def_ro("deadlock_free", &DeadlockReport::deadlock_free)
      .def_ro("channels", &DeadlockReport::channels)
      .def_ro("used", &DeadlockReport::used)
      .def_ro("states", &DeadlockReport::states)
      .def_ro("transitions", &DeadlockReport::transitions)
      .def_ro("cycle", &DeadlockReport::cycle);
  nb::class_<Bisection>(m, "Bisection")
      .def_ro("parts", &Bisection::parts)
      .def_ro("bytes_per_second", &Bisection::bytes_per_second)
      .def_ro("links", &Bisection::links)
      .def_ro("exact", &Bisection::exact);
  nb::class_<ClassCount>(m, "ClassCount")
      .def_ro("name", &ClassCount::name)
      .def_ro("links", &ClassCount::links)
      .def_ro("vcs", &ClassCount::vcs)
      .def_ro("channels", &ClassCount::channels);
  nb::class_<Properties>(m, "Properties")
      .def_ro("connected", &Properties::connected)
      .def_ro("diameter", &Properties::diameter)
      .def_ro("mean_distance", &Properties::mean_distance)
      .def_ro("bisection", &Properties::bisection)
      .def_ro("classes", &Properties::classes);
  nb::class_<FluidBound>(m, "FluidBound")
      .def_ro("load", &FluidBound::load)
      .def_ro("link", &FluidBound::link)
      .def_ro("link_load", &FluidBound::link_load);
  nb::class_<Difference>(m, "Difference")
      .def_ro("link_class", &Difference::link_class)
      .def_ro("only_first", &Difference::only_first)
      .def_ro("only_second", &Difference::only_second)
      .def_ro("common", &Difference::common);
}

void bind_checks(nb::module_& m) {
  m.def("check_deadlock", &check_deadlock, "machine"_a, "routing"_a,
        nb::call_guard<nb::gil_scoped_release>());
  m.def("find_properties", &find_properties, "machine"_a, "routing"_a,
        nb::call_guard<nb::gil_scoped_release>());
  m.def("compare_links", &compare_links, "first"_a, "second"_a);
  m.def(
      "fluid_bound",
      [](const Machine& machine, const std::string& policy, const std::string& pattern, int shift) {
        return fluid_bound(machine, policy_named(policy), pattern_named(pattern, shift));
      },
      "machine"_a, "policy"_a, "pattern"_a, "shift"_a, nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace

void bind_machine(nb::module_& m) {
  bind_types(m);
  bind_machine_class(m);
  bind_builders(m);
  bind_routing(m);
  bind_reports(m);
  bind_checks(m);
}
