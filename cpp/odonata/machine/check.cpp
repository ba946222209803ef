#include "odonata/machine/check.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "odonata/machine/topology.hpp"
#include "odonata/random/draws.hpp"

namespace odonata {

namespace {

using Weight = std::int64_t;

constexpr std::size_t most_parts_rotated = 256;

// Routers reached from router 0, along links or against them.
std::size_t reached(const Machine& machine, bool forward) {
  const auto routers = static_cast<std::size_t>(machine.num_routers());
  std::vector<std::vector<std::int32_t>> next(routers);
  for (std::int32_t i = 2 * machine.num_ports(); i < machine.num_links(); ++i) {
    const Link& link = machine.links[i];
    next[forward ? link.from : link.to].push_back(forward ? link.to : link.from);
  }
  std::vector<bool> seen(routers);
  std::vector<std::int32_t> line{0};
  seen[0] = true;
  for (std::size_t i = 0; i < line.size(); ++i)
    for (const std::int32_t to : next[line[i]])
      if (!seen[to]) {
        seen[to] = true;
        line.push_back(to);
      }
  return line.size();
}

// Balanced splits of a graph whose edges have weights, both directions of an edge the same.
class Splits {
 public:
  explicit Splits(std::size_t parts) : parts_(parts), weights_(parts * parts) {}

  void add(std::size_t a, std::size_t b, Weight weight) { weights_[a * parts_ + b] += weight; }

  // The best split, and whether no other has less.
  std::pair<std::vector<bool>, bool> best() const {
    if (all_alike() || only_with_last()) return {halves(identity()), true};
    if (parts_ <= most_parts_exact) return {try_all(), true};
    return {search(), false};
  }

 private:
  [[nodiscard]] Weight weight(std::size_t a, std::size_t b) const {
    return weights_[a * parts_ + b];
  }

  [[nodiscard]] bool all_alike() const {
    for (std::size_t a = 0; a < parts_; ++a)
      for (std::size_t b = 0; b < parts_; ++b)
        if (a != b && weight(a, b) != weight(0, 1)) return false;
    return true;
  }

  // Each part is joined to the last one alone, all alike: then the first half of them is best.
  [[nodiscard]] bool only_with_last() const {
    for (std::size_t a = 0; a + 1 < parts_; ++a)
      for (std::size_t b = 0; b < parts_; ++b)
        if (a != b && weight(a, b) != (b + 1 == parts_ ? weight(0, b) : 0)) return false;
    return true;
  }

  [[nodiscard]] std::vector<std::size_t> identity() const {
    std::vector<std::size_t> order(parts_);
    std::iota(order.begin(), order.end(), std::size_t{0});
    return order;
  }

  [[nodiscard]] std::vector<bool> halves(const std::vector<std::size_t>& order) const {
    std::vector<bool> side(parts_);
    for (std::size_t i = 0; i < parts_ / 2; ++i) side[order[i]] = true;
    return side;
  }

  [[nodiscard]] Weight cut(const std::vector<bool>& side) const {
    Weight sum = 0;
    for (std::size_t a = 0; a < parts_; ++a)
      for (std::size_t b = 0; b < parts_; ++b)
        if (side[a] && !side[b]) sum += weight(a, b);
    return sum;
  }

  // All subsets of half the parts.
  [[nodiscard]] std::vector<bool> try_all() const {
    std::vector<bool> side(parts_), best;
    std::fill(side.begin(), side.begin() + static_cast<std::ptrdiff_t>(parts_ / 2), true);
    Weight least = std::numeric_limits<Weight>::max();
    do {
      const Weight now = cut(side);
      if (now < least) least = now, best = side;
    } while (std::prev_permutation(side.begin(), side.end()));
    return best;
  }

  // The order that begins where the half of it that comes first is cut off at the least weight: on
  // a ring whose links differ, the best of its halves.
  [[nodiscard]] std::vector<std::size_t> best_rotation() const {
    std::vector<std::size_t> order = identity(), best = order;
    if (parts_ > most_parts_rotated) return best;
    Weight least = std::numeric_limits<Weight>::max();
    for (std::size_t i = 0; i < parts_; ++i) {
      const Weight now = cut(halves(order));
      if (now < least) least = now, best = order;
      std::rotate(order.begin(), order.begin() + 1, order.end());
    }
    return best;
  }

  // Swaps of two parts that gain most, from a few random splits (Kernighan and Lin 1970).
  [[nodiscard]] std::vector<bool> search() const {
    std::vector<bool> best;
    Weight least = std::numeric_limits<Weight>::max();
    for (std::uint64_t start = 0; start < 4; ++start) {
      std::vector<std::size_t> order = start > 0 ? identity() : best_rotation();
      if (start > 0) shuffle(order, Draws(0, Purpose::shuffle, start));
      const std::vector<bool> side = descend(halves(order));
      const Weight now = cut(side);
      if (now < least) least = now, best = side;
    }
    return best;
  }

