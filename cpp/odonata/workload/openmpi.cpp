// Choices of Open MPI 4.1 and 5.0, whose tables are alike: coll_tuned_decision_fixed.c of 4.1.5,
// 4.1.6, 5.0.0 and 5.0.7, for operators that commute. All go without segments there.
#include "odonata/workload/openmpi.hpp"

#include <bit>
#include <limits>
#include <vector>

namespace odonata::openmpi {

namespace {

constexpr Bytes KiB = 1024, MiB = 1024 * KiB, any = std::numeric_limits<Bytes>::max();
constexpr int any_ranks = std::numeric_limits<int>::max();

// Fewer bytes than `below`: this number.
struct Step {
  Bytes below;  // [B]
  int number;
};
// The steps for fewer ranks than `below`, and no fewer than the band before has.
struct Band {
  int below;
  std::vector<Step> steps;
};
struct Table {
  std::vector<std::string> names;  // ours for Open MPI's numbers 1, 2, 3, ...
  std::vector<Band> bands;

  [[nodiscard]] std::string choice(int ranks, Bytes bytes) const {
    for (const Band& band : bands) {
      if (ranks >= band.below) continue;
      for (const Step& step : band.steps)
        if (bytes < step.below) return names[step.number - 1];
    }
    return names.front();  // as many bytes as can be
  }
};

const Table allgather_table{
    {"ring", "bruck", "recursive_doubling", "ring", "neighbor_exchange", "recursive_doubling"},
    {
        {3, {{any, 6}}},
        {32, {{any, 3}}},
        {64, {{1 * KiB, 3}, {64 * KiB, 5}, {any, 4}}},
        {128, {{512, 3}, {64 * KiB, 5}, {any, 4}}},
        {256, {{512, 3}, {128 * KiB, 5}, {512 * KiB, 4}, {1 * MiB, 5}, {any, 4}}},
        {512,
         {{32, 3}, {128, 2}, {1 * KiB, 3}, {128 * KiB, 5}, {512 * KiB, 4}, {1 * MiB, 5}, {any, 4}}},
        {1024, {{64, 3}, {256, 2}, {2 * KiB, 3}, {any, 5}}},
        {2048, {{4, 3}, {8, 2}, {16, 3}, {32, 2}, {256, 3}, {512, 2}, {4 * KiB, 3}, {any, 5}}},
        {4096, {{32, 2}, {128, 3}, {512, 2}, {4 * KiB, 3}, {any, 5}}},
        {any_ranks, {{2, 3}, {8, 2}, {16, 3}, {512, 2}, {4 * KiB, 3}, {any, 5}}},
    }};

const Table allgatherv_table{
    {"bruck", "bruck", "ring", "ring", "ring"},
    {
        {3, {{2 * KiB, 3}, {4 * KiB, 5}, {8 * KiB, 3}, {any, 5}}},
        {8, {{256, 1}, {4 * KiB, 4}, {8 * KiB, 3}, {16 * KiB, 4}, {256 * KiB, 2}, {any, 4}}},
        {16, {{1 * KiB, 1}, {any, 2}}},
        {32, {{128, 1}, {256 * KiB, 2}, {any, 3}}},
        {64, {{256, 1}, {8 * KiB, 2}, {any, 3}}},
        {128, {{256, 1}, {4 * KiB, 2}, {any, 3}}},
        {256, {{1 * KiB, 2}, {64 * KiB, 4}, {any, 3}}},
        {512, {{1 * KiB, 2}, {any, 3}}},
        {1024, {{512, 2}, {1 * KiB, 1}, {4 * KiB, 2}, {1 * MiB, 4}, {any, 3}}},
        {any_ranks, {{4 * KiB, 2}, {any, 4}}},
    }};

const Table scatter_table{
    {"linear_in_turn", "binomial", "linear_in_order"},
    {
        {4, {{2, 3}, {128 * KiB, 1}, {256 * KiB, 3}, {any, 1}}},
        {8, {{2 * KiB, 2}, {4 * KiB, 1}, {8 * KiB, 2}, {32 * KiB, 1}, {1 * MiB, 3}, {any, 1}}},
        {16, {{16 * KiB, 2}, {1 * MiB, 3}, {any, 1}}},
        {32, {{16 * KiB, 2}, {32 * KiB, 1}, {any, 3}}},
        {64, {{512, 2}, {8 * KiB, 3}, {16 * KiB, 2}, {any, 3}}},
        {any_ranks, {{512, 2}, {any, 3}}},
    }};

const Table gather_table{
    {"linear_in_turn", "binomial", "linear_sync"},
    {
        {4, {{2, 3}, {4, 1}, {32 * KiB, 2}, {64 * KiB, 1}, {128 * KiB, 2}, {any, 3}}},
        {8, {{1 * KiB, 2}, {8 * KiB, 1}, {32 * KiB, 2}, {256 * KiB, 1}, {any, 3}}},
        {256, {{any, 2}}},
        {512, {{2 * KiB, 2}, {8 * KiB, 1}, {any, 2}}},
        {any_ranks, {{any, 2}}},
    }};

const Table bcast_table{
    {"linear", "pipeline", "pipeline", "split_binary", "binary", "binomial_growing", "knomial",
     "scatter_recursive_doubling", "scatter_allgather"},
    {
        {4,
         {{32, 3},
          {256, 5},
          {512, 3},
          {1 * KiB, 7},
          {32 * KiB, 1},
          {128 * KiB, 5},
          {256 * KiB, 2},
          {512 * KiB, 1},
          {1 * MiB, 6},
          {any, 5}}},
        {8, {{64, 5}, {128, 6}, {2 * KiB, 5}, {8 * KiB, 6}, {1 * MiB, 1}, {any, 2}}},
        {16, {{8, 7}, {64, 5}, {4 * KiB, 7}, {16 * KiB, 5}, {32 * KiB, 6}, {any, 1}}},
        {32, {{4 * KiB, 7}, {1 * MiB, 6}, {any, 8}}},
        {64, {{2 * KiB, 6}, {any, 7}}},
        {128, {{any, 7}}},
        {256, {{2, 6}, {16 * KiB, 5}, {32 * KiB, 1}, {64 * KiB, 5}, {any, 7}}},
        {1024, {{16 * KiB, 7}, {32 * KiB, 4}, {any, 7}}},
        {2048, {{512 * KiB, 7}, {any, 8}}},
        {4096, {{256 * KiB, 7}, {any, 8}}},
        {any_ranks, {{8 * KiB, 7}, {16 * KiB, 5}, {256 * KiB, 7}, {any, 8}}},
    }};

const Table reduce_table{
    {"linear", "pipeline", "pipeline", "binary", "binomial_ahead", "in_order_binary",
     "reduce_scatter_gather"},
    {
        {4, {{8, 7}, {16, 4}, {32, 3}, {256 * KiB, 1}, {512 * KiB, 3}, {1 * MiB, 2}, {any, 3}}},
        {8, {{4 * KiB, 4}, {64 * KiB, 2}, {256 * KiB, 5}, {512 * KiB, 1}, {1 * MiB, 5}, {any, 1}}},
        {16, {{8 * KiB, 4}, {any, 5}}},
        {32, {{4 * KiB, 4}, {any, 5}}},
        {256, {{any, 5}}},
        {512, {{8 * KiB, 5}, {16 * KiB, 6}, {any, 5}}},
        {2048, {{any, 5}}},
        {4096, {{512, 5}, {1 * KiB, 6}, {8 * KiB, 5}, {16 * KiB, 6}, {any, 5}}},
        {any_ranks,
         {{16, 5}, {32, 6}, {1 * KiB, 5}, {2 * KiB, 6}, {8 * KiB, 5}, {16 * KiB, 6}, {any, 5}}},
    }};

const Table allreduce_table{
    {"linear", "reduce_bcast", "recursive_doubling", "ring", "ring", "reduce_scatter_allgather"},
    {
        {4,
         {{8, 4},
          {4 * KiB, 3},
          {8 * KiB, 4},
          {16 * KiB, 3},
          {64 * KiB, 4},
          {256 * KiB, 5},
          {any, 6}}},
        {8, {{16, 4}, {8 * KiB, 3}, {any, 6}}},
        {16, {{8 * KiB, 3}, {any, 6}}},
        {32, {{64, 5}, {4 * KiB, 3}, {any, 6}}},
        {64, {{128, 5}, {any, 6}}},
        {128, {{256 * KiB, 3}, {any, 6}}},
        {256, {{128 * KiB, 2}, {256 * KiB, 3}, {any, 6}}},
        {512, {{4 * KiB, 2}, {any, 6}}},
        {2048, {{2 * KiB, 2}, {16 * KiB, 3}, {any, 6}}},
        {4096, {{2 * KiB, 2}, {4 * KiB, 5}, {16 * KiB, 3}, {any, 6}}},
        {any_ranks, {{2 * KiB, 2}, {16 * KiB, 5}, {32 * KiB, 3}, {any, 6}}},
    }};

const Table reduce_scatter_table{
    {"reduce_scatterv", "recursive_halving", "ring", "distance_doubling"},
    {
        {4, {{64 * KiB, 3}, {128 * KiB, 4}, {any, 3}}},
        {8, {{8, 1}, {256 * KiB, 2}, {any, 3}}},
        {32, {{256 * KiB, 2}, {any, 3}}},
        {64, {{64, 1}, {2 * KiB, 2}, {512 * KiB, 4}, {any, 3}}},
        {128, {{256, 1}, {512, 2}, {2 * KiB, 4}, {4 * KiB, 2}, {any, 4}}},
        {256, {{256, 1}, {512, 2}, {any, 4}}},
        {512, {{256, 1}, {1 * KiB, 2}, {any, 4}}},
        {1024, {{512, 1}, {2 * KiB, 2}, {8 * KiB, 4}, {16 * KiB, 2}, {any, 4}}},
        {2048, {{512, 1}, {4 * KiB, 2}, {16 * KiB, 4}, {32 * KiB, 2}, {any, 4}}},
        {4096, {{512, 1}, {4 * KiB, 2}, {any, 4}}},
        {any_ranks, {{1 * KiB, 1}, {8 * KiB, 2}, {any, 4}}},
    }};

const Table reduce_scatter_block_table{
    {"reduce_scatterv", "recursive_doubling", "recursive_halving", "distance_doubling"},
    {
        {4,
         {{4, 2},
          {8, 4},
          {16, 3},
          {128, 4},
          {256, 3},
          {4 * KiB, 4},
          {8 * KiB, 3},
          {128 * KiB, 4},
          {any, 1}}},
        {8, {{8, 3}, {32, 2}, {256, 4}, {8 * KiB, 3}, {16 * KiB, 4}, {1 * MiB, 3}, {any, 1}}},
        {16, {{4, 1}, {32, 3}, {128, 4}, {512 * KiB, 3}, {4 * MiB, 1}, {any, 4}}},
        {32, {{32, 1}, {512 * KiB, 3}, {2 * MiB, 1}, {4 * MiB, 3}, {any, 4}}},
        {any_ranks, {{4, 3}, {16, 1}, {64 * KiB, 4}, {256 * KiB, 1}, {any, 4}}},
    }};

const Table alltoall_table{
    {"linear", "pairwise_ring", "bruck", "linear", "pairwise_ring"},
    {
        {3,
         {{2, 2},
          {4, 5},
          {16, 2},
          {64, 5},
          {256, 2},
          {4 * KiB, 5},
          {32 * KiB, 2},
          {256 * KiB, 4},
          {1 * MiB, 5},
          {any, 2}}},
        {8, {{8 * KiB, 4}, {16 * KiB, 1}, {64 * KiB, 4}, {512 * KiB, 1}, {1 * MiB, 2}, {any, 1}}},
        {16, {{256 * KiB, 4}, {any, 1}}},
        {32,
         {{4, 4}, {512, 3}, {8 * KiB, 4}, {32 * KiB, 1}, {256 * KiB, 4}, {512 * KiB, 1}, {any, 4}}},
        {64, {{512, 3}, {512 * KiB, 1}, {any, 4}}},
        {128, {{1 * KiB, 3}, {2 * KiB, 1}, {4 * KiB, 4}, {256 * KiB, 1}, {any, 2}}},
        {256, {{1 * KiB, 3}, {2 * KiB, 4}, {256 * KiB, 1}, {any, 2}}},
        {512, {{1 * KiB, 3}, {8 * KiB, 4}, {32 * KiB, 1}, {any, 2}}},
        {1024, {{512, 3}, {8 * KiB, 4}, {16 * KiB, 1}, {128 * KiB, 4}, {256 * KiB, 1}, {any, 2}}},
        {2048, {{512, 3}, {1 * KiB, 4}, {2 * KiB, 1}, {16 * KiB, 4}, {256 * KiB, 1}, {any, 4}}},
        {4096, {{1 * KiB, 3}, {4 * KiB, 4}, {8 * KiB, 1}, {128 * KiB, 4}, {any, 1}}},
        {any_ranks,
         {{2 * KiB, 3}, {8 * KiB, 4}, {16 * KiB, 1}, {32 * KiB, 4}, {64 * KiB, 1}, {any, 4}}},
    }};

const Table alltoallv_table{{"linear", "pairwise"},
                            {
                                {4, {{any, 2}}},
                                {64, {{any, 1}}},
                                {128, {{any, 2}}},
                                {256, {{any, 1}}},
                                {1024, {{any, 2}}},
                                {any_ranks, {{any, 1}}},
                            }};

bool power_of_two(int ranks) { return std::has_single_bit(static_cast<unsigned>(ranks)); }

// True if there are fewer values than the largest power of two of ranks.
bool too_few_to_halve(const Selection& s, int ranks, const Call& call) {
  return call.bytes / s.allreduce_value < std::bit_floor(static_cast<unsigned>(ranks));
}

}  // namespace

// Its recursive doubling takes Bruck's steps where ranks are not a power of two.
std::string allgather(const Selection&, int ranks, const Call& call) {
  const std::string name = allgather_table.choice(ranks, call.bytes);
  return name == "recursive_doubling" && !power_of_two(ranks) ? "bruck" : name;
}

std::string allgatherv(const Selection&, int ranks, const Call& call) {
  return allgatherv_table.choice(ranks, call.blocks(output, 0, ranks).bytes / ranks);
}

std::string scatter(const Selection&, int ranks, const Call& call) {
  return scatter_table.choice(ranks, call.bytes);
}

std::string gather(const Selection&, int ranks, const Call& call) {
  return gather_table.choice(ranks, call.bytes);
}

std::string bcast(const Selection&, int ranks, const Call& call) {
  return bcast_table.choice(ranks, call.bytes);
}

// Its halving and its ring have other algorithms in their place where there are too few values.
std::string reduce(const Selection& s, int ranks, const Call& call) {
  const std::string name = reduce_table.choice(ranks, call.bytes);
  const bool halves = name == "reduce_scatter_gather";
  return halves && too_few_to_halve(s, ranks, call) ? "linear" : name;
}

std::string allreduce(const Selection& s, int ranks, const Call& call) {
  std::string name = allreduce_table.choice(ranks, call.bytes);
  if (name == "reduce_scatter_allgather" && too_few_to_halve(s, ranks, call)) return "linear";
  if (name == "ring" && call.bytes / s.allreduce_value < ranks) return "recursive_doubling";
  return name;
}

std::string reduce_scatter(const Selection&, int ranks, const Call& call) {
  return reduce_scatter_table.choice(ranks, call.blocks(input, 0, ranks).bytes);
}

std::string reduce_scatter_block(const Selection&, int ranks, const Call& call) {
  return reduce_scatter_block_table.choice(ranks, call.bytes);
}

std::string alltoall(const Selection&, int ranks, const Call& call) {
  return alltoall_table.choice(ranks, call.bytes);
}

std::string alltoallv(const Selection&, int ranks, const Call&) {
  return alltoallv_table.choice(ranks, 0);
}

}  // namespace odonata::openmpi
