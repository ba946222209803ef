#include "amg/redistribute/work.hpp"

#include <algorithm>

namespace odonata::amg {
namespace {

constexpr int tries = 3;
constexpr HYPRE_Int nonzeros_a_try = 8192;  // so that the decision is cheap beside the setup

// Seconds of a flop in products with rows of the local part, the smallest of some tries. Each try
// has rows of its own as far as there are any, since the whole does not stay in the cache either.
double measured_flop_seconds(hypre_ParCSRMatrix* A) {
  hypre_CSRMatrix* local = hypre_ParCSRMatrixDiag(A);
  const HYPRE_Int rows = hypre_CSRMatrixNumRows(local), *starts = hypre_CSRMatrixI(local);
  const HYPRE_Int* columns = hypre_CSRMatrixJ(local);
  const HYPRE_Complex* values = hypre_CSRMatrixData(local);
  if (rows == 0 || starts[rows] == 0) return 0;
  std::vector<HYPRE_Complex> x(std::size_t(hypre_CSRMatrixNumCols(local)), 1.0);
  double best = 0;
  volatile HYPRE_Complex kept = 0;  // so that the products are not left out
  HYPRE_Int row = 0;
  for (int trial = 0; trial < tries; ++trial) {
    HYPRE_Int nonzeros = 0;
    HYPRE_Complex sum_of_rows = 0;
    const double start = MPI_Wtime();
    while (nonzeros < nonzeros_a_try) {
      HYPRE_Complex sum = 0;
      for (HYPRE_Int k = starts[row]; k < starts[row + 1]; ++k)
        sum += values[k] * x[std::size_t(columns[k])];
      sum_of_rows += sum;
      nonzeros += starts[row + 1] - starts[row];
      row = row + 1 < rows ? row + 1 : 0;
    }
    const double seconds = (MPI_Wtime() - start) / (2.0 * nonzeros);
    kept = kept + sum_of_rows;
    best = trial ? std::min(best, seconds) : seconds;
  }
  return best;
}

}  // namespace

double FlopTimes::next(double measured) {
  const std::size_t level = std::size_t(level_++);
  if (!given_.empty()) return given_[std::min(level, given_.size() - 1)];
  if (rose_) return *last_;
  rose_ = last_ && measured > *last_;
  if (!rose_) last_ = measured;
  return *last_;
}

model::LevelWork work_of(hypre_ParCSRMatrix* A, FlopTimes& flops) {
  if (!hypre_ParCSRMatrixCommPkg(A)) hypre_MatvecCommPkgCreate(A);
  hypre_ParCSRCommPkg* package = hypre_ParCSRMatrixCommPkg(A);
  hypre_CSRMatrix* local = hypre_ParCSRMatrixDiag(A);
  const HYPRE_Int sends = hypre_ParCSRCommPkgNumSends(package);
  const HYPRE_Int rows = hypre_CSRMatrixNumRows(local);

  struct Largest {
    double sends, values_sent, flop_seconds;
  } largest{double(sends), 0, flops.is_measured() ? measured_flop_seconds(A) : 0};
  if (sends > 0) largest.values_sent = double(hypre_ParCSRCommPkgSendMapStart(package, sends));
  struct Sums {
    double nonzeros, active_ranks;
  } sums{double(hypre_CSRMatrixNumNonzeros(local)) +
             double(hypre_CSRMatrixNumNonzeros(hypre_ParCSRMatrixOffd(A))),
         rows > 0 ? 1.0 : 0.0};
  const MPI_Comm comm = hypre_ParCSRMatrixComm(A);
  MPI_Allreduce(MPI_IN_PLACE, &largest, sizeof largest / sizeof(double), MPI_DOUBLE, MPI_MAX, comm);
  MPI_Allreduce(MPI_IN_PLACE, &sums, sizeof sums / sizeof(double), MPI_DOUBLE, MPI_SUM, comm);

  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  const double all_rows = double(hypre_ParCSRMatrixGlobalNumRows(A));
  return {.ranks = double(ranks),
          .rows = all_rows,
          .row_nonzeros = all_rows > 0 ? sums.nonzeros / all_rows : 0,
          .sends = largest.sends,
          .values_sent = largest.values_sent,
          .active_ranks = sums.active_ranks,
          .flop_seconds = flops.next(largest.flop_seconds)};
}

}  // namespace odonata::amg
