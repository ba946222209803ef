#include "cycle.hpp"

#include "flops.hpp"
#include "solve.hpp"

#include "amg/redistribute/pcontrol.hpp"

#include <_hypre_parcsr_ls.h>

#include <cmath>

namespace odonata::amg {
namespace {

// hypre's V(1,1)-cycle, on its kernels and its hierarchy, with a clock around each operation. The
// flops of a sweep, a residual, a product with P or its transpose come before its messages.
class TimedCycle {
 public:
  TimedCycle(HYPRE_Solver boomeramg, System& system, const FlopClock& flops,
             const Pcontrol& pcontrol = {})
      : data_(reinterpret_cast<hypre_ParAMGData*>(boomeramg)),
        system_(system),
        flops_(flops),
        pcontrol_(pcontrol),
        seconds_(std::size_t(levels())) {}

  int levels() const { return hypre_ParAMGDataNumLevels(data_); }
  const std::vector<OperationSeconds>& seconds() const { return seconds_; }

  void run() {
    hypre_ParAMGDataFArray(data_)[0] = system_.b;
    hypre_ParAMGDataUArray(data_)[0] = system_.x;
    const int coarsest = levels() - 1;
    for (int i = 0; i < coarsest; ++i) go_down(i);
    pcontrol_.at(coarsest, Step::coarsest);
    timed(coarsest, solve_coarsest, [&] { solve(coarsest); });
    for (int i = coarsest - 1; i >= 0; --i) go_up(i);
    pcontrol_.outside();
  }

 private:
  hypre_ParCSRMatrix* A(int i) const { return hypre_ParAMGDataAArray(data_)[i]; }
  hypre_ParCSRMatrix* P(int i) const { return hypre_ParAMGDataPArray(data_)[i]; }
  hypre_ParVector* f(int i) const { return hypre_ParAMGDataFArray(data_)[i]; }
  hypre_ParVector* u(int i) const { return hypre_ParAMGDataUArray(data_)[i]; }
  hypre_ParVector* temporary() const { return hypre_ParAMGDataVtemp(data_); }

  template <class Action>
  void timed(int level, Operation operation, const Action& action) {
    const double start = MPI_Wtime();
    action();
    seconds_[std::size_t(level)][operation] += MPI_Wtime() - start;
  }

  void go_down(int i) {
    fit_temporary(i);
    timed(i, smooth, [&] {
      pcontrol_.at(i, Step::smooth_down);
      relax(i, hypre::going_down);
      pcontrol_.at(i, Step::residual);
      flops_.advance(i, flops_of_product(A(i)));
      hypre_ParCSRMatrixMatvecOutOfPlace(-1.0, A(i), u(i), 1.0, f(i), temporary());
    });
    pcontrol_.at(i, Step::restriction);
    timed(i, restrict_to_coarser, [&] {
      flops_.advance(i, flops_of_product(P(i)));
      hypre_ParCSRMatrixMatvecT(1.0, P(i), temporary(), 0.0, f(i + 1));
    });
    hypre_ParVectorSetConstantValues(u(i + 1), 0.0);
  }

  void go_up(int i) {
    pcontrol_.at(i + 1, Step::interpolation);
    timed(i + 1, interpolate_to_finer, [&] {
      flops_.advance(i, flops_of_product(P(i)));
      hypre_ParCSRMatrixMatvec(1.0, P(i), u(i + 1), 1.0, u(i));
    });
    fit_temporary(i);
    pcontrol_.at(i, Step::smooth_up);
    timed(i, smooth, [&] { relax(i, hypre::going_up); });
  }

  // The vector is as long as the finest level, and each uses the start of it.
  void fit_temporary(int i) {
    hypre_VectorSize(hypre_ParVectorLocalVector(temporary())) =
        hypre_VectorSize(hypre_ParVectorLocalVector(f(i)));
  }

  void relax(int i, hypre::Sweep sweep) {
    flops_.advance(i,
                   passes_of(hypre_ParAMGDataGridRelaxType(data_)[sweep]) * flops_of_product(A(i)));
    hypre_IntArray* marker = hypre_ParAMGDataCFMarkerArray(data_)[i];
    hypre_Vector** norms = hypre_ParAMGDataL1Norms(data_);
    hypre_BoomerAMGRelaxIF(A(i), f(i), marker ? hypre_IntArrayData(marker) : nullptr,
                           hypre_ParAMGDataGridRelaxType(data_)[sweep],
                           hypre_ParAMGDataRelaxOrder(data_), sweep,
                           hypre_ParAMGDataRelaxWeight(data_)[i], hypre_ParAMGDataOmega(data_)[i],
                           norms && norms[i] ? hypre_VectorData(norms[i]) : nullptr, u(i),
                           temporary(), hypre_ParAMGDataZtemp(data_));
  }

