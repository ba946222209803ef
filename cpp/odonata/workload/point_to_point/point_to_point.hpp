// Point-to-point patterns, as the Intel MPI Benchmarks have them.
#pragma once

#include "odonata/workload/collective.hpp"

namespace odonata::point_to_point {

Task pingpong(Rank rank, Call call);
Task sendrecv(Rank rank, Call call);
Task exchange(Rank rank, Call call);

}  // namespace odonata::point_to_point
