// Paces of messages, told as late as can be: few of the messages for which a rank waited matter in
// the end.
//
// Each message that is kept has at most one message before it on a path that comes over it. So it
// is forgotten when nobody holds it any more: no rank whose latest wait it ended, and no message
// that is kept and comes after it. What is still held when its passages are about to be forgotten
// is told.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "odonata/engine/pace.hpp"
#include "odonata/engine/passages.hpp"
#include "odonata/event/long_list.hpp"
#include "odonata/event/table.hpp"

namespace odonata {

class Paces {
 public:
  static constexpr std::uint32_t none = 0xffffffff;

  Paces(const Machine& machine, const Passages& passages)
      : passages_(passages), pace_(machine, passages) {}

  /// Keeps a message, if `paced` with a pace that may be asked for; whoever calls is its first
  /// holder. Messages have numbers one after the other. `before` is on the path before it.
  void add(std::uint32_t number, std::uint32_t before, const std::optional<Paced>& paced);
  /// Takes back the message that was added last.
  void take_back(std::uint32_t number);
  /// Numbers may be `none`, or of messages that are told already.
  void hold(std::uint32_t number) {
    if (waits(number)) ++at(number).holders;
  }
  void release(std::uint32_t number) {
    while (waits(number) && --at(number).holders == 0) number = at(number).before;
  }
  /// Tells what would be forgotten; must be called after each passage.
  void keep_up() {
    if (passages_.latest() >= due_) [[unlikely]]
      settle();
  }
  /// Tells all that are held.
  void close();
  /// The pace of a message that was added with one, as Pace tells it. Throws InternalError if
  /// nobody held it.
  [[nodiscard]] Way of(std::uint32_t number) const;
  /// Paces that were told.
  [[nodiscard]] std::size_t num_told() const { return told_.size(); }

 private:
  static constexpr std::uint64_t never_due = ~std::uint64_t{0};

  struct Kept {
    std::optional<Paced> paced;
    std::uint64_t latest = 0;  // passage when it was kept
    std::uint32_t before = none;
    std::uint32_t holders = 0;
  };
  static_assert(sizeof(Kept) == 64);
  struct Told {
    std::uint32_t number;
    std::uint32_t pieces;
    std::uint64_t first;  // piece
  };

  [[nodiscard]] bool waits(std::uint32_t number) const { return number - first_ < num_kept_; }
  [[nodiscard]] Kept& at(std::uint32_t number) { return kept_[number & mask_]; }
  void make_room();
  void settle();
  void settle_first();

  const Passages& passages_;
  Pace pace_;
  Table<Kept> kept_ = Table<Kept>(64);  // by the lower bits of their numbers,
  std::uint32_t mask_ = 63;  // which are these
  std::uint32_t first_ = 0;  // number of the first that is kept
  std::uint32_t num_kept_ = 0;
  std::uint64_t due_ = never_due;  // passage at which that one must be told
  std::vector<Told> told_;  // in the order of their numbers
  LongList<Piece> pieces_;
};

}  // namespace odonata
