// The messages that have come to this rank, and the receives that wait for one.
#pragma once

#include <cstdint>
#include <vector>

#include "libmpi/core/link.hpp"

namespace odonata::libmpi {

class ReceiveRequest;

/// What a receive or probe asks for; source is a rank of the world or trace::any.
struct Wanted {
  std::uint64_t comm = 0;
  std::int32_t source = trace::any;
  std::int32_t tag = trace::any;

  [[nodiscard]] bool takes(const live::Mail& mail) const {
    return comm == mail.comm && (source == trace::any || source == mail.source) &&
           (tag == trace::any || tag == mail.tag);
  }
};

/// Messages of one rank. A receive that is not undecided takes the first that fits.
class PointToPoint {
 public:
  explicit PointToPoint(Link& link) : link_(link) {}

  /// Reads the mail: each message goes to the first receive that takes it, or is kept.
  void progress();
  /// Posts a receive; it may have its message at once.
  void post(ReceiveRequest& receive);
  /// Takes a receive back; its message, if it has one, is kept for the next.
  void withdraw(ReceiveRequest& receive);
  /// The first message that fits, left where it is; 0 if there is none.
  [[nodiscard]] Offset find(const Wanted& wanted) const;
  /// Takes that message, or the one of that sender and serial, which has come.
  Offset take(Offset mail);
  Offset take(std::int32_t source, std::uint32_t serial);

  /// Receives whose message only simulated time decides.
  [[nodiscard]] bool any_undecided() const { return undecided_ > 0; }
  void add_undecided(int change) { undecided_ += change; }

  /// The serial of the next message that this rank sends.
  std::uint32_t next_serial() { return num_sent_++; }
  /// Numbers of requests, recycled.
  std::uint32_t open_number();
  void close_number(std::uint32_t number) { free_numbers_.push_back(number); }

 private:
  struct Posted {
    Wanted wanted;
    ReceiveRequest* receive;
  };

  Link& link_;
  std::vector<Offset> kept_;      // in order of arrival
  std::vector<Posted> receives_;  // in order of posting
  int undecided_ = 0;
  std::uint32_t num_sent_ = 0;
  std::uint32_t num_numbers_ = 0;
  std::vector<std::uint32_t> free_numbers_;
};

}  // namespace odonata::libmpi
