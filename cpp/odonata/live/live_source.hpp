// The simulator's end of the shared memory: calls of ranks, and answers.
//
//     next(rank):   ring -> queue -> Record    sleeps while the ring is empty; empties full rings
//                                              of other ranks meanwhile, lest they sleep forever
//     answer(rank): Answer -> mail in the simulator's arena -> the rank's mailbox, its bell
//
// While it sleeps it gives ranks the orders that they ask for (order_question.hpp).
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "odonata/live/arena.hpp"
#include "odonata/live/host.hpp"
#include "odonata/live/memory.hpp"
#include "odonata/live/order_question.hpp"
#include "odonata/trace/call.hpp"

namespace odonata::live {

class LiveSource final : public trace::Source {
 public:
  /// `interrupt` is called now and then while the simulator waits; it may throw.
  LiveSource(Memory& memory, Host& host, std::function<void()> interrupt = {});

  bool next(int rank, trace::Record& record) override;
  void answer(int rank, const trace::Answer& answer) override;
  void answer_early(int rank, const trace::Answer& answer) override;
  Time pass(int rank, trace::Record& record) override;
  void on_wait(std::function<void()> idle) override { idle_ = std::move(idle); }
  void on_stall(std::function<Time(std::int64_t)> reached) override {
    reached_ = std::move(reached);
  }
  /// Gives a rank the order that it asks for: for each new rank, its place among the members.
  using Orderer = std::function<std::vector<std::int32_t>(int rank, const OrderQuestion&)>;
  void on_order(Orderer orderer) { orderer_ = std::move(orderer); }

  /// Description of a deadlock: which rank waits for which, in which call, with which tag.
  [[nodiscard]] std::string deadlock_report() const;
  /// Number of answers that ranks waited for.
  [[nodiscard]] std::uint64_t num_answers() const { return num_answers_; }
  /// Number of times that the simulator slept, waiting for a rank.
  [[nodiscard]] std::uint64_t num_sleeps() const { return num_sleeps_; }

 private:
  // Bytes that were taken out of a rank's ring and not yet asked for.
  struct Intake {
    std::vector<std::byte> bytes;
    std::size_t read = 0;
    trace::Call last{};       // its player's present call
    bool over = false;        // MPI_Finalize was read
    Time known_end = -1;       // [ps] when the rank knows the outcome of its last call; else -1
    bool answered = true;     // its last call, if that wants an answer
    bool told_early = false;  // the time that it asks for, whose answer is still to come
    [[nodiscard]] std::size_t size() const { return bytes.size() - read; }
  };

  bool parse(int rank, trace::Record& record);
  bool drain(int rank);
  void drain_full_rings(int wanted);
  void wait_for(int rank);
  void answer_questions();
  void tell_times_early(int stalled);
  [[nodiscard]] std::optional<std::int64_t> computing_before_clock(int rank) const;
  void give_order(const Mail& asked);
  void look_for_deadlock();
  [[nodiscard]] bool blocked(int rank) const;
  void send(int rank, const trace::Answer& answer);
  template <class Write>
  void send_mail(int rank, std::size_t bytes, const Write& write);
  void check_lookahead(int rank, const trace::Answer& answer) const;
  [[nodiscard]] std::string describe(int rank) const;
  void wake(int rank);

  Memory& memory_;
  Host& host_;
  std::function<void()> interrupt_, idle_;
  std::function<Time(std::int64_t)> reached_;
  bool said_early_ = false;
  Orderer orderer_;
  std::vector<Intake> intakes_;
  std::uint64_t num_sleeps_ = 0, num_answers_ = 0;
  int quiet_ = 0;              // rounds in which no rank wrote anything
  std::uint64_t written_ = 0;  // [B] by all ranks
  Arena arena_;
};

}  // namespace odonata::live
