#include "odonata/machine/routing/deadlock.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "odonata/random/draws.hpp"
#include "odonata/units/errors.hpp"

namespace odonata {

namespace {

struct Place {  // a router and the widened state of a packet there
  std::int32_t router;
  RouteState state;

  friend bool operator==(const Place&, const Place&) = default;
};

struct HashPlace {
  std::size_t operator()(const Place& p) const {
    const auto pair = [](std::int32_t a, std::int32_t b) {
      return static_cast<std::uint64_t>(static_cast<std::uint32_t>(a)) << 32 |
             static_cast<std::uint32_t>(b);
    };
    const RouteState& s = p.state;
    const auto flags =
        static_cast<std::uint64_t>(s.hops) << 2 | (s.decided ? 2u : 0u) | (s.detours ? 1u : 0u);
    return mix(mix(mix(pair(p.router, s.to)) ^ s.bits()) ^ flags);
  }
};

// The dependency graph. Its vertices are the channels, and behind them the places: a channel
// leads to the places that a packet in its buffer may be at, a place to the channels that it may
// ask for there.
class Dependencies {
 public:
  Dependencies(const Machine& machine, const Routing& routing)
      : machine_(machine), routing_(routing) {
    std::vector<int> vcs_of_class;
    for (int c = 0; c < static_cast<int>(machine.classes.size()); ++c)
      vcs_of_class.push_back(machine.classes[c].of_nodes() ? 1 : routing.num_vcs(c));
    first_channel_.push_back(0);
    for (std::int32_t i = 0; i < machine.num_links(); ++i) {
      const Link& link = machine.links[i];
      const auto link_class = static_cast<std::size_t>(link.link_class);
      first_channel_.push_back(first_channel_.back() + vcs_of_class[link_class]);
    }
  }

  DeadlockReport check() {
    visit_all();
    DeadlockReport report;
    report.channels = num_channels();
    report.states = static_cast<std::int64_t>(places_.size());
    report.transitions = transitions_;
    report.used = count_used();
    sort_edges();
    report.cycle = find_cycle(peel());
    report.deadlock_free = report.cycle.empty();
    return report;
  }

 private:
  [[nodiscard]] std::int32_t num_channels() const { return first_channel_.back(); }
  [[nodiscard]] std::size_t num_vertices() const {
    return static_cast<std::size_t>(num_channels()) + places_.size();
  }

  std::int32_t channel(const Hop& hop) const {
    const auto link = static_cast<std::size_t>(hop.link);
    if (hop.vc < 0 || hop.vc >= first_channel_[link + 1] - first_channel_[link])
      throw InternalError("routing: link " + std::to_string(hop.link) + " has no virtual channel " +
                          std::to_string(hop.vc));
    return first_channel_[link] + hop.vc;
  }

  // Vertex of a place; a new one is put in line to be visited.
  std::int32_t vertex(const Place& place) {
    const auto [at, fresh] = numbers_.try_emplace(place, static_cast<std::int32_t>(places_.size()));
    if (fresh) places_.push_back(place);
    return num_channels() + at->second;
  }

  void visit_all() {
    for (std::int32_t port = 0; port < machine_.num_ports(); ++port) {
      RouteState start;
      start.to = Routing::anywhere;
      const std::int32_t router = machine_.links[port].to;
      edges_.emplace_back(channel({machine_.injection(port), 0}), vertex({router, start}));
    }
    std::vector<Routing::Choice> choices;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const Place place = places_[i];
      const auto from = static_cast<std::int32_t>(num_channels() + static_cast<std::int64_t>(i));
      choices.clear();
      routing_.choices(place.state, place.router, choices);
      transitions_ += static_cast<std::int64_t>(choices.size());
      for (const Routing::Choice& choice : choices) {
        const std::int32_t taken = channel(choice.hop);
        const std::int32_t to = machine_.links[choice.hop.link].to;
        edges_.emplace_back(from, taken);
        edges_.emplace_back(taken, vertex({to, choice.after}));
      }
    }
  }

  std::int64_t count_used() const {
    std::vector<bool> used(num_channels());
    for (const auto& [from, to] : edges_)
      if (to < num_channels()) used[to] = true;
    // every packet goes through an injection and an ejection link
    return std::count(used.begin(), used.end(), true) + 2 * std::int64_t{machine_.num_ports()};
  }

