// Other counts than powers of two, as in MPICH: of the first 2 r ranks, r = n - 2^k, the even ones
// give their data to the odd ones and rest; the 2^k that are left are numbered anew.
//
//     n = 6, r = 2:   rank    0  1  2  3  4  5
//                     number  -  0  -  1  2  3
#pragma once

#include <bit>

#include "odonata/workload/collective.hpp"

namespace odonata::allreduce {

struct Fold {
  int active;  // 2^k
  int rest;    // r
  int number;  // of this rank, -1: it rests

  explicit Fold(const Rank& rank)
      : active(static_cast<int>(std::bit_floor(static_cast<unsigned>(rank.size())))),
        rest(rank.size() - active),
        number(rank.index() - rest) {
    if (rank.index() < 2 * rest) number = rank.index() % 2 == 0 ? -1 : rank.index() / 2;
  }
  [[nodiscard]] int rank_of(int of) const { return of < rest ? 2 * of + 1 : of + rest; }
};

/// Even ranks of the first 2 r give `data` to their odd neighbours, who combine it.
Task fold(Rank rank, Fold how, Span data, Span received);

/// Odd ranks of the first 2 r give their neighbours the result.
Task unfold(Rank rank, Fold how, Span data);

}  // namespace odonata::allreduce
