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
};
inline constexpr int num_works = 10;

}  // namespace odonata
