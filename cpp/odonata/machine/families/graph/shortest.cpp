// The engines with shortest routes: minhop and sssp.
#include <limits>
#include <vector>

#include "odonata/machine/families/graph/engines.hpp"
#include "odonata/machine/families/tables/hops.hpp"

namespace odonata {

namespace {

using Count = std::int64_t;

// Calls act(router, link) for the links of each router that lead closer to `to`.
template <class Act>
void each_closer(const Machine& machine, const Hops& hops, std::int32_t router, std::int32_t to,
                 const Act& act) {
  const auto r = static_cast<std::size_t>(router);
  for (std::int32_t l = machine.first_link[r]; l < machine.first_link[r + 1]; ++l)
    if (hops.between(machine.links[l].to, to) + 1 == hops.between(router, to)) act(l);
}

bool leads(const Hops& hops, std::int32_t router, std::int32_t to) {
  return router != to && hops.between(router, to) != Hops::unreached;
}

// Routes to one port after the other along the links with the fewest routes so far.
class Sssp {
 public:
  explicit Sssp(const Machine& machine)
      : machine_(machine),
        hops_(machine),
        at_(machine),
        routes_(Routes::empty_for(machine)),
        weight_(machine.links.size()),
        cost_(machine.num_routers()),
        chosen_(machine.num_routers()),
        sources_(machine.num_routers()) {}

  Routes run() {
    std::int32_t last = -1;
    for (std::int32_t p = 0; p < routes_.ports; ++p) {
      const std::int32_t to = machine_.port_router[p];
      if (to != last) sort_toward(last = to);
      for (const std::int32_t r : nearest_first_) choose(r, to, p);
      add_routes();
    }
    return std::move(routes_);
  }

 private:
  void sort_toward(std::int32_t to) {
    std::vector<std::vector<std::int32_t>> rings(static_cast<std::size_t>(hops_.diameter()) + 1);
    for (std::int32_t r = 0; r < machine_.num_routers(); ++r)
      if (leads(hops_, r, to)) rings[hops_.between(r, to)].push_back(r);
    nearest_first_.clear();
    for (const auto& ring : rings)
      nearest_first_.insert(nearest_first_.end(), ring.begin(), ring.end());
    cost_[to] = 0;
  }

  void choose(std::int32_t r, std::int32_t to, std::int32_t port) {
    cost_[r] = std::numeric_limits<Count>::max();
    each_closer(machine_, hops_, r, to, [&](std::int32_t l) {
      const Count cost = weight_[l] + cost_[machine_.links[static_cast<std::size_t>(l)].to];
      if (cost < cost_[r]) cost_[r] = cost, chosen_[r] = l;
    });
    routes_.set(r, port, chosen_[r] - machine_.first_link[r]);
    sources_[r] = at_.count(r);
  }

  // Counts the routes of all ports, farthest routers first.
  void add_routes() {
    for (auto r = nearest_first_.rbegin(); r != nearest_first_.rend(); ++r) {
      const std::int32_t link = chosen_[*r];
      weight_[link] += sources_[*r];
      sources_[machine_.links[static_cast<std::size_t>(link)].to] += sources_[*r];
    }
  }

  const Machine& machine_;
  Hops hops_;
  RouterPorts at_;
  Routes routes_;
  std::vector<Count> weight_;  // [links] routes so far
  std::vector<Count> cost_;    // [routers] of the route to the port
  std::vector<std::int32_t> chosen_, nearest_first_;
  std::vector<Count> sources_;  // [routers] ports whose routes lead through it
};

}  // namespace

Routes route_minhop(const Machine& machine) {
  const Hops hops(machine);
  Routes routes = Routes::empty_for(machine);
  std::vector<std::int32_t> given(machine.links.size());
  for (std::int32_t p = 0; p < routes.ports; ++p) {
    const std::int32_t to = machine.port_router[p];
    for (std::int32_t r = 0; r < routes.routers; ++r) {
      if (!leads(hops, r, to)) continue;
      std::int32_t best = -1;
      each_closer(machine, hops, r, to, [&](std::int32_t l) {
        if (best < 0 || given[l] < given[best]) best = l;
      });
      ++given[best];
      routes.set(r, p, best - machine.first_link[r]);
    }
  }
  return routes;
}

Routes route_sssp(const Machine& machine) { return Sssp(machine).run(); }

}  // namespace odonata
