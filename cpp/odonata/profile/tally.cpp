#include "odonata/profile/tally.hpp"

#include <algorithm>
#include <limits>
#include <span>

namespace odonata::profile {

namespace {

constexpr std::int32_t other = std::numeric_limits<std::int32_t>::min();

std::uint64_t place_of(std::uint64_t key) {
  key = (key ^ key >> 32U) * 0x9e3779b97f4a7c15U;
  return key >> 20U;
}

// An empty cell or the key's own; there is always an empty one.
Cell* look(Cell* cells, std::uint64_t mask, std::uint64_t key) {
  std::uint64_t at = place_of(key) & mask;
  while (cells[at].key != 0 && cells[at].key != key) at = (at + 1) & mask;
  return &cells[at];
}

}  // namespace

Tally::Tally(Head& head, Store& store, std::uint64_t capacity) : head_(head), store_(store) {
  std::copy(std::begin(magic), std::end(magic), head_.magic);
  head_.version = version;
  head_.phases[0] = no_phase;
  head_.num_phases = 1;
  head_.phase_start = head_.latest = head_.start;
  grow(capacity);
  add(key(Kind::phase, 0, 0, 0), 1, 0, 0);
}

void Tally::call(std::uint32_t function, trace::Found found, std::uint64_t ticks,
                 std::uint64_t calls) {
  add(key(Kind::call, head_.phase, function, static_cast<std::uint64_t>(found)), calls, 0, ticks);
}

void Tally::size(std::uint32_t function, std::int64_t bytes) {
  const auto all = static_cast<std::uint64_t>(bytes);
  add(key(Kind::size, head_.phase, function, size_class(all)), 1, all, 0);
}

void Tally::message(std::int32_t to, std::int64_t bytes) {
  add(key(Kind::pair, head_.phase, 0, static_cast<std::uint32_t>(to)), 1,
      static_cast<std::uint64_t>(bytes), 0);
}

void Tally::collective(trace::Collective operation, std::uint32_t ranks, bool root,
                       std::int64_t share) {
  add(key(Kind::collective, head_.phase, static_cast<std::uint32_t>(operation),
          ranks | (root ? at_root : 0)),
      1, static_cast<std::uint64_t>(share), 0);
}

void Tally::mark(std::int32_t level, std::uint64_t now) {
  leave_phase(now);
  const std::span known(head_.phases, head_.num_phases);
  auto at =
      static_cast<std::uint32_t>(std::find(known.begin(), known.end(), level) - known.begin());
  if (at == head_.num_phases) {
    at = std::min(at, other_phase);
    if (head_.num_phases <= at) head_.phases[head_.num_phases++] = at < other_phase ? level : other;
  }
  head_.phase = at;
  add(key(Kind::phase, at, 0, 0), 1, 0, 0);
}

void Tally::end(std::uint64_t now) {
  leave_phase(now);
  head_.latest = now;
  head_.state = State::ended;
}

void Tally::leave_phase(std::uint64_t now) {
  add(key(Kind::phase, head_.phase, 0, 0), 0, 0, now - head_.phase_start);
  head_.phase_start = now;
}

void Tally::add(std::uint64_t key, std::uint64_t count, std::uint64_t bytes, std::uint64_t time) {
  Cell* const cell = find(key);
  if (cell == nullptr) {
    head_.lost += count;
    return;
  }
  cell->count += count;
  cell->bytes += bytes;
  cell->time += time;
}

Cell* Tally::find(std::uint64_t key) {
  if (cells_ == nullptr) return nullptr;
  Cell* const cell = look(cells_, mask_, key);
  return cell->key == key ? cell : insert(key);
}

Cell* Tally::insert(std::uint64_t key) {
  const std::uint64_t capacity = mask_ + 1;
  const bool crowded = head_.used + 1 > capacity / 4 * 3;
  if (crowded && !grow(capacity * 2) && head_.used + 1 >= capacity) return nullptr;
  Cell* const cell = look(cells_, mask_, key);
  cell->key = key;
  ++head_.used;
  return cell;
}

bool Tally::grow(std::uint64_t capacity) {
  Cell* const cells = store_.take(capacity);
  if (cells == nullptr) return false;
  for (std::uint64_t i = 0; cells_ != nullptr && i <= mask_; ++i)
    if (cells_[i].key != 0) *look(cells, capacity - 1, cells_[i].key) = cells_[i];
  cells_ = cells;
  mask_ = capacity - 1;
  store_.publish(capacity);
  return true;
}

}  // namespace odonata::profile
