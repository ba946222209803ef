#include <array>

#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/chunks.hpp"

namespace odonata::allreduce {

// Open MPI's: the sums of the ring are made in phases, each of an even part of all chunks of at
// most a segment, then the chunks go round whole: n-1 steps a phase, and n-1 steps. Data of less
// than a segment a rank, and all data without a size of segments, take the ring.
Task ring_segmented(Rank rank, Call call) {
  const int n = rank.size(), me = rank.index(), right = (me + 1) % n, left = (me + n - 1) % n;
  const Bytes round = n * call.parameter;  // [B] a phase
  if (round == 0 || call.bytes < round) {
    Task instead = ring(rank, call);
    co_await instead;
    co_return;
  }
  const EvenChunks chunks{n, call.bytes};
  const auto phases = static_cast<int>((call.bytes + round - 1) / round);
  const auto part = [&](int phase, int i) {
    const Span chunk = chunks.of(output, i, i + 1);
    return EvenChunks{phases, chunk.bytes}.in(chunk, phase, 1);
  };
  const auto chunk_of = [&](int step) { return (me + n - step % n) % n; };
  rank.copy({output, 0, call.bytes}, {input, 0, call.bytes});
  for (int phase = 0; phase < phases; ++phase) {
    const auto arrived = [&](int step) {
      const Bytes most = part(phase, 0).bytes;
      return Span{scratch, step % 2 * most, part(phase, chunk_of(step + 1)).bytes};
    };
    std::array<Request, 2> arriving;
    if (n > 1) {
      arriving[0] = rank.irecv(left, arrived(0));
      co_await rank.send(right, part(phase, me));
    }
    for (int step = 0; step < n - 1; ++step) {
      const auto now = static_cast<std::size_t>(step % 2);
      if (step + 1 < n - 1) arriving[1 - now] = rank.irecv(left, arrived(step + 1));
      co_await rank.wait(arriving[now]);
      const Span sum = part(phase, chunk_of(step + 1));
      rank.combine(sum, arrived(step));
      if (step + 1 < n - 1) co_await rank.send(right, sum);
    }
  }
  for (int step = 0; step < n - 1; ++step) {
    const int sent = chunk_of(step + n - 1), got = chunk_of(step);
    co_await rank.sendrecv(right, chunks.of(output, sent, sent + 1), left,
                           chunks.of(output, got, got + 1));
  }
}

}  // namespace odonata::allreduce
