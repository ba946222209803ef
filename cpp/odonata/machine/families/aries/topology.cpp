#include "odonata/machine/families/aries/topology.hpp"

#include <algorithm>

namespace odonata {

namespace {

struct Spot {
  std::int32_t group, row, column;
};

// Every router gets the block that `block_of` says.
template <class BlockOf>
Level divided(const char* name, const Groups& g, std::int32_t blocks, BlockOf block_of) {
  Level level{name, blocks, {}};
  for (std::int32_t group = 0; group < g.groups; ++group)
    for (std::int32_t row = 0; row < g.rows; ++row)
      for (std::int32_t column = 0; column < g.columns; ++column)
        level.of_router.push_back(block_of(Spot{group, row, column}));
  return level;
}

// Diagonals of a group.
std::int32_t diagonals(const Groups& g) { return std::max(g.rows, g.columns); }

// One router of each row and of each column that it meets, round and round.
std::int32_t diagonal(const Groups& g, const Spot& at) {
  const std::int32_t count = diagonals(g);
  return (at.column - at.row + count) % count;
}

// Whether a router is in the second half of its diagonal.
bool in_second_half(const Groups& g, const Spot& at) {
  return g.rows <= g.columns ? at.row >= (g.rows + 1) / 2 : at.column >= (g.columns + 1) / 2;
}

// Two divisions a diagonal of each pair of groups: a first half here with a second half there.
std::int32_t blue_block(const Groups& g, const Spot& at) {
  if (at.group / 2 * 2 + 1 >= g.groups) return -1;
  const std::int32_t begun_in = in_second_half(g, at) ? 1 - at.group % 2 : at.group % 2;
  return (at.group / 2 * 2 + begun_in) * diagonals(g) + diagonal(g, at);
}

}  // namespace

std::vector<Level> AriesTopology::divisions() const {
  const Groups& g = groups();
  return {
      divided("green", g, g.groups * g.rows,
              [&](const Spot& at) { return at.group * g.rows + at.row; }),
      divided("black", g, g.groups * g.columns,
              [&](const Spot& at) { return at.group * g.columns + at.column; }),
      divided("red", g, g.groups * diagonals(g),
              [&](const Spot& at) { return at.group * diagonals(g) + diagonal(g, at); }),
      divided("blue", g, g.groups / 2 * 2 * diagonals(g),
              [&](const Spot& at) { return blue_block(g, at); }),
  };
}

}  // namespace odonata
