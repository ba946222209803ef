// Operations under way, as a rank program holds them.
#pragma once

#include <cstdint>

#include "odonata/mpi/message.hpp"

namespace odonata {

/// A pending operation; number 0 is one that was complete at once.
struct Request {
  std::uint32_t id = 0;
};

/// Result of a completed receive or of a probe.
struct Status {
  std::int32_t source = any_source;  // rank of the job
  std::int32_t tag = any_tag;
  Bytes bytes = 0;
  std::uint32_t serial = 0;  // as the sender gave it
  bool cancelled = false;
};

/// A message that a matched probe has found: it waits for its receive.
struct MatchedMessage {
  std::uint32_t message = 0;  // slot
  Status status;
};

/// How a message is sent.
struct Sending {
  SendMode mode = SendMode::standard;
  std::uint32_t serial = 0;  // for the receiver's Status; any number
};

/// The receiver of a message.
struct Address {
  std::int32_t to = 0;  // rank in the world
  std::int32_t tag = 0;
  std::int32_t context = 0;
};

/// A coroutine that waits: a rank's main coroutine has the rank's number, others are negative.
using CoroutineId = std::int32_t;

}  // namespace odonata
