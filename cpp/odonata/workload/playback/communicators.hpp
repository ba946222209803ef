// The communicators of one rank.
//
// Each has a block of contexts: one for messages between two ranks, one for blocking collectives,
// the others for nonblocking ones in turn, since several may be under way.
#pragma once

#include <vector>

#include "odonata/workload/playback/players.hpp"

namespace odonata::playback {

struct Communicator {
  std::int32_t number = -1;   // the same at all members; -1: unused
  Members local;              // null: all ranks of the job
  Members remote;             // of an intercommunicator, else null
  std::int32_t place = -1;    // my rank among the local ones
  std::uint32_t started = 0;  // nonblocking collectives

  [[nodiscard]] bool inter() const { return remote != nullptr; }
};

class Communicators {
 public:
  Communicators(const Rank& world, Players& players);

  /// Adds the communicator of a record.
  void add(const trace::Record& record);

  /// World number of a rank that a message goes to.
  [[nodiscard]] std::int32_t number_of(std::uint32_t comm, std::int32_t peer) const;
  /// Envelope of a receive from `source`, or any_source.
  [[nodiscard]] Envelope envelope(std::uint32_t comm, std::int32_t source, std::int32_t tag) const;

  /// This rank in its (local) group, with the context of the next collective.
  [[nodiscard]] Rank for_collective(std::uint32_t comm, bool blocking);
  /// The other group of an intercommunicator; null otherwise.
  [[nodiscard]] const Members& remote(std::uint32_t comm) const { return at(comm).remote; }

 private:
  [[nodiscard]] std::size_t place_of(std::uint32_t comm) const;
  [[nodiscard]] const Communicator& at(std::uint32_t comm) const { return all_[place_of(comm)]; }
  [[nodiscard]] std::vector<std::int32_t> numbers_of(std::span<const std::uint64_t> ranks) const;

  Rank world_;
  Players& players_;
  std::int32_t first_;  // world number of the job's rank 0
  std::vector<Communicator> all_;  // by the rank's own number
};

}  // namespace odonata::playback
