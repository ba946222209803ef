// odonata-amg: hypre's BoomerAMG, its hierarchy in numbers, and the time of its cycle by level.
// Nothing is global, so that ranks may be fibers of one process.

#include "document.hpp"
#include "flops.hpp"
#include "launcher.hpp"
#include "output.hpp"
#include "summary.hpp"

#include "amg/redistribute/decisions.hpp"
#include "amg/redistribute/hypre_at_hand.hpp"
#include "amg/text.hpp"

#include <HYPRE.h>

#include <iostream>

namespace odonata::amg {
namespace {

constexpr int failed = 1, wrong_usage = 2;

// All ranks leave with the same status, and rank 0 says why.
struct Failure {
  int status;
  std::string message;
};

Report measure(const Options& options, const Triple& ranks_grid, MPI_Comm comm) {
  Report report;
  report.ranks_grid = ranks_grid;
  MPI_Comm_size(comm, &report.ranks);
  System system(options, ranks_grid, comm);
  KrylovSolver solver(options, comm);
  report.solution = solver.run(system);
  if (solver.redistributed()) {
    const auto decisions = decisions_of(solver.redistributed());
    report.decisions.assign(decisions.begin(), decisions.end());
  }
  if (!solver.boomeramg()) return report;
  report.statistics_seconds =
      slowest(comm, [&] { report.levels = hierarchy_statistics(solver.boomeramg(), comm); });
  report.cycle = time_cycle(solver.boomeramg(), system, options, comm);
  if (!(report.cycle.difference <= 1e-12))
    throw Failure{failed, "this is a bug: the cycle that was timed is not hypre's; apart by " +
                              std::to_string(report.cycle.difference)};
  return report;
}

void check_machine(const Options& options) {
  if (!options.flop_seconds.empty() && !is_simulated())
    throw UsageError("--flop-seconds: only on a simulated machine (odonata mpirun)");
}

void run(int argc, char** argv, int rank, MPI_Comm comm) {
  const Options options = parse_options(argc, argv);
  if (options.help) {
    if (rank == 0) std::cout << help_text() << std::flush;
    return;
  }
  check_machine(options);
  if (const std::string why = unfit_hypre(); !why.empty()) throw UsageError(why);
  int ranks = 1;
  MPI_Comm_size(comm, &ranks);
  if (const std::string why = unfit_launcher(ranks); !why.empty()) throw UsageError(why);
  const Triple ranks_grid = options.has_ranks_grid() ? grid_of_ranks(options, ranks) : Triple{};
  Output output(options.output, comm);
  HYPRE_Init();
  const Report report = measure(options, ranks_grid, comm);
  MPI_Barrier(comm);  // hypre's own data belong to the process, which fibers share
  HYPRE_Finalize();
  if (rank == 0) {
    output.write([&](std::ostream& out) { write_document(out, options, report); });
    if (!options.output.empty()) write_summary(std::cout, options, report);
  }
  if (report.solution.solved && !report.solution.converged)
    throw Failure{failed, "not converged in " + std::to_string(report.solution.iterations) +
                              " iterations (--max-iterations)"};
}

int status_of(int argc, char** argv, MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  Failure failure{0, ""};
  try {
    run(argc, argv, rank, comm);
  } catch (const UsageError& error) {
    failure = {wrong_usage, error.what()};
  } catch (const Failure& thrown) {
    failure = thrown;
  }
  if (failure.status && rank == 0)
    std::cerr << "odonata-amg: " << shown(failure.message) << std::endl;
  MPI_Barrier(comm);  // a launcher may end the others as soon as one fails
  return failure.status;
}

}  // namespace
}  // namespace odonata::amg

[[gnu::visibility("default")]] int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int status = odonata::amg::status_of(argc, argv, MPI_COMM_WORLD);
  MPI_Finalize();
  return status;
}
