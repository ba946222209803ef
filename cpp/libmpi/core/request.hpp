// Requests: operations under way at this rank.
#pragma once

#include <cstdint>
#include <memory>

#include "odonata/live/layout.hpp"
#include "odonata/trace/call.hpp"
#include "odonata/trace/functions.hpp"

namespace odonata::libmpi {

/// What a completed operation found; rank and tag in the terms of its communicator.
struct Status {
  std::int32_t source = trace::any;  // trace::nobody for MPI_PROC_NULL
  std::int32_t tag = trace::any;
  std::int64_t bytes = 0;
  bool cancelled = false;
  int error = 0;  // an ErrorClass
};

class Request {
 public:
  virtual ~Request() = default;

  /// Is what it needs from other ranks here? (In real time: simulated time is the simulator's.)
  [[nodiscard]] virtual bool ready() = 0;
  /// Copies what has come to where the program wants it; ready() is true. Throws Error.
  virtual void finish() = 0;
  /// Its outcome depends on simulated time and has to be asked for (a receive from any source).
  [[nodiscard]] virtual bool undecided() const { return false; }
  /// The outcome that was asked for.
  virtual void decide(const trace::Outcome&) {}
  /// Starts a persistent request again.
  virtual void start(trace::Function) {}
  [[nodiscard]] virtual live::Waiting waiting() const { return {}; }

  std::uint32_t number = trace::no_request;  // in the records of calls
  bool persistent = false;
  bool active = true;  // started and not yet completed by a wait or test
  Status status;
};
using RequestRef = std::shared_ptr<Request>;

}  // namespace odonata::libmpi
