// The pace of a message: the chain of transmissions, wires and credits that its last packet came
// after, and which set the time that it took.
//
//     packet 1   | NIC | wire | slow link |
//     packet 2         | NIC | wire . . . | slow link |
//     packet 3               | NIC | . . . . . . . .  | slow link | wire | delivered
//
// A packet starts on a link when its head has come, when the link has sent the packet before it, or
// when a credit has come; and it ends when its bytes are sent, or when its tail has come. The chain
// goes from the end back to what came last each time, also to other packets of the message: here
// over the slow link to packet 1. So it has 3 packets at the rate of the slow link, one wire, and
// nothing of the NIC.
//
// Where it was a packet of another message, the chain goes on with what that one came after, until
// it meets a packet of the same NIC, or the time at which the message's packet began to wait.
// Packets of messages before it at its NIC are followed like its own, back to its turn there.
#pragma once

#include <cstdint>
#include <span>

#include "odonata/engine/paced.hpp"
#include "odonata/engine/passages.hpp"
#include "odonata/engine/way.hpp"
#include "odonata/machine/machine.hpp"

namespace odonata {

class Pace {
 public:
  Pace(const Machine& machine, const Passages& passages) : machine_(machine), passages_(passages) {}

  /// The pieces of the chain, those of a kind and a link together; a piece `serialization` follows
  /// the bandwidth of its link. Where passages are forgotten, the time before them counts like the
  /// longest of these; empty if there is none.
  [[nodiscard]] std::span<const Piece> tell(const Paced& paced);

 private:
  enum class Why : std::uint8_t { head, link, credit, unknown };
  struct Cause {
    Why why;
    const Passage* passage;
  };
  struct Place {  // on the chain
    const Passage* passage;
    bool at_end;  // or at its start
  };

  void go_to(Place& place, const Place& next);
  [[nodiscard]] bool take_step();
  [[nodiscard]] bool step(Place& place);
  [[nodiscard]] bool leave_start(Place& place);
  [[nodiscard]] bool go_to_own(Place& place);
  [[nodiscard]] bool step_abroad(Place& place);
  void add_forgotten();
  void share(const Passage& waiting, Time joined);
  void share_step(const Passage*& passage, Time joined, std::int32_t link);
  void share_sending(const Passage& passage, Time joined);
  [[nodiscard]] Cause cause_of_start(const Passage& passage, bool head_first) const;
  [[nodiscard]] const Passage* source_of_credit(const Passage& passage) const;
  /// The passage before, if the tail came over that link just in time for the end of this one.
  [[nodiscard]] const Passage* tail_before(const Passage& passage) const;
  [[nodiscard]] bool waited(const Passage& passage) const;
  /// The packet's start at its NIC; null if it is forgotten.
  [[nodiscard]] const Passage* at_nic(const Passage& passage) const;
  /// Is it of the message's NIC?
  [[nodiscard]] bool own(const Passage& passage) const {
    const Passage* start = at_nic(passage);
    return start != nullptr && start->link == nic_;
  }
  [[nodiscard]] const Passage* find(std::uint32_t number) const {
    return passages_.find(number, paced_.latest);
  }
  [[nodiscard]] Time delay(const Passage& passage) const;
  [[nodiscard]] Time credit_delay(const Passage& passage) const;
  void add(WayPart part, std::int32_t link, Time until);
  void put(WayPart part, std::int32_t link, Time time);

  const Machine& machine_;
  const Passages& passages_;
  Paced paced_{};
  std::uint32_t nic_ = 0;  // its link
  int steps_left_ = 0;  // over packets of other messages
  bool other_ = false;  // is the chain at such a packet?
  Time time_ = 0;  // [ps] up to which the chain has come
  Way pieces_, abroad_;
};

}  // namespace odonata
