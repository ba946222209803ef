#include "preload/libmpi/core/shared_memory/endpoint.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <new>
#include <utility>

#include "odonata/live/futex.hpp"
#include "odonata/live/memory.hpp"
#include "odonata/live/protocol.hpp"
#include "odonata/trace/codec.hpp"
#include "preload/libmpi/core/environment/error.hpp"
#include "preload/libmpi/core/environment/real_clock.hpp"

namespace odonata::libmpi {

using live::Mail;
using live::RankArea;
using live::Stage;

namespace {

constexpr std::uint64_t calls_a_turn = 64;  // half of a fiber's ring
constexpr int most_unheard = 64;             // quiet calls until the simulator is told
constexpr std::int64_t long_compute = 10'000;  // [ns] that is worth telling it at once

}  // namespace

Endpoint::Endpoint(void* memory, int rank, const live::Fibers* fibers,
                   std::shared_ptr<live::Arena> arena)
    : memory_(memory),
      header_(static_cast<live::Header*>(memory)),
      rank_(rank),
      fibers_(fibers),
      lookahead_(*header_),
      arena_(std::move(arena)) {}

RankArea& Endpoint::area(int rank) const {
  return live::rank_area(*header_, static_cast<std::uint32_t>(rank));
}

live::Bucket& Endpoint::bucket(std::uint64_t key) const {
  return reinterpret_cast<live::Bucket*>(at(header_->buckets))[key % live::num_buckets];
}

void Endpoint::charge_unscaled(std::int64_t nanoseconds) {
  const double scale = header_->compute_scale;
  if (scale > 0) compute_ += std::llround(static_cast<double>(nanoseconds) / scale);
}

void Endpoint::join() {
  RankArea& mine = area(rank_);
  std::int32_t nobody = 0;
  if (!mine.pid.compare_exchange_strong(nobody, getpid()))
    abort(2, "odonata: rank " + std::to_string(rank_) +
                 ": a second process has called MPI_Init. If the program is started by a launcher "
                 "(mpirun, mpiexec, srun) in a script, give odonata mpirun the program behind it");
  mine.stage.store(Stage::initialized);
  start_computing();
}

// The last rank to start sets the clocks that all of them have.
void Endpoint::meet() {
  if (header_->joined.fetch_add(1) + 1 < header_->num_ranks) {
    const auto function = static_cast<std::uint16_t>(trace::Function::Init);
    return wait({.function = function}, [this] { return header_->all_joined.load() != 0; });
  }
  for (std::size_t clock = 0; clock < header_->clocks.size(); ++clock)
    header_->clocks[clock] = real_time(static_cast<clockid_t>(clock));
  header_->all_joined.store(1);
  for (int rank = 0; rank < size(); ++rank) wake(rank);
}

void Endpoint::want_threads() { area(rank_).wants_threads.store(1); }

const char* Endpoint::thread_hint() const {
  return communicated_ ? "" : live::thread_hint(area(rank_));
}

void Endpoint::leave_run() {
  area(rank_).stage.store(Stage::finalized);
  header_->awake.fetch_sub(1);
}

// ---- calls

void Endpoint::report(const trace::Call& call, std::span<const std::uint64_t> words) {
  if (gate_.visited()) {
    ++beside_[call.function];
    return;
  }
  lookahead_.note(call, compute_);
  note(call, words, std::nullopt);
}

void Endpoint::post_beside() {
  for (const auto& [function, count] : std::exchange(beside_, {}))
    for (std::uint64_t i = 0; i < count; ++i) {
      report(call_of(static_cast<trace::Function>(function), trace::Op::local));
      noted_ = false;
    }
}

// Where the program is in simulated time stays known only if the call takes none. Calls of a
// callback of the program belong to the call that has called it, as profilers of real MPIs count.
void Endpoint::note(trace::Call call, std::span<const std::uint64_t> words,
                    std::optional<Time> known_end) {
  if (unrecorded_ > 0) note_readings();
  call.compute = std::exchange(compute_, 0);
  if (call.op != trace::Op::local || call.compute != 0) told_.reset();
  if (call.op != trace::Op::local && call.op != trace::Op::clock) {
    row_.end();
    communicated_ = true;
  }
  if (std::exchange(noted_, true)) call.flags |= trace::Call::more;
  if (gate_.nested()) call.function = static_cast<std::uint16_t>(gate_.under_way());
  write_record(call, words, known_end);
}

void Endpoint::write_record(const trace::Call& call, std::span<const std::uint64_t> words,
                            std::optional<Time> known_end) {
  trace::encode(call, words, known_end, [this](std::span<const std::byte> bytes) { write(bytes); });
  ++reported_;
  const bool quiet = known_end || call.op == trace::Op::local;
  if (area(rank_).wanted.load() != 0 && rings(quiet, call.compute)) tell_simulator();
  // Fibers take turns: one that ran far ahead would fill the memory with unread messages.
  if (fibers_ != nullptr && reported_ % calls_a_turn == 0) fibers_->yield();
}

// A program that reads a clock twice, with nothing between, gets the same time: no other rank has
// to be heard for that.
std::optional<trace::Answer> Endpoint::read_again(const trace::Call& call) {
  if (!told_ || compute_ != 0) return std::nullopt;
  const bool waited = row_.waits();
  charge_unscaled(row_.read(*told_, call.clock.asker));
  if (row_.waits() && !waited && header_->waits_for_time.exchange(1) == 0)
    std::fprintf(stderr,
                 "odonata: rank %d reads a clock again and again, as programs do that wait for a "
                 "time: from now on such readings take 1 us and more\n",
                 rank_);
  if (compute_ != 0 || header_->recorded != 0) return std::nullopt;
  if (call.clock.asker == trace::Asker::wtime) ++unrecorded_, ++reread_;
  trace::Answer answer;
  answer.now = *told_;
  answer.flag = 1;
  return answer;
}

// One record stands for all readings with one answer.
void Endpoint::note_readings() {
  trace::Call readings =
      call_of(trace::Function::Wtime, trace::Op::clock,
              trace::Question{trace::Asker::wtime, std::exchange(unrecorded_, 0) - 1});
  readings.flags |= trace::Call::answer;
  write_record(readings, {}, told_);
}

// A rank that needs no answers wakes the simulator once for many calls. Local calls do not use the
// network, so the simulator has nothing to do until the next other call.
bool Endpoint::rings(bool quiet, std::int64_t compute) {
  if (quiet && compute < long_compute && ++unheard_ < most_unheard) return false;
  unheard_ = 0;
  return true;
}

// The simulator empties a full ring, whatever it waits for.
void Endpoint::write(std::span<const std::byte> from) {
  RankArea& mine = area(rank_);
  const std::uint64_t size = header_->ring_bytes;
  std::byte* ring = at(header_->rings) + static_cast<std::uint64_t>(rank_) * size;
  std::uint64_t head = mine.head.load(std::memory_order_relaxed);
  while (!from.empty()) {
    const std::uint64_t room = size - (head - mine.tail.load(std::memory_order_acquire));
    if (room == 0) {
      if (header_->simulator_sleeping.load() != 0) tell_simulator();
      wait(live::Waiting{.answer = 1}, [&] { return head - mine.tail.load() < size; });
      continue;
    }
    const std::uint64_t place = head & (size - 1);
    const std::size_t part = std::min<std::uint64_t>({from.size(), room, size - place});
    std::memcpy(ring + place, from.data(), part);
    from = from.subspan(part);
    head += part;
    if (fibers_ != nullptr)
      mine.head.store(head, std::memory_order_release);  // the reader runs in this thread
    else
      mine.head.store(head);
  }
}

void Endpoint::tell_simulator() {
  if (fibers_ != nullptr) return fibers_->wake(size());
  area(rank_).wanted.store(0);
  header_->simulator_bell.fetch_add(1);
  live::futex_wake(header_->simulator_bell);
}

trace::Answer Endpoint::ask(trace::Call call, std::span<const std::uint64_t> words) {
  call.flags |= trace::Call::answer;
  if (call.op == trace::Op::clock)
    if (std::optional<trace::Answer> same = read_again(call)) return *std::move(same);
  if (std::optional<trace::Answer> known = lookahead_.answer(call, words, compute_)) {
    note(call, words, known->now);
    told_ = known->now;
    return *std::move(known);
  }
  note(call, words, std::nullopt);
  wait_for_answer({.function = call.function, .answer = 1, .comm = call.comm});
  trace::Answer answer = trace::decode_answer(at(answer_) + sizeof(Mail));
  release(std::exchange(answer_, 0));
  lookahead_.take(call, words, answer);
  told_ = answer.now;
  return answer;
}

void Endpoint::wait_for_answer(const live::Waiting& what) {
  wait(what, [this] {
    collect_mail();
    return answer_ != 0;
  });
}

std::vector<std::int32_t> Endpoint::ask_order(const live::OrderQuestion& question) {
  const std::vector<std::int32_t> words = encode(question);
  const std::size_t bytes = words.size() * sizeof words[0];
  const Offset place = allocate(sizeof(Mail) + bytes);
  auto* mail = new (at(place))
      Mail{0, Mail::Kind::question, rank_, 0, 0, 0, static_cast<std::int64_t>(bytes)};
  std::memcpy(at(place) + sizeof(Mail), words.data(), bytes);
  live::push(header_->questions, mail->next, place);
  tell_simulator();
  wait_for_answer({.function = static_cast<std::uint16_t>(question.function), .answer = 1});
  std::vector<std::int32_t> order(question.members.size());
  std::memcpy(order.data(), at(answer_) + sizeof(Mail), order.size() * sizeof order[0]);
  release(std::exchange(answer_, 0));
  return order;
}

void Endpoint::abort(int code, const std::string& why) {
  if (!why.empty()) std::fprintf(stderr, "%s\n", why.c_str());
  std::fflush(nullptr);
  RankArea& mine = area(rank_);
  mine.exit_code.store(code);
  mine.stage.store(Stage::aborted);
  tell_simulator();
  if (fibers_ == nullptr) _exit(code);
  for (;;) fibers_->sleep();
}

// ---- sleeping and waking

std::uint32_t Endpoint::prepare_sleep(const live::Waiting& what) {
  RankArea& mine = area(rank_);
  const std::uint32_t seen = mine.bell.load();
  mine.waiting.store(what);
  header_->awake.fetch_sub(1);
  mine.sleeping.store(1);
  return seen;
}

void Endpoint::cancel_sleep() {
  if (area(rank_).sleeping.exchange(0) != 0) header_->awake.fetch_add(1);
}

void Endpoint::sleep(std::uint32_t seen) {
  RankArea& mine = area(rank_);
  gate_.sleep();
  while (mine.sleeping.load() != 0) {
    if (fibers_ != nullptr)
      fibers_->sleep();
    else
      live::futex_wait(mine.bell, seen);
    if (header_->ended.load() != 0 && fibers_ == nullptr) _exit(1);
  }
  gate_.wake();
}

void Endpoint::wake(int rank) const {
  RankArea& other = area(rank);
  if (!live::rouse(*header_, other)) return;
  if (fibers_ != nullptr)
    fibers_->wake(rank);
  else
    live::futex_wake(other.bell);
}

// ---- memory

Offset Endpoint::allocate(std::size_t bytes) {
  const Offset block = arena_->allocate(bytes);
  if (block == 0)
    throw Error{ErrorClass::no_mem, "more than " + std::to_string(header_->arena_bytes >> 20) +
                                        " MiB of messages of one rank are in flight"};
  return block;
}

// ---- mail

void Endpoint::send_mail(int rank, Offset mail) const {
  live::push(area(rank).mail, reinterpret_cast<Mail*>(at(mail))->next, mail);
  wake(rank);
}

void Endpoint::collect_mail() {
  if (area(rank_).mail.load(std::memory_order_relaxed) == 0) return;
  Offset newest = area(rank_).mail.exchange(0);
  const auto start = static_cast<std::ptrdiff_t>(mail_.size());
  while (newest != 0) {
    const auto* mail = reinterpret_cast<const Mail*>(at(newest));
    if (mail->kind == Mail::Kind::answer)
      answer_ = newest;
    else
      mail_.push_back(newest);
    newest = mail->next;
  }
  std::reverse(mail_.begin() + start, mail_.end());
}

Offset Endpoint::take_mail() {
  if (mail_.empty()) collect_mail();
  if (mail_.empty()) return 0;
  const Offset first = mail_.front();
  mail_.pop_front();
  return first;
}

}  // namespace odonata::libmpi
