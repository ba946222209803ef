#include "odonata/explain/log.hpp"

#include <algorithm>
#include <utility>

namespace odonata {

namespace {

// The element of a transit in a list that is in the order of transits.
template <class List>
std::size_t place_of(const List& list, std::uint32_t transit) {
  std::size_t low = 0, high = list.size();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (list[middle].transit < transit)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

}  // namespace

std::uint32_t Transits::add(Transit transit, std::span<const Piece> way, std::uint32_t parent,
                            const std::optional<Turn>& turn) {
  transit.pieces = way.size() & Transit::most_of_one;
  const auto number = static_cast<std::uint32_t>(all_.size());
  if (number == Transit::none) throw std::length_error("explain: too many messages");
  const auto to = static_cast<std::size_t>(transit.to);
  if (latest_.size() <= to) latest_.resize(std::max(to + 1, 2 * latest_.size()), Transit::none);
  const std::uint32_t before = std::exchange(latest_[to], number);
  shares_ = repeats(before, way);
  if (shares_) {
    transit.first = all_[before].first;
  } else {
    transit.first = pieces_.size() & Transit::most_pieces;
    for (const Piece& piece : way) pieces_.push_back(piece);
  }
  if (parent != Transit::none) parents_.push_back({number, parent});
  if (turn) turns_.push_back({number, *turn});
  num_pieces_ += transit.pieces;
  transit.follows = parent != Transit::none;
  transit.turned = turn.has_value();
  all_.push_back(transit);
  return number;
}

// Messages to a rank often take the way of the message before.
bool Transits::repeats(std::uint32_t before, std::span<const Piece> way) const {
  if (before == Transit::none || before >= all_.size()) return false;
  const Transit& other = all_[before];
  if (other.pieces != way.size()) return false;
  for (std::size_t i = 0; i < way.size(); ++i)
    if (pieces_[other.first + i] != way[i]) return false;
  return true;
}

void Transits::take_back() {
  const Transit last = all_.back();
  if (last.follows) parents_.pop_back();
  if (last.turned) turns_.pop_back();
  num_pieces_ -= last.pieces;
  if (!shares_) pieces_.shrink(last.first);
  all_.pop_back();
}

Time Transits::end(const Transit& transit) const {
  Time time = transit.handed;
  for_each_piece(transit, [&](const Piece& piece) { time += piece.time(); });
  return time;
}

std::uint32_t Transits::parent(std::uint32_t number) const {
  if (!(*this)[number].follows) return Transit::none;
  return parents_[place_of(parents_, number)].parent;
}

const Turn* Transits::turn(std::uint32_t number) const {
  if (!(*this)[number].turned) return nullptr;
  return &turns_[place_of(turns_, number)].turn;
}

}  // namespace odonata
