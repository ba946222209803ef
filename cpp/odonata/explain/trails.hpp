// Trails of packets: the pieces of their ways, kept while they are under way.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "odonata/engine/way.hpp"
#include "odonata/event/fetch.hpp"
#include "odonata/event/slots.hpp"
#include "odonata/event/table.hpp"
#include "odonata/explain/waited.hpp"

namespace odonata {

/// Trails in two lines of the cache each. The pieces for which they have no room are elsewhere.
class Trails {
  static constexpr std::size_t inside = 12;

 public:
  struct alignas(64) Trail {  // of a packet
    Joined joined{};  // the queue that it waits in
    std::uint32_t pieces = 0;
    std::uint32_t more = none;  // the last of the places that it has elsewhere
    std::array<Piece, inside> own;
  };
  static_assert(sizeof(Trail) == 128);

  [[nodiscard]] Trail& operator[](std::uint32_t packet) { return trails_[packet]; }
  /// The packet's trail, without pieces.
  Trail& begin(std::uint32_t packet) {
    if (trails_.size() <= packet) [[unlikely]]
      trails_.resize(std::max<std::size_t>(packet + 1, 2 * trails_.size()));
    Trail& trail = trails_[packet];
    trail.pieces = 0;
    if (trail.more != none) [[unlikely]]
      give_back(trail);
    return trail;
  }
  /// Adds a piece, unless it takes no time.
  void add(Trail& trail, WayPart part, std::int32_t link, Time time) {
    if (time == 0) return;
    if (trail.pieces >= inside || time > Piece::longest) [[unlikely]]
      return add_elsewhere(trail, part, link, time);
    trail.own[trail.pieces++] = {part, link, time};
  }
  /// All pieces of a trail, valid until the next call.
  [[nodiscard]] std::span<const Piece> tell(const Trail& trail) {
    if (trail.more == none) [[likely]]
      return {trail.own.data(), trail.pieces};
    return gather(trail);
  }
  /// Fetches the trail of a packet into the cache.
  void prefetch(std::uint32_t packet) const {
    if (packet >= trails_.size()) return;
    const auto* place = reinterpret_cast<const std::byte*>(&trails_[packet]);
    fetch(place);
    fetch(place + 64);
  }

 private:
  static constexpr std::uint32_t none = 0xffffffff;
  struct alignas(64) Place {
    std::array<Piece, 7> pieces;
    std::uint32_t before = none;  // the trail's place before this one
  };

  void give_back(Trail& trail);
  void add_elsewhere(Trail& trail, WayPart part, std::int32_t link, Time time);
  [[nodiscard]] std::span<const Piece> gather(const Trail& trail);

  Table<Trail> trails_;  // by packet slot
  Slots<Place> places_;
  Way gathered_;  // that is told
};

}  // namespace odonata
