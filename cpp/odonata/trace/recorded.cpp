#include "odonata/trace/recorded.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "odonata/trace/functions.hpp"
#include "odonata/units/errors.hpp"

namespace odonata::trace {

namespace {

void check_columns(const Block& block) {
  const std::size_t n = block.size();
  if (block.ranks.size() != n || block.found.size() != n || block.num_outcomes.size() != n)
    throw UserError("trace: columns of different lengths");
}

std::size_t bytes_of(const Block& block) {
  const auto bytes = [](const auto& column) {
    return column.size() * sizeof(typename std::decay_t<decltype(column)>::value_type);
  };
  return bytes(block.ranks) + bytes(block.calls) + bytes(block.words) + bytes(block.found) +
         bytes(block.num_outcomes) + bytes(block.outcomes);
}

constexpr std::size_t most_ahead = 10'000;  // calls, where the order has changed
constexpr std::size_t most_polls_ahead = 64;  // each of millions of polls may look as far

// Is this a call whose number does not depend on time?
bool counted(Op op) {
  switch (op) {
    case Op::local:
    case Op::wait:
    case Op::wait_any:
    case Op::wait_some:
    case Op::test:
    case Op::test_any:
    case Op::test_some:
    case Op::iprobe:
    case Op::improbe:
    case Op::cancel:
    case Op::clock: return false;
    default: return true;
  }
}

// Does no call move past it?
bool keeps_order(Op op) {
  return op == Op::collective || op == Op::communicator || op == Op::phase || op == Op::abort ||
         op == Op::finalize;
}

}  // namespace

Recorded::Recorded(int ranks, std::vector<Match> matches, More more, std::size_t most_held)
    : matches_(std::move(matches)), more_(std::move(more)), most_held_(most_held) {
  std::sort(matches_.begin(), matches_.end(), [](const Match& a, const Match& b) {
    return a.rank != b.rank ? a.rank < b.rank : a.call < b.call;
  });
  ranks_.reserve(ranks);
  std::size_t at = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    ranks_.emplace_back(RankState{{}, {}, {rank, ranks}, at, at});
    while (at < matches_.size() && matches_[at].rank == rank) ++at;
    ranks_.back().end_match = at;
  }
  if (at != matches_.size()) throw UserError("trace: a match of a rank that is not there");
}

bool Recorded::next(int rank, Record& record) {
  RankState& state = ranks_[rank];
  while (!state.piece.block || state.piece.next == state.piece.end) {
    state.piece.block.reset();
    if (!state.pieces.empty()) {
      state.piece = std::move(state.pieces.front());
      state.pieces.pop_front();
    } else if (!fetch()) {
      return false;
    }
  }
  take(state.piece, record);
  match(state, record);
  state.checker.check(record);
  return true;
}

bool Recorded::fetch() {
  if (ended_) return false;
  std::optional<Block> got = more_();
  if (!got) {
    ended_ = true;
    return false;
  }
  check_columns(*got);
  const auto block = hold(std::move(*got));
  std::size_t word = 0, outcome = 0;
  for (std::size_t begin = 0; begin < block->size();) {
    const std::int32_t rank = block->ranks[begin];
    if (rank < 0 || rank >= num_ranks())
      throw UserError("trace: a call of a rank that is not there");
    Piece piece{block, begin, begin, word, outcome};
    while (piece.end < block->size() && block->ranks[piece.end] == rank) {
      word += block->calls[piece.end].num_words;
      outcome += block->num_outcomes[piece.end];
      ++piece.end;
    }
    if (word > block->words.size() || outcome > block->outcomes.size())
      throw UserError("trace: words or outcomes are missing");
    begin = piece.end;
    ranks_[rank].pieces.push_back(std::move(piece));
  }
  return true;
}

// Counts the bytes of the block for as long as there is a piece of it.
std::shared_ptr<const Block> Recorded::hold(Block&& block) {
  const std::size_t bytes = bytes_of(block);
  if (bytes > most_held_ - *held_)
    throw UserError("trace: bytes of calls between ranks that call early and late", *held_ + bytes,
                    "up to " + std::to_string(most_held_));
  *held_ += bytes;
  return {new Block(std::move(block)), [held = held_, bytes](const Block* last) {
            *held -= bytes;
            delete last;
          }};
}

