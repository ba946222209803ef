#include "odonata/explain/log.hpp"

#include <algorithm>
#include <utility>

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

std::uint32_t Crossings::add(Crossing crossing, std::span<const Piece> way, std::uint32_t parent,
                             const std::optional<BusyPeriod>& busy_period) {
  crossing.pieces = way.size() & Crossing::most_of_one;
  const auto number = static_cast<std::uint32_t>(all_.size());
  if (number == Crossing::none) throw std::length_error("explain: too many messages");
  const auto to = static_cast<std::size_t>(crossing.to);
  if (latest_.size() <= to) latest_.resize(std::max(to + 1, 2 * latest_.size()), Crossing::none);
  const std::uint32_t before = std::exchange(latest_[to], number);
  shares_ = repeats(before, way);
  if (shares_) {
    crossing.first = all_[before].first;
  } else {
    crossing.first = pieces_.size() & Crossing::most_pieces;
    for (const Piece& piece : way) pieces_.push_back(piece);
  }
  if (parent != Crossing::none) parents_.push_back({number, parent});
  if (busy_period) busy_periods_.push_back({number, *busy_period});
  num_pieces_ += crossing.pieces;
  crossing.follows = parent != Crossing::none;
  crossing.found_busy = busy_period.has_value();
  all_.push_back(crossing);
  return number;
}

// Messages to a rank often take the way of the message before.
bool Crossings::repeats(std::uint32_t before, std::span<const Piece> way) const {
  if (before == Crossing::none || before >= all_.size()) return false;
  const Crossing& other = all_[before];
  if (other.pieces != way.size()) return false;
  for (std::size_t i = 0; i < way.size(); ++i)
    if (pieces_[other.first + i] != way[i]) return false;
  return true;
}

void Crossings::take_back() {
  const Crossing last = all_.back();
  if (last.follows) parents_.pop_back();
  if (last.found_busy) busy_periods_.pop_back();
  num_pieces_ -= last.pieces;
  if (!shares_) pieces_.shrink(last.first);
  all_.pop_back();
}

Time Crossings::end(const Crossing& crossing) const {
  Time time = crossing.handed;
  for_each_piece(crossing, [&](const Piece& piece) { time += piece.time(); });
  return time;
}

std::uint32_t Crossings::parent(std::uint32_t number) const {
  if (!(*this)[number].follows) return Crossing::none;
  return parents_[place_of(parents_, number)].parent;
}

const BusyPeriod* Crossings::busy_period(std::uint32_t number) const {
  if (!(*this)[number].found_busy) return nullptr;
  return &busy_periods_[place_of(busy_periods_, number)].busy_period;
}

}  // namespace odonata
