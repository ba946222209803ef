#include "odonata/decide/max_link.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace odonata {

namespace {

constexpr double any = -std::numeric_limits<double>::infinity();

}  // namespace

MaxLink::MaxLink(const CommunicationMatrix& matrix, const SlotNodes& nodes, LinkParts& parts,
                 const RankSlots& slots)
    : matrix_(matrix),
      nodes_(nodes),
      parts_(parts),
      loads_(parts.machine().num_links()),
      weights_(parts.machine().num_links()),
      prices_(nodes, parts) {
  const Machine& machine = parts.machine();
  for (std::int32_t link = 0; link < machine.num_links(); ++link) {
    const auto rate = static_cast<double>(machine.class_of(link).bandwidth.bytes_per_second);
    seconds_per_byte_.push_back(rate > 0 ? 1 / rate : 0);
  }
  reset(slots);
}

void MaxLink::reset(const RankSlots& slots) {
  slots_ = slots;
  std::ranges::fill(loads_, 0);
  for (std::int32_t rank = 0; rank < matrix_.ranks(); ++rank)
    for (const Partner& to : matrix_.sent(rank))
      add_message(node_of(rank), node_of(to.rank), to.bytes);
  changes_.clear();
  lifted_ = -1;
}

const std::vector<double>& MaxLink::loads() {
  put_back();
  return loads_;
}

double MaxLink::cost() {
  put_back();
  double largest = 0;
  for (std::size_t link = 0; link < loads_.size(); ++link)
    largest = std::max(largest, loads_[link] * seconds_per_byte_[link]);
  return largest;
}

std::vector<std::int32_t> MaxLink::begin_round() {
  const double largest = cost();
  per_largest_ = largest > 0 ? 1 / largest : 0;
  for (std::size_t link = 0; link < loads_.size(); ++link)
    weights_[link] = weight(static_cast<std::int32_t>(link));
  if (prices_.known()) set_prices();
  std::vector<double> busiest(slots_.size());
  std::vector<std::int32_t> ranks(slots_.size());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    ranks[rank] = static_cast<std::int32_t>(rank);
    busiest[rank] = busiest_of(ranks[rank]);
  }
  std::ranges::stable_sort(ranks, std::ranges::greater{},
                           [&](std::int32_t rank) { return busiest[rank]; });
  if (ranks.size() > most_tried) ranks.resize(most_tried);
  return ranks;
}

// Price of a byte: the slope of the sum, up to a factor.
void MaxLink::set_prices() {
  std::vector<double> prices(loads_.size());
  for (std::size_t link = 0; link < loads_.size(); ++link)
    if (loads_[link] > 0) prices[link] = weights_[link] / loads_[link];
  prices_.set(std::move(prices));
}

std::size_t MaxLink::messages(std::int32_t rank) const {
  return matrix_.sent(rank).size() + matrix_.received(rank).size();
}

// Where all trials would move more messages than a rank is worth, those come first whose guess is
// best, and no more than a few are left.
void MaxLink::shorten(std::int32_t a, std::vector<std::int32_t>& others) {
  std::size_t moved = 0;
  const auto fits = [&](std::int32_t b) {
    moved += 2 * (messages(a) + messages(b));
    return moved <= most_moved;
  };
  if (std::ranges::all_of(others, fits)) return;
  if (prices_.known()) {
    std::vector<std::pair<double, std::int32_t>> guesses;
    for (const std::int32_t b : others) guesses.emplace_back(-guess(a, b), b);
    std::ranges::sort(guesses);
    std::ranges::transform(guesses, others.begin(), [](const auto& one) { return one.second; });
  }
  moved = 0;
  const auto last = std::ranges::find_if_not(others, fits);
  others.erase(std::max(last, others.begin() + 1), others.end());
}

double MaxLink::guess(std::int32_t a, std::int32_t b) {
  if (nodes_.node(slots_[a]) == nodes_.node(slots_[b])) return 0;
  return guess_move(a, b) + guess_move(b, a);
}

