// The ranks that a topology may be laid out on better than in their own order.
#pragma once

#include <vector>

namespace odonata::libmpi {

/// For each rank of a new communicator of `size` ranks, the rank that it had in the old one: what
/// the file named in ODONATA_REORDER says if it lists `size` ranks, else the order as it is.
/// Throws Error if the file cannot be read or lists no ranks.
[[nodiscard]] std::vector<int> new_order(int size, bool reorder);

}  // namespace odonata::libmpi
