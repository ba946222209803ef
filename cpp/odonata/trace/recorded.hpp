// The calls of a recorded run, block by block.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "odonata/trace/block.hpp"
#include "odonata/trace/check.hpp"

namespace odonata::trace {

/// The calls that a trace holds. Blocks are asked for as ranks run out of calls; each rank's part
/// of a block must be in one piece. Requests and communicators of the calls are checked, since a
/// trace may be damaged or made to harm.
class Recorded final : public Source {
 public:
  /// Gives the next block; nothing after the last.
  using More = std::function<std::optional<Block>()>;

  /// `matches`: of the whole trace, in the order of each rank's calls. A block is held until all of
  /// its calls were taken; `most_held` bounds the bytes of blocks that are.
  Recorded(int ranks, std::vector<Match> matches, More more, std::size_t most_held);

  bool next(int rank, Record& record) override;
  void answer(int, const Answer&) override {}

  [[nodiscard]] int num_ranks() const { return static_cast<int>(ranks_.size()); }

 private:
  struct Piece {  // calls of one rank in one block
    std::shared_ptr<const Block> block;
    std::size_t next = 0, end = 0;
    std::size_t word = 0, outcome = 0;  // of call `next`
  };
  struct RankState {
    Piece piece;
    std::deque<Piece> pieces;  // after it
    CallChecker checker;
    std::size_t next_match = 0, end_match = 0;
  };

  bool fetch();
  std::shared_ptr<const Block> hold(Block&& block);
  static void take(Piece& piece, Record& record);
  void match(RankState& state, Record& record);

  std::vector<RankState> ranks_;
  std::vector<Match> matches_;
  More more_;
  std::size_t most_held_;                                           // [B]
  std::shared_ptr<std::size_t> held_ = std::make_shared<std::size_t>(0);  // of blocks [B]
  bool ended_ = false;
};

/// The calls of another source, with the processor time that a trace has for them.
///
/// Calls that send, receive or are collective get the times of the trace's calls of the same
/// function, in order. Where a rank answers messages as they come, calls of several functions may
/// be in another order than they were, but none moves past a collective that waits. The number of
/// other calls (tests, probes that don't wait, waits, local calls) may depend on time: each takes
/// the next of its function before the next call of the first kind, or none. A clock without a
/// recorded one takes the time of a program that waits for the time.
class RecordedCompute final : public Source {
 public:
  RecordedCompute(std::shared_ptr<Source> source, std::shared_ptr<Recorded> trace);

  bool next(int rank, Record& record) override;
  void answer(int rank, const Answer& answer) override { source_->answer(rank, answer); }
  void on_stall(std::function<Time(std::int64_t)> reached) override {
    source_->on_stall(std::move(reached));
  }

 private:
  struct Past {
    std::uint16_t function = 0;
    Op op = Op::local;
    std::int64_t compute = 0;
  };

  const Past* look(int rank, std::size_t ahead);
  void take(int rank, std::size_t ahead, Record& record);
  void skip_uncounted(int rank);
  bool find_uncounted(int rank, Record& record);
  bool find_counted(int rank, Record& record);
  [[noreturn]] void differ(int rank, const Record& record);

  std::shared_ptr<Source> source_;
  std::shared_ptr<Recorded> trace_;
  std::vector<std::deque<Past>> past_;  // of each rank, the trace's next calls, as far as read
};

}  // namespace odonata::trace
