#include "flops.hpp"

#include "hypre_codes.hpp"

#include <algorithm>
#include <string_view>

namespace odonata::amg {
namespace {

// Seconds of a multiplication or an addition; 0 where the rank has none. The smallest of three
// tries counts, each of some 100 products, or fewer where a product takes long.
double flop_seconds(hypre_ParCSRMatrix* A, hypre_ParVector* u, hypre_ParVector* f) {
  hypre_CSRMatrix* local = hypre_ParCSRMatrixDiag(A);
  const int nonzeros = hypre_CSRMatrixNumNonzeros(local);
  if (nonzeros == 0) return 0;
  const int products = std::clamp(1'000'000 / nonzeros, 1, 100);
  double best = 0;
  for (int repeat = 0; repeat < 3; ++repeat) {
    const double start = MPI_Wtime();
    for (int i = 0; i < products; ++i)
      hypre_CSRMatrixMatvec(1.0, local, hypre_ParVectorLocalVector(u), 0.0,
                            hypre_ParVectorLocalVector(f));
    const double seconds = (MPI_Wtime() - start) / (2.0 * nonzeros * products);
    best = repeat ? std::min(best, seconds) : seconds;
  }
  return best;
}

// docs/concepts/libmpi.md: MPI_Pcontrol(computed, seconds).
constexpr int computed = 13'663'866;

}  // namespace

double FlopClock::seconds(int level) const {
  return runs() ? seconds_[std::min(std::size_t(level), seconds_.size() - 1)] : 0;
}

void FlopClock::advance(int level, double flops) const {
  if (runs()) MPI_Pcontrol(computed, flops * seconds(level));
}

double flops_of_product(hypre_ParCSRMatrix* matrix) {
  return 2.0 * (hypre_CSRMatrixNumNonzeros(hypre_ParCSRMatrixDiag(matrix)) +
                hypre_CSRMatrixNumNonzeros(hypre_ParCSRMatrixOffd(matrix)));
}

int passes_of(HYPRE_Int relaxation) {
  return relaxation == hypre::symmetric_gauss_seidel ||
                 relaxation == hypre::l1_symmetric_gauss_seidel
             ? 2
             : 1;
}

double flops_of_elimination(double rows) {
  return 2.0 / 3.0 * rows * rows * rows + 2 * rows * rows;
}

bool is_simulated() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  return std::string_view(text).starts_with("Odonata");
}

std::vector<double> measured_flop_seconds(HYPRE_Solver boomeramg, MPI_Comm comm) {
  auto* data = reinterpret_cast<hypre_ParAMGData*>(boomeramg);
  std::vector<double> seconds;
  for (int i = 0; i < hypre_ParAMGDataNumLevels(data); ++i)
    seconds.push_back(flop_seconds(hypre_ParAMGDataAArray(data)[i], hypre_ParAMGDataUArray(data)[i],
                                   hypre_ParAMGDataFArray(data)[i]));
  MPI_Allreduce(MPI_IN_PLACE, seconds.data(), int(seconds.size()), MPI_DOUBLE, MPI_MAX, comm);
  return seconds;
}

}  // namespace odonata::amg
