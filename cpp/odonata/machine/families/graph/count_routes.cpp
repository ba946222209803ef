#include <algorithm>
#include <unordered_map>

#include "odonata/machine/families/graph/lengths.hpp"

namespace odonata {

namespace {

// Channels and who waits for whom. A channel is numbered by its link and lane; the channels that
// it may wait for are bits, by the way out of the router that it leads to, and lane.
class Channels {
 public:
  Channels(const Routes& routes, const Machine& machine, const RouterPorts& at)
      : machine_(machine),
        at_(at),
        lanes_(static_cast<std::size_t>(routes.lanes)),
        used_((machine.links.size() - at.ports.size()) * lanes_),
        first_bit_(used_.size() + 1) {
    for (std::size_t c = 0; c < used_.size(); ++c)
      first_bit_[c + 1] = first_bit_[c] + (is_last(c) ? 0 : ways(router_behind(c)) * lanes_);
    waits_.resize(first_bit_.back());
  }

  [[nodiscard]] std::size_t size() const { return used_.size(); }
  [[nodiscard]] std::size_t number(std::int32_t link, int lane) const {
    return static_cast<std::size_t>(link - machine_.num_ports()) * lanes_ +
           static_cast<std::size_t>(lane);
  }
  [[nodiscard]] Channel channel(std::size_t number) const {
    return {static_cast<std::int32_t>(number / lanes_) + machine_.num_ports(),
            static_cast<std::int32_t>(number % lanes_)};
  }

  void use(std::size_t channel) { used_[channel] = true; }
  void wait(std::size_t channel, std::int32_t way, int lane) {
    waits_[first_bit_[channel] + static_cast<std::size_t>(way) * lanes_ +
           static_cast<std::size_t>(lane)] = true;
  }
  [[nodiscard]] std::int64_t num_used() const {
    return std::count(used_.begin(), used_.end(), true);
  }
  [[nodiscard]] std::int64_t num_waits() const {
    return std::count(waits_.begin(), waits_.end(), true);
  }

  // Takes channels for which none waits away, again and again; true for channels that stay.
  [[nodiscard]] std::vector<bool> peel() const {
    std::vector<std::int32_t> waiting(size());
    for (std::size_t c = 0; c < size(); ++c) each_behind(c, [&](std::size_t d) { ++waiting[d]; });
    std::vector<bool> stays(used_);
    std::vector<std::size_t> free;
    for (std::size_t c = 0; c < size(); ++c)
      if (used_[c] && waiting[c] == 0) free.push_back(c);
    while (!free.empty()) {
      const std::size_t c = free.back();
      free.pop_back();
      stays[c] = false;
      each_behind(c, [&](std::size_t d) {
        if (--waiting[d] == 0) free.push_back(d);
      });
    }
    return stays;
  }

  // For every channel that stays another one that stays waits: follow them until one comes again.
  [[nodiscard]] std::vector<Channel> find_cycle(const std::vector<bool>& stays) const {
    std::unordered_map<std::size_t, std::size_t> before;
    for (std::size_t c = 0; c < size(); ++c)
      if (stays[c]) each_behind(c, [&](std::size_t d) { before.try_emplace(d, c); });
    std::vector<Channel> cycle;
    const auto any = std::find(stays.begin(), stays.end(), true);
    if (any == stays.end()) return cycle;
    std::unordered_map<std::size_t, std::size_t> seen;
    std::vector<std::size_t> path{static_cast<std::size_t>(any - stays.begin())};
    while (seen.try_emplace(path.back(), path.size() - 1).second)
      path.push_back(before.at(path.back()));
    for (std::size_t i = path.size() - 1; i > seen.at(path.back()); --i)
      cycle.push_back(channel(path[i]));
    std::rotate(cycle.begin(), std::ranges::min_element(cycle, {}, &Channel::link), cycle.end());
    return cycle;
  }

 private:
  [[nodiscard]] bool is_last(std::size_t c) const { return machine_.ejects(channel(c).link); }
  [[nodiscard]] std::int32_t router_behind(std::size_t c) const {
    return machine_.links[static_cast<std::size_t>(channel(c).link)].to;
  }
  [[nodiscard]] std::int32_t links(std::int32_t router) const {
    return machine_.first_link[static_cast<std::size_t>(router) + 1] - machine_.first_link[router];
  }
  [[nodiscard]] std::size_t ways(std::int32_t router) const {
    return static_cast<std::size_t>(links(router)) + static_cast<std::size_t>(at_.count(router));
  }
  [[nodiscard]] std::int32_t link_of(std::int32_t router, std::int32_t way) const {
    const std::int32_t own = way - links(router);
    return own < 0 ? machine_.first_link[router] + way
                   : machine_.ejection(at_.ports[at_.first[router] + own]);
  }

