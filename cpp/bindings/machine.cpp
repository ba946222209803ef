// odonata._core: machines, their builders and their checks.
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <numeric>

#include "bind.hpp"
#include "odonata/machine/check.hpp"
#include "odonata/machine/families/families.hpp"
#include "odonata/machine/families/graph/broken.hpp"
#include "odonata/machine/flows.hpp"
#include "odonata/machine/fluid.hpp"
#include "odonata/machine/routing/deadlock.hpp"
#include "odonata/machine/topology.hpp"
#include "odonata/machine/wires.hpp"
#include "odonata/random/draws.hpp"

using namespace nb::literals;
using namespace odonata;

namespace {

using IntView = nb::ndarray<nb::memview, const std::int32_t>;
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

IntView view(const Machine& machine, const std::vector<std::int32_t>& values) {
  return IntView(values.data(), {values.size()}, nb::find(machine));
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

// The values of parameters, each as its kind is.
Values values_of(const std::string& family, const nb::dict& given) {
  using Kind = Parameter::Kind;
  Values values;
  for (const Parameter& parameter : family_named(family).parameters) {
    if (!given.contains(parameter.name.c_str())) continue;
    const nb::handle value = given[parameter.name.c_str()];
    if (parameter.kind == Kind::count)
      values[parameter.name] = nb::cast<std::int64_t>(value);
    else if (parameter.kind == Kind::choice)
      values[parameter.name] = nb::cast<std::string>(value);
    else if (parameter.kind == Kind::counts)
      values[parameter.name] = nb::cast<GivenInts>(value);
    else if (nb::isinstance<nb::bytes>(value))
      values[parameter.name] =
          std::string(nb::cast<nb::bytes>(value).c_str(), nb::cast<nb::bytes>(value).size());
    else
      values[parameter.name] = wires(nb::cast<GivenWires>(value));
  }
  return values;
}

const char* kind_name(Parameter::Kind kind) {
  switch (kind) {
    case Parameter::Kind::count: return "count";
    case Parameter::Kind::choice: return "choice";
    case Parameter::Kind::counts: return "counts";
    case Parameter::Kind::wires: return "wires";
    case Parameter::Kind::file: return "file";
  }
  return "";
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
  nb::class_<Ports>(m, "Ports")
      .def(
          "__init__",
          [](Ports* p, int per_node, int routers, const std::string& binding,
             std::optional<Bytes> stripe_from) {
            new (p)
                Ports{per_node, routers, binding_named(binding), stripe_from.value_or(any_size)};
          },
          "per_node"_a = 1, "routers"_a = 1, "binding"_a = "blocks", "stripe_from"_a = nb::none())
      .def_ro("per_node", &Ports::per_node)
      .def_ro("stripe_from", &Ports::stripe_from)
      .def("of_rank", &Ports::of_rank, "at"_a, "ranks"_a, "count"_a);
  nb::class_<Basics>(m, "Basics")
      .def(
          "__init__",
          [](Basics* b, const std::string& name, int cores_per_node, Time router_delay,
             Time node_latency, std::int64_t node_bandwidth, std::int64_t memory_bandwidth,
             const Ports& ports) {
            new (b) Basics{name,         cores_per_node,   router_delay,
                           node_latency, {node_bandwidth}, {memory_bandwidth},
                           ports};
          },
          "name"_a, "cores_per_node"_a, "router_delay"_a, "node_latency"_a, "node_bandwidth"_a,
          "memory_bandwidth"_a = 0, "ports"_a = Ports{});
}

void bind_machine_class(nb::module_& m) {
  nb::class_<Level>(m, "Level")
      .def_ro("name", &Level::name)
      .def_ro("count", &Level::count)
      .def_prop_ro(
          "of_router",
          [](const Level& x) {
            return IntView(x.of_router.data(), {x.of_router.size()}, nb::find(x));
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
      .def_prop_ro("memory_bandwidth",
                   [](const Machine& x) { return x.memory_bandwidth.bytes_per_second; })
      .def_prop_ro("groups", &Machine::num_groups)
      .def("group_of", &Machine::group_of, "router"_a)
      .def_ro("levels", &Machine::levels)
      .def_prop_ro(
          "divisions", [](const Machine& x) { return x.topology->divisions(); },
          "Divisions of the routers that have names on such machines, as levels have.")
      .def_prop_ro("axes", [](const Machine& x) { return x.topology->axes(); })
      .def(
          "position", [](const Machine& x, int router) { return x.topology->position(router); },
          "router"_a, "Coordinates of a router. [num_axes]")
      .def_prop_ro("positions", &positions, nb::rv_policy::automatic,
                   "Coordinates of each router. [num_routers, num_axes]")
      .def_ro("ports", &Machine::ports)
      .def_prop_ro(
          "first_port", [](const Machine& x) { return view(x, x.first_port); },
          "First port of each node, and the number of ports. [num_nodes + 1], or empty where all "
          "nodes have as many.")
      .def_prop_ro("num_nodes", &Machine::num_nodes)
      .def_prop_ro("num_ports", &Machine::num_ports)
      .def_prop_ro("num_routers", &Machine::num_routers)
      .def_prop_ro("num_links", &Machine::num_links)
      .def_ro("classes", &Machine::classes)
      .def_prop_ro(
          "node_router", [](const Machine& x) { return view(x, x.node_router); },
          "Router of each node: of its first port. [num_nodes]")
      .def_prop_ro(
          "port_router", [](const Machine& x) { return view(x, x.port_router); },
          "Router of each port of the nodes. [num_ports]")
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

void bind_families(nb::module_& m) {
  nb::class_<Parameter>(m, "Parameter")
      .def_ro("name", &Parameter::name)
      .def_prop_ro("kind", [](const Parameter& p) { return kind_name(p.kind); })
      .def_ro("low", &Parameter::low)
      .def_ro("high", &Parameter::high)
      .def_ro("choices", &Parameter::choices)
      .def_ro("required", &Parameter::required)
      .def_ro("meaning", &Parameter::meaning)
      .def_ro("start", &Parameter::start);
  nb::class_<ClassAbout>(m, "ClassAbout")
      .def_ro("name", &ClassAbout::name)
      .def_ro("meaning", &ClassAbout::meaning)
      .def_ro("colour", &ClassAbout::colour);
  nb::class_<PolicyAbout>(m, "PolicyAbout")
      .def_ro("name", &PolicyAbout::name)
      .def_ro("meaning", &PolicyAbout::meaning)
      .def_ro("oblivious", &PolicyAbout::oblivious)
      .def_ro("aliases", &PolicyAbout::aliases);
  nb::class_<Family>(m, "Family")
      .def_ro("name", &Family::name)
      .def_ro("summary", &Family::summary)
      .def_ro("parameters", &Family::parameters)
      .def_ro("classes", &Family::classes)
      .def_ro("own_classes", &Family::own_classes)
      .def_ro("policies", &Family::policies);
  m.def("families", [] { return families(); });
  m.def(
      "make_machine",
      [](const std::string& family, const Basics& basics, const nb::dict& values,
         const std::vector<LinkClass>& classes) {
        return share(make_machine(family, basics, values_of(family, values), classes));
      },
      "family"_a, "basics"_a, "values"_a, "classes"_a);
  m.def(
      "with_faults",
      [](const Machine& whole, const GivenInts& lost,
         const std::vector<std::pair<std::int32_t, std::int32_t>>& classes,
         const std::vector<LinkClass>& added) {
        return share(with_faults(whole, {lost, classes, added}));
      },
      "whole"_a, "lost"_a, "classes"_a, "added"_a,
      "The machine without some links between routers, and with other classes of some links.");
  m.def("parts_of", &parts_of, "machine"_a,
        "The first router of the part that each router is in. [num_routers]");
}

void bind_routing(nb::module_& m) {
  nb::class_<Routing>(m, "Routing")
      .def_prop_ro("may_lock", &Routing::may_lock,
                   "Whether packets may wait for each other in a cycle on some machine.")
      .def(
          "count_routes",
          [](const Routing& routing) -> std::optional<RouteCounts> {
            const auto found = routing.count_routes();
            return found ? std::optional(*found) : std::nullopt;
          },
          nb::call_guard<nb::gil_scoped_release>(),
          "Counts over the routes of all pairs of ports; None if a pair has several.")
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
        return make_routing(machine, {policy, seed, bias});
      },
      "machine"_a, "policy"_a, "seed"_a, "bias"_a, nb::keep_alive<0, 1>());
}

void bind_reports(nb::module_& m) {
  nb::class_<Channel>(m, "Channel").def_ro("link", &Channel::link).def_ro("vc", &Channel::vc);
  nb::class_<RouteCounts>(m, "RouteCounts")
      .def_ro("unreachable_pairs", &RouteCounts::unreachable_pairs)
      .def_ro("pairs_of", &RouteCounts::pairs_of)
      .def_ro("channels", &RouteCounts::channels)
      .def_ro("channels_in_cycles", &RouteCounts::channels_in_cycles)
      .def_ro("cycle", &RouteCounts::cycle);
  nb::class_<FlowCounts>(m, "FlowCounts")
      .def_ro("flows", &FlowCounts::flows)
      .def_ro("unreachable", &FlowCounts::unreachable)
      .def_ro("most_flows", &FlowCounts::most_flows)
      .def_ro("links_with_more_than_one", &FlowCounts::links_with_more_than_one)
      .def_ro("links_used", &FlowCounts::links_used)
      .def_ro("mean_share", &FlowCounts::mean_share);
  nb::class_<DeadlockReport>(m, "DeadlockReport")
      .def_ro("deadlock_free", &DeadlockReport::deadlock_free)
      .def_ro("channels", &DeadlockReport::channels)
      .def_ro("used", &DeadlockReport::used)
      .def_ro("states", &DeadlockReport::states)
      .def_ro("transitions", &DeadlockReport::transitions)
      .def_ro("cycle", &DeadlockReport::cycle);
  nb::class_<Bisection>(m, "Bisection")
      .def_ro("parts", &Bisection::parts)
      .def_ro("count", &Bisection::count)
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
  m.def(
      "count_flows",
      [](const Machine& machine, const Routing& routing, const std::vector<PortPair>& pairs,
         const GivenInts& left_out) {
        for (const PortPair& pair : pairs)
          for (const std::int32_t port : {pair.first, pair.second})
            check_range("pattern: port", port, 0, machine.num_ports() - 1);
        for (const std::int32_t port : left_out)
          check_range("pattern: port", port, 0, machine.num_ports() - 1);
        const nb::gil_scoped_release released;
        return count_flows(machine, routing, pairs, left_out);
      },
      "machine"_a, "routing"_a, "pairs"_a, "left_out"_a = GivenInts{});
  m.def(
      "shuffled",
      [](std::int32_t count, std::uint64_t seed, std::uint64_t number) {
        check_range("shuffled: count", count, 0, most_nodes);
        std::vector<std::int32_t> order(static_cast<std::size_t>(count));
        std::iota(order.begin(), order.end(), 0);
        shuffle(order, Draws(seed, Purpose::shuffle, number));
        return order;
      },
      "count"_a, "seed"_a, "number"_a, "The numbers from 0 in an order drawn for a number.");
  m.def(
      "count_all_flows",
      [](const Machine& machine, const Routing& routing, const GivenInts& left_out) {
        for (const std::int32_t port : left_out)
          check_range("pattern: port", port, 0, machine.num_ports() - 1);
        const nb::gil_scoped_release released;
        return count_all_flows(machine, routing, left_out);
      },
      "machine"_a, "routing"_a, "left_out"_a = GivenInts{});
  m.def("count_unreachable", &count_unreachable, "machine"_a, "routing"_a,
        nb::call_guard<nb::gil_scoped_release>(), "Ordered pairs of ports without a route.");
  m.def("find_properties", &find_properties, "machine"_a, "routing"_a,
        nb::call_guard<nb::gil_scoped_release>());
  m.def("compare_links", &compare_links, "first"_a, "second"_a);
  m.def(
      "fluid_bound",
      [](const Machine& machine, const std::string& policy, const std::string& pattern, int shift) {
        return fluid_bound(machine, policy, pattern_named(pattern, shift));
      },
      "machine"_a, "policy"_a, "pattern"_a, "shift"_a, nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace

void bind_machine(nb::module_& m) {
  bind_types(m);
  bind_machine_class(m);
  bind_families(m);
  bind_routing(m);
  bind_reports(m);
  bind_checks(m);
}
