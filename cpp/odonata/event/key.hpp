// Keys of events: kind, owner, and slot.
//
//     | kind 3 | owner, number at the owner 35 | slot 26 |
//
// Events of one time happen in the order of their keys. The slot never decides: the content of a
// slot has an owner (a node, a rank) and a number there, which depend on nothing that happens
// elsewhere on the machine.
#pragma once

#include <bit>
#include <cstdint>

namespace odonata {

/// Kinds of events; at equal times the lower kind happens first.
enum class Kind : std::uint8_t {
  arrive = 0,  // head of a packet at a router; owner: source node, number: of the packet there
  deliver = 1,  // tail of a packet at its node; the same
  injected = 2,  // tail of a message's last packet left its node; that packet, slot: message
  local = 3,  // a message between ranks of one node arrives; owner: rank that sent it
  wake = 4,  // a link may send again; slot: link
  step = 5,  // an overhead of a message has been paid; owner: rank, number: its turn
  resume =
      6,  // a coroutine resumes; owner: rank, number: 0 its program, which has the rank as slot
  sample = 7,  // the occupancy recorder looks
};

inline constexpr int slot_bits = 26, identity_bits = 35, kind_bits = 3;
static_assert(slot_bits + identity_bits + kind_bits == 64);
/// Most packets, messages, ranks or links at a time.
inline constexpr std::uint32_t most_slots = 1U << slot_bits;

[[nodiscard]] constexpr std::uint64_t key_of(Kind kind, std::uint64_t entity) {
  return static_cast<std::uint64_t>(kind) << (64 - kind_bits) | entity;
}
[[nodiscard]] constexpr Kind kind_of(std::uint64_t key) {
  return static_cast<Kind>(key >> (64 - kind_bits));
}
[[nodiscard]] constexpr std::uint32_t slot_of(std::uint64_t key) {
  return static_cast<std::uint32_t>(key) & (most_slots - 1);
}

/// How entities are written that owners number: each owner's numbers begin again after 2^(35 - n),
/// n being the bits that owners take.
class Identities {
 public:
  explicit Identities(std::uint32_t owners)
      : number_bits_(identity_bits - (owners < 2 ? 0 : std::bit_width(owners - 1))),
        last_((std::uint64_t{1} << number_bits_) - 1) {}

  [[nodiscard]] std::uint64_t entity(std::int32_t owner, std::uint64_t number,
                                     std::uint32_t slot) const {
    const std::uint64_t first = static_cast<std::uint64_t>(owner) << number_bits_;
    return (first | (number & last_)) << slot_bits | slot;
  }
  /// Counts on from `last`; never to a number that would be written as 0.
  [[nodiscard]] std::uint32_t next(std::uint32_t& last) const {
    if ((++last & last_) == 0) ++last;
    return last;
  }
  [[nodiscard]] std::uint64_t number_of(std::uint64_t key) const {
    return key >> slot_bits & last_;
  }

 private:
  int number_bits_;
  std::uint64_t last_;  // number of an owner before they begin again
};

}  // namespace odonata
