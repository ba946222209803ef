#include "odonata/workload/halo/grid.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "odonata/machine/topology.hpp"
#include "odonata/units/errors.hpp"

namespace odonata {

namespace {

std::string by_sides(const std::vector<std::int32_t>& sides) {
  std::string text;
  for (const std::int32_t side : sides) text += (text.empty() ? "" : "x") + std::to_string(side);
  return text;
}

// Numbers along something, one a rank: the least has 0, the next larger one 1, and so on.
struct Steps {
  std::int32_t count = 0;
  std::vector<std::int32_t> of_rank;  // [ranks]

  explicit Steps(const std::vector<std::int64_t>& keys) {
    const std::set<std::int64_t> different(keys.begin(), keys.end());
    std::map<std::int64_t, std::int32_t> number;
    for (const std::int64_t key : different) number[key] = count++;
    for (const std::int64_t key : keys) of_rank.push_back(number[key]);
  }
};

// Where the ranks of a job are in the machine.
struct Seating {
  std::vector<Steps> along;   // [axes] by the coordinates of routers
  std::vector<Steps> seated;  // [axes] by coordinate, ranks of a router in a row
  std::int32_t most = 0;      // ranks of a router
};

// Number of each rank at its router, by node.
std::vector<std::int32_t> seats_of(const Machine& machine, const std::vector<std::int32_t>& nodes) {
  std::vector<std::int32_t> order(nodes.size()), seats(nodes.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return nodes[a] < nodes[b]; });
  std::map<std::int32_t, std::int32_t> taken;  // by router
  for (const std::int32_t rank : order) seats[rank] = taken[machine.node_router[nodes[rank]]]++;
  return seats;
}

Seating seating_of(const Machine& machine, const std::vector<std::int32_t>& nodes) {
  const std::vector<std::int32_t> seats = seats_of(machine, nodes);
  std::vector<std::vector<std::int32_t>> positions;
  for (const std::int32_t node : nodes)
    positions.push_back(machine.topology->position(machine.node_router[node]));
  Seating seating;
  seating.most = 1 + *std::max_element(seats.begin(), seats.end());
  for (std::size_t a = 0; a < machine.topology->axes().size(); ++a) {
    std::vector<std::int64_t> bare, seated;
    for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
      bare.push_back(positions[rank][a]);
      seated.push_back(bare.back() * seating.most + seats[rank]);
    }
    seating.along.emplace_back(bare);
    seating.seated.emplace_back(seated);
  }
  return seating;
}

// Finds for each dimension of a grid the ranks' coordinates along it.
class Matching {
 public:
  Matching(const ProcessGrid& grid, const Seating& seating) : grid_(grid), seating_(seating) {}

  // Rank at each place, with axes in order from this one on; empty if the grid does not match.
  std::vector<std::int32_t> from(std::size_t axis, bool seated) {
    if (axis == seating_.along.size()) return filled(seated);
    const std::size_t d = chosen_.size();
    for (const bool with_seats : {false, true}) {
      const Steps& steps = (with_seats ? seating_.seated : seating_.along)[axis];
      const bool may = !with_seats || (!seated && seating_.most > 1);
      if (d == grid_.dimensions() || !may || steps.count != grid_.side(d)) continue;
      chosen_.push_back(&steps);
      std::vector<std::int32_t> found = from(axis + 1, seated || with_seats);
      if (!found.empty()) return found;
      chosen_.pop_back();
    }
    if (seating_.along[axis].count > 1) return {};
    return from(axis + 1, seated);
  }

 private:
  [[nodiscard]] std::vector<std::int32_t> filled(bool seated) const {
    if (chosen_.size() != grid_.dimensions() || (!seated && seating_.most > 1)) return {};
    std::vector<std::int32_t> rank_at(grid_.num_places(), -1);
    for (std::int32_t rank = 0; rank < grid_.num_places(); ++rank) {
      std::vector<std::int32_t> at;
      for (const Steps* steps : chosen_) at.push_back(steps->of_rank[rank]);
      rank_at[grid_.place(at)] = rank;
    }
    const bool whole = std::find(rank_at.begin(), rank_at.end(), -1) == rank_at.end();
    return whole ? rank_at : std::vector<std::int32_t>{};
  }

  const ProcessGrid& grid_;
  const Seating& seating_;
  std::vector<const Steps*> chosen_;  // [dimensions so far]
};

std::vector<std::int32_t> on_machine(const ProcessGrid& grid, const Machine& machine,
                                     const std::vector<std::int32_t>& nodes) {
  const Seating seating = seating_of(machine, nodes);
  std::vector<std::int32_t> found = Matching(grid, seating).from(0, false);
  if (!found.empty()) return found;
  std::vector<std::int32_t> sides, there;
  for (std::size_t d = 0; d < grid.dimensions(); ++d) sides.push_back(grid.side(d));
  for (const Steps& steps : seating.along) there.push_back(steps.count);
  std::string allowed = "another distribution: routers of " + machine.name + " have no coordinates";
  if (!there.empty())
    allowed = "the sides of a block of routers (the job is on " + by_sides(there) + " of them, " +
              std::to_string(seating.most) + " ranks on each), one of them counted in ranks";
  throw UserError("distribution custom: the grid does not match the machine", by_sides(sides),
                  allowed);
}

}  // namespace

ProcessGrid::ProcessGrid(std::vector<std::int32_t> sides) : sides_(std::move(sides)) {
  std::int64_t places = 1;
  strides_.push_back(1);
  for (const std::int32_t side : sides_) {
    places *= side;
    if (side < 1 || places > std::numeric_limits<std::int32_t>::max())
      throw UserError("sides: out of range", by_sides(sides_), "1 or more, 2**31 - 1 ranks in all");
    strides_.push_back(static_cast<std::int32_t>(places));
  }
}

std::int32_t ProcessGrid::place(const std::vector<std::int32_t>& coordinates) const {
  std::int32_t found = 0;
  for (std::size_t d = 0; d < sides_.size(); ++d) found += coordinates[d] * strides_[d];
  return found;
}

std::int32_t ProcessGrid::neighbour(std::int32_t place, std::size_t d, bool onward,
                                    bool periodic) const {
  const std::int32_t side = sides_[d], at = coordinate(place, d);
  const std::int32_t to = at + (onward ? 1 : -1);
  if (side == 1 || (!periodic && (to < 0 || to == side))) return -1;
  return place + ((to + side) % side - at) * strides_[d];
}

Distribution distribution_named(const std::string& name) {
  if (name == "plain") return Distribution::plain;
  if (name == "cart") return Distribution::cart;
  if (name == "custom") return Distribution::custom;
  throw UserError("distribution: unknown", name, "plain, cart, custom");
}

std::vector<std::int32_t> distribute(Distribution how, const ProcessGrid& grid,
                                     const Machine& machine,
                                     const std::vector<std::int32_t>& nodes) {
  if (static_cast<std::size_t>(grid.num_places()) != nodes.size())
    throw UserError("sides: another number of ranks than the job has", grid.num_places(),
                    std::to_string(nodes.size()));
  if (how == Distribution::custom) return on_machine(grid, machine, nodes);
  std::vector<std::int32_t> rank_at(nodes.size());
  std::iota(rank_at.begin(), rank_at.end(), 0);
  if (how == Distribution::plain) return rank_at;
  for (std::int32_t place = 0; place < grid.num_places(); ++place) {
    std::int32_t rank = 0;
    for (std::size_t d = 0; d < grid.dimensions(); ++d)
      rank = rank * grid.side(d) + grid.coordinate(place, d);
    rank_at[place] = rank;
  }
  return rank_at;
}

}  // namespace odonata
