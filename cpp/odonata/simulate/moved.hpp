// A recorded run with later messages: the programs do what they did, over a network that only knows
// how long each message took.
//
//     a message took   |  waits at its NIC behind others  |  rest  |
//     and takes now    |  waits, behind those of now  |  rest  |  later  |
//
// So the order in which a rank receives, and in which a NIC serves its ranks, is that of the new
// times. Waits behind the messages of other nodes are taken as they were.
#pragma once

#include <memory>
#include <vector>

#include "odonata/engine/network.hpp"
#include "odonata/explain/acts.hpp"
#include "odonata/mpi/world.hpp"

namespace odonata {

class MovedRun {
 public:
  /// The machine's network is not looked at, only its nodes and their NICs. Throws UserError where
  /// acts or flights are of no rank or no act.
  MovedRun(std::shared_ptr<const Machine> machine, const MpiOptions& mpi,
           const EngineOptions& engine, std::vector<std::int32_t> nodes, const ActRecord& record);

  /// When each rank ends if each message between nodes comes later by so much [ps].
  [[nodiscard]] std::vector<Time> ends(Time later) const;

 private:
  class KeptNetwork;

  void count_acts(const ActList& acts);
  /// Returns the new numbers of the acts.
  [[nodiscard]] std::vector<std::uint32_t> sort_acts(const ActList& acts);
  void place_times();
  [[nodiscard]] bool asks(const Act& send) const;
  void find_times(const LongList<Flight>& flights, const std::vector<std::uint32_t>& number_of);
  [[nodiscard]] Program program() const;
  /// A send or a receive of a rank: the act of this number.
  [[nodiscard]] Request begin(const Rank& rank, std::uint32_t number) const;

  std::shared_ptr<const Machine> machine_;
  MpiOptions mpi_;
  EngineOptions engine_;
  std::vector<std::int32_t> nodes_;  // by rank
  ActList acts_;  // by rank; the act that is needed counts among them
  std::vector<std::uint32_t> first_;  // of each rank in it
  std::vector<std::uint32_t> places_;  // by act: of a send among times
  // Times of each send, from its NIC's begin on: when it arrives; of one that asks first, when its
  // request, its answer and its data arrive, and when these leave. [ps] -1: not known
  std::vector<Time> times_;
};

}  // namespace odonata
