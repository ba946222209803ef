#include "preload/libmpi/core/collectives/reduce_order.hpp"

#include <bit>
#include <numeric>

namespace odonata::libmpi {

namespace {

using Places = std::vector<int>;

std::size_t index(int place) { return static_cast<std::size_t>(place); }

// Combines the first ranks in pairs, so that the number of operands left is a power of two.
Places fold(int n, const Combine& combine) {
  const int power = static_cast<int>(std::bit_floor(static_cast<unsigned>(n)));
  const int rest = n - power;
  Places places;
  for (int i = 0; i < rest; ++i) {
    combine(2 * i, 2 * i + 1);
    places.push_back(2 * i + 1);
  }
  for (int i = 2 * rest; i < n; ++i) places.push_back(i);
  return places;
}

// Combines the operands [first, first + n), n a power of two, depth first: few are in memory at
// once.
int pairs(int first, int n, const Combine& combine) {
  if (n == 1) return first;
  const int left = pairs(first, n / 2, combine);
  const int right = pairs(first + n / 2, n / 2, combine);
  combine(left, right);
  return right;
}

}  // namespace

int recursive_doubling(int n, const Combine& combine) {
  const Places places = fold(n, combine);
  const auto power = static_cast<int>(places.size());
  for (int distance = 1; distance < power; distance *= 2)
    for (int i = 2 * distance - 1; i < power; i += 2 * distance)
      combine(places[index(i - distance)], places[index(i)]);
  return places.back();
}

int recursive_halving(int n, const Combine& combine) {
  const Places places = fold(n, combine);
  const auto power = static_cast<int>(places.size());
  for (int distance = power / 2; distance > 0; distance /= 2)
    for (int i = power - distance; i < power; ++i)
      combine(places[index(i - distance)], places[index(i)]);
  return places.back();
}

int binomial_tree(int n, const Combine& combine) {
  Places places(index(n));
  std::iota(places.begin(), places.end(), 0);
  for (int distance = 1; distance < n; distance *= 2)
    for (int i = 0; i + distance < n; i += 2 * distance) {
      combine(places[index(i)], places[index(i + distance)]);
      places[index(i)] = places[index(i + distance)];
    }
  return places[0];
}

int scan_order(int n, const Combine& combine) {
  int end = n, result = -1;
  while (end > 0) {
    const int block = end & -end;
    const int left = pairs(end - block, block, combine);
    if (result >= 0)
      combine(left, result);
    else
      result = left;
    end -= block;
  }
  return result;
}

}  // namespace odonata::libmpi
