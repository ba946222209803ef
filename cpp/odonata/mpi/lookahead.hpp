// Lookahead: lower bounds of when something may happen to a rank, from messages that are prepared
// or under way, and from how soon any other event can reach it.
#pragma once

#include <span>
#include <vector>

#include "odonata/engine/least_time.hpp"
#include "odonata/mpi/expected_events.hpp"
#include "odonata/mpi/job.hpp"
#include "odonata/mpi/message_state.hpp"
#include "odonata/mpi/ranks.hpp"

namespace odonata {

class Lookahead {
 public:
  Lookahead(const Machine& machine, const MpiOptions& options, const Ranks& ranks,
            const LeastTime& least, std::span<const Job> jobs);

  /// A message whose processor's work is done at `ready` [ps], or that sets out then.
  void expect(std::uint32_t id, const MessageState& message, Time ready);
  /// A message that was already under way at `now` [ps]: its start was not noted, so it may touch
  /// its ranks at once.
  void expect_under_way(std::uint32_t id, const MessageState& message, Time now);
  /// An expected event of a message has happened.
  void note_delivered(std::uint32_t id, const MessageState& message);
  void note_injected(std::uint32_t id, const MessageState& message);
  void note_step(const MessageState& message);

  /// Changes when something has happened to a rank; never 0.
  [[nodiscard]] std::uint32_t touches(std::int32_t rank) const { return expected_.touches(rank); }
  /// When something may happen to a rank at the earliest, if nothing that is not expected happens
  /// anywhere before `unforeseen` [ps].
  [[nodiscard]] Time earliest(std::int32_t rank, Time unforeseen);

 private:
  [[nodiscard]] std::vector<Time> reaches(std::int32_t first_rank, std::int32_t ranks) const;
  [[nodiscard]] std::int32_t node_of(std::int32_t rank) const { return ranks_.home(rank).node; }
  [[nodiscard]] std::int32_t port_of(std::int32_t rank) const { return ranks_.home(rank).port; }
  /// The least time of an empty message from a rank of another node to this one [ps].
  [[nodiscard]] Time from_nearest(std::span<const std::int32_t> others, std::int32_t rank) const;
  /// Least times of a message between two ranks [ps], whole or in parts.
  [[nodiscard]] Time across(std::int32_t from, std::int32_t to, Bytes bytes) const;
  [[nodiscard]] Time to_leave(std::int32_t from, Bytes bytes) const;

  const Machine& machine_;
  const MpiOptions& options_;
  const Ranks& ranks_;
  LeastTime least_;
  ExpectedEvents expected_;
  std::vector<Time> reach_;  // [ranks] [ps] from any event to the first that it causes
};

}  // namespace odonata
