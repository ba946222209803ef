#include "odonata/machine/fluid.hpp"

#include <algorithm>

#include "odonata/machine/group_routing.hpp"
#include "odonata/machine/table_routing.hpp"
#include "odonata/units/errors.hpp"

namespace odonata {

namespace {

// Traffic between routers: rates [routers x routers], in units of what a node injects.
class Matrix {
 public:
  explicit Matrix(std::int32_t routers) : n_(static_cast<std::size_t>(routers)), values_(n_ * n_) {}
  double* row(std::int32_t a) { return &values_[static_cast<std::size_t>(a) * n_]; }
  const double* row(std::int32_t a) const { return &values_[static_cast<std::size_t>(a) * n_]; }

 private:
  std::size_t n_;
  std::vector<double> values_;
};

std::vector<double> nodes_on_routers(const Machine& machine) {
  std::vector<double> nodes(static_cast<std::size_t>(machine.num_routers()));
  for (const std::int32_t r : machine.node_router) ++nodes[static_cast<std::size_t>(r)];
  return nodes;
}

// What the nodes of each router send to those of each other.
Matrix demand(const Machine& machine, const Pattern& pattern) {
  const std::vector<double> nodes = nodes_on_routers(machine);
  const std::int32_t routers = machine.num_routers();
  const auto on = [&](std::int32_t r) { return nodes[static_cast<std::size_t>(r)]; };
  const bool uniform = pattern.kind == Pattern::Kind::uniform;
  const int groups = std::max(1, machine.shape.groups);
  std::vector<double> in_group(static_cast<std::size_t>(groups));
  for (std::int32_t r = 0; r < routers; ++r)
    in_group[static_cast<std::size_t>(machine.group_of(r))] += on(r);
  Matrix d(routers);
  for (std::int32_t a = 0; a < routers; ++a) {
    const int target = (machine.group_of(a) + pattern.shift) % groups;
    const double all =
        uniform ? machine.num_nodes() - 1 : in_group[static_cast<std::size_t>(target)];
    for (std::int32_t b = 0; b < routers; ++b)
      if ((uniform || machine.group_of(b) == target) && all > 0)
        d.row(a)[b] = on(a) * (on(b) - (uniform && a == b ? 1 : 0)) / all;
  }
  return d;
}

// Routing on machines with groups, as GroupRouting does it: gateways of least cost alike for the
// minimal part, all gateways alike toward a third group.
class GroupFlow {
 public:
  GroupFlow(const Machine& machine, std::vector<double>& load)
      : machine_(machine),
        load_(load),
        routing_(machine, {}),
        inside_(machine.num_routers()),
        groups_(machine.shape.groups),
        per_group_(machine.shape.routers_per_group()) {}

  void run(Matrix traffic, Policy policy) {
    if (policy == Policy::valiant) traffic = by_third_groups(traffic);
    for (std::int32_t a = 0; a < machine_.num_routers(); ++a)
      for (std::int32_t b = 0; b < machine_.num_routers(); ++b)
        if (traffic.row(a)[b] > 0) minimal(a, b, traffic.row(a)[b]);
    spread_inside();
  }

 private:
  // Takes all traffic to its third group; what is left to do from there.
  Matrix by_third_groups(const Matrix& traffic) {
    Matrix rest(machine_.num_routers());
    for (std::int32_t a = 0; a < machine_.num_routers(); ++a)
      for (int middle = 0; middle < groups_; ++middle)
        if (middle != group(a)) to_third_group(a, middle, traffic, rest);
    for (std::int32_t a = 0; a < machine_.num_routers(); ++a)  // where there is no third group
      for (std::int32_t b = 0; b < machine_.num_routers(); ++b)
        if (thirds(a, b) < 1) rest.row(a)[b] += traffic.row(a)[b];
    return rest;
  }

  void to_third_group(std::int32_t a, int middle, const Matrix& traffic, Matrix& rest) {
    const auto& all = routing_.gateways(group(a), middle);
    double sum = 0;
    std::vector<std::pair<std::int32_t, double>> parts;  // destinations, and what goes this way
    for (std::int32_t b = 0; b < machine_.num_routers(); ++b) {
      if (group(b) == middle || traffic.row(a)[b] == 0) continue;
      const double part = traffic.row(a)[b] / thirds(a, b);
      parts.emplace_back(b, part);
      sum += part;
    }
    if (sum == 0) return;
    const auto count = static_cast<double>(all.size());
    for (const auto& [gateway, exit] : all) {
      const Link& link = machine_.links[static_cast<std::size_t>(gateway)];
      inside_.row(a)[exit] += sum / count;
      load_[static_cast<std::size_t>(gateway)] += sum / count;
      double* after = rest.row(link.to);
      for (const auto& [b, part] : parts) after[b] += part / count;
    }
  }

