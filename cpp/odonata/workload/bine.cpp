#include "odonata/workload/bine.hpp"

#include <algorithm>
#include <bit>

namespace odonata::bine {

namespace {

constexpr unsigned odd_digits = 0xAAAAAAAA;  // in base -2, the digits of negative weight

// Digits in base -2.
unsigned negabinary(int x) { return (static_cast<unsigned>(x) + odd_digits) ^ odd_digits; }

unsigned reversed(unsigned x, int bits) {
  unsigned out = 0;
  for (int i = 0; i < bits; ++i) out |= (x >> i & 1) << (bits - 1 - i);
  return out;
}

// Blocks that cross in one step when all gather, by their offset in the tree of rank 0; the
// partner's tree is the own one mirrored.
struct Exchange {
  int rank;
  int ranks;
  int partner;

  [[nodiscard]] int got(int offset) const {
    return mod(rank % 2 == 0 ? rank + offset : rank - offset, ranks);
  }
  [[nodiscard]] int sent(int offset) const {
    return mod(rank % 2 == 0 ? partner - offset : partner + offset, ranks);
  }
};

}  // namespace

int steps(int ranks) { return std::bit_width(static_cast<unsigned>(ranks) - 1); }
bool power_of_two(int ranks) { return std::has_single_bit(static_cast<unsigned>(ranks)); }

int partner(int rank, int step, int ranks) {
  const int power = 1 << (step + 1);
  const int distance = (1 + (step % 2 == 0 ? power : -power)) / 3;
  return mod(rank % 2 == 0 ? rank + distance : rank - distance, ranks);
}

int number(int rank, int ranks) {
  const int digits = steps(ranks);
  const unsigned end = 1U << digits;
  const int way = rank % 2 == 0 ? -rank : rank;
  unsigned lowest = end;
  for (const int same : {way, way > 0 ? way - ranks : way + ranks}) {
    const unsigned written = negabinary(same);
    if (written < end) lowest = std::min(lowest, reversed(written ^ (written >> 1), digits));
  }
  return static_cast<int>(lowest);
}

int reached_growing(int rank, int ranks) {
  if (rank == 0) return -1;
  return steps(ranks) - 1 - std::countr_zero(static_cast<unsigned>(number(rank, ranks)));
}

// The lowest digits that are alike, less one.
int reached_falling(int rank, int ranks) {
  const auto all = static_cast<unsigned>(ranks) - 1;
  const unsigned digits = negabinary(rank) & all;
  const unsigned others = rank % 2 == 0 ? digits : ~digits & all;
  if (rank == 0) return steps(ranks);
  return (others == 0 ? steps(ranks) : std::countr_zero(others)) - 1;
}

trees::Place growing(int ranks, int rank) {
  const int reached = reached_growing(rank, ranks);
  trees::Place place{rank == 0 ? -1 : partner(rank, reached, ranks), {}};
  for (int step = reached + 1; step < steps(ranks); ++step)
    place.children.push_back(partner(rank, step, ranks));
  return place;
}

trees::Place falling(int ranks, int rank) {
  const int reached = reached_falling(rank, ranks);
  trees::Place place{rank == 0 ? -1 : partner(rank, reached, ranks), {}};
  for (int step = reached - 1; step >= 0; --step)
    place.children.push_back(partner(rank, step, ranks));
  return place;
}

Pieces copied_to_scratch(Rank rank, const Call& call) {
  Pieces pieces{scratch, {}};
  for (int i = 0; i < rank.size(); ++i) pieces.blocks.push_back(call.block(input, i).bytes);
  rank.copy({scratch, 0, pieces.bytes()}, {input, 0, pieces.bytes()});
  return pieces;
}

Numbers::Numbers(int ranks) : of(ranks), rank(ranks) {
  for (int r = 0; r < ranks; ++r) {
    of[r] = number(r, ranks);
    rank[of[r]] = r;
  }
}

std::shared_ptr<const Numbers> numbers(const Rank& rank, int ranks) {
  return rank.shared("bine numbers " + std::to_string(ranks), [&] { return Numbers(ranks); });
}

std::shared_ptr<const Reached> reached(const Rank& rank) {
  return rank.shared("bine reached", [&] {
    Reached all(steps(rank.size()));
    for (int r = 1; r < rank.size(); ++r)
      all[std::bit_width(static_cast<unsigned>(number(r, rank.size()))) - 1].push_back(r);
    return all;
  });
}

Task reduce_pieces(Rank rank, Pieces pieces, Bytes received) {
  const auto offsets = reached(rank);
  const int n = rank.size(), last = steps(n) - 1;
  const auto arrived = [&](int i) {
    return Span{scratch, received + pieces.of(i).offset, pieces.of(i).bytes};
  };
  std::vector<Request> sends, receives;
  for (int step = 0; step <= last; ++step) {
    const Exchange with{rank.index(), n, partner(rank.index(), step, n)};
    const std::vector<int>& here = (*offsets)[last - step];
    sends.clear();
    receives.clear();
    for (const int offset : here) {
      sends.push_back(rank.isend(with.partner, pieces.of(with.got(offset))));
      receives.push_back(rank.irecv(with.partner, arrived(with.sent(offset))));
    }
    for (std::size_t i = 0; i < here.size(); ++i) {
      co_await rank.wait(receives[i]);
      const int piece = with.sent(here[i]);
      rank.combine(pieces.of(piece), arrived(piece));
    }
    co_await rank.wait_all(sends);
  }
}

Task gather_pieces(Rank rank, Pieces pieces) {
  const auto offsets = reached(rank);
  const int n = rank.size(), last = steps(n) - 1;
  std::vector<Request> requests;
  for (int step = last; step >= 0; --step) {
    const Exchange with{rank.index(), n, partner(rank.index(), step, n)};
    requests.clear();
    for (const int offset : (*offsets)[last - step]) {
      requests.push_back(rank.isend(with.partner, pieces.of(with.sent(offset))));
      requests.push_back(rank.irecv(with.partner, pieces.of(with.got(offset))));
    }
    co_await rank.wait_all(requests);
  }
}

Task reduce_by_numbers(Rank rank, Pieces pieces, Bytes received, int root) {
  const int n = rank.size(), me = mod(rank.index() - root, n);
  const auto all = numbers(rank, n);
  for (int step = 0, count = n / 2; count > 0; ++step, count /= 2) {
    const int other = partner(me, step, n), peer = (other + root) % n;
    const int mine = window(all->of[me], count), theirs = window(all->of[other], count);
    const Span kept = pieces.of(mine, mine + count);
    const Span arrived{scratch, received + kept.offset, kept.bytes};
    co_await rank.sendrecv(peer, pieces.of(theirs, theirs + count), peer, arrived);
    rank.combine(kept, arrived);
  }
}

Task gather_by_numbers(Rank rank, Pieces pieces) {
  const int n = rank.size(), me = rank.index();
  const auto all = numbers(rank, n);
  for (int step = steps(n) - 1, count = 1; step >= 0; --step, count *= 2) {
    const int other = partner(me, step, n);
    const int mine = window(all->of[me], count), theirs = window(all->of[other], count);
    co_await rank.sendrecv(other, pieces.of(mine, mine + count), other,
                           pieces.of(theirs, theirs + count));
  }
}

}  // namespace odonata::bine
