// The other jobs of a busy machine.
#pragma once

#include <cstdint>
#include <vector>

namespace odonata {

/// Nodes of each job that together have `busy` of the free nodes, which come in order. Sizes are
/// drawn as Lublin and Feitelson (The workload on parallel supercomputers, J. Parallel Distrib.
/// Comput. 63, 2003) fitted them to three machines, without the jobs of one node: the logarithm of
/// the size is uniform in two stages, up to all `num_nodes` of the machine, and three sizes of four
/// are powers of two. That the fit holds for other machines is assumed. A job with more nodes than
/// are still wanted waits. A job gets the next free nodes from a drawn one on, and then from the
/// first one on. The draws depend on the seed alone. Throws UserError unless `busy` is 0 or from 2
/// on, and there are so many free nodes.
[[nodiscard]] std::vector<std::vector<std::int32_t>>
busy_jobs(const std::vector<std::int32_t>& free, int num_nodes, int busy, std::uint64_t seed);

}  // namespace odonata
