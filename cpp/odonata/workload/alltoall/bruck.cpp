#include <algorithm>

#include "odonata/workload/algorithms.hpp"

namespace odonata::alltoall {

// A block that has i ranks to go travels 2^k ranks up in step k if bit k of i is set, packed with
// all others that do: ceil(log2 n) messages a rank of about n/2 blocks each.
//
//     scratch    [0, n)    block that has i ranks to go (in the end: has come i ranks) at i
//                [n, ...)  packed to send       [2 n, ...)  received
Task bruck(Rank rank, Call call) {
  const int n = rank.size(), me = rank.index();
  const Bytes b = call.bytes;
  rank.copy({scratch, 0, (n - me) * b}, {input, me * b, (n - me) * b});
  rank.copy({scratch, (n - me) * b, me * b}, {input, 0, me * b});
  for (int distance = 1; distance < n; distance *= 2) {
    int packed = 0;
    for (int i = distance; i < n; i += 2 * distance) {
      const int run = std::min(distance, n - i);
      rank.copy({scratch, (n + packed) * b, run * b}, {scratch, i * b, run * b});
      packed += run;
    }
    co_await rank.sendrecv((me + distance) % n, {scratch, n * b, packed * b},
                           (me + n - distance) % n, {scratch, 2 * n * b, packed * b});
    packed = 0;
    for (int i = distance; i < n; i += 2 * distance) {
      const int run = std::min(distance, n - i);
      rank.copy({scratch, i * b, run * b}, {scratch, (2 * n + packed) * b, run * b});
      packed += run;
    }
  }
  for (int i = 0; i < n; ++i) rank.copy({output, (me + n - i) % n * b, b}, {scratch, i * b, b});
}

}  // namespace odonata::alltoall
