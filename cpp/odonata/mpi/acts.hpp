// The acts of the programs of all ranks, of which a schedule consists.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "odonata/event/long_list.hpp"
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
    need,  // continues when the send or receive of act `value` is complete
    nothing,  // a receive that was taken back
  };

  Kind kind = Kind::nothing;
  std::int32_t rank = 0;
  std::int64_t value = 0;
  std::int32_t peer = 0, tag = 0, context = 0;
};

/// Acts in their order, in eight bytes each. Their other fields (size, peer, tag, context) are kept
/// once for most acts that have it alike, because programs repeat themselves.
class ActList {
 public:
  static constexpr std::int32_t most_ranks = 1 << 28;
  static constexpr std::uint32_t most_acts = 0xffffffff;

  /// Adds an act of a rank below `most_ranks`; returns its number.
  std::uint32_t add(const Act& act);
  /// A receive, which may have asked for any, takes a message.
  void settle(std::uint32_t number, std::int32_t source, std::int32_t tag);
  /// A receive has been taken back.
  void withdraw(std::uint32_t number) {
    heads_[number].who = word_of(Act::Kind::nothing, heads_[number].rank());
  }

  [[nodiscard]] Act operator[](std::uint32_t number) const;
  [[nodiscard]] std::size_t size() const { return heads_.size(); }
  [[nodiscard]] std::size_t bytes() const {
    return heads_.size() * sizeof(Head) + shapes_.size() * sizeof(Shape);
  }

 private:
  struct Head {
    std::uint32_t who;      // | kind 4 | rank 28 |
    std::uint32_t operand;  // the act that is needed, or a shape

    [[nodiscard]] Act::Kind kind() const { return static_cast<Act::Kind>(who >> 28); }
    [[nodiscard]] std::int32_t rank() const {
      return static_cast<std::int32_t>(who & (most_ranks - 1));
    }
  };
  static_assert(sizeof(Head) == 8);
  struct Shape {
    std::uint32_t low, high;  // of the value
    std::int32_t peer, tag, context;

    friend bool operator==(const Shape&, const Shape&) = default;
  };

  static std::uint32_t word_of(Act::Kind kind, std::int32_t rank) {
    return static_cast<std::uint32_t>(kind) << 28 | static_cast<std::uint32_t>(rank);
  }
  [[nodiscard]] std::uint32_t number_of(const Shape& shape);

  LongList<Head> heads_;
  LongList<Shape> shapes_;
  std::vector<std::uint32_t> known_;  // by hash: a shape that was met; one past it, 0: none
};

/// Keeps acts in the order in which they happened. A run of which they take more memory than
/// `most_bytes` has none.
class Acts {
 public:
  explicit Acts(bool kept, std::size_t most_bytes = most)
      : record_(kept ? std::make_shared<ActList>() : nullptr), most_bytes_(most_bytes) {}

  static constexpr std::size_t most = std::size_t{256} << 20;  // [B]
  static constexpr std::uint32_t none = 0xffffffff;

  /// The record; null if it was too much.
  [[nodiscard]] std::shared_ptr<const ActList> record() const { return record_; }

  /// Returns the number of the act; `none` if it is not kept.
  std::uint32_t add(const Act& act);
  /// The program of its rank knows that a send or receive is complete.
  void need(std::uint32_t act);
  /// A message is taken by a receive, which may have asked for any.
  void settle(std::uint32_t act, std::int32_t source, std::int32_t tag);
  /// A receive has been taken back.
  void withdraw(std::uint32_t act);

 private:
  [[nodiscard]] bool has(std::uint32_t act) const { return record_ && act < record_->size(); }

  std::shared_ptr<ActList> record_;
  std::size_t most_bytes_;
};

}  // namespace odonata
