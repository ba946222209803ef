// Matching: the posted receives and the unexpected messages of one rank.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "odonata/mpi/message.hpp"

namespace odonata {

/// Source, tag and context that a receive asks for or that a message has.
struct Envelope {
  std::int32_t source = any_source;  // rank in the world
  std::int32_t tag = any_tag;
  std::int32_t context = 0;

  /// Does a receive that asks for *this take `message`?
  [[nodiscard]] bool takes(const Envelope& message) const {
    return context == message.context && (source == any_source || source == message.source) &&
           (tag == any_tag || tag == message.tag);
  }
};

/// A posted receive, or an unexpected message.
struct Unmatched {
  static constexpr std::uint32_t nothing = 0xffffffff;

  Envelope envelope;
  std::uint32_t number = nothing;  // of the request, or the message's slot
};

/// Result of a search: the first that fits, and the entries before it; all of them if none fits.
struct Found {
  std::uint32_t number = Unmatched::nothing;
  std::uint32_t passed = 0;

  explicit operator bool() const { return number != Unmatched::nothing; }
  std::uint32_t operator*() const { return number; }
};

/// Both queues are in order of time; the first that fits is taken, as MPI demands. They mostly hold
/// one element, so the first of each stands in the mailbox itself: 40 bytes.
class Mailbox {
 public:
  /// The posted receive that takes this message; without one the message is kept.
  Found arrive(const Envelope& envelope, std::uint32_t message);
  /// The unexpected message that this receive takes; without one the receive is kept.
  Found post(const Envelope& wanted, std::uint32_t request);
  /// The unexpected message that such a receive would take, left where it is.
  [[nodiscard]] std::optional<std::uint32_t> probe(const Envelope& wanted) const;
  /// Takes that message out: no receive that is posted later can match it.
  Found take(const Envelope& wanted);
  /// Takes back a receive; false if it has been matched.
  bool withdraw(std::uint32_t request);

  [[nodiscard]] std::vector<Unmatched> posted() const;
  [[nodiscard]] std::vector<Unmatched> unexpected() const;
  /// The oldest receive's request, mostly; 0 if it isn't known at once.
  [[nodiscard]] std::uint32_t next_posted() const {
    return posted_.number == Unmatched::nothing ? 0 : posted_.number;
  }
  [[nodiscard]] bool empty() const { return posted().empty() && unexpected().empty(); }

 private:
  struct Rest {
    std::vector<Unmatched> posted, unexpected;
  };
  using Queue = std::vector<Unmatched> Rest::*;

  void push(Unmatched& first, Queue rest, const Unmatched& what);
  template <class Fits>
  Found take(Unmatched& first, Queue rest, Fits fits);
  [[nodiscard]] std::vector<Unmatched> all(const Unmatched& first, Queue rest) const;

  Unmatched posted_, unexpected_;  // older than the rest
  std::unique_ptr<Rest> rest_;
};

}  // namespace odonata
