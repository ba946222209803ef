// A better order of ranks for a topology, read from a file.
#pragma once

#include <vector>

namespace odonata::libmpi {

/// For each rank of a new communicator of `size` ranks, its rank in the old one. The order is that
/// of the file named in ODONATA_REORDER if the file lists `size` ranks, else it is unchanged.
/// Throws Error if the file cannot be read or lists no ranks.
[[nodiscard]] std::vector<int> new_order(int size, bool reorder);

}  // namespace odonata::libmpi
