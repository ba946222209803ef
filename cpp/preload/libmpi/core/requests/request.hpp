// Requests: pending operations of this rank.
#pragma once

#include <cstdint>
#include <memory>

#include "odonata/live/layout.hpp"
#include "odonata/trace/call.hpp"
#include "odonata/trace/functions.hpp"

namespace odonata::libmpi {

/// Status of a completed operation; the source is a rank of its communicator.
struct Status {
  std::int32_t source = trace::any;  // trace::nobody for MPI_PROC_NULL
  std::int32_t tag = trace::any;
  std::int64_t bytes = 0;
  bool cancelled = false;
  int error = 0;  // an ErrorClass
};

class Request {
 public:
  Request() = default;
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;
  virtual ~Request() = default;

  /// Have the data of other ranks arrived? (This is about real time, not about simulated time.)
  [[nodiscard]] virtual bool ready() = 0;
  /// Copies the data to the program's buffer. Called when ready() is true. Throws Error.
  virtual void finish() = 0;
  /// Does the outcome depend on simulated time, as for a receive from any source?
  [[nodiscard]] virtual bool undecided() const { return false; }
  /// Sets the outcome that the simulator found.
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
