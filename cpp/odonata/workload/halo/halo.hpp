// Halo exchange: every rank of a process grid sends the faces of its box of cells to its
// neighbours, and receives theirs.
#pragma once

#include <string>
#include <vector>

#include "odonata/mpi/rank.hpp"
#include "odonata/workload/halo/grid.hpp"

namespace odonata {

/// A side of a box of cells, which is exchanged with the neighbour there.
struct Face {
  Bytes bytes = 0;  // [B]
  PerByte pack;     // [ps/B] copying it into the message, or out of it
};

struct HaloOptions {
  std::vector<std::int32_t> sides;  // of the process grid, x first
  std::vector<Face> faces;          // [sides] to the neighbours along x, y, z, ...
  Distribution distribution = Distribution::plain;
  bool periodic = true;  // the last rank of a line is a neighbour of the first
  int repetitions = 1;
  std::string name = "halo";  // of the phases
};

/// Messages of all ranks in one repetition.
[[nodiscard]] std::int64_t messages_of(const ProcessGrid& grid, bool periodic);

/// The rank program of ranks on these nodes. In each repetition a rank posts all receives, then
/// packs and sends one face after the other (x down, x up, y down, ...), then waits for one after
/// the other in the order in which they were sent and unpacks it, and last waits for all sends.
/// Throws UserError if the grid doesn't fit the ranks.
[[nodiscard]] Program halo(const HaloOptions& options, const Machine& machine,
                           const std::vector<std::int32_t>& nodes);

}  // namespace odonata
