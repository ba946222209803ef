#include "preload/libmpi/core/topologies/reorder.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <numeric>
#include <optional>
#include <string>

#include "preload/libmpi/core/collectives/exchange.hpp"
#include "preload/libmpi/core/environment/error.hpp"
#include "preload/libmpi/core/processes/process.hpp"

namespace odonata::libmpi {

namespace {

std::vector<int> read_order(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw Error{ErrorClass::arg, "the order of ranks cannot be read from " + path};
  std::vector<int> order;
  for (int rank = 0; file >> rank;) order.push_back(rank);
  if (!file.eof()) throw Error{ErrorClass::arg, path + " is not a list of ranks"};
  std::vector<bool> seen(order.size());
  for (const int rank : order) {
    if (rank < 0 || static_cast<std::size_t>(rank) >= order.size() || seen[rank])
      throw Error{ErrorClass::arg, path + " lists " + std::to_string(order.size()) +
                                       " ranks, of which " + std::to_string(rank) +
                                       " is out of range or listed twice"};
    seen[rank] = true;
  }
  return order;
}

std::vector<int> first_ranks(int size) {
  std::vector<int> order(size);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

// The order, unless the mapper has to be asked for it.
std::optional<std::vector<int>> known_order(const Plan& plan) {
  if (!plan.reorder) return first_ranks(plan.size);
  if (const char* path = std::getenv("ODONATA_REORDER"); path != nullptr) {
    std::vector<int> order = read_order(path);
    if (order.size() == static_cast<std::size_t>(plan.size)) return order;
  }
  const bool asks = self().endpoint->header().orders != 0 && plan.size > 1;
  return asks ? std::nullopt : std::optional(first_ranks(plan.size));
}

std::vector<int> ask(Function function, const Comm& parent, const Plan& plan) {
  std::vector<int> order = self().endpoint->ask_order({.function = static_cast<int>(function),
                                                       .size = plan.size,
                                                       .members = parent.group->members,
                                                       .grid = plan.grid,
                                                       .edges = plan.edges()});
  order.resize(plan.size);
  return order;
}

// The first rank asks, and tells the others.
std::vector<int> agree(Function function, Comm& parent, const Plan& plan) {
  if (plan.share) plan.share();
  std::vector<int> order(plan.size);
  std::vector<std::byte> mine;
  if (parent.rank == 0) {
    order = ask(function, parent, plan);
    mine.resize(order.size() * sizeof order[0]);
    std::memcpy(mine.data(), order.data(), mine.size());
  }
  const Said said = exchange(parent, mine, function);
  std::memcpy(order.data(), said.front().data(), order.size() * sizeof order[0]);
  return order;
}

}  // namespace

CommRef lay_out(Function function, Comm& parent, const Plan& plan) {
  const std::optional<std::vector<int>> known = known_order(plan);
  return reorder(function, parent, [&] { return known ? *known : agree(function, parent, plan); });
}

int mapped(Function function, const Comm& comm, const Plan& plan) {
  const std::optional<std::vector<int>> known = known_order(plan);
  const std::vector<int> order = known ? *known : ask(function, comm, plan);
  const auto place = std::ranges::find(order, comm.rank);
  return place == order.end() ? -1 : static_cast<int>(place - order.begin());
}

}  // namespace odonata::libmpi
