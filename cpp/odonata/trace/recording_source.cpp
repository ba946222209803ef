#include "odonata/trace/recording_source.hpp"

#include <utility>

namespace odonata::trace {

RecordingSource::RecordingSource(std::shared_ptr<Source> source, int ranks, Sink sink)
    : source_(std::move(source)), ranks_(ranks), block_(std::move(sink)) {}

bool RecordingSource::next(int rank, Record& record) {
  if (!source_->next(rank, record)) return false;
  note(rank, record);
  return true;
}

Time RecordingSource::pass(int rank, Record& record) {
  const Time over = source_->pass(rank, record);
  if (over < 0) return over;
  block_.append(rank, ranks_[rank].last, Found::flag_off, {});
  note(rank, record);
  return over;
}

void RecordingSource::note(int rank, const Record& record) {
  RankState& state = ranks_[rank];
  note_opened(state, record.call);
  ++state.num_calls;
  if (record.call.wants_answer()) {
    state.waits = true;
    state.last = record;
  } else {
    block_.append(rank, record, Found::unknown, {});
  }
}

void RecordingSource::answer(int rank, const Answer& answer) {
  RankState& state = ranks_[rank];
  if (state.waits) {
    note_matches(rank, state, answer);
    block_.append(rank, state.last, answer.flag == 0 ? Found::flag_off : Found::flag_on,
                  answer.outcomes);
    state.waits = false;
  }
  source_->answer(rank, answer);
}

void RecordingSource::finish() {
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
    if (std::exchange(ranks_[rank].waits, false))
      block_.append(static_cast<int>(rank), ranks_[rank].last, Found::unknown, {});
  block_.flush();
}

void RecordingSource::note_opened(RankState& state, const Call& call) const {
  if (!opens_request(call.op) || call.request == no_request) return;
  if (call.request >= state.opened.size()) state.opened.resize(call.request + 1);
  const bool receives = call.op == Op::irecv;
  state.opened[call.request] = {receives ? state.num_calls : -1,
                                receives && call.receive.source == any};
}

void RecordingSource::note_matches(int rank, RankState& state, const Answer& answer) {
  const Record& asked = state.last;
  if (asked.call.op == Op::cancel && answer.flag != 0)
    note_match(rank, state, asked.call.request, {.cancelled = 1});
  for (const Outcome& outcome : answer.outcomes) {
    const bool listed = outcome.index < asked.words.size();
    note_match(rank, state, listed ? asked.words[outcome.index] : asked.call.request, outcome);
  }
}

void RecordingSource::note_match(int rank, RankState& state, std::uint64_t request,
                                 const Outcome& outcome) {
  if (request >= state.opened.size()) return;
  const Opened opened = std::exchange(state.opened[request], {});
  if (opened.call < 0) return;
  if (outcome.cancelled != 0)
    block_.match({rank, nobody, opened.call});
  else if (opened.from_any && outcome.source >= 0)
    block_.match({rank, outcome.source, opened.call});
}

}  // namespace odonata::trace
