// Memory that ranks touch soon: fetched step by step, since each step needs the line before it.
#pragma once

#include "odonata/event/prefetcher.hpp"
#include "odonata/mpi/transport.hpp"

namespace odonata {

/// A delivery leads to its message, to the rank that it is for, and to that rank's program; so does
/// an event that resumes a rank.
class RankPrefetcher final : public Prefetcher {
 public:
  RankPrefetcher(const Ranks& ranks, const Requests& requests, const Coroutines& coroutines,
                 const Transport& transport, const Network& network)
      : ranks_(ranks),
        requests_(requests),
        coroutines_(coroutines),
        transport_(transport),
        network_(network) {}

  [[gnu::noinline]] void prefetch(const Event* next) const override {
    if (const auto message = delivered(next[5]); message != Network::none)
      fetch(&transport_.message(message));
    if (const auto rank = receiver(next[2]); rank >= 0) ranks_.prefetch(rank);
    if (const auto rank = receiver(next[1]); rank >= 0) {
      requests_.prefetch(ranks_[rank].mailbox.next_posted());
      prefetch_program(rank);
      prefetch_port(rank);
    }
    if (const auto rank = resumed(next[7]); rank >= 0) ranks_.prefetch(rank);
    if (const auto rank = resumed(next[5]); rank >= 0) prefetch_port(rank);
    if (const auto rank = resumed(next[2]); rank >= 0) prefetch_program(rank);
  }

 private:
  [[nodiscard]] std::uint32_t delivered(const Event& event) const {
    return kind_of(event.key) == Kind::deliver ? network_.message_of(event) : Network::none;
  }
  // -1: the event delivers nothing that a rank receives.
  [[nodiscard]] std::int32_t receiver(const Event& event) const {
    const std::uint32_t id = delivered(event);
    if (id == Network::none) return -1;
    const MessageState& message = transport_.message(id);
    return message.stage() >= MessageStage::datagram ? -1 : message.to;
  }
  [[nodiscard]] std::int32_t resumed(const Event& event) const {
    return coroutines_.resumed_rank(event);
  }
  void prefetch_port(std::int32_t rank) const { network_.prefetch_port(ranks_.home(rank).port); }
  void prefetch_program(std::int32_t rank) const {
    const char* frame = static_cast<const char*>(ranks_[rank].waiting.address());
    if (frame == nullptr) return;
    for (std::ptrdiff_t line = 0; line < 5; ++line) fetch(frame + 64 * line);
  }

  const Ranks& ranks_;
  const Requests& requests_;
  const Coroutines& coroutines_;
  const Transport& transport_;
  const Network& network_;
};

}  // namespace odonata
