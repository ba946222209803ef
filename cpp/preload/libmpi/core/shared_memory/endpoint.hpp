// The end of one rank in the memory that the ranks and the simulator share.
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "odonata/live/arena.hpp"
#include "odonata/live/layout.hpp"
#include "odonata/live/order_question.hpp"
#include "odonata/trace/call.hpp"
#include "odonata/trace/functions.hpp"
#include "preload/libmpi/core/environment/clock_row.hpp"
#include "preload/libmpi/core/environment/compute_clock.hpp"
#include "preload/libmpi/core/environment/thread_gate.hpp"
#include "preload/libmpi/core/shared_memory/lookahead.hpp"

namespace odonata::libmpi {

using live::Offset;

/// A record of `function` with its operation; the caller fills in its view and numbers.
[[nodiscard]] inline trace::Call call_of(trace::Function function, trace::Op op) {
  trace::Call call;
  call.function = static_cast<std::uint16_t>(function);
  call.op = op;
  return call;
}

/// The same with its view.
template <class View>
[[nodiscard]] trace::Call call_of(trace::Function function, trace::Op op, const View& view) {
  trace::Call call = call_of(function, op);
  call.set(view);
  return call;
}

class Endpoint {
 public:
  /// Ranks that share a process share an arena.
  Endpoint(void* memory, int rank, const live::Fibers* fibers, std::shared_ptr<live::Arena> arena);

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] bool is_fiber() const { return fibers_ != nullptr; }
  [[nodiscard]] int size() const { return static_cast<int>(header_->num_ranks); }
  [[nodiscard]] live::Header& header() const { return *header_; }
  [[nodiscard]] live::Bucket& bucket(std::uint64_t key) const;

  /// Tells the simulator that this rank has started, and that it has made its last call.
  void join();
  /// Waits until all ranks have started, as MPI_Init of a real MPI does.
  void meet();
  void leave_run();
  /// Notes that the program asked for MPI_THREAD_MULTIPLE, which is not provided.
  void want_threads();
  /// Why the program may end early, if it has not communicated; else empty.
  [[nodiscard]] const char* thread_hint() const;
  /// Marks the start and the end of a call of the program, also for the processor time between
  /// calls. False: a call that communicates would run beside another one.
  [[nodiscard]] bool enter(trace::Function function, bool local) {
    const ThreadGate::Entry entry = gate_.enter(function, local);
    if (entry == ThreadGate::Entry::first) stop_computing();
    return entry != ThreadGate::Entry::refused;
  }
  /// The same for a question for the time, which gives way to calls: false while there is one.
  [[nodiscard]] bool begin_question() {
    if (!gate_.try_question()) return false;
    stop_computing();
    return true;
  }
  void leave() {
    if (gate_.ends()) start_computing();
    gate_.leave();
  }
  /// The program computes from now on.
  void start_computing() {
    noted_ = false;
    if (header_->measure != 0) clock_.start();
  }
  [[nodiscard]] const ThreadGate& gate() const { return gate_; }
  /// Adds to the processor time before the next record [ns], measured or not.
  void charge(std::int64_t nanoseconds) { compute_ += nanoseconds; }
  /// Adds simulated time [ns] that `node.compute_scale` does not change.
  void charge_unscaled(std::int64_t nanoseconds);
  /// Number of records so far, written or part of one that will be.
  [[nodiscard]] std::uint64_t num_reported() const { return reported_ + reread_; }
  /// Writes a record for the simulator; the rank continues. The record of a call beside another
  /// one, whose record may be half written, comes before the record of the next call.
  void report(const trace::Call& call, std::span<const std::uint64_t> words = {});
  /// Writes a record and waits until simulated time has reached the end of the call. It does not
  /// wait where the rank's lookahead tells how the call ends.
  trace::Answer ask(trace::Call call, std::span<const std::uint64_t> words = {});
  /// Asks the simulator for an order of ranks, and waits for it without simulated time going by.
  [[nodiscard]] std::vector<std::int32_t> ask_order(const live::OrderQuestion& question);
  /// Ends the program and the run at once, with one line on standard error.
  [[noreturn]] void abort(int code, const std::string& why);

  /// Sleeps until `ready()`, which is called after every wake and may read mail.
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
  /// Wakes a rank if it sleeps. The data that it waits for must be written before.
  void wake(int rank) const;

  /// A block of `bytes` that every rank can read, aligned to 16.
  [[nodiscard]] Offset allocate(std::size_t bytes);
  /// Gives a block back to its owner; any rank may do so.
  void release(Offset block) { arena_->release(block); }
  [[nodiscard]] std::byte* at(Offset offset) const {
    return static_cast<std::byte*>(memory_) + offset;
  }
  [[nodiscard]] const live::Mail& mail_at(Offset mail) const {
    return *reinterpret_cast<const live::Mail*>(at(mail));
  }

  /// Puts a block that starts with a live::Mail into a rank's mailbox and wakes the rank.
  void send_mail(int rank, Offset mail) const;
  /// The next mail in order of arrival, or 0. Answers go to ask().
  [[nodiscard]] Offset take_mail();

 private:
  void stop_computing() {
    noted_ = false;
    if (!beside_.empty()) post_beside();
    if (header_->measure != 0) compute_ += calibrated(clock_.stop());
  }
  void post_beside();
  [[nodiscard]] live::RankArea& area(int rank) const;
  std::uint32_t prepare_sleep(const live::Waiting& what);
  void cancel_sleep();
  [[nodiscard]] std::int64_t calibrated(std::int64_t nanoseconds) const {
    return static_cast<std::int64_t>(static_cast<double>(nanoseconds) * header_->calibration);
  }
  void sleep(std::uint32_t seen);
  void collect_mail();
  void wait_for_answer(const live::Waiting& what);
  void note(trace::Call call, std::span<const std::uint64_t> words, std::optional<Time> known_end);
  void write_record(const trace::Call& call, std::span<const std::uint64_t> words,
                    std::optional<Time> known_end);
  [[nodiscard]] std::optional<trace::Answer> read_again(const trace::Call& call);
  void note_readings();
  void write(std::span<const std::byte> from);
  [[nodiscard]] bool rings(bool quiet, std::int64_t compute);
  void tell_simulator();

  void* memory_;
  live::Header* header_;
  int rank_;
  const live::Fibers* fibers_;
  std::deque<Offset> mail_;
  Offset answer_ = 0;
  std::int64_t compute_ = 0;  // [ns] since the last call that was noted
  ComputeClock clock_;        // of the program, since its last call
  std::uint64_t reported_ = 0;
  Lookahead lookahead_;
  std::optional<Time> told_;  // [ps] simulated time at which the program is, where that is known
  ClockRow row_;
  std::uint32_t unrecorded_ = 0;  // readings of MPI_Wtime that had this time for an answer
  std::uint64_t reread_ = 0;      // all such readings
  bool communicated_ = false;
  int unheard_ = 0;     // calls answered by lookahead since the simulator was told last
  ThreadGate gate_;
  std::map<std::uint16_t, std::uint64_t> beside_;  // local calls beside others, by function
  bool noted_ = false;  // a record of the function that runs
  std::shared_ptr<live::Arena> arena_;
};

}  // namespace odonata::libmpi
