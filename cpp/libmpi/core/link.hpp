// One rank's end of the memory that the ranks and the simulator share.
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <string>

#include "libmpi/core/compute_clock.hpp"
#include "libmpi/core/promise.hpp"
#include "odonata/live/arena.hpp"
#include "odonata/live/layout.hpp"
#include "odonata/trace/call.hpp"
#include "odonata/trace/functions.hpp"

namespace odonata::libmpi {

using live::Offset;

/// A record of `function`; what it does to the network beside `op` is up to the caller.
[[nodiscard]] inline trace::Call call_of(trace::Function function, trace::Op op) {
  trace::Call call;
  call.function = static_cast<std::uint16_t>(function);
  call.op = op;
  return call;
}

class Link {
 public:
  /// Ranks that share a process share an arena.
  Link(void* memory, int rank, const live::Fibers* fibers, std::shared_ptr<live::Arena> arena);

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] bool is_fiber() const { return fibers_ != nullptr; }
  [[nodiscard]] int size() const { return static_cast<int>(header_->num_ranks); }
  [[nodiscard]] live::Header& header() const { return *header_; }
  [[nodiscard]] live::Bucket& bucket(std::uint64_t key) const;

  /// Tells the simulator that this rank is here; that it has made its last call.
  void join();
  void leave_run();
  /// Marks the start and the end of a call of the program, for the processor time between.
  void enter() {
    inside_ = true;
    noted_ = false;
    if (header_->measure != 0) compute_ += calibrated(clock_.stop());
  }
  void leave() {
    inside_ = false;
    noted_ = false;
    if (header_->measure != 0) clock_.start();
  }
  /// Between enter() and leave()?
  [[nodiscard]] bool inside() const { return inside_; }
  /// Adds to the processor time before the next call that is noted [ns], measured or not.
  void charge(std::int64_t nanoseconds) { compute_ += nanoseconds; }
  /// Adds simulated time [ns], which the machine's processors do not scale.
  void charge_unscaled(std::int64_t nanoseconds);
  /// Calls noted so far.
  [[nodiscard]] std::uint64_t num_posted() const { return posted_; }
  /// Notes a call for the simulator; the rank goes on.
  void post(const trace::Call& call, std::span<const std::uint64_t> words = {});
  /// Notes a call and waits until simulated time has come to its end; not where a promise of the
  /// simulator says how it ends.
  trace::Answer ask(trace::Call call, std::span<const std::uint64_t> words = {});
  /// Leaves the program at once, with one line on standard error: the run is over.
  [[noreturn]] void abort(int code, const std::string& why);

  /// Sleeps until `ready()`. It is asked again after every wake; read mail in it.
  template <class Ready>
  void wait(const live::Waiting& what, Ready ready) {
    while (!ready()) {
      const std::uint32_t seen = prepare_sleep(what);
      if (ready()) {
        cancel_sleep();
        return;
      }
      sleep(seen);
    }
  }
  /// Wakes a rank if it sleeps; what it waits for must be written before.
  void wake(int rank) const;

  /// Memory that every rank can read: `bytes` of it, aligned to 16.
  [[nodiscard]] Offset allocate(std::size_t bytes);
  /// Gives a block back to its owner; any rank may.
  void release(Offset block) { arena_->release(block); }
  [[nodiscard]] std::byte* at(Offset offset) const {
    return static_cast<std::byte*>(memory_) + offset;
  }
  [[nodiscard]] const live::Mail& mail_at(Offset mail) const {
    return *reinterpret_cast<const live::Mail*>(at(mail));
  }

  /// Puts a block that starts with a live::Mail into a rank's letter box, and wakes it.
  void send_mail(int rank, Offset mail) const;
  /// The next mail in order of arrival, 0 if there is none. Answers are kept apart for ask().
  [[nodiscard]] Offset take_mail();

 private:
  [[nodiscard]] live::RankArea& area(int rank) const;
  std::uint32_t prepare_sleep(const live::Waiting& what);
  void cancel_sleep();
  [[nodiscard]] std::int64_t calibrated(std::int64_t nanoseconds) const {
    return static_cast<std::int64_t>(static_cast<double>(nanoseconds) * header_->calibration);
  }
  void sleep(std::uint32_t seen);
  void collect_mail();
  void note(const trace::Call& call, std::span<const std::uint64_t> words);
  void write(const void* from, std::size_t bytes);
  [[nodiscard]] bool rings(const trace::Call& noted);
  void tell_simulator();

  void* memory_;
  live::Header* header_;
  int rank_;
  const live::Fibers* fibers_;
  std::deque<Offset> mail_;
  Offset answer_ = 0;
  std::int64_t compute_ = 0;  // [ns] since the last call that was noted
  ComputeClock clock_;        // of the program, since its last call
  std::uint64_t posted_ = 0;
  Promise promise_;
  int unheard_ = 0;     // promised calls since the simulator was told last
  bool inside_ = false;  // a call of the program is under way
  bool noted_ = false;  // a record of the function that runs
  std::shared_ptr<live::Arena> arena_;
};

}  // namespace odonata::libmpi