  // Edges by target: first_[v] .. first_[v + 1] are the vertices that lead to v.
  void sort_edges() {
    first_.assign(num_vertices() + 1, 0);
    out_degree_.assign(num_vertices(), 0);
    for (const auto& [from, to] : edges_) {
      ++first_[to + 1];
      ++out_degree_[from];
    }
    for (std::size_t v = 0; v < num_vertices(); ++v) first_[v + 1] += first_[v];
    sources_.resize(edges_.size());
    std::vector<std::int64_t> next(first_.begin(), first_.end() - 1);
    for (const auto& [from, to] : edges_) sources_[next[static_cast<std::size_t>(to)]++] = from;
  }

  // Takes away vertices that lead nowhere, again and again; true for vertices that stay.
  std::vector<bool> peel() {
    std::vector<std::int32_t> free;
    std::vector<bool> stays(num_vertices(), true);
    for (std::size_t v = 0; v < num_vertices(); ++v)
      if (out_degree_[v] == 0) free.push_back(static_cast<std::int32_t>(v));
    while (!free.empty()) {
      const auto v = static_cast<std::size_t>(free.back());
      free.pop_back();
      stays[v] = false;
      for (std::int64_t e = first_[v]; e < first_[v + 1]; ++e) {
        const std::int32_t source = sources_[e];
        if (--out_degree_[source] == 0) free.push_back(source);
      }
    }
    return stays;
  }

  // Every vertex that stays leads to another one that stays: follow them until one comes again.
  std::vector<Channel> find_cycle(const std::vector<bool>& stays) const {
    std::unordered_map<std::int32_t, std::int32_t> next;
    for (const auto& [from, to] : edges_)
      if (stays[from] && stays[to]) next.try_emplace(from, to);
    std::vector<Channel> cycle;
    if (next.empty()) return cycle;
    std::unordered_map<std::int32_t, std::size_t> seen;
    std::vector<std::int32_t> path{next.begin()->first};
    while (seen.try_emplace(path.back(), path.size() - 1).second)
      path.push_back(next.at(path.back()));
    for (std::size_t i = seen.at(path.back()); i + 1 < path.size(); ++i)
      if (path[i] < num_channels()) cycle.push_back(channel_of(path[i]));
    std::rotate(
        cycle.begin(),
        std::min_element(cycle.begin(), cycle.end(),
                         [](const Channel& a, const Channel& b) { return a.link < b.link; }),
        cycle.end());
    return cycle;
  }

  Channel channel_of(std::int32_t number) const {
    const auto behind = std::upper_bound(first_channel_.begin(), first_channel_.end(), number);
    const auto link = static_cast<std::int32_t>(behind - first_channel_.begin() - 1);
    return {link, number - first_channel_[link]};
  }

  const Machine& machine_;
  const Routing& routing_;
  std::vector<std::int32_t> first_channel_;  // [links + 1]
  std::vector<Place> places_;
  std::unordered_map<Place, std::int32_t, HashPlace> numbers_;
  std::vector<std::pair<std::int32_t, std::int32_t>> edges_;
  std::int64_t transitions_ = 0;
  std::vector<std::int64_t> first_;  // [vertices + 1]
  std::vector<std::int32_t> sources_, out_degree_;
};

}  // namespace

namespace {

DeadlockReport report_of(const RouteCounts& counts, const Machine& machine,
                         const Routing& routing) {
  DeadlockReport report;
  for (const Link& link : machine.links)
    report.channels +=
        machine.classes[link.link_class].of_nodes() ? 1 : routing.num_vcs(link.link_class);
  report.deadlock_free = counts.cycle.empty();
  report.used = counts.channels + machine.num_ports();  // and every injection link
  report.states = counts.channels;
  report.transitions = counts.dependencies;
  report.cycle = counts.cycle;
  return report;
}

}  // namespace

DeadlockReport check_deadlock(const Machine& machine, const Routing& routing) {
  if (const auto counts = routing.count_routes()) return report_of(*counts, machine, routing);
  return Dependencies(machine, routing).check();
}

}  // namespace odonata
