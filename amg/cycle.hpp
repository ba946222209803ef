#pragma once

#include "options.hpp"
#include "problem.hpp"

#include <HYPRE_parcsr_ls.h>
#include <mpi.h>

#include <array>
#include <vector>

namespace odonata::amg {

// The operations of a level, in the model's words: two sweeps and a residual; to the next coarser
// level; to the next finer one; the direct solve on the coarsest.
enum Operation { smooth, restrict_to_coarser, interpolate_to_finer, solve_coarsest };
inline constexpr int num_operations = 4;

using OperationSeconds = std::array<double, num_operations>;

struct LevelTimes {
  OperationSeconds largest{}, mean{};  // over ranks, of one cycle
  double flop_seconds = 0;  // given, or largest over ranks of products with the local part; t_i
};

struct CycleTimes {
  double seconds = 0;  // of hypre's own cycle; of the timed one where flops have a given time
  // Relative difference between its answer and the answer of the cycle whose operations were timed.
  double difference = 0;
  std::vector<LevelTimes> levels;
};

// Times a V(1,1)-cycle from 0, the mean of options.cycles.
CycleTimes time_cycle(HYPRE_Solver boomeramg, System& system, const Options& options,
                      MPI_Comm comm);

}  // namespace odonata::amg
