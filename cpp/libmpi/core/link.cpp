#include "libmpi/core/link.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <utility>

#include "libmpi/core/error.hpp"
#include "odonata/live/futex.hpp"
#include "odonata/live/protocol.hpp"

namespace odonata::libmpi {

using live::Mail;
using live::RankArea;
using live::Stage;

namespace {

constexpr std::uint64_t calls_a_turn = 64;  // half of a fiber's ring
constexpr int most_unheard = 64;             // quiet calls until the simulator is told
constexpr std::int64_t long_compute = 10'000;  // [ns] that is worth telling it at once

trace::Answer read_answer(const std::byte* mail) {
  live::AnswerHead head{};
  std::memcpy(&head, mail + sizeof(Mail), sizeof head);
  trace::Answer answer{head.now, head.flag, head.touches, head.quiet_until, head.patience, {}};
  answer.outcomes.resize(head.num_outcomes);
  if (head.num_outcomes > 0)
    std::memcpy(answer.outcomes.data(), mail + sizeof(Mail) + sizeof head,
                head.num_outcomes * sizeof(trace::Outcome));
  return answer;
}

}  // namespace

Link::Link(void* memory, int rank, const live::Fibers* fibers, std::shared_ptr<live::Arena> arena)
    : memory_(memory),
      header_(static_cast<live::Header*>(memory)),
      rank_(rank),
      fibers_(fibers),
      promise_(*header_),
      arena_(std::move(arena)) {}

RankArea& Link::area(int rank) const {
  return live::rank_area(*header_, static_cast<std::uint32_t>(rank));
}

live::Bucket& Link::bucket(std::uint64_t key) const {
  return reinterpret_cast<live::Bucket*>(at(header_->buckets))[key % live::num_buckets];
}

void Link::charge_unscaled(std::int64_t nanoseconds) {
  const double scale = header_->compute_scale;
  if (scale > 0) compute_ += std::llround(static_cast<double>(nanoseconds) / scale);
}

void Link::join() {
  RankArea& mine = area(rank_);
  mine.pid.store(getpid());
  mine.stage.store(Stage::initialized);
  leave();
}

void Link::leave_run() {
  area(rank_).stage.store(Stage::finalized);
  header_->awake.fetch_sub(1);
}

// ---- calls

void Link::post(const trace::Call& call, std::span<const std::uint64_t> words) {
  promise_.note(call, compute_);
  note(call, words);
}

void Link::note(const trace::Call& call, std::span<const std::uint64_t> words) {
  trace::Call noted = call;
  noted.num_words = static_cast<std::uint32_t>(words.size());
  noted.compute = std::exchange(compute_, 0);
  if (std::exchange(noted_, true)) noted.flags |= trace::Call::more;
  write(&noted, sizeof noted);
  if (!words.empty()) write(words.data(), words.size_bytes());
  ++posted_;
  if (area(rank_).wanted.load() != 0 && rings(noted)) tell_simulator();
  // Fibers take turns: one that ran far ahead would fill memory with messages nobody reads yet.
  if (fibers_ != nullptr && posted_ % calls_a_turn == 0) fibers_->yield();
}

// A rank that goes on by itself wakes the simulator for many calls at once. Local calls do nothing
// to the network, so nothing is to be done until the next other call.
bool Link::rings(const trace::Call& noted) {
  const bool promised = (noted.flags & trace::Call::promised) != 0;
  const bool quiet = promised || noted.op == trace::Op::local;
  if (quiet && noted.compute < long_compute && ++unheard_ < most_unheard) return false;
  unheard_ = 0;
  return true;
}

// A full ring is emptied by the simulator, whatever it waits for.
void Link::write(const void* from, std::size_t bytes) {
  RankArea& mine = area(rank_);
  const std::uint64_t size = header_->ring_bytes;
  std::byte* ring = at(header_->rings) + static_cast<std::uint64_t>(rank_) * size;
  const auto* source = static_cast<const std::byte*>(from);
  std::uint64_t head = mine.head.load(std::memory_order_relaxed);
  while (bytes > 0) {
    const std::uint64_t room = size - (head - mine.tail.load(std::memory_order_acquire));
    if (room == 0) {
      if (header_->simulator_sleeping.load() != 0) tell_simulator();
      wait(live::Waiting{.answer = 1}, [&] { return head - mine.tail.load() < size; });
      continue;
    }
    const std::uint64_t place = head & (size - 1);
    const std::size_t part = std::min<std::uint64_t>({bytes, room, size - place});
    std::memcpy(ring + place, source, part);
    source += part;
    bytes -= part;
    head += part;
    mine.head.store(head);
  }
}

void Link::tell_simulator() {
  if (fibers_ != nullptr) return fibers_->wake(size());
  area(rank_).wanted.store(0);
  header_->simulator_bell.fetch_add(1);
  live::futex_wake(header_->simulator_bell);
}

trace::Answer Link::ask(trace::Call call, std::span<const std::uint64_t> words) {
  call.flags |= trace::Call::answer;
  if (std::optional<trace::Answer> known = promise_.foretell(call, words, compute_)) {
    call.flags |= trace::Call::promised;
    call.bytes = known->now;
    note(call, words);
    return *std::move(known);
  }
  note(call, words);
  wait({.function = call.function, .answer = 1, .peer = -1, .tag = call.tag, .comm = call.comm},
       [this] {
         collect_mail();
         return answer_ != 0;
       });
  trace::Answer answer = read_answer(at(answer_));
  release(std::exchange(answer_, 0));
  promise_.take(call, words, answer);
  return answer;
}

void Link::abort(int code, const std::string& why) {
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

std::uint32_t Link::prepare_sleep(const live::Waiting& what) {
  RankArea& mine = area(rank_);
  const std::uint32_t seen = mine.bell.load();
  mine.waiting = what;
  header_->awake.fetch_sub(1);
  mine.sleeping.store(1);
  return seen;
}

void Link::cancel_sleep() {
  if (area(rank_).sleeping.exchange(0) != 0) header_->awake.fetch_add(1);
}

void Link::sleep(std::uint32_t seen) {
  RankArea& mine = area(rank_);
  while (mine.sleeping.load() != 0) {
    if (fibers_ != nullptr)
      fibers_->sleep();
    else
      live::futex_wait(mine.bell, seen);
    if (header_->ended.load() != 0 && fibers_ == nullptr) _exit(1);
  }
}

void Link::wake(int rank) const {
  RankArea& other = area(rank);
  if (!live::rouse(*header_, other)) return;
  if (fibers_ != nullptr)
    fibers_->wake(rank);
  else
    live::futex_wake(other.bell);
}

// ---- memory

Offset Link::allocate(std::size_t bytes) {
  const Offset block = arena_->allocate(bytes);
  if (block == 0)
    throw Error{ErrorClass::no_mem, "more than " + std::to_string(header_->arena_bytes >> 20) +
                                        " MiB of messages of one rank under way"};
  return block;
}

// ---- mail

void Link::send_mail(int rank, Offset mail) const {
  live::push(area(rank).mail, reinterpret_cast<Mail*>(at(mail))->next, mail);
  wake(rank);
}

void Link::collect_mail() {
  if (area(rank_).mail.load(std::memory_order_relaxed) == 0) return;
  Offset newest = area(rank_).mail.exchange(0);
  const auto start = static_cast<std::ptrdiff_t>(mail_.size());
  while (newest != 0) {
    const auto* letter = reinterpret_cast<const Mail*>(at(newest));
    if (letter->kind == Mail::Kind::answer)
      answer_ = newest;
    else
      mail_.push_back(newest);
    newest = letter->next;
  }
  std::reverse(mail_.begin() + start, mail_.end());
}

Offset Link::take_mail() {
  if (mail_.empty()) collect_mail();
  if (mail_.empty()) return 0;
  const Offset first = mail_.front();
  mail_.pop_front();
  return first;
}

}  // namespace odonata::libmpi
