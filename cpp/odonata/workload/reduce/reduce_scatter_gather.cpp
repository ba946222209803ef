#include <bit>

#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/chunks.hpp"

namespace odonata::reduce {

namespace {

// Other counts than powers of two: of the first 2 r ranks, r = n - 2^k, the odd ones give their
// data to the even ones and rest; the 2^k that are left are numbered anew. A root that rested takes
// the place of number 0 in the end.
struct Numbers {
  int active;  // 2^k
  int rest;    // r
  int root;    // rank

  Numbers(int ranks, int root_rank)
      : active(static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)))),
        rest(ranks - active),
        root(root_rank) {}
  // -1: it rests
  [[nodiscard]] int of(int rank) const {
    if (rank >= 2 * rest) return rank - rest;
    return rank % 2 == 0 ? rank / 2 : -1;
  }
  [[nodiscard]] int rank_of(int number) const { return number < rest ? 2 * number : number + rest; }
  [[nodiscard]] bool root_rests() const { return of(root) < 0; }
  [[nodiscard]] int roots() const { return root_rests() ? 0 : of(root); }
  [[nodiscard]] int rank_at_last(int number) const {
    return number == 0 && root_rests() ? root : rank_of(number);
  }
};

// The chunks that a number has the sum of.
struct Part {
  int first = 0;
  int count;
};

Task fold(Rank rank, Numbers numbers, Span sum, Span received) {
  const int me = rank.index();
  if (me >= 2 * numbers.rest) co_return;
  if (me % 2 != 0) {
    co_await rank.send(me - 1, sum);
    co_return;
  }
  co_await rank.recv(me + 1, received);
  rank.combine(sum, received);
}

Task halve(Rank rank, Numbers numbers, EvenChunks chunks, Span sum, Span received, Part& part) {
  const int number = numbers.of(rank.index());
  for (int distance = 1; distance < numbers.active; distance *= 2) {
    const int partner = numbers.rank_of(number ^ distance);
    part.count /= 2;
    const bool lower = (number & distance) == 0;
    const int upper = part.first + part.count, mine = lower ? part.first : upper;
    const Span sent = chunks.in(sum, lower ? upper : part.first, part.count);
    const Span wanted = chunks.in(received, mine, part.count);
    co_await rank.sendrecv(partner, sent, partner, wanted);
    rank.combine(chunks.in(sum, mine, part.count), wanted);
    part.first = mine;
  }
}

// Number 0 gives its chunk to a root that rested.
Task replace(Rank rank, Numbers numbers, Span chunk) {
  if (rank.index() == numbers.root)
    co_await rank.recv(numbers.rank_of(0), chunk);
  else
    co_await rank.send(numbers.root, chunk);
}

// Up a binomial tree: of each two, the rank on the root's side receives.
Task gather(Rank rank, Numbers numbers, int number, EvenChunks chunks, Span sum, Part part) {
  for (int distance = numbers.active / 2; distance > 0; distance /= 2) {
    const int partner = numbers.rank_at_last(number ^ distance);
    if (((number ^ numbers.roots()) & distance) != 0) {
      co_await rank.send(partner, chunks.in(sum, part.first, part.count));
      co_return;
    }
    const bool lower = (number & distance) == 0;
    const int theirs = lower ? part.first + part.count : part.first - part.count;
    co_await rank.recv(partner, chunks.in(sum, theirs, part.count));
    part = {std::min(part.first, theirs), 2 * part.count};
  }
}

}  // namespace

// Rabenseifner's, as in MPICH for long messages: recursive halving leaves every rank with the sum
// of one chunk, which a binomial gather brings to the root: 2 log2 n steps, about 2 b bytes.
Task reduce_scatter_gather(Rank rank, Call call) {
  const Numbers numbers(rank.size(), call.root);
  const EvenChunks chunks{numbers.active, call.bytes};
  const bool root = rank.index() == call.root;
  const Span sum{root ? output : scratch, 0, call.bytes}, received{scratch, call.bytes, call.bytes};
  rank.copy(sum, {input, 0, call.bytes});
  Task folded = fold(rank, numbers, sum, received);
  co_await folded;

  int number = numbers.of(rank.index());
  Part part{0, numbers.active};
  if (number >= 0) {
    Task halved = halve(rank, numbers, chunks, sum, received, part);
    co_await halved;
  }
  if (numbers.root_rests() && (root || number == 0)) {
    Task replaced = replace(rank, numbers, chunks.in(sum, 0, 1));
    co_await replaced;
    number = root ? 0 : -1;
    part = {0, 1};
  }
  if (number < 0) co_return;
  Task gathered = gather(rank, numbers, number, chunks, sum, part);
  co_await gathered;
}

}  // namespace odonata::reduce
