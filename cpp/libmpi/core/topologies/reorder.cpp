#include "libmpi/core/topologies/reorder.hpp"

#include <cstdlib>
#include <fstream>
#include <numeric>
#include <string>

#include "libmpi/core/environment/error.hpp"

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

}  // namespace

std::vector<int> new_order(int size, bool reorder) {
  const char* path = std::getenv("ODONATA_REORDER");
  if (reorder && path != nullptr) {
    std::vector<int> order = read_order(path);
    if (order.size() == static_cast<std::size_t>(size)) return order;
  }
  std::vector<int> order(size);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

}  // namespace odonata::libmpi