  void minimal(std::int32_t a, std::int32_t b, double rate) {
    if (group(a) == group(b)) {
      inside_.row(a)[b] += rate;
      return;
    }
    const int least = routing_.distance(a, b);
    std::vector<std::int32_t> best;
    for (const auto& [gateway, exit] : routing_.gateways(group(a), group(b)))
      if (cost(a, gateway, b) == least) best.push_back(gateway);
    const double part = rate / static_cast<double>(best.size());
    for (const std::int32_t gateway : best) {
      const Link& link = machine_.links[static_cast<std::size_t>(gateway)];
      inside_.row(a)[link.from] += part;
      load_[static_cast<std::size_t>(gateway)] += part;
      inside_.row(link.to)[b] += part;
    }
  }

  // Puts the traffic between routers of one group on its links.
  void spread_inside() {
    for (std::int32_t a = 0; a < machine_.num_routers(); ++a) {
      const std::int32_t first = group(a) * per_group_;
      for (std::int32_t b = first; b < first + per_group_; ++b)
        if (a != b && inside_.row(a)[b] > 0) local(a, b, inside_.row(a)[b]);
    }
  }

  void local(std::int32_t a, std::int32_t b, double rate) {
    const int columns = machine_.shape.columns;
    const std::int32_t base = group(a) * per_group_;
    const std::int32_t row_a = (a - base) / columns, column_a = (a - base) % columns;
    const std::int32_t row_b = (b - base) / columns, column_b = (b - base) % columns;
    if (row_a == row_b || column_a == column_b) return straight(a, b, rate);
    for (const std::int32_t corner :
         {base + row_a * columns + column_b, base + row_b * columns + column_a}) {
      straight(a, corner, rate / 2);
      straight(corner, b, rate / 2);
    }
  }

  // Along a row or a column, over all cables alike.
  void straight(std::int32_t a, std::int32_t b, double rate) {
    const auto first = machine_.first_link[static_cast<std::size_t>(a)];
    const auto last = machine_.first_link[static_cast<std::size_t>(a) + 1];
    const auto leads = [&](std::int32_t i) {
      return machine_.links[static_cast<std::size_t>(i)].to == b;
    };
    int cables = 0;
    for (std::int32_t i = first; i < last; ++i) cables += leads(i) ? 1 : 0;
    for (std::int32_t i = first; i < last; ++i)
      if (leads(i)) load_[static_cast<std::size_t>(i)] += rate / cables;
  }

  [[nodiscard]] int cost(std::int32_t a, std::int32_t gateway, std::int32_t b) const {
    const Link& link = machine_.links[static_cast<std::size_t>(gateway)];
    return routing_.distance(a, link.from) + 1 + routing_.distance(link.to, b);
  }
  [[nodiscard]] int thirds(std::int32_t a, std::int32_t b) const {
    return groups_ - (group(a) == group(b) ? 1 : 2);
  }
  [[nodiscard]] int group(std::int32_t r) const { return machine_.group_of(r); }

  const Machine& machine_;
  std::vector<double>& load_;
  GroupRouting routing_;
  Matrix inside_;  // from router to router of the same group
  int groups_;
  std::int32_t per_group_;
};

// Routing on machines without groups, as TableRouting does it: at each router all links on a
// shortest route alike; Valiant by way of any router, which may be either end.
class TableFlow {
 public:
  TableFlow(const Machine& machine, std::vector<double>& load)
      : machine_(machine), load_(load), routing_(machine, {}) {}

  void run(Matrix traffic, Policy policy) {
    const std::int32_t routers = machine_.num_routers();
    if (policy == Policy::valiant) {
      Matrix both(routers);
      for (std::int32_t a = 0; a < routers; ++a)
        for (std::int32_t b = 0; b < routers; ++b)
          for (std::int32_t m = 0; m < routers && traffic.row(a)[b] > 0; ++m) {
            both.row(a)[m] += traffic.row(a)[b] / routers;
            both.row(m)[b] += traffic.row(a)[b] / routers;
          }
      traffic = both;
    }
    for (std::int32_t b = 0; b < routers; ++b) toward(b, traffic);
  }

