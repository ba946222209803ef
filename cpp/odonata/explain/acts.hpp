// The acts of the programs of all ranks, and how long their messages cross the network: enough to
// play the run again with other times of the messages (simulate/moved.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "odonata/units/units.hpp"

namespace odonata {

struct Act {
  enum class Kind : std::uint8_t {
    work,  // of the processor, for `value` [ps]; the program goes on beside it
    rest,  // goes on when the processor has nothing left to do
    pause,  // goes on at the time `value` [ps]
    send,  // `value` [B] to `peer`
    send_synchronous,
    send_buffered,
    receive,  // up to `value` [B] from `peer`
    need,  // goes on when the send or receive that is act `value` is complete
    nothing,  // a receive that was taken back
  };
  static constexpr int num_kinds = 9;

  Kind kind = Kind::nothing;
  std::int32_t rank = 0;
  std::int64_t value = 0;
  std::int32_t peer = 0, tag = 0, context = 0;
};

/// A crossing from one node to another. The data of a message that asked first may be told to have
/// left their node.
struct Flight {
  enum class Leg : std::uint8_t { first, answer, data };  // eager data and requests are the first
  static constexpr int num_legs = 3;

  std::uint32_t act = 0;  // the send
  Leg leg = Leg::first;
  Time handed = 0, end = 0, left = -1;  // [ps] to the NIC, at its node, out of the first one
};

/// Acts of all ranks in the order in which they happened. A run with more than `most` has none.
class Acts {
 public:
  explicit Acts(bool kept) : dropped_(!kept) {}

  static constexpr std::size_t most = 1'000'000;
  static constexpr std::uint32_t none = 0xffffffff;

  [[nodiscard]] bool complete() const { return !dropped_; }
  [[nodiscard]] const std::vector<Act>& all() const { return acts_; }
  [[nodiscard]] const std::vector<Flight>& flights() const { return flights_; }

  /// Returns the number of the act; `none` if it is not kept.
  std::uint32_t add(const Act& act);
  /// The program of its rank knows that a send or receive is complete.
  void need(std::uint32_t act);
  /// A message is taken by a receive, which may have asked for any.
  void settle(std::uint32_t act, std::int32_t source, std::int32_t tag);
  /// A receive has been taken back.
  void withdraw(std::uint32_t act);
  /// A send, whose message has this slot.
  void begin_message(std::uint32_t message, std::uint32_t act);
  void hand_over(std::uint32_t message, Flight::Leg leg, Time now);
  void arrive(std::uint32_t message, Time now);
  void leave(std::uint32_t message, Time now);

 private:
  struct Message {
    std::uint32_t act = none;
    std::uint32_t flight = none;  // the latest
  };

  void drop();
  [[nodiscard]] Flight* flight_of(std::uint32_t message);

  std::vector<Act> acts_;
  std::vector<Flight> flights_;
  std::vector<Message> messages_;  // by slot
  bool dropped_;
};

}  // namespace odonata
