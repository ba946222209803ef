// Kinds of work of a rank's processor.
#pragma once

#include <cstdint>

namespace odonata {

/// Kinds of work of a rank's processor.
enum class Work : std::uint8_t {
  compute,
  send,           // overhead of a send, whatever its size
  send_bytes,     // overhead of a send, by its bytes
  receive,
  receive_bytes,
  copy,
  reduce,
  search,         // of the queues of receives and messages
  look,           // at requests, in waits and tests
  poll,           // tests and probes that found nothing
  send_eager,     // overhead of an eager message that is not short, at its sender
  send_eager_bytes,
  receive_eager,
  receive_eager_bytes,
  send_rendezvous,  // overhead of a rendezvous
  send_long_bytes,  // bytes of it beyond a threshold
  receive_rendezvous,
  receive_long_bytes,
  send_inside,  // overhead of a send inside a node, where it has a cost of its own
  receive_inside,
};
inline constexpr int num_works = 20;

/// Does the rank's program do it, and not the MPI layer for a message?
[[nodiscard]] constexpr bool is_of_program(Work work) {
  return work == Work::compute || work == Work::copy || work == Work::reduce ||
         work == Work::look || work == Work::poll;
}

}  // namespace odonata
