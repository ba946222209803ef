#include <algorithm>
#include <array>

#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/allreduce/fold.hpp"
#include "odonata/workload/bine.hpp"
#include "odonata/workload/chunks.hpp"

namespace odonata::allreduce {

namespace {

// Sends `sent` and combines what arrives with `kept`, in segments: the next one is on its way while
// one is combined, in one of two halves of scratch.
Task exchange(Rank rank, int partner, Segments sent, Segments kept) {
  const auto arrived = [&](int i) {
    return Span{scratch, i % 2 * kept.longest(), kept.of(i).bytes};
  };
  std::array<Request, 2> arriving{rank.irecv(partner, arrived(0)), {}};
  co_await rank.send(partner, sent.of(0));
  for (int i = 0; i < std::max(sent.count(), kept.count()); ++i) {
    const auto now = static_cast<std::size_t>(i % 2);
    if (i + 1 < kept.count()) arriving[1 - now] = rank.irecv(partner, arrived(i + 1));
    if (i < kept.count()) {
      co_await rank.wait(arriving[now]);
      rank.combine(kept.of(i), arrived(i));
    }
    if (i + 1 < sent.count()) co_await rank.send(partner, sent.of(i + 1));
  }
}

}  // namespace

// Rabenseifner's algorithm with the distances of Bine trees: chunks lie in the order of
// numbers. 2 log2 n steps, about 2 b bytes a rank; the sums are exchanged in segments.
Task bine_reduce_scatter_allgather(Rank rank, Call call) {
  const Fold how(rank);
  const EvenChunks chunks{how.active, call.bytes};
  const Span sum{output, 0, call.bytes};
  rank.copy(sum, {input, 0, call.bytes});
  Task before = fold(rank, how, sum, {scratch, 0, call.bytes});
  co_await before;

  const auto window = [&](int of, int count) {
    const int first = bine::number(of, how.active) / count * count;
    return chunks.of(output, first, first + count);
  };
  const int steps = how.number < 0 ? 0 : bine::steps(how.active);
  for (int step = 0, count = how.active / 2; step < steps; ++step, count /= 2) {
    const int other = bine::partner(how.number, step, how.active);
    Task halved = exchange(rank, how.rank_of(other), {window(other, count), call.parameter},
                           {window(how.number, count), call.parameter});
    co_await halved;
  }
  for (int step = steps - 1, count = 1; step >= 0; --step, count *= 2) {
    const int other = bine::partner(how.number, step, how.active), to = how.rank_of(other);
    co_await rank.sendrecv(to, window(how.number, count), to, window(other, count));
  }

  Task after = unfold(rank, how, sum);
  co_await after;
}

}  // namespace odonata::allreduce
