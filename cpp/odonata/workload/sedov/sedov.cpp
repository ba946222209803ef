#include "odonata/workload/sedov/sedov.hpp"

#include <memory>
#include <utility>

#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/halo/faces.hpp"

namespace odonata {

namespace {

// All ranks' part; they share it.
struct Blast {
  SedovOptions options;
  Neighbours neighbours;
  const Algorithm* allreduce;  // registered: lives as long as the program
};

constexpr Bytes step_length = 8;  // [B] a number
constexpr int reducing = 1;       // context of the reduction

Task take_step(Rank rank, const Blast* blast, const Swaps* swaps) {
  const Time compute = blast->options.compute;
  const int exchanges = blast->options.exchanges;
  Task reduce = blast->allreduce->run(rank.with_context(reducing), {step_length});
  co_await reduce;
  for (int i = 0; i < exchanges; ++i) {
    const Time work = compute * (i + 1) / exchanges - compute * i / exchanges;
    if (work > 0) co_await rank.compute(work);
    Task exchange = swap_faces(rank, swaps);
    co_await exchange;
  }
}

Task take_steps(Rank rank, std::shared_ptr<const Blast> blast) {
  const Swaps swaps = blast->neighbours.swaps_of(rank.index());
  const int steps = blast->options.ghosts.repetitions;
  const std::string& name = blast->options.ghosts.name;
  for (int i = 0; i < steps; ++i) {
    rank.phase(steps == 1 ? name : name + " " + std::to_string(i));
    Task step = take_step(rank, blast.get(), &swaps);
    co_await step;
  }
}

}  // namespace

Program sedov(const SedovOptions& options, const Machine& machine,
              const std::vector<std::int32_t>& nodes) {
  const Blast blast{options, Neighbours(options.ghosts, machine, nodes),
                    &algorithm("allreduce", options.allreduce)};
  return [shared = std::make_shared<const Blast>(blast)](Rank rank) {
    return take_steps(std::move(rank), shared);
  };
}

}  // namespace odonata
