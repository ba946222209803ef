// Allocations that spread over a wanted part of the machine.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace odonata {

/// Least and greatest span of `count` of some nodes: the number of the last node minus the first's.
/// `numbers` has the nodes' numbers in increasing order. Throws UserError if there are fewer than
/// `count` nodes, or `count` is below 2.
[[nodiscard]] std::pair<std::int64_t, std::int64_t>
spans_of(const std::vector<std::int64_t>& numbers, int count);

/// Positions of `count` of the nodes whose span is as near to the wanted one as it can be. Of all
/// such ends one pair is drawn, and the nodes between them are drawn. The draws depend on (seed,
/// job) alone. [count], increasing
[[nodiscard]] std::vector<std::int32_t> spread(const std::vector<std::int64_t>& numbers, int count,
                                               std::int64_t span, std::uint64_t seed, int job);

}  // namespace odonata
