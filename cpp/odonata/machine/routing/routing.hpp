// Routing: which link and which virtual channel a packet takes next.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <vector>

#include "odonata/machine/machine.hpp"
#include "odonata/random/draws.hpp"

namespace odonata {

/// Part of its route that a packet remembers, stored in the packet.
///
///     | to 4 | hops 1 | decided 1 | detours 1 | - | bytes of the family's own routing 8 |
struct RouteState {
  std::int32_t to = 0;      // destination router
  std::uint8_t hops = 0;    // router-to-router links taken
  bool decided = false;     // minimal or not: no longer open
  bool detours = false;     // goes somewhere else first, and may pass by its destination
  alignas(4) std::byte own[8] = {};  // all zero at the start; only the family's routing reads them

  /// The own bytes as the family's routing sees them.
  template <class Own>
  [[nodiscard]] Own& as() {
    static_assert(fits<Own>);
    return *std::launder(reinterpret_cast<Own*>(own));
  }
  template <class Own>
  [[nodiscard]] const Own& as() const {
    static_assert(fits<Own>);
    return *std::launder(reinterpret_cast<const Own*>(own));
  }
  /// The own bytes as one number, for hashing.
  [[nodiscard]] std::uint64_t bits() const {
    std::uint64_t number = 0;
    std::memcpy(&number, own, sizeof(own));
    return number;
  }

  friend bool operator==(const RouteState&, const RouteState&) = default;

 private:
  template <class Own>
  static constexpr bool fits =
      sizeof(Own) <= sizeof(own) && alignof(Own) <= 4 && std::is_trivially_copyable_v<Own> &&
      std::has_unique_object_representations_v<Own>;
};
static_assert(sizeof(RouteState) == 16);

struct Hop {
  std::int32_t link;
  std::int32_t vc;
};

/// The load that adaptive routing may read: bytes that wait for a link at its router.
class Loads {
 public:
  Loads() = default;
  Loads(const std::int32_t* first, std::size_t stride_bytes)
      : first_(reinterpret_cast<const char*>(first)), stride_(stride_bytes) {}
  [[nodiscard]] std::int64_t waiting_bytes(std::int32_t link) const {
    if (first_ == nullptr) return 0;
    return *reinterpret_cast<const std::int32_t*>(first_ +
                                                  stride_ * static_cast<std::size_t>(link));
  }

 private:
  const char* first_ = nullptr;
  std::size_t stride_ = 0;
};

/// Distances between the routers of a machine, over all pairs.
struct Distances {
  int diameter = 0;  // most router-to-router links on a shortest route
  std::int64_t sum = 0;  // of router-to-router links, over all ordered pairs of nodes

  void add(int distance, std::int64_t pairs) {
    diameter = std::max(diameter, distance);
    sum += distance * pairs;
  }
};

struct RouteCounts;

struct RoutingOptions {
  std::string policy = "minimal";  // name or alias, as the machine's family declares it
  std::uint64_t seed = 0;
  Bytes bias_bytes = 0;  // [B] added to the minimal side's favour by the adaptive policies
};

class Routing {
 public:
  virtual ~Routing() = default;

  /// The state of a packet that starts at one port and goes to another, which is on router `to`.
  [[nodiscard]] RouteState start(std::int32_t from_port, std::int32_t to_port,
                                 std::int32_t to) const {
    RouteState state;
    state.to = to;
    if (looks_at_ports_) note_ports(state, from_port, to_port);
    return state;
  }

  /// The next link and virtual channel of a packet whose head is at `router`, not its last one.
  /// `packet` keys the random draws; updates `state` as if the hop were taken.
  virtual Hop next(RouteState& state, std::int32_t router, std::uint64_t packet,
                   const Loads& loads) const = 0;

  /// Does a hop read much memory, so that `fetch_hop` pays?
  [[nodiscard]] bool has_tables() const { return has_tables_; }
  /// Begins to fetch what `next` will read.
  virtual void fetch_hop(const RouteState& /*state*/, std::int32_t /*router*/) const {}

  /// Is the packet at its last router? One on a detour passes by its destination; under Valiant
  /// every packet takes one, even between nodes of one router.
  [[nodiscard]] bool arrived(const RouteState& state, std::int32_t router) const {
    return state.to == router && !state.detours && (state.decided || !always_detours_);
  }

