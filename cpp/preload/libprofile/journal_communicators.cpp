// Records of a rank: communicators, with the numbers and identities that odonata mpirun gives them.
#include <algorithm>

#include "preload/libprofile/journal.hpp"
#include "preload/libprofile/real.hpp"

namespace odonata::libprofile {

using trace::Call;

// A communicator that was made where the recorder did not see it counts as made now.
Comm& Journal::comm(MPI_Comm handle) {
  Comm& known = communicators_.at(handle);
  if (known.number == Comm::unnumbered)
    create(known, agreed_.next(known.group(), trace::golden_bits));
  return known;
}

void Journal::create(Comm& comm, std::uint64_t identity) {
  comm.number = next_comm_++;
  comm.identity = identity;
  if (comm.inter) ++next_comm_;
  note_creation(comm);
}

// An intercommunicator has a communicator of the local group beside it.
void Journal::note_creation(const Comm& comm) {
  const auto members_of = [](const std::vector<std::int32_t>& ranks) {
    Words words;
    for (const std::int32_t rank : ranks) words.push_back(static_cast<std::uint64_t>(rank));
    return words;
  };
  const auto note = [&](std::uint32_t number, std::uint64_t identity, const Words& words,
                        std::uint32_t num_local) {
    Call call;
    call.op = Op::communicator;
    call.comm = number;
    call.set(trace::Creation{.identity = identity,
                             .position = static_cast<std::uint32_t>(comm.rank),
                             .num_local = num_local});
    report(call, words);
  };
  const Words local = members_of(comm.group());
  if (!comm.inter) return note(comm.number, comm.identity, local, 0);
  Words both = local;
  const Words remote = members_of(comm.peers);
  both.insert(both.end(), remote.begin(), remote.end());
  note(comm.number, comm.identity, both, static_cast<std::uint32_t>(local.size()));
  note(comm.number + 1, trace::local_identity(comm.identity, comm.group()[0]), local, 0);
}

// The members of the parent exchange a word each.
void Journal::note_cost(const Comm& parent) {
  Call call = call_on(Op::collective, parent);
  call.set(trace::CollectiveCall{.bytes = sizeof(std::uint64_t),
                                 .operation = trace::Collective::allgather});
  report(call);
}

std::uint32_t Journal::companion(Comm& parent, std::uint64_t key) {
  Comm made = parent;
  create(made, trace::companion_identity(parent.identity, key));
  return made.number;
}

// Rank in the world of the member that stands for a new communicator.
std::int32_t Journal::leader_of(const Comm& parent, const Comm& made) const {
  const auto first = [](const Comm& comm) {
    return comm.inter ? std::min(comm.locals[0], comm.peers[0]) : comm.peers[0];
  };
  const bool splits = function_ == Function::Comm_split || function_ == Function::Comm_split_type;
  return parent.inter && !splits ? first(parent) : first(made);
}

void Journal::made_together(MPI_Comm parent_handle, MPI_Comm made_handle) {
  Comm& parent = comm(parent_handle);
  note_cost(parent);
  ++parent.num_made;
  if (made_handle == comm_null()) return;
  Comm& made = communicators_.at(made_handle);
  create(made, trace::made_identity(parent.identity, parent.num_made, leader_of(parent, made)));
}

// The new handle may not be used before the request is complete.
void Journal::duplicating(MPI_Comm parent_handle, MPI_Comm made, MPI_Request request) {
  Comm& parent = comm(parent_handle);
  Call call = call_on(Op::icollective, parent);
  call.set(trace::CollectiveCall{.bytes = sizeof(std::uint64_t),
                                 .operation = trace::Collective::allgather});
  ++parent.num_made;
  Tracked& tracked = track(Kind::duplicate, call, request, nullptr);
  tracked.made = made;
  tracked.identity =
      trace::made_identity(parent.identity, parent.num_made, leader_of(parent, parent));
  begin(tracked);
  tracked.comm_number = next_comm_++;
  if (parent.inter) ++next_comm_;
}

void Journal::made_of_group(MPI_Comm parent_handle, int tag, MPI_Comm made_handle) {
  if (made_handle == comm_null()) return;
  const std::uint64_t key = trace::group_key(comm(parent_handle).identity, tag);
  Comm& made = communicators_.at(made_handle);
  create(made, agreed_.next(made.group(), key));
  note_cost(made);
}

void Journal::made_between(MPI_Comm local_handle, int leader, MPI_Comm peers_handle, int remote,
                           int tag, MPI_Comm made_handle) {
  Comm& local = comm(local_handle);
  if (local.rank == leader) {
    const Comm& peers = comm(peers_handle);
    const std::int32_t other = peers.peers.at(static_cast<std::size_t>(remote));
    Comm pair;
    pair.peers = {std::min(rank_, other), std::max(rank_, other)};
    pair.num_local = pair.num_peers = 2;
    pair.rank = rank_ < other ? 0 : 1;
    create(pair, agreed_.next(pair.peers, trace::leaders_key(peers.identity, tag)));
    note_cost(pair);
  }
  note_cost(local);
  Comm& made = communicators_.at(made_handle);
  const bool leads = made.locals[0] < made.peers[0];
  std::vector<std::int32_t> members = leads ? made.locals : made.peers;
  const std::vector<std::int32_t>& rest = leads ? made.peers : made.locals;
  members.insert(members.end(), rest.begin(), rest.end());
  create(made, agreed_.next(members, trace::between_key(tag)));
}

}  // namespace odonata::libprofile
