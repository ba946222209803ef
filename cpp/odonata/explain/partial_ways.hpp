// Ways of packets that are under way, piece by piece.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "odonata/engine/way.hpp"
#include "odonata/event/fetch.hpp"
#include "odonata/event/slots.hpp"
#include "odonata/explain/waited.hpp"
#include "odonata/units/table.hpp"

namespace odonata {

/// The ways of packets so far, in two lines of the cache each. The pieces for which they have no
/// room are elsewhere.
class PartialWays {
  static constexpr std::size_t inside = 12;

 public:
  struct alignas(64) PartialWay {  // of a packet
    Joined joined{};  // the queue that it waits in
    std::uint32_t pieces = 0;
    std::uint32_t more = none;  // the last of the places that it has elsewhere
    std::array<Piece, inside> own;
  };
  static_assert(sizeof(PartialWay) == 128);

  [[nodiscard]] PartialWay& operator[](std::uint32_t packet) { return ways_[packet]; }
  /// The packet's way, without pieces.
  PartialWay& begin(std::uint32_t packet) {
    if (ways_.size() <= packet) [[unlikely]]
      ways_.resize(std::max<std::size_t>(packet + 1, 2 * ways_.size()));
    PartialWay& way = ways_[packet];
    way.pieces = 0;
    if (way.more != none) [[unlikely]]
      give_back(way);
    return way;
  }
  /// Adds a piece, unless it takes no time.
  void add(PartialWay& way, WayPart part, std::int32_t link, Time time) {
    if (time == 0) return;
    if (way.pieces >= inside || time > Piece::longest) [[unlikely]]
      return add_elsewhere(way, part, link, time);
    way.own[way.pieces++] = {part, link, time};
  }
  /// All pieces of a way, valid until the next call.
  [[nodiscard]] std::span<const Piece> tell(const PartialWay& way) {
    if (way.more == none) [[likely]]
      return {way.own.data(), way.pieces};
    return gather(way);
  }
  /// Fetches the way of a packet into the cache.
  void prefetch(std::uint32_t packet) const {
    if (packet >= ways_.size()) return;
    const auto* place = reinterpret_cast<const std::byte*>(&ways_[packet]);
    fetch(place);
    fetch(place + 64);
  }

 private:
  static constexpr std::uint32_t none = 0xffffffff;
  struct alignas(64) Place {
    std::array<Piece, 7> pieces;
    std::uint32_t before = none;  // the way's place before this one
  };

  void give_back(PartialWay& way);
  void add_elsewhere(PartialWay& way, WayPart part, std::int32_t link, Time time);
  [[nodiscard]] std::span<const Piece> gather(const PartialWay& way);

  Table<PartialWay> ways_;  // by packet slot
  Slots<Place> places_;
  Way gathered_;  // that is told
};

}  // namespace odonata
