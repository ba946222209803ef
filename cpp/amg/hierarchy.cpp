#include "hierarchy.hpp"

#include <_hypre_parcsr_ls.h>

#include <array>

namespace odonata::amg {
namespace {

// Of one rank on one level.
struct Local {
  std::array<double, 5> sums{};   // nonzeros of A and P, active, sends, elements sent
  std::array<double, 7> most{};  // rows, A: sends, elements; P: sends, elements, receives, elements
};

double nonzeros(hypre_ParCSRMatrix* matrix) {
  return double(hypre_CSRMatrixNumNonzeros(hypre_ParCSRMatrixDiag(matrix))) +
         double(hypre_CSRMatrixNumNonzeros(hypre_ParCSRMatrixOffd(matrix)));
}

// As the matrix-vector product needs it; the setup has made it already.
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

Local local_statistics(hypre_ParCSRMatrix* A, hypre_ParCSRMatrix* P) {
  const double rows = hypre_CSRMatrixNumRows(hypre_ParCSRMatrixDiag(A));
  hypre_ParCSRCommPkg* package = communication(A);
  const double sends = hypre_ParCSRCommPkgNumSends(package), sent = elements_sent(package);
  Local local;
  local.sums = {nonzeros(A), 0, rows > 0 ? 1.0 : 0.0, sends, sent};
  local.most = {rows, sends, sent, 0, 0, 0, 0};
  if (P) {
    package = communication(P);
    local.sums[1] = nonzeros(P);
    local.most[3] = hypre_ParCSRCommPkgNumSends(package);
    local.most[4] = elements_sent(package);
    local.most[5] = hypre_ParCSRCommPkgNumRecvs(package);
    local.most[6] = elements_received(package);
  }
  return local;
}

// On rank 0: over all ranks.
template <std::size_t size>
void reduce(std::vector<std::array<double, size>>& levels, MPI_Op op, MPI_Comm comm) {
  auto over_all = levels;
  MPI_Reduce(levels.data(), over_all.data(), int(size * levels.size()), MPI_DOUBLE, op, 0, comm);
  levels = over_all;
}

}  // namespace

std::vector<LevelStatistics> hierarchy_statistics(HYPRE_Solver boomeramg, MPI_Comm comm) {
  auto* data = reinterpret_cast<hypre_ParAMGData*>(boomeramg);
  const int levels = hypre_ParAMGDataNumLevels(data);
  std::vector<decltype(Local::sums)> sums;
  std::vector<decltype(Local::most)> most;
  for (int i = 0; i < levels; ++i) {
    const Local local =
        local_statistics(hypre_ParAMGDataAArray(data)[i],
                         i + 1 < levels ? hypre_ParAMGDataPArray(data)[i] : nullptr);
    sums.push_back(local.sums);
    most.push_back(local.most);
  }
  reduce(sums, MPI_SUM, comm);
  reduce(most, MPI_MAX, comm);

  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  std::vector<LevelStatistics> statistics;
  for (int i = 0; i < levels; ++i) {
    const auto& s = sums[std::size_t(i)];
    const auto& m = most[std::size_t(i)];
    const auto rows = double(hypre_ParCSRMatrixGlobalNumRows(hypre_ParAMGDataAArray(data)[i]));
    statistics.push_back({rows, s[0], s[1], s[2], m[0], m[1], m[2], s[3] / ranks, s[4] / ranks,
                          m[3], m[4], m[5], m[6]});
  }
  return statistics;
}

}  // namespace odonata::amg