// Messages of a rank to all but the other one, when it goes to the other's node.
double MaxLink::guess_move(std::int32_t rank, std::int32_t other) {
  const std::int32_t here = nodes_.node(slots_[rank]), there = nodes_.node(slots_[other]);
  double gain = 0;
  for (const Partner& to : matrix_.sent(rank)) {
    if (to.rank == other) continue;
    const std::int32_t at = nodes_.node(slots_[to.rank]);
    gain += to.bytes * (prices_.between(here, at) - prices_.between(there, at));
  }
  for (const Partner& from : matrix_.received(rank)) {
    if (from.rank == other) continue;
    const std::int32_t at = nodes_.node(slots_[from.rank]);
    gain += from.bytes * (prices_.between(at, here) - prices_.between(at, there));
  }
  return gain;
}

// Time of the busiest link that the rank's messages take [s].
double MaxLink::busiest_of(std::int32_t rank) {
  double largest = 0;
  const auto look = [&](std::int32_t link, double) {
    largest = std::max(largest, loads_[link] * seconds_per_byte_[link]);
  };
  for (const Partner& to : matrix_.sent(rank)) parts_.each(node_of(rank), node_of(to.rank), look);
  for (const Partner& from : matrix_.received(rank))
    parts_.each(node_of(from.rank), node_of(rank), look);
  return largest;
}

double MaxLink::weight(std::int32_t link) const {
  const double part = loads_[link] * seconds_per_byte_[link] * per_largest_;
  const double squared = part * part, fourth = squared * squared;
  return fourth * fourth;
}

void MaxLink::add_message(std::int32_t from_node, std::int32_t to_node, double bytes) {
  parts_.each(from_node, to_node, [&](std::int32_t link, double part) {
    const double before = weights_[link];
    changes_.push_back({link, loads_[link], before});
    loads_[link] += bytes * part;
    weights_[link] = weight(link);
    gained_ += before - weights_[link];
  });
}

// All messages of a rank, but for those with another one, until the gain is no more than `least`.
// Returns whether it is more.
bool MaxLink::add_messages(std::int32_t rank, std::int32_t except, double sign, double least) {
  for (const Partner& to : matrix_.sent(rank)) {
    if (to.rank == except) continue;
    add_message(node_of(rank), node_of(to.rank), sign * to.bytes);
    if (gained_ <= least) return false;
  }
  for (const Partner& from : matrix_.received(rank)) {
    if (from.rank == except) continue;
    add_message(node_of(from.rank), node_of(rank), sign * from.bytes);
    if (gained_ <= least) return false;
  }
  return gained_ > least;
}

// To the last digit.
void MaxLink::undo(std::size_t kept) {
  for (; changes_.size() > kept; changes_.pop_back()) {
    const Change& change = changes_.back();
    loads_[change.link] = change.load;
    weights_[change.link] = change.weight;
  }
}

// Takes the messages of a rank off their links, for all trials of it.
void MaxLink::lift(std::int32_t rank) {
  if (lifted_ == rank) return;
  put_back();
  gained_ = 0;
  (void)add_messages(rank, -1, -1, any);
  lifted_ = rank;
  lifted_gain_ = gained_;
  lifted_changes_ = changes_.size();
}

void MaxLink::put_back() {
  undo(0);
  lifted_ = -1;
}

double MaxLink::gain(std::int32_t a, std::int32_t b, double least) {
  if (nodes_.node(slots_[a]) == nodes_.node(slots_[b])) return 0;
  lift(a);
  gained_ = lifted_gain_;
  (void)add_messages(b, a, -1, any);
  std::swap(slots_[a], slots_[b]);
  (void)(add_messages(a, -1, 1, least) && add_messages(b, a, 1, least));
  std::swap(slots_[a], slots_[b]);
  undo(lifted_changes_);
  return gained_;
}

void MaxLink::swap(std::int32_t a, std::int32_t b) {
  put_back();
  (void)add_messages(a, -1, -1, any);
  (void)add_messages(b, a, -1, any);
  std::swap(slots_[a], slots_[b]);
  (void)add_messages(a, -1, 1, any);
  (void)add_messages(b, a, 1, any);
  changes_.clear();
}

}  // namespace odonata
