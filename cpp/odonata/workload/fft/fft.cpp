#include "odonata/workload/fft/fft.hpp"

#include <memory>
#include <utility>

#include "odonata/units/errors.hpp"
#include "odonata/workload/algorithms.hpp"

namespace odonata {

namespace {

constexpr std::array kinds{Transpose::pillar, Transpose::slab, Transpose::stack};

// All ranks' part of a solver; they share it.
struct Solver {
  FftOptions options;
  std::array<const Algorithm*, 3> alltoall{};  // registered: live as long as the program
};

// A rank's part of one kind of transpose.
struct TransposePart {
  Rank rank;  // in its communicator
  Call call;
  const Algorithm* alltoall;
  Time pack = 0;  // [ps] or unpack
};

TransposePart part_of(const Solver& solver, Transpose kind, const Rank& rank) {
  const int i = static_cast<int>(kind);
  const Bytes block = solver.options.transposes[i].block;
  const Rank there = rank.on(transpose_ranks(kind, solver.options.side, rank.index()), 1 + i);
  return {there, {block}, solver.alltoall[i], solver.options.pack.of(there.size() * block)};
}

Task transpose(const TransposePart* part) {
  if (part->pack > 0) co_await part->rank.compute(part->pack);
  Task run = part->alltoall->run(part->rank, part->call);
  co_await run;
  if (part->pack > 0) co_await part->rank.compute(part->pack);
}

Task solve(Rank rank, const FftOptions* options, const std::vector<TransposePart>* parts) {
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    Task there = transpose(&(*parts)[i]);
    co_await there;
    if (options->transform[i] > 0) co_await rank.compute(options->transform[i]);
  }
  if (options->multiply > 0) co_await rank.compute(options->multiply);
  for (std::size_t i = kinds.size(); i-- > 0;) {
    if (options->transform[i] > 0) co_await rank.compute(options->transform[i]);
    Task back = transpose(&(*parts)[i]);
    co_await back;
  }
}

Task solve_repeatedly(Rank rank, std::shared_ptr<const Solver> solver) {
  std::vector<TransposePart> parts;
  for (const Transpose kind : kinds) parts.push_back(part_of(*solver, kind, rank));
  const FftOptions& options = solver->options;
  for (int i = 0; i < options.repetitions; ++i) {
    rank.phase(options.repetitions == 1 ? options.name : options.name + " " + std::to_string(i));
    Task once = solve(rank, &options, &parts);
    co_await once;
  }
}

}  // namespace

std::vector<int> transpose_ranks(Transpose kind, int side, int rank) {
  const int plane = side * side, step = kind == Transpose::stack ? plane : 1;
  const int count = kind == Transpose::slab ? plane : side;
  const int first = kind == Transpose::stack ? rank % plane : rank / count * count;
  std::vector<int> ranks;
  for (int i = 0; i < count; ++i) ranks.push_back(first + i * step);
  return ranks;
}

Program fft(const FftOptions& options, int ranks) {
  const std::int64_t side = options.side;
  if (side < 1 || side * side * side != ranks)
    throw UserError("fft: not a cube of ranks", ranks, "1, 8, 27, 64, ..., 4096, ...");
  Solver solver{options};
  for (std::size_t i = 0; i < kinds.size(); ++i)
    solver.alltoall[i] = &algorithm("alltoall", options.transposes[i].algorithm);
  return [shared = std::make_shared<const Solver>(std::move(solver))](Rank rank) {
    return solve_repeatedly(std::move(rank), shared);
  };
}

}  // namespace odonata
