#include "odonata/workload/halo/halo.hpp"

#include <memory>
#include <utility>

#include "odonata/workload/halo/faces.hpp"

namespace odonata {

namespace {

Task swap_repeatedly(Rank rank, std::shared_ptr<const Neighbours> all) {
  const Swaps swaps = all->swaps_of(rank.index());
  const int repetitions = all->options().repetitions;
  const std::string& name = all->options().name;
  for (int i = 0; i < repetitions; ++i) {
    rank.phase(repetitions == 1 ? name : name + " " + std::to_string(i));
    Task once = swap_faces(rank, &swaps);
    co_await once;
  }
}

}  // namespace

std::int64_t messages_of(const ProcessGrid& grid, bool periodic) {
  std::int64_t messages = 0;
  for (std::size_t d = 0; d < grid.dimensions(); ++d) {
    const std::int64_t side = grid.side(d), lines = grid.num_places() / side;
    if (side > 1) messages += 2 * lines * (periodic ? side : side - 1);
  }
  return messages;
}

Program halo(const HaloOptions& options, const Machine& machine,
             const std::vector<std::int32_t>& nodes) {
  return [shared = std::make_shared<const Neighbours>(options, machine, nodes)](Rank rank) {
    return swap_repeatedly(std::move(rank), shared);
  };
}

}  // namespace odonata
