// The latest passages of all packets: what each link sent, and when.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "odonata/event/table.hpp"
#include "odonata/units/units.hpp"

namespace odonata {

/// A packet's transmission over a link. Passages are named by numbers, which grow with their
/// starts; among each other they know the lower halves of these.
struct Passage {
  static constexpr std::uint32_t none = 0, forgotten = 0xffffffff;

  Time start = 0, end = 0;     // [ps]
  std::uint32_t before = none; // the packet's, on the link before
  std::uint32_t after = none;  // the packet's, on the link behind this one
  std::uint32_t ahead = none;  // the last before it on its own link
  std::uint32_t link : 24 = 0;
  std::uint32_t vc : 8 = 0;
};
static_assert(sizeof(Passage) == 32);

/// Passages in a ring, which forgets the oldest. Who looks at them names the latest that he knows,
/// and finds `memory` passages up to that one as long as not more than `spare` have come since. A
/// small ring stays in the cache, so it begins as one and grows with what is asked for.
class Passages {
 public:
  static constexpr std::size_t most = std::size_t{1} << 18;
  static constexpr std::size_t at_first = std::size_t{1} << 14;

  explicit Passages(std::size_t num_links, std::size_t memory = at_first,
                    std::size_t spare = at_first / 2)
      : last_(num_links), memory_(memory), spare_(spare) {
    passages_.reserve(memory + spare);
  }

  /// Adds a passage, whose `before` and `ahead` it finds; returns its number.
  std::uint64_t add(Passage passage, std::uint64_t before) {
    const std::uint64_t number = ++latest_;
    const std::uint64_t ahead = std::exchange(last_[passage.link], number);
    passage.ahead = number - ahead < memory_ ? static_cast<std::uint32_t>(ahead) : Passage::none;
    if (before != Passage::none) passage.before = follow(before);
    const std::size_t place = number - begin_;
    if (place == passages_.size()) [[unlikely]]
      add_at_end(passage);
    else
      passages_[place] = passage;
    return number;
  }
  [[nodiscard]] std::uint64_t latest() const { return latest_; }
  [[nodiscard]] std::size_t spare() const { return spare_; }
  /// Grows, unless it is large already, if half of its memory is not so many passages.
  void remember(std::uint64_t passages) {
    if (2 * passages > memory_ && memory_ < most) [[unlikely]]
      grow();
  }
  /// Null if it is none, or forgotten or not known when `latest` was.
  [[nodiscard]] const Passage* find(std::uint32_t number, std::uint64_t latest) const {
    const std::uint32_t age = static_cast<std::uint32_t>(latest) - number;
    if (number == Passage::none || number == Passage::forgotten) return nullptr;
    if (age >= memory_ || latest - age < oldest_) return nullptr;
    return &passages_[place_of(latest - age)];
  }

 private:
  // The latest passage goes on with what has passed before; returns the number of that.
  std::uint32_t follow(std::uint64_t before) {
    if (latest_ - before >= memory_ || before < oldest_) [[unlikely]]
      return Passage::forgotten;
    passages_[place_of(before)].after = static_cast<std::uint32_t>(latest_);
    return static_cast<std::uint32_t>(before);
  }
  void grow() {
    Table<Passage> all;
    all.reserve(2 * (memory_ + spare_));
    oldest_ = latest_ + 1 - passages_.size();
    for (std::uint64_t number = oldest_; number <= latest_; ++number)
      all.push_back(passages_[place_of(number)]);
    passages_ = std::move(all);
    begin_ = oldest_;
    memory_ *= 2;
    spare_ *= 2;
  }
  void add_at_end(const Passage& passage) {
    if (passages_.size() < memory_ + spare_) return passages_.push_back(passage);
    begin_ = latest_;
    passages_.front() = passage;
  }
  [[nodiscard]] std::size_t place_of(std::uint64_t number) const {
    return number >= begin_ ? number - begin_ : number - begin_ + passages_.size();
  }

  Table<Passage> passages_;
  Table<std::uint64_t> last_;  // by link
  std::size_t memory_, spare_;
  std::uint64_t latest_ = 0;
  std::uint64_t begin_ = 1;  // number of the passage at the first place
  std::uint64_t oldest_ = 1;  // that was there when the ring grew
};

}  // namespace odonata
