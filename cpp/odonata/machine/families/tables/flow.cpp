#include <algorithm>

#include "odonata/machine/families/tables/routing.hpp"
#include "odonata/machine/families/tables/tables.hpp"

namespace odonata {

namespace {

// Routing on machines without groups, as TableRouting does it: at each router all links on a
// shortest route alike; Valiant by way of any router, which may be either end.
class TableFlow {
 public:
  TableFlow(const Machine& machine, std::vector<double>& load, bool partial)
      : machine_(machine), load_(load), routing_(machine, {}, partial) {}

  void run(TrafficMatrix traffic, Policy policy) {
    const std::int32_t routers = machine_.num_routers();
    if (policy == Policy::valiant) {
      TrafficMatrix both(routers);
      for (std::int32_t a = 0; a < routers; ++a)
        for (std::int32_t b = 0; b < routers; ++b)
          for (std::int32_t m = 0; m < routers && traffic.row(a)[b] > 0; ++m) {
            const std::int32_t by = routing_.distance(a, m) != Hops::unreached ? m : a;
            both.row(a)[by] += traffic.row(a)[b] / routers;
            both.row(by)[b] += traffic.row(a)[b] / routers;
          }
      traffic = both;
    }
    for (std::int32_t b = 0; b < routers; ++b) toward(b, traffic);
  }

 private:
  // All traffic to one router: farthest routers first, each hands on its traffic.
  void toward(std::int32_t goal, const TrafficMatrix& traffic) {
    std::vector<std::int32_t> order(machine_.num_routers());
    std::vector<double> here(order.size());
    for (std::int32_t a = 0; a < machine_.num_routers(); ++a) {
      order[a] = a;
      here[a] = traffic.row(a)[goal];
    }
    std::stable_sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) {
      return routing_.distance(a, goal) > routing_.distance(b, goal);
    });
    for (const std::int32_t a : order) hand_on(a, goal, here);
  }

  void hand_on(std::int32_t a, std::int32_t goal, std::vector<double>& here) {
    if (a == goal || here[a] == 0) return;
    const int closer = routing_.distance(a, goal) - 1;
    std::vector<std::int32_t> links;
    for (std::int32_t i = machine_.first_link[a]; i < machine_.first_link[a + 1]; ++i)
      if (routing_.distance(machine_.links[i].to, goal) == closer) links.push_back(i);
    const double part = here[a] / static_cast<double>(links.size());
    for (const std::int32_t i : links) {
      load_[i] += part;
      here[machine_.links[static_cast<std::size_t>(i)].to] += part;
    }
  }

  const Machine& machine_;
  std::vector<double>& load_;
  TableRouting routing_;
};

}  // namespace

void TableTopology::add_loads(const Machine& machine, const std::string& policy,
                              TrafficMatrix traffic, std::vector<double>& load) const {
  TableFlow(machine, load, partial_).run(std::move(traffic), policy_named(policy));
}

}  // namespace odonata
