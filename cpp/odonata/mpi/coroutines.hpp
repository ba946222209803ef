// Coroutines of ranks: the main coroutine of a rank is its program.
//
// Other coroutines than the main one (nonblocking collectives) share their rank's processor and its
// mailbox, and wait for requests of their own.
#pragma once

#include <coroutine>
#include <exception>
#include <utility>
#include <vector>

#include "odonata/event/clock.hpp"
#include "odonata/event/slots.hpp"
#include "odonata/mpi/ranks.hpp"
#include "odonata/mpi/request.hpp"

namespace odonata {

class Requests;

class Coroutines {
 public:
  Coroutines(Ranks& ranks, Requests& requests, Clock& clock)
      : ranks_(ranks), requests_(requests), clock_(clock) {}

  /// Keeps the point at which the coroutine resumes: often in a function that it awaits.
  void suspend(CoroutineId coroutine, std::coroutine_handle<> waiting) {
    (coroutine >= 0 ? ranks_[coroutine].waiting : beside(coroutine).waiting) = waiting;
  }
  /// The coroutine resumes when so many requests are complete.
  void set_pending(CoroutineId coroutine, std::int32_t requests) {
    (coroutine >= 0 ? ranks_[coroutine].pending : beside(coroutine).pending) = requests;
  }
  /// It resumes when any of several is.
  void wait_for_any(CoroutineId coroutine) {
    set_pending(coroutine, 1);
    if (coroutine >= 0) ranks_[coroutine].waits_for_any = 1;
  }
  void resume_at(CoroutineId coroutine, Time time, std::coroutine_handle<> waiting);
  /// One of the requests that a coroutine waits for is complete.
  void fulfil(CoroutineId coroutine) {
    if (coroutine < 0) [[unlikely]]
      return fulfil_beside(coroutine);
    RankState& rank = ranks_[coroutine];
    if (--rank.pending > 0) return;
    ranks_.note_resume(coroutine);
    std::exchange(rank.waiting, nullptr).resume();
    rethrow();
  }
  /// A program knows that the send or receive is complete which is this act.
  void note_need(ActId act) const { ranks_.note_need(act); }
  /// An event of kind `resume`.
  void resume(std::uint64_t key);
  /// The coroutine as the entity of an event.
  [[nodiscard]] std::uint64_t entity_of(CoroutineId coroutine) const;
  /// The rank whose main coroutine an event resumes; -1 if it does something else.
  [[nodiscard]] std::int32_t resumed_rank(const Event& event) const {
    const bool program =
        kind_of(event.key) == Kind::resume && ranks_.identities().number_of(event.key) == 0;
    return program ? static_cast<std::int32_t>(slot_of(event.key)) : -1;
  }
  /// A main coroutine resumes, or starts.
  void resume_rank(std::int32_t rank);

  /// A coroutine of a rank that does nothing yet.
  [[nodiscard]] CoroutineId open(std::int32_t rank);
  /// Runs its task up to the first wait; the request is complete when it ends.
  Request run(CoroutineId coroutine, Task task);
  /// Does a coroutine beside a rank's program resume at a time of its own?
  [[nodiscard]] bool sleeps_beside(std::int32_t rank) const { return ranks_[rank].sleeping != 0; }
  /// A program has thrown this; it is thrown again by `run`.
  void fail(std::exception_ptr failure) { failure_ = std::move(failure); }

 private:
  struct Beside {
    std::int32_t rank = 0;
    std::uint32_t number = 0;  // among the coroutines that this rank has begun, from 1
    std::int32_t pending = 0;
    std::coroutine_handle<> waiting;
    Task task;
    Request request;  // complete when it ends
  };

  [[nodiscard]] Beside& beside(CoroutineId coroutine) { return besides_[-coroutine]; }
  void fulfil_beside(CoroutineId coroutine);
  void resume_beside(CoroutineId coroutine);
  void end(CoroutineId coroutine);
  void rethrow() {
    if (failure_) [[unlikely]]
      std::rethrow_exception(std::exchange(failure_, nullptr));
  }

  Ranks& ranks_;
  Requests& requests_;
  Clock& clock_;
  Slots<Beside, CoroutineId, std::vector<Beside>> besides_{1};
  std::exception_ptr failure_;
};

}  // namespace odonata
