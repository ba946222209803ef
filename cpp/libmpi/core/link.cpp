#include "libmpi/core/link.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
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

}  // namespace

Link::Link(void* memory, int rank, const live::Fibers* fibers, std::shared_ptr<live::Arena> arena)
    : memory_(memory),
      header_(static_cast<live::Header*>(memory)),
      rank_(rank),
      fibers_(fibers),
      arena_(std::move(arena)) {}

RankArea& Link::area(int rank) const {
  return live::rank_area(*header_, static_cast<std::uint32_t>(rank));
}

live::Bucket& Link::bucket(std::uint64_t key) const {
  return reinterpret_cast<live::Bucket*>(at(header_->buckets))[key % live::num_buckets];
}

std::int64_t Link::processor_time() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
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
  trace::Call noted = call;
  noted.num_words = static_cast<std::uint32_t>(words.size());
  noted.compute = std::exchange(compute_, 0);
  if (std::exchange(noted_, true)) noted.flags |= trace::Call::more;
  write(&noted, sizeof noted);
  if (!words.empty()) write(words.data(), words.size_bytes());
  ++posted_;
  if (area(rank_).wanted.load() != 0) tell_simulator();
  // Fibers take turns: one that ran far ahead would fill memory with messages nobody reads yet.
  if (fibers_ != nullptr && posted_ % calls_a_turn == 0) fibers_->yield();
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
  post(call, words);
  wait({.function = call.function, .answer = 1, .peer = -1, .tag = call.tag, .comm = call.comm},
       [this] {
         collect_mail();
         return answer_ != 0;
       });
  const Offset mail = std::exchange(answer_, 0);
  const std::byte* from = at(mail) + sizeof(Mail);
  trace::Answer answer;
  std::uint32_t count = 0;
  std::memcpy(&answer.now, from, sizeof answer.now);
  std::memcpy(&answer.flag, from + 8, sizeof answer.flag);
  std::memcpy(&count, from + 12, sizeof count);
  answer.outcomes.resize(count);
  if (count > 0) std::memcpy(answer.outcomes.data(), from + 16, count * sizeof(trace::Outcome));
  release(mail);
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
