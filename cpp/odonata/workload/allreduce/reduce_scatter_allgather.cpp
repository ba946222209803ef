#include <algorithm>

#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/allreduce/fold.hpp"
#include "odonata/workload/chunks.hpp"

namespace odonata::allreduce {

// Rabenseifner's, as in MPICH: recursive halving leaves every rank with the sum of one chunk, then
// recursive doubling on the same way back collects them: 2 log2 n steps, about 2 b bytes a rank.
Task reduce_scatter_allgather(Rank rank, Call call) {
  const Fold how(rank);
  const EvenChunks chunks{how.active, call.bytes};
  const Span sum{output, 0, call.bytes};
  rank.copy(sum, {input, 0, call.bytes});
  Task before = fold(rank, how, sum, {scratch, 0, call.bytes});
  co_await before;

  const bool active = how.number >= 0;
  int first = 0, count = how.active;  // the chunks that are still mine
  for (int distance = 1; active && distance < how.active; distance *= 2) {
    const int partner = how.rank_of(how.number ^ distance);
    count /= 2;
    const bool lower = (how.number & distance) == 0;
    const int mine = lower ? first : first + count, theirs = lower ? first + count : first;
    co_await rank.sendrecv(partner, chunks.of(output, theirs, theirs + count), partner,
                           chunks.of(scratch, mine, mine + count));
    rank.combine(chunks.of(output, mine, mine + count), chunks.of(scratch, mine, mine + count));
    first = mine;
  }
  for (int distance = how.active / 2; active && distance > 0; distance /= 2) {
    const int partner = how.rank_of(how.number ^ distance);
    const bool lower = (how.number & distance) == 0;
    const int theirs = lower ? first + count : first - count;
    co_await rank.sendrecv(partner, chunks.of(output, first, first + count), partner,
                           chunks.of(output, theirs, theirs + count));
    first = std::min(first, theirs);
    count *= 2;
  }

  Task after = unfold(rank, how, sum);
  co_await after;
}

}  // namespace odonata::allreduce
