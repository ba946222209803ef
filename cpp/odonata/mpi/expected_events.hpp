// Known future events of each rank, with their earliest times.
//
// Each message that is prepared or under way may do something to its receiver (arrive) and to its
// sender (an answer arrives, the data have left): one entry a side, replaced as the message
// proceeds. A lower bound that has passed says nothing about when it happens.
#pragma once

#include <cstdint>
#include <vector>

#include "odonata/units/units.hpp"

namespace odonata {

class ExpectedEvents {
 public:
  /// The rank of a message that it will touch.
  enum class Side : std::uint32_t { sender, receiver };

  /// Ranks are told of here when they are added.
  void resize(std::size_t num_ranks) { ranks_.resize(num_ranks); }

  /// A message touches `rank` at `earliest` [ps] or later; replaces the old entry of this side.
  void expect(std::int32_t rank, std::uint32_t message, Side side, Time earliest);
  /// An expected event has happened, or never will.
  void settle(std::uint32_t message, Side side);
  /// Something has happened to a rank.
  void touch(std::int32_t rank) { ++at(rank).touches; }
  /// Changes with every touch; 1 at first.
  [[nodiscard]] std::uint32_t touches(std::int32_t rank) const { return ranks_[rank].touches; }
  /// The earliest expected event [ps]; `never` without one.
  [[nodiscard]] Time earliest(std::int32_t rank);

 private:
  struct Entry {
    Time earliest;          // [ps]
    std::uint32_t number;   // of the message and side
    std::uint32_t version;  // another one than the current means that the entry is settled
  };
  struct Expectations {
    std::vector<Entry> entries;  // a heap, earliest first; settled ones go when they are on top
    std::size_t live = 0;        // entries that are not settled
    std::uint32_t touches = 1;
  };
  struct Expected {
    std::uint32_t version = 0;
    std::int32_t rank = -1;  // that expects it; -1: none
  };

  Expectations& at(std::int32_t rank) { return ranks_[rank]; }
  [[nodiscard]] bool settled(const Entry& entry) const {
    return expected_[entry.number].version != entry.version;
  }
  void settle(std::uint32_t number);
  void tidy(Expectations& state);

  std::vector<Expectations> ranks_;
  std::vector<Expected> expected_;  // two a message
};

}  // namespace odonata
