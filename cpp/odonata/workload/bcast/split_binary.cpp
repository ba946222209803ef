#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/trees.hpp"

namespace odonata::bcast {

namespace {

// Segments of the root's half for each child, in turn.
Task send_halves(Rank rank, std::vector<int> children, Segments left, Segments right) {
  for (int i = 0; i < left.count(); ++i)
    for (std::size_t c = 0; c < children.size(); ++c) {
      const Segments& half = c == 0 ? left : right;
      if (i < half.count()) co_await rank.send(children[c], half.of(i));
    }
}

// Segments of one half from the parent to the children, each in turn.
Task pass_on(Rank rank, trees::Place place, Segments half) {
  Request next = rank.irecv(place.parent, half.of(0));
  for (int i = 0; i < half.count(); ++i) {
    const Request current = next;
    if (i + 1 < half.count()) next = rank.irecv(place.parent, half.of(i + 1));
    co_await rank.wait(current);
    for (const int child : place.children) co_await rank.send(child, half.of(i));
  }
}

// A rank gets the half that it lacks from the rank beside it, the last one of an even count from
// the root.
Task exchange(Rank rank, int root, Span left, Span right) {
  const int n = rank.size(), me = (rank.index() + n - root) % n;
  const bool has_left = me % 2 != 0, even = n % 2 == 0;
  if (me == 0) {
    if (even) co_await rank.send((root + n - 1) % n, right);
  } else if (even && me == n - 1) {
    co_await rank.recv(root, right);
  } else {
    const int beside = (rank.index() + (has_left ? 1 : n - 1)) % n;
    co_await rank.sendrecv(beside, has_left ? left : right, beside, has_left ? right : left);
  }
}

}  // namespace

// Open MPI's: the two subtrees of a binary tree get a half of the data each, then each rank
// exchanges halves with the rank beside it, which is in the other subtree; for even counts the last
// rank gets its second half from the root. Data too short for segments go down one chain.
Task split_binary(Rank rank, Call call) {
  const int n = rank.size(), me = (rank.index() + n - call.root) % n;
  const Bytes first = (call.bytes + 1) / 2, second = call.bytes - first;
  if (second == 0 || call.parameter > second) {
    Task instead = pipeline(rank, call);
    co_await instead;
    co_return;
  }
  const Buffer buffer = me == 0 ? input : output;
  const Span left{buffer, 0, first}, right{buffer, first, second};
  trees::Place place = trees::place_in(trees::binary, rank, call.root);
  const Segments mine{me % 2 != 0 ? left : right, call.parameter};
  Task down =
      me == 0 ? send_halves(rank, place.children, {left, call.parameter}, {right, call.parameter})
              : pass_on(rank, place, mine);
  co_await down;

  Task exchanged = exchange(rank, call.root, left, right);
  co_await exchanged;
  if (me == 0) rank.copy({output, 0, call.bytes}, {input, 0, call.bytes});
}

}  // namespace odonata::bcast
