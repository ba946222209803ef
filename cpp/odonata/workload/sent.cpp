#include "odonata/workload/sent.hpp"

#include <algorithm>
#include <bit>

#include "odonata/workload/bine.hpp"
#include "odonata/workload/chunks.hpp"

namespace odonata::sent {

namespace {

constexpr Total chunk_bytes = 32 * 1024;  // of a chunked ring

std::int64_t all_pairs(std::int64_t n) { return n * (n - 1); }
std::int64_t floor_log2(int n) { return std::bit_width(static_cast<unsigned>(n)) - 1; }
std::int64_t ceil_log2(int n) { return std::bit_width(static_cast<unsigned>(n) - 1); }

// Ranks of the largest power of two, and the rest.
std::int64_t active(int n) { return std::bit_floor(static_cast<unsigned>(n)); }
std::int64_t resting(int n) { return n - active(n); }

// Bits that are set in the numbers below n: the steps of blocks to, or from, all ranks of a
// binomial tree, and of blocks to all distances.
std::int64_t set_bits(std::int64_t n) {
  std::int64_t bits = 0;
  for (std::int64_t bit = 1; bit < n; bit *= 2)
    bits += n / (2 * bit) * bit + std::max<std::int64_t>(0, n % (2 * bit) - bit);
  return bits;
}

// Exchanges of the active ranks, and two messages of each that rests.
std::int64_t folded(int n, std::int64_t phases) {
  return phases * active(n) * floor_log2(n) + 2 * resting(n);
}

std::int64_t segments(Total b, std::int64_t segment) {
  return Segments{{0, 0, static_cast<Bytes>(b)}, segment}.count();
}

}  // namespace

Sent one_each(int n, Total b, int /*root*/) { return {n, n * b}; }
Sent both_neighbours(int n, Total b, int /*root*/) { return {2 * std::int64_t{n}, 2 * n * b}; }
Sent there_and_back(int n, Total b, int /*root*/) { return {n / 2 * 2, n / 2 * 2 * b}; }
Sent others(int n, Total b, int /*root*/) { return {n - 1, (n - 1) * b}; }
// Over a leader of a group, one of a router, and one of a node at most.
Sent relayed(int n, Total b, int /*root*/) { return {n - 1, Sent::unknown, 3 * (n - 1) * b}; }
Sent relayed_binomially(int n, Total b, int /*root*/) { return {n - 1, set_bits(n) * b}; }
Sent pairs(int n, Total b, int /*root*/) { return {all_pairs(n), all_pairs(n) * b}; }

Sent chunks(int n, Total b, int /*root*/) {
  return {all_pairs(n) * ((b + chunk_bytes - 1) / chunk_bytes), all_pairs(n) * b};
}

Sent ring_of_chunks(int n, Total b, int /*root*/) { return {2 * all_pairs(n), 2 * (n - 1) * b}; }

Sent neighbours(int n, Total b, int /*root*/) {
  return {n % 2 == 0 ? std::int64_t{n} * n / 2 : all_pairs(n), all_pairs(n) * b};
}

Sent scatter_allgather(int n, Total b, int /*root*/) {
  const Total chunk = (b + n - 1) / n;
  Total scattered = 0;
  for (std::int64_t r = 1; r < n; ++r)
    scattered += std::clamp<Total>(b - r * chunk, 0, (r & -r) * chunk);
  return {all_pairs(n) + (b == 0 ? 0 : (b + chunk - 1) / chunk - 1), (n - 1) * b + scattered};
}

Sent steps_of_pairs(int n, Total b, int /*root*/) { return {n * ceil_log2(n), all_pairs(n) * b}; }
Sent steps_of_packed(int n, Total b, int /*root*/) {
  return {n * ceil_log2(n), n * set_bits(n) * b};
}
Sent steps_of_nothing(int n, Total /*b*/, int /*root*/) { return {n * ceil_log2(n), 0}; }

// One a rank and step, but for ranks whose subtree of 2^k has no sibling.
Sent doubling(int n, Total b, int /*root*/) {
  std::int64_t messages = 0;
  for (std::int64_t half = 1; half < n; half *= 2) {
    const std::int64_t rest = n % (2 * half);
    messages += n - (rest <= half ? rest : 0);
  }
  return {messages, all_pairs(n) * b};
}

Sent exchanges(int n, Total b, int /*root*/) {
  std::int64_t messages = 0;
  for (std::int64_t distance = 1; distance < n; distance *= 2) {
    const std::int64_t rest = n % (2 * distance);
    messages += n - std::min(rest, 2 * distance - rest);
  }
  return {messages, messages * b};
}

Sent folded_whole(int n, Total b, int /*root*/) { return {folded(n, 1), folded(n, 1) * b}; }
Sent folded_halves(int n, Total b, int /*root*/) { return {folded(n, 2), 2 * (n - 1) * b}; }
Sent halved(int n, Total b, int /*root*/) {
  return {folded(n, 1), (all_pairs(n) + resting(n)) * b};
}

// Halving, a tree to the root, one of each rank that rests, and one to a root that does.
Sent halved_and_gathered(int n, Total b, int root) {
  const bool root_rests = root < 2 * resting(n) && root % 2 != 0;
  return {active(n) * floor_log2(n) + active(n) - 1 + resting(n) + (root_rests ? 1 : 0),
          Sent::unknown, (n - 1 + (root_rests ? 1 : 0)) * b + b * floor_log2(n) / 2};
}

// Ranks that are not the number of a rank are sent a block.
std::int64_t misplaced(int n) {
  std::int64_t count = 0;
  for (int r = 0; r < n; ++r) count += bine::number(r, n) != r;
  return count;
}

Sent bine_steps(int n, Total b, int root) {
  return bine::power_of_two(n) ? steps_of_pairs(n, b, root) : pairs(n, b, root);
}

Sent bine_sent(int n, Total b, int root) {
  if (!bine::power_of_two(n)) return pairs(n, b, root);
  return {n * ceil_log2(n) + misplaced(n), (all_pairs(n) + misplaced(n)) * b};
}

// In the step of 2^k blocks, all begin at even places, two ranks' at each: 2^k - 2 of them go past
// the end.
Sent bine_stretches(int n, Total b, int root) {
  Sent sent = bine_steps(n, b, root);
  if (bine::power_of_two(n) && n > 1) sent.messages += n - 2 * ceil_log2(n);
  return sent;
}

Sent bine_gathered(int n, Total b, int root) {
  Sent sent = relayed_binomially(n, b, root);
  if (!bine::power_of_two(n)) return sent;
  for (int r = 1; r < n; ++r) {
    bine::Stretch has{n, r, (r + root) % n};
    while (has.step < bine::reached_falling(r, n)) has.extend();
    sent.messages += has.first + has.count > n;
  }
  return sent;
}

Sent bine_scattered(int n, Total b, int root) {
  if (!bine::power_of_two(n)) return scatter_allgather(n, b, root);
  return {n * ceil_log2(n), (n - 1) * b};
}

Sent bine_reduced_and_gathered(int n, Total b, int root) {
  if (!bine::power_of_two(n)) return halved_and_gathered(n, b, root);
  const EvenChunks chunks{n, static_cast<Bytes>(b)};
  Total gathered = 0;
  for (int i = 1; i < n; ++i) gathered += chunks.start(i + (i & -i)) - chunks.start(i);
  return {n * ceil_log2(n) + n - 1, (n - 1) * b + gathered};
}

// A rank of one subtree gets all but the other's blocks.
Sent outside_subtrees(int n, Total b, int root) {
  Total blocks = 0;
  for (std::int64_t half = 1; half < n; half *= 2)
    for (std::int64_t low = 0; low + half < n; low += 2 * half) {
      const std::int64_t upper = std::min(half, n - low - half);
      blocks += half * (n - upper) + upper * (n - half);
    }
  return {doubling(n, b, root).messages, blocks * b};
}

Sent halved_and_swapped(int n, Total b, int root) {
  if (!bine::power_of_two(n)) return halved(n, b, root);
  // Numbers that are not their own mirror images.
  const std::int64_t swapped = n - (std::int64_t{1} << (ceil_log2(n) + 1) / 2);
  return {n * ceil_log2(n) + swapped, (all_pairs(n) + swapped) * b};
}

Sent radix_steps(int n, Total b, int /*root*/, std::int64_t radix) {
  std::int64_t messages = 0;
  for (std::int64_t distance = 1; distance < n; distance *= radix)
    messages += n * std::min(radix - 1, (n - 1) / distance);
  return {messages, all_pairs(n) * b};
}

// A window of c chunks goes to c ranks.
Sent folded_segments(int n, Total b, int root, std::int64_t segment) {
  const EvenChunks chunks{static_cast<int>(active(n)), static_cast<Bytes>(b)};
  Sent sent = folded_halves(n, b, root);
  for (int count = chunks.count / 2; count > 0; count /= 2)
    for (int first = 0; first < chunks.count; first += count)
      sent.messages +=
          count * (Segments{chunks.of(output, first, first + count), segment}.count() - 1);
  return sent;
}

Sent there_and_back_again(int n, Total b, int /*root*/) { return {2 * (n - 1), 2 * (n - 1) * b}; }
Sent reduced_and_scattered(int n, Total b, int /*root*/) {
  return {2 * (n - 1), (all_pairs(n) + n - 1) * b};
}

Sent scatter_doubling(int n, Total b, int root) {
  Sent sent = scatter_allgather(n, b, root);
  sent.messages += doubling(n, b, root).messages - all_pairs(n);
  return sent;
}

Sent others_in_segments(int n, Total b, int /*root*/, std::int64_t segment) {
  return {std::int64_t{n - 1} * segments(b, segment), (n - 1) * b};
}

Sent in_order(int n, Total b, int root, std::int64_t segment) {
  Sent sent = others_in_segments(n, b, root, segment);
  if (root == n - 1) return sent;
  return {sent.messages + 1, sent.bytes + b};
}

Sent halves_in_segments(int n, Total b, int root, std::int64_t segment) {
  const Total first = (b + 1) / 2, second = b - first;
  if (second == 0 || segment > second) return others_in_segments(n, b, root, segment);
  const std::int64_t left = n / 2, right = (n - 1) / 2;
  return {left * segments(first, segment) + right * segments(second, segment) + n - 1, (n - 1) * b};
}

Sent asked_for(int n, Total b, int /*root*/, std::int64_t /*segment*/) {
  return {3 * (n - 1), (n - 1) * b};
}

Sent ring_of_segments(int n, Total b, int root, std::int64_t segment) {
  Sent sent = ring_of_chunks(n, b, root);
  const Total round = n * Total{segment};
  if (round > 0 && b >= round) sent.messages = all_pairs(n) * ((b + round - 1) / round + 1);
  return sent;
}

}  // namespace odonata::sent
