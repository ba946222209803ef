// Operations under way, and who waits for them.
#pragma once

#include <algorithm>
#include <span>

#include "odonata/event/fetch.hpp"
#include "odonata/event/slots.hpp"
#include "odonata/mpi/coroutines.hpp"
#include "odonata/mpi/request.hpp"

namespace odonata {

struct alignas(64) RequestState {
  bool done = false, waited = false;
  CoroutineId waiter = 0;  // when waited for
  Span into;
  Status status;
  ActId act;  // where acts are kept
};
static_assert(sizeof(RequestState) == 64);

class Requests {
 public:
  explicit Requests(Coroutines& coroutines) : coroutines_(coroutines) {}

  [[nodiscard]] Request open() { return {states_.add()}; }
  /// Result of a request that is done; its number is given again.
  Status retire(Request request) {
    if (request.id == 0) return {};
    const RequestState& state = states_[request.id];
    const Status status = state.status;
    if (state.act.rank >= 0) [[unlikely]]
      coroutines_.note_need(state.act);
    states_.remove(request.id);
    return status;
  }
  [[nodiscard]] RequestState& operator[](std::uint32_t id) { return states_[id]; }
  [[nodiscard]] const RequestState& operator[](std::uint32_t id) const { return states_[id]; }
  void prefetch(std::uint32_t id) const { fetch(&states_[id]); }

  [[nodiscard]] bool done(Request request) const {
    return request.id == 0 || states_[request.id].done;
  }
  /// Does a coroutine wait for it?
  [[nodiscard]] bool waited(std::uint32_t id) const { return id != 0 && states_[id].waited; }
  /// Resumes the coroutine that waits for the request, if the coroutine lacks no other.
  void complete(std::uint32_t id) {
    if (id == 0) return;
    RequestState& request = states_[id];
    request.done = true;
    if (request.waited) coroutines_.fulfil(request.waiter);
  }

  /// Marks the requests that are not complete as waited for; true without such requests.
  bool prepare_wait(CoroutineId coroutine, std::span<const Request> requests) {
    std::int32_t pending = 0;
    for (const Request r : requests) {
      if (done(r)) continue;
      states_[r.id].waited = true;
      states_[r.id].waiter = coroutine;
      ++pending;
    }
    coroutines_.set_pending(coroutine, pending);
    return pending == 0;
  }
  /// Marks all as waited for if none is complete; true if one is, or without requests.
  bool prepare_wait_any(CoroutineId coroutine, std::span<const Request> requests) {
    const auto complete = [this](Request r) { return done(r); };
    if (requests.empty() || std::any_of(requests.begin(), requests.end(), complete)) return true;
    prepare_wait(coroutine, requests);
    coroutines_.wait_for_any(coroutine);
    return false;
  }
  /// Requests that are not complete are no longer waited for.
  void stop_waiting(std::span<const Request> requests) {
    for (const Request r : requests)
      if (!done(r)) states_[r.id].waited = false;
  }
  void suspend(CoroutineId coroutine, std::coroutine_handle<> waiting) {
    coroutines_.suspend(coroutine, waiting);
  }

 private:
  Coroutines& coroutines_;
  Slots<RequestState> states_{1};
};

}  // namespace odonata
