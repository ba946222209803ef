// A message of the MPI layer on its way from its send to its receive.
#pragma once

#include <algorithm>

#include "odonata/mpi/mailbox.hpp"
#include "odonata/mpi/pair_table.hpp"

namespace odonata {

/// Stages of a message, in their order: both ends of a rendezvous take turns.
enum class MessageStage : std::uint8_t {
  sending,    // the send overhead is being paid
  eager,      // data on its way
  request_to_send,  // the request is on its way
  matched,    // the receiver pays for the request
  clear_to_send,  // the answer is on its way
  preparing,  // the sender pays for the data
  data,       // data on its way, after a rendezvous
  receiving,  // the receiver pays for the data
  datagram,   // data without a receive
  part,       // of a message, on its way from a port of its own
};

/// A message as its send describes it, and two halves, of which each end writes its own.
struct alignas(64) MessageState {
  static constexpr std::uint32_t none = PairTable::none;

  struct Departure {
    std::uint32_t request = 0;
    std::uint32_t successor = none;  // the next message of the pair, while this is under way
    Time sent = 0;  // [ps] handed over; of a datagram: when its source wanted to send it
    MessageStage stage = MessageStage::sending;
    bool leaving = false;  // not all of it has left its node
  };
  struct Arrival {
    std::uint32_t request = 0;
    MessageStage stage = MessageStage::sending;  // before the first stage of the receiver
    bool arrived = false;
    bool is_next = true;  // all earlier messages of its pair have arrived
  };

  Envelope envelope;
  std::int32_t to = 0;
  Bytes bytes = 0;
  std::uint32_t serial = 0;
  bool by_rendezvous = false;
  bool buffered = false;  // its sender does not wait for it to leave
  bool last = false;      // datagram of traffic that ends
  Departure departure;
  Arrival arrival;

  [[nodiscard]] MessageStage stage() const { return std::max(departure.stage, arrival.stage); }
};
static_assert(sizeof(MessageState) == 64);

}  // namespace odonata