  /// Does the next hop depend on the loads at the time of arrival? Otherwise it may be asked for
  /// ahead.
  [[nodiscard]] bool looks_at_loads(const RouteState& state) const {
    return adaptive_ && !state.decided;
  }

  /// Do all packets between two ports on these routers take the same links and virtual channels? So
  /// none of them overtakes another. Where a family does not know, it says no.
  [[nodiscard]] bool has_one_route(std::int32_t from, std::int32_t to) const {
    return !always_detours_ && (from == to || (!adaptive_ && has_one_choice(from, to)));
  }

  /// Value of RouteState::to in a widened state: any destination that the rest of it allows.
  static constexpr std::int32_t anywhere = -1;

  /// A state that stands for this one and for all others with the same `choices`: fields that
  /// routing won't read for a while are forgotten. A few states a router are left, so that all of
  /// them can be visited.
  [[nodiscard]] virtual RouteState widened(const RouteState& state, std::int32_t router) const = 0;

  /// Every hop `next` could choose in this state or any other with the same widened one, whatever
  /// the draws and the loads, and the widened state after it: `next` makes no move that isn't
  /// here, but there may be moves here that `next` never makes.
  struct Choice {
    Hop hop;
    RouteState after;
  };
  virtual void choices(const RouteState& state, std::int32_t router,
                       std::vector<Choice>& out) const = 0;

  /// Virtual channels that router-to-router links of a class need; node links have one.
  [[nodiscard]] virtual int num_vcs(int link_class) const = 0;

  /// Router-to-router links on a shortest route between two routers.
  [[nodiscard]] virtual int distance(std::int32_t from, std::int32_t to) const = 0;

  /// Is there a route from a port to another? A routing whose tables lack some says so.
  [[nodiscard]] virtual bool reaches(std::int32_t /*from_port*/, std::int32_t /*to_port*/) const {
    return true;
  }

  /// Counts over the routes between all ports, of a routing that has one for each pair; null: it
  /// has several, or is free of cycles by its rule.
  [[nodiscard]] virtual std::shared_ptr<const RouteCounts> count_routes() const { return nullptr; }

  /// May packets wait for each other in a cycle on some machine? Most routings exclude it by rule.
  [[nodiscard]] virtual bool may_lock() const { return false; }

  /// `distance` over all pairs of routers; `nodes` is the number of nodes of each router.
  [[nodiscard]] virtual Distances distances(const std::vector<std::int64_t>& nodes) const;

  /// The hops of a packet in this state at a router when all links have these loads.
  [[nodiscard]] std::vector<Hop> follow(const Machine& machine, RouteState state,
                                        std::int32_t router, std::uint64_t packet,
                                        const Loads& loads) const;

  /// The hops of a packet between the first ports on two routers (between the routers themselves,
  /// where they have none) when all links have these loads.
  [[nodiscard]] std::vector<Hop> route(const Machine& machine, std::int32_t from, std::int32_t to,
                                       std::uint64_t packet, const Loads& loads) const;

  /// Links of one minimal route from a router to another, in order (the first of equals).
  [[nodiscard]] std::vector<std::int32_t> minimal_route(const Machine& machine, std::int32_t from,
                                                        std::int32_t to) const;

 protected:
  /// `looks_at_ports`: the route depends on more than the two routers, and `note_ports` says how.
  Routing(bool adaptive, bool always_detours, bool looks_at_ports = false, bool has_tables = false)
      : adaptive_(adaptive),
        always_detours_(always_detours),
        looks_at_ports_(looks_at_ports),
        has_tables_(has_tables) {}

 private:
  /// Writes further data for the route than its two routers into the family's own bytes.
  virtual void note_ports(RouteState& /*state*/, std::int32_t /*from_port*/,
                          std::int32_t /*to_port*/) const {}
  /// The same as `has_one_route`, of two routers and under a policy that does not look at loads.
  [[nodiscard]] virtual bool has_one_choice(std::int32_t /*from*/, std::int32_t /*to*/) const {
    return false;
  }
  [[nodiscard]] RouteState start_between(const Machine& machine, std::int32_t from,
                                         std::int32_t to) const;

  bool adaptive_;
  bool always_detours_;
  bool looks_at_ports_;
  bool has_tables_;
};

/// Routing for a machine, as its family does it; throws UserError if the family has no such policy.
[[nodiscard]] std::unique_ptr<Routing> make_routing(const Machine& machine,
                                                    const RoutingOptions& options);

}  // namespace odonata
