// Counters of one rank: its calls, the sizes of its messages, the ranks that it sends to.
#pragma once

#include <cstdint>

#include "odonata/profile/layout.hpp"
#include "odonata/trace/block.hpp"
#include "odonata/trace/collectives.hpp"

namespace odonata::profile {

/// Memory that a table of cells lies in.
class Store {
 public:
  virtual ~Store() = default;
  /// Zeroed memory for as many cells; null without memory.
  virtual Cell* take(std::uint64_t capacity) = 0;
  /// The cells taken last are complete and in use; those before are free.
  virtual void publish(std::uint64_t capacity) = 0;
};

/// Counts the calls of a rank. Its memory grows with the number of different things that are
/// counted, not with their count.
class Tally {
 public:
  /// Head and store must outlive it; the head is zero except for the caller's fields. `capacity`:
  /// cells at first, a power of two.
  Tally(Head& head, Store& store, std::uint64_t capacity);

  /// A call of a function that is over, and whether a poll has found something. `calls` is 0 for
  /// time that belongs to a call counted before.
  void call(std::uint32_t function, trace::Found found, std::uint64_t ticks,
            std::uint64_t calls = 1);
  /// A message that a function sends, or the block of its collective [B].
  void size(std::uint32_t function, std::int64_t bytes);
  /// A message to a rank in the world.
  void message(std::int32_t to, std::int64_t bytes);
  /// A collective on a communicator of as many ranks. `share` [B]: the bytes that Moved of
  /// trace/moved.py multiplies by the operation's factor.
  void collective(trace::Collective operation, std::uint32_t ranks, bool root, std::int64_t share);
  /// The phase of this level begins.
  void mark(std::int32_t level, std::uint64_t now);
  /// The end of a call.
  void pass(std::uint64_t now) { head_.latest = now; }
  /// The rank's profile is complete.
  void end(std::uint64_t now);

 private:
  Cell* find(std::uint64_t key);
  Cell* insert(std::uint64_t key);
  bool grow(std::uint64_t capacity);
  void add(std::uint64_t key, std::uint64_t count, std::uint64_t bytes, std::uint64_t time);
  void leave_phase(std::uint64_t now);

  Head& head_;
  Store& store_;
  Cell* cells_ = nullptr;
  std::uint64_t mask_ = 0;  // capacity - 1
};

}  // namespace odonata::profile
