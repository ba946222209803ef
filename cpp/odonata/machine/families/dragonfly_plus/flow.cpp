#include "odonata/machine/families/dragonfly_plus/routing.hpp"

namespace odonata {

namespace {

// Routing on cells as CellRouting does it: all spines, cables and gateways alike.
class CellFlow {
 public:
  CellFlow(const Machine& machine, const Cells& cells, std::vector<double>& load)
      : machine_(machine), cells_(cells), load_(load), routing_(machine, cells, {}) {}

  void run(TrafficMatrix traffic, Policy policy) {
    if (policy == Policy::valiant) traffic = by_third_cells(std::move(traffic));
    for (std::int32_t a = 0; a < machine_.num_routers(); ++a)
      for (std::int32_t b = 0; b < machine_.num_routers(); ++b)
        if (a != b && traffic.row(a)[b] > 0) minimal(a, b, traffic.row(a)[b]);
  }

 private:
  // Takes the traffic between cells to its third cells; returns the traffic from there.
  TrafficMatrix by_third_cells(TrafficMatrix traffic) {
    if (cells_.num_cells() == 2) return traffic;
    TrafficMatrix rest(machine_.num_routers());
    for (std::int32_t a = 0; a < machine_.num_routers(); ++a)
      for (std::int32_t b = 0; b < machine_.num_routers(); ++b) {
        const std::int32_t here = cells_.cell(a), there = cells_.cell(b);
        if (here == there) rest.row(a)[b] += traffic.row(a)[b];
        if (here == there || traffic.row(a)[b] == 0) continue;
        const double part = traffic.row(a)[b] / (cells_.num_cells() - 2);
        for (std::int32_t middle = 0; middle < cells_.num_cells(); ++middle)
          if (middle != here && middle != there)
            leave(a, middle, part,
                  [&](std::int32_t spine, double share) { rest.row(spine)[b] += share; });
      }
    return rest;
  }

  void minimal(std::int32_t a, std::int32_t b, double rate) {
    if (cells_.cell(a) == cells_.cell(b)) return local(a, b, rate);
    leave(a, cells_.cell(b), rate,
          [&](std::int32_t spine, double share) { local(spine, b, share); });
  }

  // To another cell by all gateways alike; `arrive` is told the spines there and their shares.
  template <class Arrive>
  void leave(std::int32_t a, std::int32_t cell, double rate, const Arrive& arrive) {
    const auto all = routing_.gateways(a, cell);
    const double share = rate / static_cast<double>(all.size());
    for (const Gateway& gateway : all) {
      local(a, gateway.router, share);
      load_[gateway.link] += share;
      arrive(machine_.links[gateway.link].to, share);
    }
  }

  // Between two routers of a cell: by all cables, and by all ways where there are two links to go.
  void local(std::int32_t a, std::int32_t b, double rate) {
    if (a == b) return;
    const std::int32_t links = cells_.local_links(a), first = machine_.first_link[a];
    const bool straight = cells_.local_distance(a, b) == 1;
    for (std::int32_t i = first; i < first + links; ++i) {
      const std::int32_t to = machine_.links[i].to;
      if (straight && to != b) continue;
      const double share = rate / (straight ? cells_.cables() : links);
      load_[i] += share;
      local(to, b, share);
    }
  }

  const Machine& machine_;
  const Cells& cells_;
  std::vector<double>& load_;
  CellRouting routing_;
};

}  // namespace

void CellTopology::add_loads(const Machine& machine, const std::string& policy,
                             TrafficMatrix traffic, std::vector<double>& load) const {
  CellFlow(machine, cells_, load).run(std::move(traffic), policy_named(policy));
}

}  // namespace odonata
