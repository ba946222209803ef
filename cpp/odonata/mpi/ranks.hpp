// The ranks of all jobs: where each is, its processor, and its waits.
#pragma once

#include <algorithm>
#include <coroutine>
#include <cstddef>
#include <string_view>
#include <vector>

#include "odonata/event/clock.hpp"
#include "odonata/event/fetch.hpp"
#include "odonata/mpi/acts.hpp"
#include "odonata/mpi/job.hpp"
#include "odonata/mpi/mailbox.hpp"
#include "odonata/mpi/observer.hpp"
#include "odonata/units/table.hpp"

namespace odonata {

/// The place of a rank: every message asks for it, so all are kept close together.
struct Home {
  std::int32_t job, index, node, port;
};

struct alignas(64) RankState {
  // one cache line that every message needs
  Time cpu_free = 0;  // [ps]
  std::coroutine_handle<> waiting;
  std::int32_t pending = 0;     // requests it waits for
  std::uint32_t turn : 24 = 0;  // of the last message it works for, of those ready at one time
  std::uint32_t probing : 1 = 0;
  std::uint32_t any_length : 1 = 0;  // of messages that it receives
  std::uint32_t waits_for_any : 1 = 0;  // request of several, or did so once
  std::uint32_t has_beside : 1 = 0;  // coroutines beside its program, or had one once
  std::uint32_t waits_for_room : 1 = 0;  // until one of its datagrams is delivered
  Mailbox mailbox;
  // and one for the rest
  Time finished = never;
  Task program;
  std::string_view call;  // that it is in, if the program names it
  Envelope probed;        // of the message that a probe waits for
  std::uint32_t local_sends = 0;  // messages and answers to ranks of its own node
  std::uint32_t coroutines = 0;      // begun beside its program
  std::uint32_t sleeping = 0;     // of those: that resume at a time of their own
  std::uint32_t datagrams = 0;    // under way
};
static_assert(sizeof(RankState) == 128 && offsetof(RankState, finished) == 64);

/// Ranks are numbers in the world of all jobs. A rank's processor pays overheads in turn
/// (`cpu_free`); the network runs beside it.
class Ranks {
 public:
  explicit Ranks(const Clock& clock) : clock_(clock) {}

  void add(const Home& home) {
    homes_.push_back(home);
    states_.emplace_back();
  }
  /// Begins to number acts of ranks: all have been added.
  void identify() { identities_ = Identities(static_cast<std::uint32_t>(size())); }
  [[nodiscard]] const Identities& identities() const { return identities_; }
  [[nodiscard]] std::int32_t size() const { return static_cast<std::int32_t>(states_.size()); }
  [[nodiscard]] RankState& operator[](std::int32_t rank) { return states_[rank]; }
  [[nodiscard]] const RankState& operator[](std::int32_t rank) const { return states_[rank]; }
  [[nodiscard]] const Home& home(std::int32_t rank) const { return homes_[rank]; }

  [[nodiscard]] Time now(std::int32_t rank) const {
    return std::max(clock_.now, (*this)[rank].cpu_free);
  }
  [[nodiscard]] bool busy(std::int32_t rank) const { return (*this)[rank].cpu_free > clock_.now; }
  /// Makes the rank's processor busy for this long.
  void occupy(std::int32_t rank, Time time, Work what) {
    const Time begin = now(rank);
    if (observer_ != nullptr) [[unlikely]]
      observer_->work(rank, what, begin, time);
    if (acts_ != nullptr) [[unlikely]]
      note_work(rank, what, time);
    (*this)[rank].cpu_free = begin + time;
  }

  /// The observer of the ranks, or null.
  [[nodiscard]] MpiObserver* observer() const { return observer_; }
  /// Who is told of the acts of programs, if they are kept; else null.
  [[nodiscard]] Acts* acts() const { return acts_; }
  void observe(MpiObserver& observer) { observer_ = &observer; }
  void keep(Acts& acts) { acts_ = &acts; }
  /// A coroutine of the rank resumes.
  void note_resume(std::int32_t rank) const {
    if (observer_ != nullptr) [[unlikely]]
      observer_->resume(rank);
  }

  /// A coroutine of the rank resumes at a time, or when its processor has nothing left to do.
  void note_pause(std::int32_t rank, Time until) const {
    if (acts_ != nullptr) [[unlikely]]
      tell_pause(rank, until);
  }
  /// A program knows that the send or receive is complete which is this act.
  void note_need(ActId act) const;

  /// Fetches a rank's state into the cache.
  void prefetch(std::int32_t rank) const {
    fetch(&(*this)[rank]);
    if (observer_ != nullptr) [[unlikely]]
      observer_->prefetch(rank);
  }

 private:
  void tell_pause(std::int32_t rank, Time until) const;
  void note_work(std::int32_t rank, Work what, Time time) const;

  const Clock& clock_;
  MpiObserver* observer_ = nullptr;
  Acts* acts_ = nullptr;
  Identities identities_{1};
  std::vector<Home> homes_;
  Table<RankState> states_;
};

}  // namespace odonata
