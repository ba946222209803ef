// The acts of the programs of all ranks, of which a schedule consists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "odonata/units/units.hpp"

namespace odonata {

struct Act {
  enum class Kind : std::uint8_t {
    work,  // of the processor, for `value` [ps]; the program continues meanwhile
    rest,  // continues when the processor has nothing left to do
    pause,  // continues at the time `value` [ps]
    send,  // `value` [B] to `peer`
    send_synchronous,
    send_buffered,
    receive,  // up to `value` [B] from `peer`
    need,  // continues when the rank's act `value`, a send or receive, is complete
    nothing,  // a receive that was taken back
  };

  Kind kind = Kind::nothing;
  std::int32_t peer = 0, tag = 0, context = 0;
  std::int64_t value = 0;
};
static_assert(sizeof(Act) == 24);

/// Identity of an act: its rank, and its number among the acts of that rank.
struct ActId {
  std::int32_t rank = -1;  // -1: an act that is not kept
  std::uint32_t number = 0;
};

/// Keeps the acts of each rank in their order. A run with more than `most` acts has none.
class Acts {
 public:
  static constexpr std::size_t most_acts = std::size_t{1} << 25;

  explicit Acts(bool kept, std::size_t most = most_acts) : keeps_(kept), most_(most) {}

  /// Are all acts of the run so far there?
  [[nodiscard]] bool keeps() const { return keeps_; }
  /// The acts of each rank up to the last that has acted.
  [[nodiscard]] const std::vector<std::vector<Act>>& by_rank() const { return by_rank_; }

  ActId add(std::int32_t rank, const Act& act);
  /// The program of its rank knows that a send or receive is complete.
  void need(ActId act);
  /// A message is taken by a receive, which may have asked for any.
  void settle(ActId act, std::int32_t source, std::int32_t tag);
  /// A receive has been taken back.
  void withdraw(ActId act);

 private:
  [[nodiscard]] bool has(ActId act) const { return keeps_ && act.rank >= 0; }

  bool keeps_;
  std::size_t most_;
  std::size_t size_ = 0;  // of all ranks
  std::vector<std::vector<Act>> by_rank_;
};

}  // namespace odonata
