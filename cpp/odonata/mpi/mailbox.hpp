// Matching: the posted receives and the unexpected messages of one rank.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "odonata/mpi/message.hpp"
#include "odonata/mpi/short_queue.hpp"

namespace odonata {

/// What a receive asks for, or what a message says of itself.
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

struct Posted {
  Envelope wanted;
  std::uint32_t request = 0;
  Span into;
};

struct Unexpected {
  Envelope envelope;
  std::uint32_t message = 0;  // slot
};

/// Both queues are in order of time; the first that fits is taken, as MPI demands.
class Mailbox {
 public:
  /// The posted receive that takes this message; the message is kept if there is none.
  std::optional<Posted> arrive(const Envelope& envelope, std::uint32_t message);
  /// The unexpected message that this receive takes; the receive is kept if there is none.
  std::optional<std::uint32_t> post(const Posted& receive);
  /// The unexpected message that such a receive would take, left where it is.
  [[nodiscard]] std::optional<std::uint32_t> probe(const Envelope& wanted) const;
  /// Takes that message out: no receive that is posted later can match it.
  std::optional<std::uint32_t> take(const Envelope& wanted);
  /// Takes back a receive; false if it has been matched.
  bool withdraw(std::uint32_t request);

  [[nodiscard]] std::vector<Posted> posted() const { return posted_.all(); }
  [[nodiscard]] std::vector<Unexpected> unexpected() const { return unexpected_.all(); }
  [[nodiscard]] bool empty() const { return posted_.empty() && unexpected_.empty(); }

 private:
  ShortQueue<Posted> posted_;
  ShortQueue<Unexpected> unexpected_;
};

}  // namespace odonata
