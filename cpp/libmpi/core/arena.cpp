#include "libmpi/core/arena.hpp"

#include <algorithm>
#include <bit>
#include <new>
#include <string>
#include <utility>

#include "libmpi/core/error.hpp"

namespace odonata::libmpi {

using live::Block;

namespace {

live::RankArea& area(live::Header& header, std::uint32_t rank) {
  return reinterpret_cast<live::RankArea*>(reinterpret_cast<std::byte*>(&header) +
                                           header.areas)[rank];
}

}  // namespace

Arena::Arena(live::Header& header, int first, int last)
    : header_(header),
      first_(static_cast<std::uint32_t>(first)),
      last_(static_cast<std::uint32_t>(last)),
      next_(header.arenas + first_ * header.arena_bytes),
      end_(header.arenas + (last_ + std::uint64_t{1}) * header.arena_bytes) {}

Block& Arena::at(Offset place) const {
  return *reinterpret_cast<Block*>(reinterpret_cast<std::byte*>(&header_) + place);
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
  if (size > end_ - next_)
    throw Error{ErrorClass::no_mem, "more than " + std::to_string(header_.arena_bytes >> 20) +
                                        " MiB of messages of one rank under way"};
  place = std::exchange(next_, next_ + size);
  new (&at(place)) Block{0, first_, size_class};
  return place + sizeof(Block);
}

void Arena::release(Offset contents) {
  const Offset place = contents - sizeof(Block);
  Block& block = at(place);
  if (block.owner == first_) return keep(place);
  std::atomic<Offset>& freed =
      block.owner == header_.num_ranks ? header_.simulator_freed : area(header_, block.owner).freed;
  Offset head = freed.load();
  do block.next = head;
  while (!freed.compare_exchange_weak(head, place));
}

void Arena::keep(Offset place) {
  Block& block = at(place);
  block.next = std::exchange(free_[block.size_class], place);
}

// What other processes gave back.
void Arena::collect_freed() {
  Offset place = area(header_, first_).freed.exchange(0);
  while (place != 0) {
    const Offset next = at(place).next;
    keep(place);
    place = next;
  }
}

}  // namespace odonata::libmpi
