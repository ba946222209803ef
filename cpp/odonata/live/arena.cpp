#include "odonata/live/arena.hpp"

#include <algorithm>
#include <bit>
#include <new>
#include <utility>

#include "odonata/live/protocol.hpp"

namespace odonata::live {

Arena::Arena(Header& header, int first, int last)
    : header_(header),
      first_(static_cast<std::uint32_t>(first)),
      next_(header.arenas + first_ * header.arena_bytes),
      end_(header.arenas + (static_cast<std::uint64_t>(last) + 1) * header.arena_bytes) {}

Block& Arena::at(Offset place) const {
  return *reinterpret_cast<Block*>(start_of(header_) + place);
}

// Collects blocks that other ranks gave back.
std::atomic<Offset>& Arena::freed(std::uint32_t owner) const {
  return owner == header_.num_ranks ? header_.simulator_freed : rank_area(header_, owner).freed;
}

Offset Arena::allocate(std::size_t bytes) {
  const auto size_class = static_cast<std::uint32_t>(
      std::bit_width(std::max<std::size_t>(bytes + sizeof(Block), 64) - 1));
  if (free_[size_class] == 0) collect_freed();
  Offset place = free_[size_class];
  if (place != 0) {
    free_[size_class] = at(place).next;
    return place + sizeof(Block);
  }
  const std::uint64_t size = std::uint64_t{1} << size_class;
  if (size > end_ - next_) return 0;
  place = std::exchange(next_, next_ + size);
  new (&at(place)) Block{0, first_, size_class};
  return place + sizeof(Block);
}

void Arena::release(Offset contents) {
  const Offset place = contents - sizeof(Block);
  Block& block = at(place);
  if (block.owner == first_) return keep(place);
  push(freed(block.owner), block.next, place);
}

void Arena::keep(Offset place) {
  Block& block = at(place);
  block.next = std::exchange(free_[block.size_class], place);
}

void Arena::collect_freed() {
  Offset place = freed(first_).exchange(0);
  while (place != 0) {
    const Offset next = at(place).next;
    keep(place);
    place = next;
  }
}

}  // namespace odonata::live
