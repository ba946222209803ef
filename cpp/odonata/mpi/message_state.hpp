// A message of the MPI layer on its way from its send to its receive.
#pragma once

#include "odonata/mpi/mailbox.hpp"
#include "odonata/mpi/pair_table.hpp"

namespace odonata {

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
};

struct alignas(64) MessageState {
  static constexpr std::uint32_t none = PairTable::none;

  Envelope envelope;
  std::int32_t to = 0;
  MessageStage stage = MessageStage::sending;
  bool held = false;      // an earlier message of its pair has not arrived
  bool arrived = false;   // while held
  bool leaving = false;   // not all of it has left its node
  bool last = false;      // datagram of traffic that ends
  bool by_rendezvous = false;
  bool buffered = false;  // its sender does not wait for it to leave
  std::uint32_t successor = none;
  std::uint32_t send_request = 0, recv_request = 0;
  std::uint32_t serial = 0;
  Bytes bytes = 0;
  Time sent = 0;  // [ps] handed over
  Time due = 0;   // [ps] of a datagram: when its source wanted to send it
};
static_assert(sizeof(MessageState) == 64);

}  // namespace odonata
