#include "odonata/machine/families/grouped/groups.hpp"
#include "odonata/machine/families/grouped/routing.hpp"

namespace odonata {

namespace {

// Routing on machines with groups, as GroupRouting does it: gateways of least cost alike for the
// minimal part, all gateways alike toward a third group.
class GroupFlow {
 public:
  GroupFlow(const Machine& machine, const Groups& shape, std::vector<double>& load)
      : machine_(machine),
        load_(load),
        shape_(shape),
        routing_(machine, shape, {}),
        inside_(machine.num_routers()),
        groups_(shape.groups),
        per_group_(shape.routers_per_group()) {}

  void run(TrafficMatrix traffic, Policy policy) {
    if (policy == Policy::valiant) traffic = by_third_groups(traffic);
    for (std::int32_t a = 0; a < machine_.num_routers(); ++a)
      for (std::int32_t b = 0; b < machine_.num_routers(); ++b)
        if (traffic.row(a)[b] > 0) minimal(a, b, traffic.row(a)[b]);
    spread_inside();
  }

 private:
  // Takes all traffic to its third group; returns the traffic from there.
  TrafficMatrix by_third_groups(const TrafficMatrix& traffic) {
    TrafficMatrix rest(machine_.num_routers());
    for (std::int32_t a = 0; a < machine_.num_routers(); ++a)
      for (int middle = 0; middle < groups_; ++middle)
        if (middle != group(a)) to_third_group(a, middle, traffic, rest);
    for (std::int32_t a = 0; a < machine_.num_routers(); ++a)  // where there is no third group
      for (std::int32_t b = 0; b < machine_.num_routers(); ++b)
        if (thirds(a, b) < 1) rest.row(a)[b] += traffic.row(a)[b];
    return rest;
  }

  void to_third_group(std::int32_t a, int middle, const TrafficMatrix& traffic,
                      TrafficMatrix& rest) {
    const auto& all = routing_.gateways(group(a), middle);
    double sum = 0;
    std::vector<std::pair<std::int32_t, double>> parts;  // destinations, and the traffic this way
    for (std::int32_t b = 0; b < machine_.num_routers(); ++b) {
      if (group(b) == middle || traffic.row(a)[b] == 0) continue;
      const double part = traffic.row(a)[b] / thirds(a, b);
      parts.emplace_back(b, part);
      sum += part;
    }
    if (sum == 0) return;
    const auto count = static_cast<double>(all.size());
    for (const auto& [gateway, exit] : all) {
      const Link& link = machine_.links[gateway];
      inside_.row(a)[exit] += sum / count;
      load_[gateway] += sum / count;
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
      const Link& link = machine_.links[gateway];
      inside_.row(a)[link.from] += part;
      load_[gateway] += part;
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
    const int columns = shape_.columns;
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
    const auto first = machine_.first_link[a];
    const auto last = machine_.first_link[a + 1];
    const auto leads = [&](std::int32_t i) { return machine_.links[i].to == b; };
    int cables = 0;
    for (std::int32_t i = first; i < last; ++i) cables += leads(i) ? 1 : 0;
    for (std::int32_t i = first; i < last; ++i)
      if (leads(i)) load_[i] += rate / cables;
  }

  [[nodiscard]] int cost(std::int32_t a, std::int32_t gateway, std::int32_t b) const {
    const Link& link = machine_.links[gateway];
    return routing_.distance(a, link.from) + 1 + routing_.distance(link.to, b);
  }
  [[nodiscard]] int thirds(std::int32_t a, std::int32_t b) const {
    return groups_ - (group(a) == group(b) ? 1 : 2);
  }
  [[nodiscard]] int group(std::int32_t r) const { return machine_.group_of(r); }

  const Machine& machine_;
  std::vector<double>& load_;
  Groups shape_;
  GroupRouting routing_;
  TrafficMatrix inside_;  // from router to router of the same group
  int groups_;
  std::int32_t per_group_;
};

}  // namespace

void GroupTopology::add_loads(const Machine& machine, const std::string& policy,
                              TrafficMatrix traffic, std::vector<double>& load) const {
  GroupFlow(machine, groups_, load).run(std::move(traffic), policy_named(policy));
}

}  // namespace odonata
