// Blocks of different sizes and neighbours of any kind, at every count: right to the byte.
#include "check.hpp"
#include "odonata/workload/selection.hpp"
#include "proving.hpp"

namespace odonata::tests::uneven_test {
namespace {

using trace::Collective;

// Calls of all ranks, with the counts that they point to.
struct Uneven {
  std::vector<Counts> counts;  // [ranks]
  Calls calls;                 // [ranks]

  Uneven(int ranks, int root)
      : counts(static_cast<std::size_t>(ranks)),
        calls(static_cast<std::size_t>(ranks), Call{0, root}) {}
  [[nodiscard]] Counts& at(int rank) { return counts[rank]; }
  [[nodiscard]] Call& of(int rank) { return calls[rank]; }
  void point(int rank) { of(rank).counts = &at(rank); }
};

// Sizes of blocks: some are empty; of one kind of seeds all are, of another all but one rank's.
class Sizes {
 public:
  Sizes(int ranks, std::uint64_t seed)
      : draws_(seed, Purpose::shuffle, 1), ranks_(ranks), seed_(seed) {}

  [[nodiscard]] Bytes of(int rank, int peer = 0) const {
    const auto place = static_cast<std::uint64_t>(rank) * static_cast<std::uint64_t>(ranks_) +
                       static_cast<std::uint64_t>(peer);
    if (seed_ % 7 == 5) return 0;
    if (seed_ % 7 == 6 && rank != ranks_ / 2) return 0;
    return below(2 * place, 3) == 0 ? 0 : below(2 * place + 1, 20);
  }
  [[nodiscard]] int edges(int from, int to) const {  // 0, 1, or now and then 2 or 3
    const auto drawn = below(1'000'000 + static_cast<std::uint64_t>(from * ranks_ + to), 8);
    return static_cast<int>(drawn < 4 ? 0 : drawn - 4);
  }

 private:
  [[nodiscard]] Bytes below(std::uint64_t i, std::uint32_t end) const {
    return static_cast<Bytes>(draws_.below(i, end));
  }

