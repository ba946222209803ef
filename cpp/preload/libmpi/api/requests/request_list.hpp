// The requests of one wait or test, with their handles and statuses.
//
// The core waits for messages and collectives. Two kinds of requests need no core: requests of this
// layer, and requests that MPI_Request_get_status has found complete.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "preload/libmpi/api/api.hpp"

namespace odonata::libmpi::api {

/// Layout of the statuses of a call: one for the completed request, one for each request, or one
/// for each completed request.
enum class Statuses { one, each, completed };

class RequestList {
 public:
  RequestList(int count, MPI_Request* handles, MPI_Status* statuses, Statuses layout);

  // Errors of requests are thrown by raise(), when indices and flags have been written.
  void wait_all(Function function);
  [[nodiscard]] bool test_all(Function function);
  /// Indices of the requests that this call completed; nothing if no request was active.
  std::optional<std::vector<int>> wait_some(Function function);
  std::optional<std::vector<int>> test_some(Function function);
  /// The same, with one index at most.
  std::optional<std::vector<int>> wait_any(Function function);
  std::optional<std::vector<int>> test_any(Function function);
  void raise();

 private:
  void set_apart(std::size_t place);
  [[nodiscard]] std::vector<int> own_complete() const;
  [[nodiscard]] std::vector<int> core_complete() const;
  /// The requests of the core.
  [[nodiscard]] std::span<const RequestRef> core() const {
    return own_.empty() ? requests_ : core_;
  }
  [[nodiscard]] bool any_active() const;
  [[nodiscard]] bool core_active() const;
  void wait_own(Function function, std::size_t at_most);
  template <class Ask>
  std::optional<std::vector<int>> some(std::size_t at_most, Ask ask);
  template <class Ask>
  void attempt(Ask ask);
  void finish_own(std::size_t place);
  template <class Nth>
  void conclude(std::size_t count, Nth nth);
  void write(std::size_t place, std::size_t number);
  void release(std::size_t place);

  std::span<MPI_Request> handles_;
  MPI_Status* statuses_;
  Statuses layout_;
  std::vector<RequestRef> requests_;
  std::vector<RequestRef> core_;  // null where a request is not; empty if all are
  std::vector<std::uint8_t> was_active_;
  std::vector<int> own_;  // places of the others
  std::optional<Error> error_;  // of the core
  ErrorClass request_error_ = ErrorClass::success;
  std::optional<ErrorCode> code_;  // of the program's functions
};

/// Is an active request complete now? Its handle stays valid, and a later wait completes it.
[[nodiscard]] bool complete(Function function, const RequestRef& request);

}  // namespace odonata::libmpi::api
