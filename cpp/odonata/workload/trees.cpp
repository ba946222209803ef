#include "odonata/workload/trees.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace odonata::trees {

namespace {

int floor_power(int x) { return static_cast<int>(std::bit_floor(static_cast<unsigned>(x))); }

Place below(int parent, int ranks, std::initializer_list<int> candidates) {
  Place place{parent, {}};
  for (const int child : candidates)
    if (child < ranks) place.children.push_back(child);
  return place;
}

// A rank without children sends its data to its parent, or is alone.
Task give_own(Rank rank, int parent, Segments own, Span sum) {
  if (parent < 0) rank.copy(sum, own.all);
  for (int i = 0; i < own.count() && parent >= 0; ++i) co_await rank.send(parent, own.of(i));
}

Place chains(int ranks, int rank, int count) {
  const EvenChunks length{std::max(1, std::min(count, ranks - 1)), ranks - 1};
  Place place;
  bool last = rank == ranks - 1;
  for (int i = 0; i < length.count && ranks > 1; ++i) {
    const int head = 1 + static_cast<int>(length.start(i));
    if (rank == 0) place.children.push_back(head);
    if (rank == head) place.parent = 0;
    last = last || rank + 1 == head;
  }
  if (rank == 0) return place;
  if (place.parent < 0) place.parent = rank - 1;
  if (!last) place.children.push_back(rank + 1);
  return place;
}

}  // namespace

Place binary(int ranks, int rank) {
  const int level = floor_power(rank + 1), up = rank - level / 2;
  const int parent = rank == 0 ? -1 : up < level - 1 ? up : rank - level;
  return below(parent, ranks, {rank + level, rank + 2 * level});
}

Place in_order_binary(int ranks, int rank) {
  // The subtree of the ranks first <= r <= last, whose parent is `above`.
  int first = 0, last = ranks - 1, above = -1;
  while (rank != last) {
    const int right = first + (last - first + 1) / 2 - 1;
    above = last;
    if (rank > right) {
      first = right + 1;
      --last;
    } else {
      last = right;
    }
  }
  Place place{above, {}};
  if (last > first) place.children.push_back(last - 1);
  if (last - first > 1) place.children.push_back(first + (last - first + 1) / 2 - 1);
  return place;
}

Place binomial(int ranks, int rank) {
  Place place{rank == 0 ? -1 : rank & (rank - 1), {}};
  for (int d = 1; d < ranks && (rank & d) == 0; d *= 2)
    if (rank + d < ranks) place.children.push_back(rank + d);
  return place;
}

Place binomial_growing(int ranks, int rank) {
  Place place{rank == 0 ? -1 : rank - floor_power(rank), {}};
  for (int d = rank == 0 ? 1 : 2 * floor_power(rank); rank + d < ranks; d *= 2)
    place.children.push_back(rank + d);
  return place;
}

Place four_nomial(int ranks, int rank) {
  constexpr int radix = 4;
  Place place;
  int distance = 1;
  while (distance < ranks && rank % (radix * distance) == 0) distance *= radix;
  if (rank > 0) place.parent = rank / (radix * distance) * (radix * distance);
  for (distance /= radix; distance > 0; distance /= radix)
    for (int i = 1; i < radix; ++i)
      if (rank + i * distance < ranks) place.children.push_back(rank + i * distance);
  return place;
}

Place pipeline(int ranks, int rank) { return chains(ranks, rank, 1); }
Place four_chains(int ranks, int rank) { return chains(ranks, rank, 4); }

Place place_in(Tree tree, const Rank& rank, int root) {
  const int n = rank.size();
  Place place = tree(n, (rank.index() + n - root) % n);
  if (place.parent >= 0) place.parent = (place.parent + root) % n;
  for (int& child : place.children) child = (child + root) % n;
  return place;
}

Task send_down(Rank rank, Place place, Span data, Bytes segment) {
  const Segments segments{data, segment};
  std::array<Request, 2> arriving;
  if (place.parent >= 0) arriving[0] = rank.irecv(place.parent, segments.of(0));
  std::vector<Request> sends;
  for (int i = 0; i < segments.count(); ++i) {
    if (place.parent >= 0) {
      const auto now = static_cast<std::size_t>(i % 2);
      if (i + 1 < segments.count())
        arriving[1 - now] = rank.irecv(place.parent, segments.of(i + 1));
      co_await rank.wait(arriving[now]);
    }
    sends.clear();
    for (const int child : place.children) sends.push_back(rank.isend(child, segments.of(i)));
    co_await rank.wait_all(sends);
  }
}

Task combine_up(Rank rank, Place place, Span sum, Bytes segment, Bytes received) {
  const Span own{input, 0, sum.bytes};
  const Segments sums{sum, segment}, inputs{own, segment};
  const int children = static_cast<int>(place.children.size());
  if (children == 0) {
    Task alone = give_own(rank, place.parent, inputs, sum);
    co_await alone;
    co_return;
  }
  const int messages = sums.count() * children;
  // The first child's data arrive in place, where the own ones are combined with them.
  const auto arrived = [&](int i) {
    const Span place_of_sum = sums.of(i / children);
    if (i % children == 0) return place_of_sum;
    return Span{scratch, received + i % 2 * sums.longest(), place_of_sum.bytes};
  };
  const auto receive = [&](int i) { return rank.irecv(place.children[i % children], arrived(i)); };
  std::array<Request, 2> arriving{receive(0), {}};
  for (int i = 0; i < messages; ++i) {
    const auto now = static_cast<std::size_t>(i % 2);
    if (i + 1 < messages) arriving[1 - now] = receive(i + 1);
    co_await rank.wait(arriving[now]);
    const int at = i / children;
    rank.combine(sums.of(at), i % children == 0 ? inputs.of(at) : arrived(i));
    const bool complete = i % children == children - 1;
    if (complete && place.parent >= 0) co_await rank.send(place.parent, sums.of(at));
  }
}

Task broadcast(Rank rank, Call call, Tree tree) {
  const bool root = rank.index() == call.root;
  const Span data{root ? input : output, 0, call.bytes};
  Task down = send_down(rank, place_in(tree, rank, call.root), data, call.parameter);
  co_await down;
  if (root) rank.copy({output, 0, call.bytes}, data);
}

Task reduce(Rank rank, Call call, Tree tree) {
  const Span sum{rank.index() == call.root ? output : scratch, 0, call.bytes};
  return combine_up(rank, place_in(tree, rank, call.root), sum, call.parameter, call.bytes);
}

}  // namespace odonata::trees
