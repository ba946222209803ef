#include "odonata/machine/fluid.hpp"

#include <algorithm>
#include <utility>

#include "odonata/machine/families/families.hpp"
#include "odonata/machine/topology.hpp"
#include "odonata/units/errors.hpp"

namespace odonata {

namespace {

std::vector<double> ports_on_routers(const Machine& machine) {
  std::vector<double> ports(machine.num_routers());
  for (const std::int32_t r : machine.port_router) ++ports[r];
  return ports;
}

// Traffic from the ports of each router to the ports of every other.
TrafficMatrix demand(const Machine& machine, const Pattern& pattern) {
  const std::vector<double> ports = ports_on_routers(machine);
  const std::int32_t routers = machine.num_routers();
  const auto on = [&](std::int32_t r) { return ports[r]; };
  const bool uniform = pattern.kind == Pattern::Kind::uniform;
  const int groups = std::max(1, machine.num_groups());
  std::vector<double> in_group(groups);
  for (std::int32_t r = 0; r < routers; ++r) in_group[machine.group_of(r)] += on(r);
  TrafficMatrix d(routers);
  for (std::int32_t a = 0; a < routers; ++a) {
    const int target = (machine.group_of(a) + pattern.shift) % groups;
    const double all = uniform ? machine.num_ports() - 1 : in_group[target];
    for (std::int32_t b = 0; b < routers; ++b)
      if ((uniform || machine.group_of(b) == target) && all > 0)
        d.row(a)[b] = on(a) * (on(b) - (uniform && a == b ? 1 : 0)) / all;
  }
  return d;
}

// Injection links carry the traffic that their port sends, ejection links their part of arrivals.
void load_node_links(const Machine& machine, const TrafficMatrix& traffic,
                     std::vector<double>& load) {
  const std::vector<double> ports = ports_on_routers(machine);
  std::vector<double> sent(ports.size()), arrives(ports.size());
  for (std::int32_t a = 0; a < machine.num_routers(); ++a)
    for (std::int32_t b = 0; b < machine.num_routers(); ++b) {
      sent[a] += traffic.row(a)[b];
      arrives[b] += traffic.row(a)[b];
    }
  for (std::int32_t p = 0; p < machine.num_ports(); ++p) {
    const auto r = static_cast<std::size_t>(machine.port_router[p]);
    load[machine.injection(p)] = sent[r] / ports[r];
    load[machine.ejection(p)] = arrives[r] / ports[r];
  }
}

void check_oblivious(const Machine& machine, const std::string& policy) {
  const std::vector<PolicyAbout>& offered = family_named(machine.family).policies;
  if (offered[policy_at(offered, policy)].oblivious) return;
  std::string names;
  for (const PolicyAbout& other : offered)
    if (other.oblivious) names += (names.empty() ? "" : ", ") + other.name;
  throw UserError("fluid bound: the loads of this routing cannot be counted beforehand", policy,
                  names);
}

void check(const Machine& machine, const std::string& policy, const Pattern& pattern) {
  check_oblivious(machine, policy);
  if (pattern.kind == Pattern::Kind::uniform) return;
  if (machine.num_groups() < 2)
    throw UserError("pattern adversarial: groups of the machine", machine.num_groups(),
                    "2 or more");
  if (pattern.shift < 1 || pattern.shift >= machine.num_groups())
    throw UserError("pattern adversarial: shift: out of range", pattern.shift,
                    "1 to " + std::to_string(machine.num_groups() - 1));
}

}  // namespace

Pattern pattern_named(const std::string& name, int shift) {
  if (name == "uniform") return {Pattern::Kind::uniform, shift};
  if (name == "adversarial") return {Pattern::Kind::adversarial, shift};
  throw UserError("pattern: unknown", name, "uniform, adversarial");
}

FluidBound fluid_bound(const Machine& machine, const std::string& policy, const Pattern& pattern) {
  check(machine, policy, pattern);
  FluidBound bound;
  bound.link_load.assign(static_cast<std::size_t>(machine.num_links()), 0);
  TrafficMatrix traffic = demand(machine, pattern);
  load_node_links(machine, traffic, bound.link_load);
  machine.topology->add_loads(machine, policy, std::move(traffic), bound.link_load);
  const auto rate = [&](std::int32_t i) {
    return static_cast<double>(machine.class_of(i).bandwidth.bytes_per_second);
  };
  for (std::int32_t i = 0; i < machine.num_links(); ++i) {
    double& load = bound.link_load[i];
    load *= rate(0) / rate(i);
    if (load > bound.link_load[bound.link] * (1 + 1e-12)) bound.link = i;
  }
  const double most = bound.link_load[bound.link];
  bound.load = most > 0 ? 1 / most : 1;
  return bound;
}

}  // namespace odonata