  void solve(int i) {
    const int type = hypre_ParAMGDataGridRelaxType(data_)[hypre::on_coarsest];
    fit_temporary(i);
    if (type != hypre::gaussian_elimination)
      return relax(i, hypre::on_coarsest);  // hypre's choice where the coarsest level is large
    if (hypre_ParVectorActualLocalSize(f(i)) > 0)
      flops_.advance(i, flops_of_elimination(double(hypre_ParCSRMatrixGlobalNumRows(A(i)))));
    hypre_GaussElimSolve(data_, i, type);
  }

  hypre_ParAMGData* data_;
  System& system_;
  FlopClock flops_;
  Pcontrol pcontrol_;
  std::vector<OperationSeconds> seconds_;
};

double norm(hypre_ParVector* x) { return std::sqrt(hypre_ParVectorInnerProd(x, x)); }

// The relative difference of hypre's cycle and ours, each from 0.
double difference(TimedCycle& timed, HYPRE_Solver boomeramg, System& system) {
  hypre_ParVector* ours = hypre_ParVectorCreate(hypre_ParCSRMatrixComm(system.A),
                                                hypre_ParCSRMatrixGlobalNumRows(system.A),
                                                hypre_ParCSRMatrixRowStarts(system.A));
  hypre_ParVectorInitialize(ours);
  hypre_ParVectorSetConstantValues(system.x, 0.0);
  timed.run();
  hypre_ParVectorCopy(system.x, ours);
  hypre_ParVectorSetConstantValues(system.x, 0.0);
  HYPRE_BoomerAMGSolve(boomeramg, system.A, system.b, system.x);
  const double size = norm(system.x);
  hypre_ParVectorAxpy(-1.0, system.x, ours);
  const double apart = norm(ours);
  hypre_ParVectorDestroy(ours);
  return size > 0 ? apart / size : apart;
}

std::vector<OperationSeconds> over_ranks(const std::vector<OperationSeconds>& mine, MPI_Op op,
                                         MPI_Comm comm) {
  std::vector<OperationSeconds> all(mine.size());
  MPI_Allreduce(mine.data(), all.data(), int(mine.size()) * num_operations, MPI_DOUBLE, op, comm);
  return all;
}

}  // namespace

CycleTimes time_cycle(HYPRE_Solver boomeramg, System& system, const Options& options,
                      MPI_Comm comm) {
  CycleTimes times;
  const int cycles = options.cycles;
  TimedCycle warm(boomeramg, system, FlopClock({}));
  times.difference = difference(warm, boomeramg, system);
  times.levels.resize(std::size_t(warm.levels()));
  if (cycles == 0) return times;

  const FlopClock given(options.flop_seconds);
  TimedCycle timed(boomeramg, system, given, Pcontrol(options.phases, FlopClock({})));
  const auto one_of_ours = [&] { timed.run(); };
  const auto one_of_hypre = [&] { HYPRE_BoomerAMGSolve(boomeramg, system.A, system.b, system.x); };
  const auto repeat = [&](const auto& cycle) {
    return slowest(comm,
                   [&] {
                     for (int i = 0; i < cycles; ++i) {
                       hypre_ParVectorSetConstantValues(system.x, 0.0);
                       cycle();
                     }
                   }) /
           cycles;
  };
  times.seconds = repeat(one_of_ours);
  // hypre's own says nothing of its flops to a simulated machine.
  if (options.flop_seconds.empty()) times.seconds = repeat(one_of_hypre);

  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  const auto largest = over_ranks(timed.seconds(), MPI_MAX, comm);
  const auto sum = over_ranks(timed.seconds(), MPI_SUM, comm);
  const auto measured =
      given.runs() ? std::vector<double>{} : measured_flop_seconds(boomeramg, comm);
  for (std::size_t i = 0; i < times.levels.size(); ++i) {
    for (std::size_t k = 0; k < num_operations; ++k) {
      times.levels[i].largest[k] = largest[i][k] / cycles;
      times.levels[i].mean[k] = sum[i][k] / cycles / ranks;
    }
    times.levels[i].flop_seconds = given.runs() ? given.seconds(int(i)) : measured[i];
  }
  return times;
}

}  // namespace odonata::amg
