// Faces that the ranks of a process grid swap with their neighbours: who sends which to whom.
#pragma once

#include <vector>

#include "odonata/workload/halo/halo.hpp"

namespace odonata {

/// A message to a neighbour or from one.
struct FaceMessage {
  int peer = 0;
  int tag = 0;  // direction in which it goes, since two ranks may be neighbours in both
  Span face;
  Time pack = 0;  // [ps] or unpack
};

/// Messages of a rank in one exchange. Incoming messages stand in the order of their tags, in which
/// neighbours send them.
struct Swaps {
  std::vector<FaceMessage> out, in;
};

/// The places of all ranks in the grid; ranks share it.
class Neighbours {
 public:
  /// Throws UserError if the grid doesn't fit the ranks.
  Neighbours(const HaloOptions& options, const Machine& machine,
             const std::vector<std::int32_t>& nodes);

  [[nodiscard]] const HaloOptions& options() const { return options_; }
  [[nodiscard]] Swaps swaps_of(int rank) const;

 private:
  HaloOptions options_;
  ProcessGrid grid_;
  std::vector<std::int32_t> rank_at_;   // [places]
  std::vector<std::int32_t> place_of_;  // [ranks]
};

/// One exchange: posts all receives, packs and sends one face after the other, waits for one after
/// the other and unpacks it, and last waits for all sends. `swaps` must outlive it.
Task swap_faces(Rank rank, const Swaps* swaps);

}  // namespace odonata
