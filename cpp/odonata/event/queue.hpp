// The clock's future: events in the order (time, key).
//
// Keys are canonical (kind and owner), so the order in which events were inserted never matters: a
// simulation that inserts equal-time events in any other order gives the same bytes.
//
//     time ->   | sorted events | bucket | bucket | ... | bucket |   heap of far events
//               ^ next pop        appended unsorted, sorted when they are near
//
// A ring of `num_buckets` buckets of 2^shift ps covers the near future; each is sorted only when
// few sorted events are left, so that what comes next is known some events ahead and can be
// prefetched. The width adapts to the event density; it cannot change the order.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <vector>

#include "odonata/event/key.hpp"
#include "odonata/random/draws.hpp"
#include "odonata/units/units.hpp"

namespace odonata {

/// No event is later [ps]: 26 days, so that a few times can be added to one.
inline constexpr Time latest = Time{1} << 61;

struct Event {
  Time time;          // [ps]
  std::uint64_t key;  // see key_of

  /// Both as one number: compared without a branch.
  [[nodiscard]] constexpr Wide order() const { return static_cast<Wide>(time) << 64 | key; }
  friend constexpr bool operator<(const Event& a, const Event& b) { return a.order() < b.order(); }
  friend constexpr bool operator==(const Event&, const Event&) = default;
};

class EventQueue {
 public:
  EventQueue() : ring_(num_buckets) {}

  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }

  /// Throws UserError for an event beyond `latest`: the sum of times would not fit 64 bits soon.
  void push(Time time, std::uint64_t key) {
    ++size_;
    if (shuffle_seed_ != 0) [[unlikely]]
      return hold_back({time, key});
    insert({time, key});
  }

  /// Holds events back and inserts them in a random order; 0 turns it off. For tests: the order
  /// of insertion may not change anything.
  void shuffle_insertions(std::uint64_t seed) { shuffle_seed_ = seed; }

  /// The earliest event; the queue must not be empty.
  Event pop() {
    sort_next();
    --size_;
    return now_[next_++];
  }

  /// When the earliest event is [ps]; `never` without events.
  [[nodiscard]] Time next_time() {
    if (empty()) return never;
    sort_next();
    return now_[next_].time;
  }

  /// Distance by which events are announced ahead.
  static constexpr std::size_t num_upcoming = 8;
  /// The next `num_upcoming` events in order (for prefetching); null where fewer are sorted.
  [[nodiscard]] const Event* upcoming() const {
    return now_.size() - next_ >= num_upcoming ? now_.data() + next_ : nullptr;
  }

 private:
  static constexpr std::int64_t num_buckets = 4096;
  static constexpr std::size_t mask = num_buckets - 1;
  static constexpr std::size_t lookahead = 12;  // sorted events that shall be known
  static constexpr std::size_t most_past = 64;  // popped events kept in front of them
  static constexpr std::size_t review = 1024;  // filled buckets between two looks at the width
  static constexpr std::size_t crowded = 64;   // mean events a filled bucket: narrow
  static constexpr std::size_t sparse = 4;     // events a step: widen
  static constexpr std::size_t too_far = 4;    // events to one that was far: widen
  static constexpr std::size_t far_enough = 8;  // and narrow only if there are more

  void insert(Event event) {
    const std::int64_t bucket = event.time >> shift_;
    if (bucket <= current_) [[unlikely]]
      insert_now(event);
    else if (bucket < current_ + num_buckets) [[likely]]
      append(ring_[static_cast<std::size_t>(bucket) & mask], event);
    else
      push_far(event);
  }

  // A bucket borrows the memory of one that was emptied lately, which is still in the cache.
  void append(std::vector<Event>& bucket, Event event) {
    if (bucket.capacity() == 0 && !spare_.empty()) {
      bucket.swap(spare_.back());
      spare_.pop_back();
    }
    bucket.push_back(event);
  }

  void insert_now(Event event) {
    const auto from = now_.begin() + static_cast<std::ptrdiff_t>(next_);
    now_.insert(std::upper_bound(from, now_.end(), event), event);
  }

  void push_far(Event event);

  void sort_next() {
    if (!held_.empty()) [[unlikely]]
      insert_held();
    if (now_.size() - next_ <= lookahead) advance();
  }
  void hold_back(Event event) { held_.push_back(event); }
  void insert_held();
  void advance();
  void adapt();
  void take_bucket();
  void spread(const std::vector<Event>& bucket, Event* out) const;
  void take_far();
  void resize(int shift);
  static bool later(const Event& a, const Event& b) { return b < a; }

  std::vector<Event> now_;                 // sorted; [next_, end) is still to come
  std::size_t next_ = 0;
  std::int64_t current_ = -1;              // number of the last bucket in now_
  int shift_ = 10;                         // a bucket is 2^shift_ ps wide
  std::size_t size_ = 0;
  // since the width was last looked at
  std::size_t filled_ = 0, taken_ = 0, steps_ = 0, taken_far_ = 0;
  std::vector<std::vector<Event>> ring_;   // empty buckets own no memory
  std::vector<std::vector<Event>> spare_;  // memory of emptied buckets, the last one on top
  std::vector<Event> far_;                 // heap, earliest first
  std::uint64_t shuffle_seed_ = 0, shuffles_ = 0;
  std::vector<Event> held_;                // not inserted yet, when insertions are shuffled
};

}  // namespace odonata
