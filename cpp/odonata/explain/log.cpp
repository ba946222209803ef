#include "odonata/explain/log.hpp"

#include <algorithm>
#include <stdexcept>

namespace odonata {

namespace {

// The element of a crossing in a list that is in the order of crossings.
template <class List>
std::size_t place_of(const List& list, std::uint32_t crossing) {
  std::size_t low = 0, high = list.size();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (list[middle].crossing < crossing)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

}  // namespace

std::uint32_t Crossings::add(Crossing crossing, std::span<const Piece> way, CrossingId parent,
                             const std::optional<BusyPeriod>& busy_period) {
  crossing.pieces = way.size() & Crossing::most_of_one;
  const auto number = static_cast<std::uint32_t>(all_.size());
  if (number == CrossingId::most_of_rank) throw std::length_error("explain: too many messages");
  shares_ = repeats_last(way);
  if (shares_) {
    crossing.first = all_.back().first;
  } else {
    crossing.first = pieces_.size() & Crossing::most_pieces;
    pieces_.insert(pieces_.end(), way.begin(), way.end());
  }
  if (parent) parents_.push_back({number, parent});
  if (busy_period) busy_periods_.push_back({number, *busy_period});
  num_pieces_ += crossing.pieces;
  crossing.follows = static_cast<bool>(parent);
  crossing.found_busy = busy_period.has_value();
  all_.push_back(crossing);
  return number;
}

// Messages to a rank often take the way of the message before.
bool Crossings::repeats_last(std::span<const Piece> way) const {
  if (all_.empty() || all_.back().pieces != way.size()) return false;
  const auto first = static_cast<std::ptrdiff_t>(all_.back().first);
  return std::equal(way.begin(), way.end(), pieces_.begin() + first);
}

void Crossings::take_back() {
  const Crossing last = all_.back();
  if (last.follows) parents_.pop_back();
  if (last.found_busy) busy_periods_.pop_back();
  num_pieces_ -= last.pieces;
  if (!shares_) pieces_.resize(last.first);
  all_.pop_back();
}

Time Crossings::end(const Crossing& crossing) const {
  Time time = crossing.handed;
  for_each_piece(crossing, [&](const Piece& piece) { time += piece.time(); });
  return time;
}

CrossingId Crossings::parent(std::uint32_t number) const {
  if (!(*this)[number].follows) return {};
  return parents_[place_of(parents_, number)].parent;
}

const BusyPeriod* Crossings::busy_period(std::uint32_t number) const {
  if (!(*this)[number].found_busy) return nullptr;
  return &busy_periods_[place_of(busy_periods_, number)].busy_period;
}

std::size_t CauseLog::num_entries() const {
  std::size_t sum = 0;
  for (const RankTimeline& timeline : timelines) sum += timeline.entries.size();
  return sum;
}

std::size_t CauseLog::num_crossings() const {
  std::size_t sum = 0;
  for (const Crossings& each : crossings) sum += each.size();
  return sum;
}

std::uint64_t CauseLog::num_pieces() const {
  std::uint64_t sum = 0;
  for (const Crossings& each : crossings) sum += each.num_pieces();
  return sum;
}

}  // namespace odonata
