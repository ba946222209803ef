// Records the calls of a run as they are played.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "odonata/trace/builder.hpp"

namespace odonata::trace {

/// Hands on the calls of another source, and blocks of them to `sink`. A call that waits for an
/// answer is recorded with it.
class RecordingSource final : public Source {
 public:
  using Sink = BlockBuilder::Sink;

  RecordingSource(std::shared_ptr<Source> source, int ranks, Sink sink);

  bool next(int rank, Record& record) override;
  void answer(int rank, const Answer& answer) override;
  void answer_early(int rank, const Answer& answer) override {
    source_->answer_early(rank, answer);
  }
  Time pass(int rank, Record& record) override;
  void on_wait(std::function<void()> idle) override { source_->on_wait(std::move(idle)); }
  void on_stall(std::function<Time(std::int64_t)> reached) override {
    source_->on_stall(std::move(reached));
  }
  /// Hands over the remaining calls; the run is over.
  void finish();

 private:
  struct Opened {
    std::int64_t call = -1;  // number of the irecv at its rank; -1: it was no irecv
    bool from_any = false;
  };
  struct RankState {
    std::int64_t num_calls = 0;
    bool waits = false;  // `last` has no answer yet
    Record last;
    std::vector<Opened> opened;  // [request]
  };

  void note(int rank, const Record& record);
  void note_opened(RankState& state, const Call& call) const;
  void note_matches(int rank, RankState& state, const Answer& answer);
  void note_match(int rank, RankState& state, std::uint64_t request, const Outcome& outcome);

  std::shared_ptr<Source> source_;
  std::vector<RankState> ranks_;
  BlockBuilder block_;
};

}  // namespace odonata::trace
