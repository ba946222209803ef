// Records of collectives for the simulator, and checks of their arguments.
#include <algorithm>
#include <string>

#include "preload/libmpi/core/collectives/op.hpp"
#include "preload/libmpi/core/collectives/role.hpp"
#include "preload/libmpi/core/environment/error.hpp"
#include "preload/libmpi/core/topologies/topology.hpp"

namespace odonata::libmpi {

using trace::Collective;

namespace {

using Words = std::vector<std::uint64_t>;

std::int64_t bytes_of(const Elements& buffer) { return static_cast<std::int64_t>(buffer.bytes()); }

// In a rooted collective between two groups, the buffers of the root's other members are ignored.
bool takes_part(const CollectiveCall& call) {
  return !call.comm->inter() || call.root != trace::nobody || !trace::row_of(call.kind).rooted();
}

bool am_root(const CollectiveCall& call) {
  return call.root == this_is_root || (!call.comm->inter() && call.root == call.comm->rank);
}

// Size of one block, or of the whole vector, where this rank knows it [B].
std::int64_t block_bytes(const CollectiveCall& call) {
  const int me = call.comm->rank;
  const bool own = call.send.in_place;
  switch (call.kind) {
    case Collective::barrier: return 0;
    case Collective::bcast:
    case Collective::reduce_scatter_block: return bytes_of(call.recv.block(0));
    case Collective::gather:
      return bytes_of(am_root(call) ? call.recv.block(0) : call.send.block(0));
    case Collective::gatherv:
      if (call.root == this_is_root) return 0;
      return bytes_of(own ? call.recv.block(me) : call.send.block(0));
    case Collective::scatter:
      return bytes_of(am_root(call) ? call.send.block(0) : call.recv.block(0));
    case Collective::scatterv:
      if (call.root == this_is_root) return 0;
      return bytes_of(call.recv.in_place ? call.send.block(me) : call.recv.block(0));
    case Collective::allgather:
    case Collective::allgatherv: return bytes_of(own ? call.recv.block(me) : call.send.block(0));
    case Collective::reduce_scatter: return bytes_of(call.recv.block(me));
    case Collective::alltoallv:
    case Collective::alltoallw:
    case Collective::neighbor_alltoall: return 0;
    case Collective::neighbor_allgather: return bytes_of(call.send.block(0));
    case Collective::reduce:
      return bytes_of(own || call.root == this_is_root ? call.recv.block(0) : call.send.block(0));
    default: return bytes_of(own ? call.recv.block(0) : call.send.block(0));
  }
}

void add_blocks(Words& words, const BufferBlocks& blocks, int n) {
  for (int i = 0; i < n; ++i) words.push_back(blocks.block(i).bytes());
}

// Lists the neighbours that exist.
void add_neighbors(Words& words, const std::vector<std::int32_t>& ranks) {
  words.push_back(ranks.size() -
                  static_cast<std::size_t>(std::count(ranks.begin(), ranks.end(), trace::nobody)));
  for (const std::int32_t rank : ranks)
    if (rank != trace::nobody) words.push_back(static_cast<std::uint64_t>(rank));
}

void add_blocks(Words& words, const BufferBlocks& blocks, const std::vector<std::int32_t>& ranks) {
  for (std::size_t i = 0; i < ranks.size(); ++i)
    if (ranks[i] != trace::nobody) words.push_back(blocks.block(static_cast<int>(i)).bytes());
}

void add_neighborhood(Words& words, const CollectiveCall& call) {
  const std::vector<std::int32_t> from = sources(*call.comm), to = destinations(*call.comm);
  add_neighbors(words, from);
  add_neighbors(words, to);
  add_blocks(words, call.recv, from);
  if (trace::row_of(call.kind).sizes == trace::Sizes::of_neighbors)
    add_blocks(words, call.send, to);
}

// The blocks that the root sends or receives.
const BufferBlocks& root_blocks(const CollectiveCall& call) {
  const bool receives = trace::row_of(call.kind).moves == trace::Moves::to_root;
  return receives ? call.recv : call.send;
}

// The sizes that the row of the operation asks for.
void add_words(Words& words, const CollectiveCall& call) {
  const int peers = call.comm->peers().size();
  switch (trace::row_of(call.kind).sizes) {
    case trace::Sizes::alike: return;
    case trace::Sizes::of_ranks_at_root:
      if (am_root(call)) add_blocks(words, root_blocks(call), peers);
      return;
    case trace::Sizes::of_ranks:
      return add_blocks(words, call.recv,
                        call.kind == Collective::reduce_scatter ? call.comm->size() : peers);
    case trace::Sizes::of_pairs:
      add_blocks(words, call.send.in_place ? call.recv : call.send, peers);
      return add_blocks(words, call.recv, peers);
    case trace::Sizes::of_sources:
    case trace::Sizes::of_neighbors: return add_neighborhood(words, call);
  }
}

void check_counts(const BufferBlocks& blocks) {
  std::int64_t least = blocks.count;
  for (const std::int64_t count : blocks.counts) least = std::min(least, count);
  if (least < 0) throw Error{ErrorClass::count, "a count of " + std::to_string(least)};
}

void check_root(const CollectiveCall& call) {
  const bool special = call.root == this_is_root || call.root == trace::nobody;
  if (call.comm->inter() && special) return;
  const int size = call.comm->peers().size();
  if (call.root < 0 || call.root >= size)
    throw Error{ErrorClass::root, "a root of " + std::to_string(call.root) + " among " +
                                      std::to_string(size) + " ranks"};
}

}  // namespace

void check(const CollectiveCall& call) {
  if (trace::row_of(call.kind).rooted()) check_root(call);
  check_counts(call.send);
  check_counts(call.recv);
  if (call.comm->inter() && (call.send.in_place || call.recv.in_place))
    throw Error{ErrorClass::buffer, "MPI_IN_PLACE on an intercommunicator"};
  if (call.comm->inter() && (call.kind == Collective::scan || call.kind == Collective::exscan))
    throw Error{ErrorClass::comm,
                "the communicator is an intercommunicator, whose ranks have no common order"};
  const bool root_only = call.kind == Collective::gather || call.kind == Collective::gatherv ||
                         call.kind == Collective::reduce;
  if (call.send.in_place && root_only && !am_root(call))
    throw Error{ErrorClass::buffer, "MPI_IN_PLACE at a rank that is not the root"};
  if (call.op && takes_part(call)) call.op->check(*call.recv.type);
}

void refuse_aliases(const CollectiveCall& call) {
  if (call.comm->inter() || call.send.data == nullptr || call.recv.data == nullptr) return;
  const int me = call.comm->rank;
  const Collective kind = call.kind;
  const bool gathers = kind == Collective::gather || kind == Collective::gatherv ||
                       kind == Collective::allgather || kind == Collective::allgatherv;
  const bool scatters = kind == Collective::scatter || kind == Collective::scatterv;
  const Elements into = call.recv.block(gathers ? me : 0);
  if (into.count > 0 && call.send.block(scatters ? me : 0).data == into.data)
    throw Error{ErrorClass::buffer, "the send and receive buffers are the same; use MPI_IN_PLACE"};
}

trace::Record record_of(const CollectiveCall& call) {
  trace::Record record;
  trace::CollectiveCall what{.root = call.root == this_is_root ? trace::any : call.root,
                             .operation = call.kind};
  if (takes_part(call)) {
    what.bytes = block_bytes(call);
    add_words(record.words, call);
  }
  record.call = call_of(call.function, trace::Op::collective, what);
  record.call.comm = call.comm->number;
  return record;
}

}  // namespace odonata::libmpi