void Recorded::take(Piece& piece, Record& record) {
  const Block& block = *piece.block;
  const std::size_t i = piece.next++;
  record.call = block.calls[i];
  record.call.flags &= static_cast<std::uint8_t>(~Call::answer);  // no rank waits for it
  const auto words = block.words.begin() + static_cast<std::ptrdiff_t>(piece.word);
  record.words.assign(words, words + block.calls[i].num_words);
  const auto outcomes = block.outcomes.begin() + static_cast<std::ptrdiff_t>(piece.outcome);
  record.decided = block.found[i] != Found::unknown;
  record.found.flag = block.found[i] == Found::flag_on ? 1 : 0;
  record.found.outcomes.assign(outcomes, outcomes + block.num_outcomes[i]);
  piece.word += block.calls[i].num_words;
  piece.outcome += block.num_outcomes[i];
}

void Recorded::match(RankState& state, Record& record) {
  while (state.next_match < state.end_match) {
    const Match& match = matches_[state.next_match];
    if (match.call > state.checker.num_calls()) return;
    ++state.next_match;
    if (match.call != state.checker.num_calls() || record.call.op != Op::irecv) continue;
    record.decided = true;
    record.found.outcomes.assign(1,
                                 Outcome{.source = match.source, .tag = record.call.receive.tag});
    return;
  }
}

RecordedCompute::RecordedCompute(std::shared_ptr<Source> source, std::shared_ptr<Recorded> trace)
    : source_(std::move(source)), trace_(std::move(trace)), past_(trace_->num_ranks()) {}

bool RecordedCompute::next(int rank, Record& record) {
  if (!source_->next(rank, record)) return false;
  if (rank >= trace_->num_ranks())
    throw UserError("compute times: rank of the run", rank,
                    "0 to " + std::to_string(trace_->num_ranks() - 1) + ", which were recorded");
  if (record.call.op != Op::clock) record.call.compute = 0;
  if (!counted(record.call.op)) {
    find_uncounted(rank, record);
  } else if (!find_counted(rank, record)) {
    differ(rank, record);
  }
  return true;
}

// The trace's call that is so many calls ahead; null if it has ended.
const RecordedCompute::Past* RecordedCompute::look(int rank, std::size_t ahead) {
  std::deque<Past>& past = past_[rank];
  Record read;
  while (past.size() <= ahead) {
    if (!trace_->next(rank, read)) return nullptr;
    past.push_back({read.call.function, read.call.op, read.call.compute});
  }
  return &past[ahead];
}

void RecordedCompute::take(int rank, std::size_t ahead, Record& record) {
  std::deque<Past>& past = past_[rank];
  record.call.compute = past[ahead].compute;
  past.erase(past.begin() + static_cast<std::ptrdiff_t>(ahead));
}

void RecordedCompute::skip_uncounted(int rank) {
  while (look(rank, 0) != nullptr && !counted(past_[rank].front().op)) past_[rank].pop_front();
}

bool RecordedCompute::find_uncounted(int rank, Record& record) {
  for (std::size_t ahead = 0; ahead < most_polls_ahead; ++ahead) {
    const Past* past = look(rank, ahead);
    if (past == nullptr || counted(past->op)) return false;
    if (past->function != record.call.function) continue;
    take(rank, ahead, record);
    return true;
  }
  return false;
}

bool RecordedCompute::find_counted(int rank, Record& record) {
  skip_uncounted(rank);
  for (std::size_t ahead = 0; ahead < most_ahead; ++ahead) {
    const Past* past = look(rank, ahead);
    if (past == nullptr) return false;
    const bool same = past->function == record.call.function && counted(past->op);
    if (same && (ahead == 0 || !keeps_order(record.call.op))) {
      take(rank, ahead, record);
      return true;
    }
    if (keeps_order(past->op)) return false;
  }
  return false;
}

void RecordedCompute::differ(int rank, const Record& record) {
  const auto name = [](std::uint16_t function) { return std::string(function_names()[function]); };
  const Past* past = look(rank, 0);
  throw UserError("compute times: recorded of another run: rank " + std::to_string(rank) + " calls",
                  name(record.call.function),
                  (past == nullptr ? "no more calls" : name(past->function)) +
                      ", as the trace has");
}

}  // namespace odonata::trace
