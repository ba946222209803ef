// Ranks that share a thread and are ready to continue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace odonata::live {

/// Ranks that can continue, taken in order: up through the ranks, and down again. Programs send to
/// ranks above and below them; a sweep carries messages along, so a rank that is reached late has
/// many messages and goes far at once. In order of waking, a ring against the order has one message
/// a turn for ever.
class ReadyRanks {
 public:
  explicit ReadyRanks(int num_ranks) : words_((static_cast<std::size_t>(num_ranks) + 63) / 64) {}

  /// Once for all until it is taken.
  void add(int rank);
  /// The next one, which is taken off, or -1.
  [[nodiscard]] int take();

 private:
  [[nodiscard]] int first_from(int rank) const;    // or -1
  [[nodiscard]] int last_before(int rank) const;

  std::vector<std::uint64_t> words_;  // a bit a rank
  int place_ = 0;                     // between the ranks below and this one
  bool up_ = true;
};

}  // namespace odonata::live
