// Routing on a torus: always a shortest way, the way round and the cable being chosen by policy.
//
//     dimension-order   dimension after dimension; a packet draws its cable along each, and the way
//                       round where both are as long
//     hashed            the same, but drawn by the two nodes: all their packets go one way
//     adaptive          the dimension, way round and cable with the fewest waiting bytes, anew at
//                       each router
//     one-link          the same, with one cable along each dimension for all packets between two
//                       routers, as lanes that keep their order do
//
// Virtual channels. On a ring, packets that have the link between the last coordinate and the first
// still ahead of them take the lower of two, others the higher: those who take the higher one never
// take that link, so no ring of waiting packets can close (the dateline of Dally and Seitz 1987).
// Lines, and rings of three, need one. Dimensions are crossed in order. Adaptive packets may turn
// back to an earlier dimension `most_reversals` times, each time to virtual channels above those
// before (Dally and Aoki 1993); after the last one they go in order. So channels have an order in
// which every packet rises: number of reversals, dimension, dateline, position on the ring.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "odonata/machine/families/torus/lattice.hpp"
#include "odonata/machine/routing/policies.hpp"

namespace odonata {

/// The policies of a torus as families declare them.
[[nodiscard]] const std::vector<PolicyAbout>& torus_policies();

class TorusRouting final : public Routing {
 public:
  /// Times that an adaptive packet may turn back to an earlier dimension.
  static constexpr int most_reversals = 2;

  TorusRouting(const Machine& machine, const TorusTopology& topology,
               const RoutingOptions& options);

  Hop next(RouteState& state, std::int32_t router, std::uint64_t packet,
           const Loads& loads) const override;
  [[nodiscard]] RouteState widened(const RouteState& state, std::int32_t router) const override;
  void choices(const RouteState& state, std::int32_t router,
               std::vector<Choice>& out) const override;
  [[nodiscard]] int num_vcs(int link_class) const override;
  [[nodiscard]] int distance(std::int32_t from, std::int32_t to) const override;
  [[nodiscard]] Distances distances(const std::vector<std::int64_t>& nodes) const override;

 private:
  enum class Policy : std::uint8_t { dimension_order, hashed, adaptive, one_link };

  struct Move {
    std::size_t dimension;
    Heading heading;
    int reversals;
    std::int32_t link;  // among all links
  };

  TorusRouting(const Machine& machine, const TorusTopology& topology, const RoutingOptions& options,
               Policy policy);

  void note_ports(RouteState& state, std::int32_t from_port, std::int32_t to_port) const override;
  [[nodiscard]] bool has_one_choice(std::int32_t from, std::int32_t to) const override;
  [[nodiscard]] Move in_order(const RouteState& state, std::int32_t router,
                              std::uint64_t packet) const;
  [[nodiscard]] Move least_loaded(const RouteState& state, std::int32_t router,
                                  std::uint64_t packet, const Loads& loads) const;
  [[nodiscard]] std::pair<std::int32_t, std::int32_t> cables(const RouteState& state,
                                                             std::size_t d) const;
  template <class Act>
  void each_move(const RouteState& state, std::int32_t router, const Act& act) const;
  [[nodiscard]] std::int32_t link(std::int32_t router, std::size_t d, Heading heading) const {
    return machine_.first_link[router] + lattice_.first_link(router, d, heading);
  }
  [[nodiscard]] bool past_dateline(std::size_t d, Heading heading, std::int32_t here,
                                   std::int32_t goal) const;
  [[nodiscard]] int vc(std::size_t d, bool past, int reversals) const;
  void choose_along(std::int32_t router, std::size_t d, Heading heading, bool past, int reversals,
                    std::vector<Choice>& out) const;
  void choose_turns(const RouteState& state, std::int32_t router, std::size_t d,
                    std::vector<Choice>& out) const;

  const Machine& machine_;
  const TorusTopology& topology_;
  const Lattice& lattice_;
  RoutingOptions options_;
  Policy policy_;
  int most_reversals_;
};

}  // namespace odonata
