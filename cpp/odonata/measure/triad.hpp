// STREAM's Triad: how fast threads read and write memory together.
#pragma once

#include <cstdint>
#include <vector>

namespace odonata {

/// Seconds of each trial of `a[i] = b[i] + s c[i]` over `values` doubles, shared by `threads`
/// threads that start at once; each has touched its part first. One trial moves 24 B a value.
/// [trials]
[[nodiscard]] std::vector<double> time_triad(std::int64_t values, int threads, int trials);

}  // namespace odonata