  Draws draws_;
  int ranks_;
  std::uint64_t seed_;
};

// allgatherv, reduce_scatter: everyone knows the sizes; gatherv, scatterv: the root.
Uneven blocks_of_ranks(int ranks, int root, bool only_root, const Sizes& sizes) {
  Uneven made(ranks, root);
  for (int r = 0; r < ranks; ++r) {
    made.of(r).bytes = sizes.of(r);
    for (int i = 0; i < ranks; ++i) made.at(r).blocks.push_back(sizes.of(i));
    if (!only_root || r == root) made.point(r);
  }
  return made;
}

Uneven blocks_of_pairs(int ranks, const Sizes& sizes) {
  Uneven made(ranks, 0);
  for (int r = 0; r < ranks; ++r) {
    for (int i = 0; i < ranks; ++i) made.at(r).blocks.push_back(sizes.of(r, i));
    for (int i = 0; i < ranks; ++i) made.at(r).from.push_back(sizes.of(i, r));
    made.point(r);
  }
  return made;
}

// Any graph: ranks without neighbours, edges to oneself, several between two ranks.
Uneven neighbors(int ranks, bool alike, const Sizes& sizes) {
  Uneven made(ranks, 0);
  for (int r = 0; r < ranks; ++r) {
    made.of(r).bytes = sizes.of(r);
    for (int i = 0; i < ranks; ++i) {
      const int to = (r + 3 * i) % ranks;
      for (int edge = 0; edge < sizes.edges(r, to); ++edge) {
        const Bytes size = sizes.of(r, alike ? 0 : i + edge);
        made.at(r).destinations.push_back(to);
        made.at(r).blocks.push_back(size);
        made.at(to).sources.push_back(r);
        made.at(to).from.push_back(size);
      }
    }
    made.point(r);
  }
  return made;
}

Uneven uneven(trace::Sizes kind, int ranks, int root, const Sizes& sizes) {
  switch (kind) {
    case trace::Sizes::of_ranks: return blocks_of_ranks(ranks, root, false, sizes);
    case trace::Sizes::of_ranks_at_root: return blocks_of_ranks(ranks, root, true, sizes);
    case trace::Sizes::of_pairs: return blocks_of_pairs(ranks, sizes);
    case trace::Sizes::of_sources: return neighbors(ranks, true, sizes);
    case trace::Sizes::of_neighbors: return neighbors(ranks, false, sizes);
    default: return {0, 0};
  }
}

void prove_uneven(const Algorithm& algorithm, int ranks, int root, std::uint64_t seed) {
  const trace::Sizes kind = trace::row_of(collective_of(algorithm.operation)).sizes;
  if (kind == trace::Sizes::alike) return;
  prove(algorithm, uneven(kind, ranks, root, Sizes(ranks, seed)).calls, seed);
}

void prove_uneven_at(int ranks, std::uint64_t seeds) {
  for (const Algorithm& algorithm : algorithms())
    for (const int root : roots(algorithm.operation, ranks))
      for (std::uint64_t i = 0; i < seeds; ++i)
        prove_uneven(algorithm, ranks, root, (static_cast<std::uint64_t>(ranks) + 11 * i) % 60);
}

TEST("uneven/right at every count from 1 to 33, with empty blocks") {
  for (int ranks = 1; ranks <= 33; ++ranks) prove_uneven_at(ranks, 7);
}

TEST("uneven/right at 64, 100 and 128 ranks") {
  for (const int ranks : {64, 100, 128}) prove_uneven_at(ranks, 2);
}

TEST("uneven/right in every setting") {
  for (const Algorithm& algorithm : algorithms())
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      const bool rooted = has_root(algorithm.operation);
      prove_uneven(algorithm, 11, rooted ? static_cast<int>(seed % 11) : 0, seed);
    }
}

// Blocks of up to three chunks of 32 KiB, one of them just full.
TEST("allgatherv/ring is right with chunks, and sends as many as there are") {
  const std::vector<Bytes> sizes = {70'000, 0, 32'768, 1, 65'536};
  Uneven call(5, 0);
  for (int r = 0; r < 5; ++r) {
    call.at(r).blocks = Blocks(sizes);
    call.of(r).bytes = sizes[r];
    call.point(r);
  }
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    JobStatistics counted;
    Setting on(5, seed);
    on.repetitions = 1;
    CHECK_EQUAL(mistake(algorithm("allgatherv", "ring"), call.calls, on, counted), std::string());
    CHECK_EQUAL(counted.messages, 4 * (3 + 0 + 1 + 1 + 2));
    CHECK_EQUAL(counted.bytes, 4 * (70'000 + 32'768 + 1 + 65'536));
  }
}

TEST("uneven/a block at the wrong place is noticed") {
  const Algorithm even{"alltoallv", "even", "", [](Rank rank, Call call) {
                         return algorithm("alltoallv", "pairwise")
                             .run(std::move(rank), {call.counts->blocks.start(1), 0});
                       }};
  Uneven call(2, 0);
  for (int r = 0; r < 2; ++r) {
    call.at(r).blocks = Blocks(std::vector<Bytes>{2, 3});
    call.at(r).from = Blocks(std::vector<Bytes>(2, r == 0 ? 2 : 3));
    call.point(r);
  }
  JobStatistics ignored;
  CHECK_EQUAL(mistake(even, call.calls, Setting(2, 0), ignored),
              std::string("output of rank 1 at byte 2 is not what it must be"));
}

TEST("uneven/the choice follows the sum of the blocks") {
  const Selection s;
  Counts counts;
  counts.blocks = Blocks(std::vector<Bytes>{80 * 1024 - 1, 0, 0});
  CHECK_EQUAL(select(s, Collective::allgatherv, 3, {0, 0, &counts}), std::string("bruck"));
  counts.blocks = Blocks(std::vector<Bytes>{0, 80 * 1024, 0});
  CHECK_EQUAL(select(s, Collective::allgatherv, 3, {0, 0, &counts}), std::string("ring"));
  CHECK_EQUAL(select(s, Collective::reduce_scatter, 3, {0, 0, &counts}),
              std::string("recursive_halving"));
  counts.blocks = Blocks(std::vector<Bytes>{512 * 1024, 0, 0});
  CHECK_EQUAL(select(s, Collective::reduce_scatter, 3, {0, 0, &counts}), std::string("pairwise"));
}

}  // namespace
}  // namespace odonata::tests::uneven_test
