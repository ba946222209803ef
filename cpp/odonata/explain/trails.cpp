#include "odonata/explain/trails.hpp"

#include <utility>

namespace odonata {

void Trails::give_back(Trail& trail) {
  while (trail.more != none) {
    places_.remove(trail.more);
    trail.more = places_[trail.more].before;
  }
}

void Trails::add_elsewhere(Trail& trail, WayPart part, std::int32_t link, Time time) {
  for (const Time some : Piece::parts_of(time)) {
    if (some == 0) continue;
    const Piece piece{part, link, some};
    const std::size_t number = trail.pieces++;
    if (number < inside) {
      trail.own[number] = piece;
      continue;
    }
    const std::size_t at = (number - inside) % Place{}.pieces.size();
    if (at == 0) {
      const std::uint32_t added = places_.add();
      places_[added].before = std::exchange(trail.more, added);
    }
    places_[trail.more].pieces[at] = piece;
  }
}

// The places stand in their order from the last one on.
std::span<const Piece> Trails::gather(const Trail& trail) {
  gathered_.resize(trail.pieces);
  std::copy(trail.own.begin(), trail.own.end(), gathered_.begin());
  std::size_t end = trail.pieces;
  for (std::uint32_t place = trail.more; place != none; place = places_[place].before) {
    const auto& pieces = places_[place].pieces;
    const std::size_t begin = inside + (end - inside - 1) / pieces.size() * pieces.size();
    std::copy_n(pieces.begin(), end - begin,
                gathered_.begin() + static_cast<std::ptrdiff_t>(begin));
    end = begin;
  }
  return gathered_;
}

}  // namespace odonata
