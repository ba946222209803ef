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

struct RecordedRun {
  std::vector<std::int32_t> nodes;  // by rank
  std::vector<Act> acts;
  std::vector<Flight> flights;  // in the order in which they were handed over
};

class MovedRun {
 public:
  /// The machine's network is not looked at, only its nodes and their NICs. Throws UserError where
  /// acts or flights are of no rank or no act.
  MovedRun(std::shared_ptr<const Machine> machine, const MpiOptions& mpi,
           const EngineOptions& engine, RecordedRun run);

  /// When each rank ends if each message between nodes comes later by so much [ps].
  [[nodiscard]] std::vector<Time> ends(Time later) const;

 private:
  class KeptNetwork;

  void sort_acts();
  void find_rests();
  [[nodiscard]] Program program() const;
  /// A send or a receive of a rank: the act of this number.
  [[nodiscard]] Request begin(const Rank& rank, std::uint32_t number) const;

  std::shared_ptr<const Machine> machine_;
  MpiOptions mpi_;
  EngineOptions engine_;
  RecordedRun run_;
  std::vector<std::uint32_t> order_;  // acts by rank
  std::vector<std::size_t> first_;  // of each rank in it
  std::vector<std::uint32_t> places_;  // by act: of a send among sends, of others among its rank's
  std::vector<Time> rests_, leaves_;  // [ps] by send and leg, from the NIC's begin on; -1: none
};

}  // namespace odonata
