// Communicators of topologies, whose ranks may get a better order, from a file or from the mapper.
#pragma once

#include <functional>
#include <vector>

#include "odonata/live/order_question.hpp"
#include "preload/libmpi/core/communicators/communicators.hpp"
#include "preload/libmpi/core/topologies/topology.hpp"

namespace odonata::libmpi {

/// A topology that is to have a communicator.
struct Plan {
  int size = 0;            // its places; the parent has at least as many ranks
  bool reorder = false;    // ranks may get other numbers than in the parent
  std::vector<int> grid = {};  // processes in each dimension, of a Cartesian topology
  /// Called on all ranks before the edges are needed; may be empty.
  std::function<void()> share = {};
  /// Called on the rank that asks the mapper.
  std::function<std::vector<live::Edge>()> edges;
};

/// The communicator of a topology, null on ranks that have no place in it. A topology that may
/// reorder ranks takes the order of the file named in ODONATA_REORDER if that lists as many ranks,
/// else the mapper's order if the run has a mapper; else rank i is rank i of the parent. Throws
/// Error if the file cannot be read or lists no ranks.
[[nodiscard]] CommRef lay_out(Function function, Comm& parent, const Plan& plan);

/// The rank that this one would have in a topology that may reorder ranks, -1 if it has no place.
[[nodiscard]] int mapped(Function function, const Comm& comm, const Plan& plan);

}  // namespace odonata::libmpi
