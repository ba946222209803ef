#include "odonata/workload/sent.hpp"

#include <algorithm>
#include <bit>

namespace odonata::sent {

namespace {

constexpr Total chunk_bytes = 32 * 1024;  // of a chunked ring

std::int64_t all_pairs(std::int64_t n) { return n * (n - 1); }
std::int64_t floor_log2(int n) { return std::bit_width(static_cast<unsigned>(n)) - 1; }
std::int64_t ceil_log2(int n) { return std::bit_width(static_cast<unsigned>(n) - 1); }

// Ranks of the largest power of two, and the rest.
std::int64_t active(int n) { return std::int64_t{1} << floor_log2(n); }
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

}  // namespace odonata::sent
