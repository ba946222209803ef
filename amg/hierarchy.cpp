#include "hierarchy.hpp"

#include <_hypre_parcsr_ls.h>

#include <type_traits>

namespace odonata::amg {
namespace {

// A rank's share of a level, to be added up over ranks.
struct Sums {
  double nonzeros = 0, interp_nonzeros = 0, active = 0, sends = 0, elements_sent = 0;
};

// A rank's share of a level of which the largest counts.
struct Largest {
  double rows = 0, sends = 0, elements_sent = 0;
  double interp_sends = 0, interp_elements_sent = 0;
  double interp_receives = 0, interp_elements_received = 0;
};

double nonzeros(hypre_ParCSRMatrix* matrix) {
  return double(hypre_CSRMatrixNumNonzeros(hypre_ParCSRMatrixDiag(matrix))) +
         double(hypre_CSRMatrixNumNonzeros(hypre_ParCSRMatrixOffd(matrix)));
}

// The package that the matrix-vector product needs; the setup has usually made it.
hypre_ParCSRCommPkg* communication(hypre_ParCSRMatrix* matrix) {
  if (!hypre_ParCSRMatrixCommPkg(matrix)) hypre_MatvecCommPkgCreate(matrix);
  return hypre_ParCSRMatrixCommPkg(matrix);
}

double elements_sent(hypre_ParCSRCommPkg* package) {
  const int sends = hypre_ParCSRCommPkgNumSends(package);
  return sends ? hypre_ParCSRCommPkgSendMapStart(package, sends) : 0;
}

double elements_received(hypre_ParCSRCommPkg* package) {
  const int receives = hypre_ParCSRCommPkgNumRecvs(package);
  return receives ? hypre_ParCSRCommPkgRecvVecStart(package, receives) : 0;
}

Sums sums_of(hypre_ParCSRMatrix* A, hypre_ParCSRMatrix* P) {
  hypre_ParCSRCommPkg* package = communication(A);
  const bool active = hypre_CSRMatrixNumRows(hypre_ParCSRMatrixDiag(A)) > 0;
  return {.nonzeros = nonzeros(A),
          .interp_nonzeros = P ? nonzeros(P) : 0,
          .active = active ? 1.0 : 0.0,
          .sends = double(hypre_ParCSRCommPkgNumSends(package)),
          .elements_sent = elements_sent(package)};
}

Largest largest_of(hypre_ParCSRMatrix* A, hypre_ParCSRMatrix* P) {
  hypre_ParCSRCommPkg* package = communication(A);
  Largest largest{.rows = double(hypre_CSRMatrixNumRows(hypre_ParCSRMatrixDiag(A))),
                  .sends = double(hypre_ParCSRCommPkgNumSends(package)),
                  .elements_sent = elements_sent(package)};
  if (!P) return largest;
  package = communication(P);
  largest.interp_sends = hypre_ParCSRCommPkgNumSends(package);
  largest.interp_elements_sent = elements_sent(package);
  largest.interp_receives = hypre_ParCSRCommPkgNumRecvs(package);
  largest.interp_elements_received = elements_received(package);
  return largest;
}

// Over all ranks, on rank 0; a level is a struct of doubles alone.
template <class Level>
void reduce(std::vector<Level>& levels, MPI_Op op, MPI_Comm comm) {
  constexpr std::size_t numbers = sizeof(Level) / sizeof(double);
  static_assert(std::is_trivially_copyable_v<Level> && numbers * sizeof(double) == sizeof(Level));
  auto over_all = levels;
  MPI_Reduce(levels.data(), over_all.data(), int(numbers * levels.size()), MPI_DOUBLE, op, 0, comm);
  levels = over_all;
}

}  // namespace

std::vector<LevelStatistics> hierarchy_statistics(HYPRE_Solver boomeramg, MPI_Comm comm) {
  auto* data = reinterpret_cast<hypre_ParAMGData*>(boomeramg);
  const int levels = hypre_ParAMGDataNumLevels(data);
  std::vector<Sums> sums;
  std::vector<Largest> largest;
  for (int i = 0; i < levels; ++i) {
    hypre_ParCSRMatrix* A = hypre_ParAMGDataAArray(data)[i];
    hypre_ParCSRMatrix* P = i + 1 < levels ? hypre_ParAMGDataPArray(data)[i] : nullptr;
    sums.push_back(sums_of(A, P));
    largest.push_back(largest_of(A, P));
  }
  reduce(sums, MPI_SUM, comm);
  reduce(largest, MPI_MAX, comm);

  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  std::vector<LevelStatistics> statistics;
  for (int i = 0; i < levels; ++i) {
    const Sums& sum = sums[std::size_t(i)];
    const Largest& most = largest[std::size_t(i)];
    statistics.push_back(
        {.rows = double(hypre_ParCSRMatrixGlobalNumRows(hypre_ParAMGDataAArray(data)[i])),
         .nonzeros = sum.nonzeros,
         .interp_nonzeros = sum.interp_nonzeros,
         .active_ranks = sum.active,
         .max_rows = most.rows,
         .max_sends = most.sends,
         .max_elements_sent = most.elements_sent,
         .mean_sends = sum.sends / ranks,
         .mean_elements_sent = sum.elements_sent / ranks,
         .interp_max_sends = most.interp_sends,
         .interp_max_elements_sent = most.interp_elements_sent,
         .interp_max_receives = most.interp_receives,
         .interp_max_elements_received = most.interp_elements_received});
  }
  return statistics;
}

}  // namespace odonata::amg
