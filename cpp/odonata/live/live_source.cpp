#include "odonata/live/live_source.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <new>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "odonata/live/protocol.hpp"
#include "odonata/trace/codec.hpp"
#include "odonata/trace/functions.hpp"
#include "odonata/units/errors.hpp"

namespace odonata::live {

namespace {

constexpr std::size_t most_ahead = 4u << 20;  // [B] taken from a rank that others don't wait for
constexpr int quiet_rounds = 3;
// [ms] A wait that ends before the next tick of the kernel's clock would have a timer set for it,
// which takes longer than all else about it.
constexpr int first_wait = 8, longest_wait = 64;
constexpr std::size_t most_named = 8;         // ranks in a report

std::size_t at(int rank) { return static_cast<std::size_t>(rank); }

// The other rank of a call and its tag; negative without one.
struct Partner {
  std::int32_t rank = trace::nobody;
  std::int32_t tag = trace::any;
};

Partner partner_of(const trace::Call& call) {
  switch (call.kind()) {
    case trace::Kind::send: return {call.send.to, call.send.tag};
    case trace::Kind::receive: return {call.receive.source, call.receive.tag};
    case trace::Kind::exchange: return {call.exchange.source, call.exchange.receive_tag};
    case trace::Kind::probe: return {call.probe.source, call.probe.tag};
    case trace::Kind::collective: return {call.collective.root, trace::any};
    default: return {};
  }
}

// A rank that is waited for, and does hardly anything: it sleeps until something happens outside of
// MPI.
class Stall {
 public:
  Stall(const Host& host, int rank)
      : host_(host), rank_(rank), since_(Clock::now()), used_(host.processor_seconds(rank)) {}