 private:
  // All traffic to one router: farthest routers first, each hands on what it has.
  void toward(std::int32_t goal, const Matrix& traffic) {
    std::vector<std::int32_t> order(static_cast<std::size_t>(machine_.num_routers()));
    std::vector<double> here(order.size());
    for (std::int32_t a = 0; a < machine_.num_routers(); ++a) {
      order[static_cast<std::size_t>(a)] = a;
      here[static_cast<std::size_t>(a)] = traffic.row(a)[goal];
    }
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
      return routing_.distance(a, goal) > routing_.distance(b, goal);
    });
    for (const std::int32_t a : order) hand_on(a, goal, here);
  }

  void hand_on(std::int32_t a, std::int32_t goal, std::vector<double>& here) {
    if (a == goal || here[static_cast<std::size_t>(a)] == 0) return;
    const int closer = routing_.distance(a, goal) - 1;
    std::vector<std::int32_t> links;
    for (std::int32_t i = machine_.first_link[static_cast<std::size_t>(a)];
         i < machine_.first_link[static_cast<std::size_t>(a) + 1]; ++i)
      if (routing_.distance(machine_.links[static_cast<std::size_t>(i)].to, goal) == closer)
        links.push_back(i);
    const double part = here[static_cast<std::size_t>(a)] / static_cast<double>(links.size());
    for (const std::int32_t i : links) {
      load_[static_cast<std::size_t>(i)] += part;
      here[static_cast<std::size_t>(machine_.links[static_cast<std::size_t>(i)].to)] += part;
    }
  }

  const Machine& machine_;
  std::vector<double>& load_;
  TableRouting routing_;
};

// Injection links carry what their node sends, ejection links their part of what arrives.
void load_node_links(const Machine& machine, const Matrix& traffic, std::vector<double>& load) {
  const std::vector<double> nodes = nodes_on_routers(machine);
  std::vector<double> sent(nodes.size()), arrives(nodes.size());
  for (std::int32_t a = 0; a < machine.num_routers(); ++a)
    for (std::int32_t b = 0; b < machine.num_routers(); ++b) {
      sent[static_cast<std::size_t>(a)] += traffic.row(a)[b];
      arrives[static_cast<std::size_t>(b)] += traffic.row(a)[b];
    }
  for (std::int32_t n = 0; n < machine.num_nodes(); ++n) {
    const auto r = static_cast<std::size_t>(machine.node_router[static_cast<std::size_t>(n)]);
    load[static_cast<std::size_t>(machine.injection(n))] = sent[r] / nodes[r];
    load[static_cast<std::size_t>(machine.ejection(n))] = arrives[r] / nodes[r];
  }
}

void check(const Machine& machine, Policy policy, const Pattern& pattern) {
  if (policy != Policy::minimal && policy != Policy::valiant)
    throw UserError("fluid bound: adaptive routing has no fixed loads; allowed: minimal, valiant");
  if (pattern.kind == Pattern::Kind::uniform) return;
  if (machine.shape.groups < 2)
    throw UserError("pattern: adversarial traffic needs a machine with two or more groups");
  if (pattern.shift < 1 || pattern.shift >= machine.shape.groups)
    throw UserError("pattern: shift " + std::to_string(pattern.shift) +
                    " is not in the range from 1 to " + std::to_string(machine.shape.groups - 1));
}

}  // namespace

Pattern pattern_named(const std::string& name, int shift) {
  if (name == "uniform") return {Pattern::Kind::uniform, shift};
  if (name == "adversarial") return {Pattern::Kind::adversarial, shift};
  throw UserError("pattern: '" + name + "' is unknown; one of uniform, adversarial");
}

FluidBound fluid_bound(const Machine& machine, Policy policy, const Pattern& pattern) {
  check(machine, policy, pattern);
  FluidBound bound;
  bound.link_load.assign(static_cast<std::size_t>(machine.num_links()), 0);
  const Matrix traffic = demand(machine, pattern);
  load_node_links(machine, traffic, bound.link_load);
  if (machine.shape.groups > 0)
    GroupFlow(machine, bound.link_load).run(traffic, policy);
  else
    TableFlow(machine, bound.link_load).run(traffic, policy);
  const auto rate = [&](std::int32_t i) {
    return static_cast<double>(machine.class_of(i).bandwidth.bytes_per_second);
  };
  for (std::int32_t i = 0; i < machine.num_links(); ++i) {
    double& load = bound.link_load[static_cast<std::size_t>(i)];
    load *= rate(0) / rate(i);
    if (load > bound.link_load[static_cast<std::size_t>(bound.link)] * (1 + 1e-12)) bound.link = i;
  }
  const double most = bound.link_load[static_cast<std::size_t>(bound.link)];
  bound.load = most > 0 ? 1 / most : 1;
  return bound;
}

}  // namespace odonata