  template <class Act>
  void each_behind(std::size_t c, const Act& act) const {
    if (!used_[c] || is_last(c)) return;
    const std::int32_t router = router_behind(c);
    for (std::size_t bit = first_bit_[c]; bit < first_bit_[c + 1]; ++bit) {
      if (!waits_[bit]) continue;
      const std::size_t at = bit - first_bit_[c];
      act(number(link_of(router, static_cast<std::int32_t>(at / lanes_)),
                 static_cast<int>(at % lanes_)));
    }
  }

  const Machine& machine_;
  const RouterPorts& at_;
  std::size_t lanes_;
  std::vector<bool> used_;
  std::vector<std::size_t> first_bit_;
  std::vector<bool> waits_;
};

class Counting {
 public:
  Counting(const Routes& routes, const Machine& machine)
      : routes_(routes),
        machine_(machine),
        lengths_(lengths_of(routes, machine)),
        at_(machine),
        channels_(routes, machine, at_),
        visited_(channels_.size()) {}

  RouteCounts run() {
    // Where nothing depends on the source, one of the ports of a router stands for all.
    const bool alike = routes_.levels.empty() && routes_.map_of.empty() && !routes_.by_source;
    for (std::int32_t to = 0; to < routes_.ports; ++to)
      for (std::int32_t r = 0; r < routes_.routers; ++r) {
        if (alike && at_.count(r) > 0) add_router(r, to);
        if (!alike) add_each(r, to);
      }
    counts_.channels = channels_.num_used();
    counts_.dependencies = channels_.num_waits();
    const std::vector<bool> stays = channels_.peel();
    counts_.channels_in_cycles = std::count(stays.begin(), stays.end(), true);
    counts_.cycle = channels_.find_cycle(stays);
    return std::move(counts_);
  }

 private:
  void add_router(std::int32_t router, std::int32_t to) {
    const bool same = machine_.port_router[to] == router;
    if (same && at_.count(router) == 1) return;
    const std::int32_t first = at_.ports[at_.first[router]];
    const std::int32_t from = first == to ? at_.ports[at_.first[router] + 1] : first;
    add(from, to, at_.count(router) - (same ? 1 : 0));
  }

  void add_each(std::int32_t router, std::int32_t to) {
    for (std::int32_t i = 0; i < at_.count(router); ++i) {
      const std::int32_t from = at_.ports[at_.first[router] + i];
      if (from != to) add(from, to, 1);
    }
  }

  void add(std::int32_t from, std::int32_t to, std::int64_t pairs) {
    const std::int32_t router = machine_.port_router[from], column = routes_.column(from, to);
    const std::uint8_t length = lengths_[routes_.index(router, column)];
    if (length == no_route) {
      counts_.unreachable_pairs += pairs;
      return;
    }
    const std::size_t routers = std::size_t{length} + 1;
    if (counts_.pairs_of.size() <= routers) counts_.pairs_of.resize(routers + 1);
    counts_.pairs_of[routers] += pairs;
    walk(from, to, column);
  }

  // Follows a route up to a channel from which one to the same address has gone on before.
  void walk(std::int32_t from, std::int32_t to, std::int32_t column) {
    const int level = routes_.level(from, to);
    const std::uint64_t turn =
        1 + static_cast<std::uint64_t>(column) * service_levels + static_cast<std::uint64_t>(level);
    std::int32_t router = machine_.port_router[from], in = links(router) + at_.at[from];
    for (bool first = true;; first = false) {
      const std::uint16_t way = routes_.at(router, column);
      const bool last = way == Routes::delivers;
      const std::int32_t out = last ? links(router) + at_.at[to] : way;
      const std::int32_t link = last ? machine_.ejection(to) : machine_.first_link[router] + way;
      const int lane = routes_.lane(router, in, out, level);
      const std::size_t channel = channels_.number(link, lane);
      if (!first) channels_.wait(before_, out, lane);
      channels_.use(channel);
      if (last || visited_[channel] == turn) return;
      visited_[channel] = turn;
      before_ = channel;
      router = machine_.links[static_cast<std::size_t>(link)].to;
      if (!routes_.map_of.empty()) in = routes_.way_in[link - 2 * machine_.num_ports()];
    }
  }

  [[nodiscard]] std::int32_t links(std::int32_t router) const {
    return machine_.first_link[static_cast<std::size_t>(router) + 1] - machine_.first_link[router];
  }

  const Routes& routes_;
  const Machine& machine_;
  std::vector<std::uint8_t> lengths_;
  RouterPorts at_;
  Channels channels_;
  std::vector<std::uint64_t> visited_;  // by channel: address and level of the last route
  std::size_t before_ = 0;
  RouteCounts counts_;
};

}  // namespace

RouteCounts count_routes(const Routes& routes, const Machine& machine) {
  return Counting(routes, machine).run();
}

}  // namespace odonata