  [[nodiscard]] std::vector<bool> descend(std::vector<bool> side) const {
    std::vector<Weight> gain(parts_);  // of moving a part alone
    for (std::size_t a = 0; a < parts_; ++a)
      for (std::size_t b = 0; b < parts_; ++b)
        if (a != b) gain[a] += side[a] != side[b] ? weight(a, b) : -weight(a, b);
    for (std::size_t step = 0; step < 10 * parts_; ++step) {
      std::size_t from = 0, to = 0;
      Weight most = 0;
      const std::vector<std::size_t> there = readiest(side, gain, false);
      for (const std::size_t a : readiest(side, gain, true))
        for (const std::size_t b : there)
          if (gain[a] + gain[b] - 2 * weight(a, b) > most)
            most = gain[a] + gain[b] - 2 * weight(a, b), from = a, to = b;
      if (most == 0) break;
      move(from, side, gain);
      move(to, side, gain);
    }
    return side;
  }

  // The parts of one side that gain most by moving alone.
  [[nodiscard]] std::vector<std::size_t>
  readiest(const std::vector<bool>& side, const std::vector<Weight>& gain, bool which) const {
    std::vector<std::size_t> parts;
    for (std::size_t a = 0; a < parts_; ++a)
      if (side[a] == which) parts.push_back(a);
    const auto few = static_cast<std::ptrdiff_t>(std::min<std::size_t>(32, parts.size()));
    std::partial_sort(parts.begin(), parts.begin() + few, parts.end(),
                      [&](std::size_t a, std::size_t b) {
                        return gain[a] != gain[b] ? gain[a] > gain[b] : a < b;
                      });
    parts.resize(few);
    return parts;
  }

  void move(std::size_t part, std::vector<bool>& side, std::vector<Weight>& gain) const {
    for (std::size_t b = 0; b < parts_; ++b)
      if (b != part) gain[b] += side[b] == side[part] ? 2 * weight(part, b) : -2 * weight(part, b);
    gain[part] = -gain[part];
    side[part] = !side[part];
  }

  std::size_t parts_;
  std::vector<Weight> weights_;  // [parts x parts]
};

Bisection bisect(const Machine& machine, const Level& level) {
  Splits splits(level.count);
  const auto part_of = [&](std::int32_t router) {
    return static_cast<std::size_t>(level.of_router[router]);
  };
  const auto each = [&](const auto& act) {
    for (std::int32_t i = 2 * machine.num_ports(); i < machine.num_links(); ++i) {
      const Link& link = machine.links[i];
      const std::size_t from = part_of(link.from), to = part_of(link.to);
      if (from != to) act(from, to, machine.class_of(i).bandwidth.bytes_per_second);
    }
  };
  each([&](std::size_t from, std::size_t to, Weight rate) { splits.add(from, to, rate); });
  const auto [side, exact] = splits.best();
  Bisection found{level.name + "s", level.count, 0, 0, exact};
  each([&, &side = side](std::size_t from, std::size_t to, Weight rate) {
    if (!side[from] || side[to]) return;
    found.bytes_per_second += rate;
    ++found.links;
  });
  return found;
}

void find_distances(const Machine& machine, const Routing& routing, Properties& found) {
  std::vector<std::int64_t> nodes(machine.num_routers());
  for (const std::int32_t r : machine.port_router) ++nodes[r];
  const Distances all = routing.distances(nodes);
  found.diameter = all.diameter;
  found.mean_distance = static_cast<double>(all.sum) / machine.num_ports() / machine.num_ports();
}

}  // namespace

bool is_connected(const Machine& machine) {
  const auto routers = static_cast<std::size_t>(machine.num_routers());
  return reached(machine, true) == routers && reached(machine, false) == routers;
}

Bisection find_bisection(const Machine& machine) {
  if (machine.num_routers() == 1) {
    const Weight half = machine.port(machine.num_nodes() / 2);
    return {"nodes", machine.num_nodes(),
            half * machine.class_of(machine.injection(0)).bandwidth.bytes_per_second, half, true};
  }
  Bisection best{"", 0, -1, 0, true};
  for (const Level& level : machine.topology->partitions(machine)) {
    if (level.count > most_parts_searched) return {level.name + "s", level.count, 0, 0, false};
    const Bisection found = bisect(machine, level);
    if (best.bytes_per_second < 0 || found.bytes_per_second < best.bytes_per_second) best = found;
  }
  return best;
}

Properties find_properties(const Machine& machine, const Routing& routing) {
  Properties found;
  found.connected = is_connected(machine);
  find_distances(machine, routing, found);
  found.bisection = find_bisection(machine);
  for (const LinkClass& c : machine.classes) found.classes.push_back({c.name, 0, 0, 0});
  for (const Link& link : machine.links) ++found.classes[link.link_class].links;
  for (std::size_t c = 0; c < machine.classes.size(); ++c) {
    ClassCount& count = found.classes[c];
    count.vcs = machine.classes[c].of_nodes() ? 1 : routing.num_vcs(static_cast<int>(c));
    count.channels = count.links * count.vcs;
  }
  return found;
}

}  // namespace odonata
