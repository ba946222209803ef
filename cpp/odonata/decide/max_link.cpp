#include "odonata/decide/max_link.hpp"

#include <algorithm>
#include <utility>

namespace odonata {

MaxLink::MaxLink(const CommunicationMatrix& matrix, const SlotNodes& nodes, const Machine& machine,
                 const RankSlots& slots)
    : matrix_(matrix),
      nodes_(nodes),
      parts_(machine),
      loads_(machine.num_links()),
      before_(machine.num_links()),
      is_touched_(machine.num_links()) {
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
  for (const std::int32_t link : touched_) is_touched_[link] = false;
  touched_.clear();
}

double MaxLink::cost() const {
  double largest = 0;
  for (std::size_t link = 0; link < loads_.size(); ++link)
    largest = std::max(largest, loads_[link] * seconds_per_byte_[link]);
  return largest;
}

std::vector<std::int32_t> MaxLink::begin_round() {
  largest_ = cost();
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

double MaxLink::weight(std::int32_t link, double bytes) const {
  if (largest_ <= 0) return 0;
  const double part = bytes * seconds_per_byte_[link] / largest_;
  const double squared = part * part, fourth = squared * squared;
  return fourth * fourth;
}

void MaxLink::add_message(std::int32_t from_node, std::int32_t to_node, double bytes) {
  parts_.each(from_node, to_node, [&](std::int32_t link, double part) {
    if (!is_touched_[link]) {
      is_touched_[link] = true;
      touched_.push_back(link);
      before_[link] = loads_[link];
    }
    loads_[link] += bytes * part;
  });
}

// All messages of a rank, but for those with another one.
void MaxLink::add_messages(std::int32_t rank, std::int32_t except, double sign) {
  for (const Partner& to : matrix_.sent(rank))
    if (to.rank != except) add_message(node_of(rank), node_of(to.rank), sign * to.bytes);
  for (const Partner& from : matrix_.received(rank))
    if (from.rank != except) add_message(node_of(from.rank), node_of(rank), sign * from.bytes);
}

void MaxLink::move(std::int32_t a, std::int32_t b) {
  add_messages(a, -1, -1);
  add_messages(b, a, -1);
  std::swap(slots_[a], slots_[b]);
  add_messages(a, -1, 1);
  add_messages(b, a, 1);
}

double MaxLink::gain(std::int32_t a, std::int32_t b) {
  if (nodes_.node(slots_[a]) == nodes_.node(slots_[b])) return 0;
  move(a, b);
  double gain = 0;
  for (const std::int32_t link : touched_) {
    gain += weight(link, before_[link]) - weight(link, loads_[link]);
    loads_[link] = before_[link];  // to the last digit
    is_touched_[link] = false;
  }
  touched_.clear();
  std::swap(slots_[a], slots_[b]);
  return gain;
}

void MaxLink::swap(std::int32_t a, std::int32_t b) {
  move(a, b);
  for (const std::int32_t link : touched_) is_touched_[link] = false;
  touched_.clear();
}

}  // namespace odonata
