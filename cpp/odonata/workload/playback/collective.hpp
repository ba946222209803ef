// Collectives of a program, by the registered algorithms.
#pragma once

#include "odonata/workload/playback/players.hpp"

namespace odonata::playback {

/// A call as it was recorded.
struct CollectiveCall {
  trace::Collective kind = trace::Collective::barrier;
  Bytes bytes = 0;                 // [B] as in workload/collective.hpp
  std::int32_t root = trace::nobody;
  std::shared_ptr<const Counts> counts;  // null: all alike
};

/// Throws UserError if there are not as many words as the call needs; `peers` is the number of
/// ranks that it counts.
[[nodiscard]] CollectiveCall collective_call(const trace::Record& record, int peers);

/// Runs one on a communicator. `players` outlives it.
[[nodiscard]] Task collective(Rank rank, CollectiveCall call, Players& players);

/// The same on an intercommunicator; `remote` is this rank seen from the other group. Its local
/// phases go by the registered algorithms, ranks 0 of both groups exchange their data:
///
///     barrier, allreduce, reduce_scatter(_block)  reduce or barrier in each group; leaders
///                                                 exchange; bcast or scatter
///     allgather        gather, leaders exchange, bcast; blocks of both groups have one size
///     allgatherv       all send to the other leader, bcast
///     bcast, scatter   root to the other leader, which does the same in its group
///     gather, reduce   in the group without the root, whose leader sends to the root
///     gatherv, scatterv, alltoall(v, w)           all messages directly, at once
[[nodiscard]] Task collective_between(Rank local, Rank remote, CollectiveCall call,
                                      Players& players);

}  // namespace odonata::playback
