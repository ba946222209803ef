// Matching: the posted receives and the unexpected messages of one rank.
#pragma once

#include <cstdint>
#include <vector>

#include "preload/libmpi/core/shared_memory/endpoint.hpp"

namespace odonata::libmpi {

class ReceiveRequest;

/// Source, tag and communicator that a receive or probe asks for. The source is a rank of the world
/// or trace::any.
struct Envelope {
  std::uint64_t comm = 0;
  std::int32_t source = trace::any;
  std::int32_t tag = trace::any;

  [[nodiscard]] bool takes(const live::Mail& mail) const {
    return comm == mail.comm && (source == trace::any || source == mail.source) &&
           (tag == trace::any || tag == mail.tag);
  }
};

/// Both queues are in order of time: a message goes to the first receive that takes it, and a
/// receive takes the first message that fits. Undecided receives are in neither queue.
class MessageQueues {
 public:
  explicit MessageQueues(Endpoint& endpoint) : endpoint_(endpoint) {}

  /// Reads the mail: each message goes to a posted receive or into the queue of unexpected
  /// messages.
  void progress();
  /// Posts a receive, which may take an unexpected message at once.
  void post(ReceiveRequest& receive);
  /// Withdraws a receive; its message, if it has one, becomes unexpected again.
  void withdraw(ReceiveRequest& receive);
  /// The first unexpected message that fits, or 0. The message stays in the queue.
  [[nodiscard]] Offset find(const Envelope& envelope) const;
  /// Removes a message from the queue, or the message with a sender and serial, which has arrived.
  Offset take(Offset mail);
  Offset take(std::int32_t source, std::uint32_t serial);

  /// Number of receives whose message depends on simulated time.
  [[nodiscard]] bool any_undecided() const { return undecided_ > 0; }
  void add_undecided(int change) { undecided_ += change; }

  /// The serial of the next message that this rank sends.
  std::uint32_t next_serial() { return num_sent_++; }

 private:
  struct Posted {
    Envelope envelope;
    ReceiveRequest* receive;
  };

  Endpoint& endpoint_;
  std::vector<Offset> unexpected_;      // in order of arrival
  std::vector<Posted> posted_;  // in order of posting
  int undecided_ = 0;
  std::uint32_t num_sent_ = 0;
};

}  // namespace odonata::libmpi
