// Strands: the program of each rank, its main strand, and coroutines beside it.
//
// Other strands than the main one (nonblocking collectives) share their rank's processor and its
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

class Strands {
 public:
  Strands(Ranks& ranks, Requests& requests, Clock& clock)
      : ranks_(ranks), requests_(requests), clock_(clock) {}

  /// Keeps the coroutine that resumes with the strand.
  void suspend(Strand strand, std::coroutine_handle<> waiting) {
    (strand >= 0 ? ranks_[strand].waiting : beside(strand).waiting) = waiting;
  }
  /// The strand resumes when so many requests are complete.
  void set_pending(Strand strand, std::int32_t requests) {
    (strand >= 0 ? ranks_[strand].pending : beside(strand).pending) = requests;
  }
  /// It resumes when any of several is.
  void wait_for_any(Strand strand) {
    set_pending(strand, 1);
    if (strand >= 0) ranks_[strand].waits_for_any = 1;
  }
  void resume_at(Strand strand, Time time, std::coroutine_handle<> waiting);
  /// One of the requests that a strand waits for is complete.
  void fulfil(Strand strand) {
    if (strand < 0) [[unlikely]]
      return fulfil_beside(strand);
    RankState& rank = ranks_[strand];
    if (--rank.pending > 0) return;
    ranks_.note_resume(strand);
    std::exchange(rank.waiting, nullptr).resume();
    rethrow();
  }
  /// A program knows that the send or receive is complete which is this act.
  void note_need(ActId act) const { ranks_.note_need(act); }
  /// An event of kind `resume`.
  void resume(std::uint64_t key);
  /// The strand as the entity of an event.
  [[nodiscard]] std::uint64_t entity_of(Strand strand) const;
  /// The rank whose main strand an event resumes; -1 if it does something else.
  [[nodiscard]] std::int32_t resumed_rank(const Event& event) const {
    const bool program =
        kind_of(event.key) == Kind::resume && ranks_.identities().number_of(event.key) == 0;
    return program ? static_cast<std::int32_t>(slot_of(event.key)) : -1;
  }
  /// A main strand resumes, or starts.
  void resume_rank(std::int32_t rank);

  /// A strand of a rank that does nothing yet.
  [[nodiscard]] Strand open(std::int32_t rank);
  /// Runs its task up to the first wait; the request is complete when it ends.
  Request run(Strand strand, Task task);
  /// Does a strand beside a rank's program resume at a time of its own?
  [[nodiscard]] bool sleeps_beside(std::int32_t rank) const { return ranks_[rank].sleeping != 0; }
  /// A program has thrown this; it is thrown again by `run`.
  void fail(std::exception_ptr failure) { failure_ = std::move(failure); }

 private:
  struct Beside {
    std::int32_t rank = 0;
    std::uint32_t number = 0;  // among the strands that this rank has begun, from 1
    std::int32_t pending = 0;
    std::coroutine_handle<> waiting;
    Task task;
    Request request;  // complete when it ends
  };

  [[nodiscard]] Beside& beside(Strand strand) { return besides_[-strand]; }
  void fulfil_beside(Strand strand);
  void resume_beside(Strand strand);
  void end(Strand strand);
  void rethrow() {
    if (failure_) [[unlikely]]
      std::rethrow_exception(std::exchange(failure_, nullptr));
  }

  Ranks& ranks_;
  Requests& requests_;
  Clock& clock_;
  Slots<Beside, Strand, std::vector<Beside>> besides_{1};
  std::exception_ptr failure_;
};

}  // namespace odonata
