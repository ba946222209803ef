#include "odonata/explain/partial_ways.hpp"

#include <utility>

namespace odonata {

void PartialWays::give_back(PartialWay& way) {
  while (way.more != none) {
    places_.remove(way.more);
    way.more = places_[way.more].before;
  }
}

void PartialWays::add_elsewhere(PartialWay& way, WayPart part, std::int32_t link, Time time) {
  for (const Time some : Piece::parts_of(time)) {
    if (some == 0) continue;
    const Piece piece{part, link, some};
    const std::size_t number = way.pieces++;
    if (number < inside) {
      way.own[number] = piece;
      continue;
    }
    const std::size_t at = (number - inside) % Place{}.pieces.size();
    if (at == 0) {
      const std::uint32_t added = places_.add();
      places_[added].before = std::exchange(way.more, added);
    }
    places_[way.more].pieces[at] = piece;
  }
}

// The places stand in their order from the last one on.
std::span<const Piece> PartialWays::gather(const PartialWay& way) {
  gathered_.resize(way.pieces);
  std::copy(way.own.begin(), way.own.end(), gathered_.begin());
  std::size_t end = way.pieces;
  for (std::uint32_t place = way.more; place != none; place = places_[place].before) {
    const auto& pieces = places_[place].pieces;
    const std::size_t begin = inside + (end - inside - 1) / pieces.size() * pieces.size();
    std::copy_n(pieces.begin(), end - begin,
                gathered_.begin() + static_cast<std::ptrdiff_t>(begin));
    end = begin;
  }
  return gathered_;
}

}  // namespace odonata