  /// Has it lasted for a while since this was last true, or since the beginning?
  bool lasts() {
    const std::chrono::duration<double> real = Clock::now() - since_;
    if (real < long_stall) return false;
    const double used = host_.processor_seconds(rank_);
    const bool idle = used >= 0 && used_ >= 0 && used - used_ < busy_share * real.count();
    since_ = Clock::now();
    used_ = used;
    return idle;
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds long_stall{1};
  static constexpr double busy_share = 0.1;  // of a processor, which one that looks often takes

  const Host& host_;
  int rank_;
  Clock::time_point since_;
  double used_;
};

bool waits_for_room(const Waiting& what) { return what.answer != 0 && what.function == 0; }

}  // namespace

LiveSource::LiveSource(Memory& memory, Host& host, std::function<void()> interrupt)
    : memory_(memory),
      host_(host),
      interrupt_(std::move(interrupt)),
      intakes_(at(memory.num_ranks())),
      arena_(memory.header(), memory.num_ranks(), memory.num_ranks()) {}

// ---- from ranks

bool LiveSource::next(int rank, trace::Record& record) {
  Intake& intake = intakes_[at(rank)];
  if (intake.over) return false;
  while (!parse(rank, record)) {
    if (drain(rank)) continue;
    if (host_.gone(rank)) {
      if (drain(rank)) continue;  // records from before its end
      intake.over = true;
      return false;
    }
    wait_for(rank);
  }
  return true;
}

// Takes one whole record out of the bytes read.
bool LiveSource::parse(int rank, trace::Record& record) {
  Intake& intake = intakes_[at(rank)];
  const trace::Decoded got =
      trace::decode(std::span(intake.bytes).subspan(intake.read), rank, record);
  if (got.bytes == 0) return false;
  intake.read += got.bytes;
  intake.known_end = got.known_end;
  intake.last = record.call;
  intake.answered = !record.call.wants_answer();
  intake.over = record.call.op == trace::Op::finalize;
  return true;
}

Time LiveSource::pass(int rank, trace::Record& record) {
  const Intake& intake = intakes_[at(rank)];
  const Time over = intake.known_end;
  if (over < 0 || !trace::is_poll(intake.last.op)) return -1;
  if (intake.size() == 0) drain(rank);
  const auto next = trace::peek(std::span(intake.bytes).subspan(intake.read));
  if (!next || (next->flags & trace::Call::known) == 0 || !trace::is_poll(next->op)) return -1;
  parse(rank, record);
  return over;
}

// Moves the contents of a rank's ring to its intake; false if the ring is empty.
bool LiveSource::drain(int rank) {
  RankArea& area = memory_.area(rank);
  Intake& intake = intakes_[at(rank)];
  const std::uint64_t tail = area.tail.load(std::memory_order_relaxed);
  const std::uint64_t count = area.head.load() - tail;
  const std::uint64_t size = memory_.header().ring_bytes;
  if (count == 0) return false;
  if (count > size) throw InternalError("ring of rank " + std::to_string(rank) + " is damaged");
  intake.bytes.erase(intake.bytes.begin(),
                     intake.bytes.begin() + static_cast<std::ptrdiff_t>(intake.read));
  intake.read = 0;
  const std::size_t before = intake.bytes.size();
  intake.bytes.resize(before + count);
  const std::uint64_t place = tail & (size - 1);
  const std::uint64_t part = std::min(count, size - place);
  std::memcpy(intake.bytes.data() + before, memory_.ring(rank) + place, part);
  std::memcpy(intake.bytes.data() + before + part, memory_.ring(rank), count - part);
  area.tail.store(tail + count);
  if (area.sleeping.load() != 0 && waits_for_room(area.waiting.load())) wake(rank);
  return true;
}

/// Does a rank wait for another one?
bool LiveSource::blocked(int rank) const {
  const RankArea& area = memory_.area(rank);
  return area.sleeping.load() != 0 && area.waiting.load().answer == 0;
}

// The data that `wanted` waits for may be behind a full ring. A rank on which nothing depends may
// run ahead only to a limit.
void LiveSource::drain_full_rings(int wanted) {
  const std::size_t most = blocked(wanted) ? ~std::size_t{0} : most_ahead;
  for (int rank = 0; rank < memory_.num_ranks(); ++rank) {
    const RankArea& area = memory_.area(rank);
    const bool full = area.head.load() - area.tail.load() == memory_.header().ring_bytes;
    if (full && intakes_[at(rank)].size() < most) drain(rank);
  }
}

// Sleeps until there is something in a rank's ring, and looks after the others now and then.
void LiveSource::wait_for(int rank) {
  RankArea& area = memory_.area(rank);
  Header& header = memory_.header();
  const auto empty = [&] { return area.head.load() == area.tail.load(std::memory_order_relaxed); };
  int milliseconds = first_wait;
  std::optional<Stall> stall;
  quiet_ = 0;
  if (idle_) idle_();
  while (empty() && !host_.gone(rank)) {
    const std::uint32_t seen = header.simulator_bell.load();
    area.wanted.store(1);
    header.simulator_sleeping.store(1);
    answer_questions();
    const bool alive = !empty() || (++num_sleeps_, host_.run(rank, seen, milliseconds));
    header.simulator_sleeping.store(0);
    area.wanted.store(0);
    if (!empty()) return;
    if (interrupt_) interrupt_();
    host_.check();
    answer_questions();
    if (!alive || !host_.takes_turns()) drain_full_rings(rank);
    if (!alive || header.awake.load() == 0) look_for_deadlock();
    if (stall && stall->lasts()) tell_times_early(rank);
    if (!stall && milliseconds == longest_wait) stall.emplace(host_, rank);
    milliseconds = std::min(2 * milliseconds, longest_wait);
  }
}

// The stalled rank may wait outside of MPI for a rank that reads a clock: this rank is told how far
// the simulation has come, and its computing since.
void LiveSource::tell_times_early(int stalled) {
  if (!reached_) return;
  for (int rank = 0; rank < memory_.num_ranks(); ++rank) {
    const RankArea& area = memory_.area(rank);
    const Waiting waiting = area.waiting.load();
    if (area.sleeping.load() == 0 || waiting.answer == 0 || waits_for_room(waiting)) continue;
    while (drain(rank)) {
    }
    const std::optional<std::int64_t> computing = computing_before_clock(rank);
    if (!computing) continue;
    intakes_[at(rank)].told_early = true;
    trace::Answer early;
    early.now = reached_(*computing);
    send(rank, early);
    if (std::exchange(said_early_, true)) continue;
    std::fprintf(stderr,
                 "odonata: rank %d reads a clock while rank %d waits outside of MPI and uses no "
                 "processor time: it is told how far the simulation has come\n",
                 rank, stalled);
  }
}

// The processor time [ns] of a rank between its present activity and the clock that it waits for;
// nothing if it does not wait for a clock, or has been told.
std::optional<std::int64_t> LiveSource::computing_before_clock(int rank) const {
  const Intake& intake = intakes_[at(rank)];
  if (intake.told_early) return std::nullopt;
  std::span<const std::byte> rest = std::span(intake.bytes).subspan(intake.read);
  const bool asks = !intake.answered && intake.known_end < 0;
  if (rest.empty())
    return asks && intake.last.op == trace::Op::clock ? std::optional(std::int64_t{0})
                                                      : std::nullopt;
  std::int64_t computing = 0;
  trace::Record record;
  while (!rest.empty()) {
    const trace::Decoded got = trace::decode(rest, rank, record);
    if (got.bytes == 0) return std::nullopt;
    computing += record.call.compute;
    rest = rest.subspan(got.bytes);
  }
  return record.call.op == trace::Op::clock && record.call.wants_answer() ? std::optional(computing)
                                                                          : std::nullopt;
}

// All ranks seem to sleep; but one may be about to find that it need not. So all are woken to look
// again, and if no rank writes anything in some such rounds, none ever will.
void LiveSource::look_for_deadlock() {
  std::uint64_t written = 0;
  for (int rank = 0; rank < memory_.num_ranks(); ++rank) written += memory_.area(rank).head.load();
  quiet_ = written == written_ ? quiet_ + 1 : 0;
  written_ = written;
  if (quiet_ == quiet_rounds) throw DeadlockError(deadlock_report());
  for (int rank = 0; rank < memory_.num_ranks(); ++rank) wake(rank);
}

// ---- to ranks

void LiveSource::answer(int rank, const trace::Answer& answer) {
  Intake& intake = intakes_[at(rank)];
  intake.answered = true;
  if (intake.known_end >= 0) return check_lookahead(rank, answer);
  if (!std::exchange(intake.told_early, false)) send(rank, answer);
}

void LiveSource::answer_early(int rank, const trace::Answer& answer) {
  if (intakes_[at(rank)].known_end >= 0) return;  // it knows
  intakes_[at(rank)].known_end = answer.now;
  send(rank, answer);
}

void LiveSource::send(int rank, const trace::Answer& answer) {
  ++num_answers_;
  send_mail(rank, trace::encoded_bytes(answer), [&](std::byte* to) { trace::encode(answer, to); });
}

template <class Write>
void LiveSource::send_mail(int rank, std::size_t bytes, const Write& write) {
  const Offset place = arena_.allocate(sizeof(Mail) + bytes);
  if (place == 0) throw InternalError("answers to ranks: their memory is full");
  auto* mail = new (memory_.at(place))
      Mail{0, Mail::Kind::answer, -1, 0, 0, 0, static_cast<std::int64_t>(bytes)};
  write(memory_.at(place) + sizeof(Mail));
  push(memory_.area(rank).mail, mail->next, place);
  wake(rank);
}

// The rank continued by its lookahead: the call must have ended as the rank knew.
void LiveSource::check_lookahead(int rank, const trace::Answer& answer) const {
  const Intake& intake = intakes_[at(rank)];
  const bool clock = intake.last.op == trace::Op::clock;
  const bool kept =
      clock ? answer.now == intake.known_end : answer.flag == 0 && answer.now >= intake.known_end;
  if (!kept)
    throw InternalError("rank " + std::to_string(rank) +
                        " knew the outcome of a call by its lookahead, at " +
                        std::to_string(intake.known_end) + " ps, and it came differently at " +
                        std::to_string(answer.now) + " ps");
}

void LiveSource::wake(int rank) {
  if (rouse(memory_.header(), memory_.area(rank))) host_.wake(rank);
}

// ---- orders of ranks

void LiveSource::answer_questions() {
  std::vector<Offset> asked;
  for (Offset place = memory_.header().questions.exchange(0); place != 0;) {
    asked.push_back(place);
    place = reinterpret_cast<const Mail*>(memory_.at(place))->next;
  }
  for (; !asked.empty(); asked.pop_back()) {
    give_order(*reinterpret_cast<const Mail*>(memory_.at(asked.back())));
    arena_.release(asked.back());
  }
}

void LiveSource::give_order(const Mail& asked) {
  std::vector<std::int32_t> words(static_cast<std::size_t>(asked.bytes) / sizeof(std::int32_t));
  const auto* start = reinterpret_cast<const std::byte*>(&asked);
  if (!words.empty())
    std::memcpy(words.data(), start + sizeof(Mail), words.size() * sizeof words[0]);
  const OrderQuestion question = decode_question(words, memory_.num_ranks());
  if (!orderer_)
    throw InternalError("a rank asks for an order of ranks, and the run has no mapper");
  const std::vector<std::int32_t> order = orderer_(asked.source, question);
  std::vector<std::int32_t> places = order, all(question.members.size());
  std::ranges::sort(places);
  std::iota(all.begin(), all.end(), 0);
  if (places != all) throw InternalError("the order of ranks for a topology is no permutation");
  send_mail(asked.source, order.size() * sizeof order[0], [&](std::byte* to) {
    if (!order.empty()) std::memcpy(to, order.data(), order.size() * sizeof order[0]);
  });
}

// ---- deadlocks

std::string LiveSource::deadlock_report() const {
  std::string report = "deadlock: no rank can continue";
  std::size_t named = 0, others = 0;
  for (int rank = 0; rank < memory_.num_ranks(); ++rank) {
    if (intakes_[at(rank)].over) continue;
    if (named == most_named) {
      ++others;
      continue;
    }
    report += (named++ == 0 ? ": " : "; ") + describe(rank);
  }
  if (others > 0) report += "; and " + std::to_string(others) + " others";
  return report;
}

// The reason for which a rank sleeps is more exact than its last call, which may be a wait for many
// requests.
std::string LiveSource::describe(int rank) const {
  const RankArea& area = memory_.area(rank);
  const trace::Call& last = intakes_[at(rank)].last;
  std::uint16_t function = last.function;
  Partner partner = partner_of(last);
  std::string text = "rank " + std::to_string(rank);
  if (blocked(rank)) {
    const Waiting waiting = area.waiting.load();
    function = waiting.function;
    partner = {waiting.peer, waiting.tag};
  } else if (last.comm != 0) {
    partner.rank = trace::nobody;
  }
  const auto names = trace::function_names();
  text += " waits in " + std::string(function < names.size() ? names[function] : "?");
  if (partner.rank >= 0) text += " for rank " + std::to_string(partner.rank);
  if (partner.tag >= 0) text += ", tag " + std::to_string(partner.tag);
  return text;
}

}  // namespace odonata::live
