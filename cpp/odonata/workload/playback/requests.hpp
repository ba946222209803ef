// Meanings of the requests of one rank.
#pragma once

#include <vector>

#include "odonata/mpi/rank.hpp"
#include "odonata/trace/call.hpp"

namespace odonata::playback {

/// An operation under way.
struct Open {
  enum class Kind : std::uint8_t { none, send, receive, message, collective };
  Kind kind = Kind::none;
  bool cancelled = false;     // a receive that never was posted
  Request request;
  std::uint32_t message = 0;  // of a matched probe: slot
};

/// By the numbers that the program's library gave them, which it uses again.
class Requests {
 public:
  explicit Requests(const Rank& rank) : rank_(rank) {}

  /// A request that is still open under this number has been freed by the program and completes by
  /// itself.
  void open(std::uint32_t number, const Open& made);
  /// Throws UserError without an open request.
  [[nodiscard]] const Open& at(std::uint32_t number) const;
  void close(std::uint32_t number) {
    all_[number] = Open{};
    --num_open_;
  }
  /// Is no request open, nor one that was freed under way as far as is known?
  [[nodiscard]] bool none() const { return num_open_ == 0 && freed_.empty(); }

 private:
  void retire_freed();

  Rank rank_;
  std::vector<Open> all_;  // by number
  std::size_t num_open_ = 0;
  std::vector<Request> freed_;
  std::size_t look_at_ = 64;  // of them
};

}  // namespace odonata::playback
