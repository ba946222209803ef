#include "preload/libmpi/core/communicators/communicators.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "preload/libmpi/core/collectives/exchange.hpp"
#include "preload/libmpi/core/environment/error.hpp"
#include "preload/libmpi/core/processes/process.hpp"

namespace odonata::libmpi {

namespace {

// ---- exchanged data

template <class Word>
std::vector<std::byte> bytes_of(const Word& word) {
  std::vector<std::byte> bytes(sizeof word);
  std::memcpy(bytes.data(), &word, sizeof word);
  return bytes;
}

template <class Word>
Word read(const std::vector<std::byte>& bytes, std::size_t place = 0) {
  Word word{};
  if (bytes.size() < place + sizeof word)
    throw Error{ErrorClass::comm, "members of the communicator made different calls"};
  std::memcpy(&word, bytes.data() + place, sizeof word);
  return word;
}

void append(std::vector<std::byte>& bytes, const std::vector<std::int32_t>& members) {
  const std::size_t start = bytes.size();
  bytes.resize(start + members.size() * sizeof(std::int32_t));
  std::memcpy(bytes.data() + start, members.data(), bytes.size() - start);
}

std::vector<std::int32_t> read_members(const std::vector<std::byte>& bytes, std::size_t start) {
  std::vector<std::int32_t> members((bytes.size() - start) / sizeof(std::int32_t));
  std::memcpy(members.data(), bytes.data() + start, members.size() * sizeof(std::int32_t));
  return members;
}

// An identity that no other rank proposes.
std::uint64_t propose(Comm& parent) {
  return trace::made_identity(parent.identity, ++parent.num_made, self().endpoint->rank());
}

// ---- records

trace::Call record(Function function, trace::Op op, const Comm& parent) {
  constexpr trace::CollectiveCall exchanged{.bytes = sizeof(std::uint64_t),
                                            .operation = trace::Collective::allgather};
  trace::Call call = call_of(function, op, exchanged);
  call.comm = parent.number;
  return call;
}

void note_cost(Function function, const Comm& parent) {
  self().endpoint->report(record(function, trace::Op::collective, parent));
}

void note_creation(Function function, const Comm& comm) {
  trace::Creation made{.identity = comm.identity,
                       .position = static_cast<std::uint32_t>(comm.rank)};
  std::vector<std::uint64_t> words(comm.group->members.begin(), comm.group->members.end());
  if (comm.remote) {
    made.num_local = static_cast<std::uint32_t>(comm.size());
    words.insert(words.end(), comm.remote->members.begin(), comm.remote->members.end());
  }
  trace::Call call = call_of(function, trace::Op::communicator, made);
  call.comm = comm.number;
  self().endpoint->report(call, words);
}

// ---- construction

GroupRef group_of(std::vector<std::int32_t> members) {
  auto group = std::make_shared<Group>();
  group->members = std::move(members);
  return group;
}

void fill(Comm& comm, GroupRef group, GroupRef remote, std::uint64_t identity) {
  Process& me = self();
  comm.group = std::move(group);
  comm.remote = std::move(remote);
  const std::vector<std::int32_t>& members = comm.group->members;
  comm.rank = static_cast<int>(std::ranges::find(members, me.endpoint->rank()) - members.begin());
  comm.identity = identity;
  if (!comm.remote) return;
  comm.local = std::make_shared<Comm>();
  comm.local->number = me.next_comm++;
  fill(*comm.local, comm.group, nullptr, trace::local_identity(identity, comm.group->members[0]));
}

CommRef make(Function function, const Comm& parent, GroupRef group, GroupRef remote,
             std::uint64_t identity) {
  auto comm = std::make_shared<Comm>();
  comm->number = self().next_comm++;
  comm->errhandler = parent.errhandler;
  fill(*comm, std::move(group), std::move(remote), identity);
  note_creation(function, *comm);
  if (comm->local) note_creation(function, *comm->local);
  return comm;
}

// Is the local group the leading one? Both groups of an intercommunicator agree on it.
bool local_leads(const Comm& comm) {
  return !comm.inter() || comm.group->members[0] < comm.remote->members[0];
}

std::size_t leader_seat(const Comm& comm) {
  return local_leads(comm) ? 0 : static_cast<std::size_t>(comm.size());
}

class DuplicateRequest final : public Request {
 public:
  DuplicateRequest(Function function, CommRef parent, CommRef duplicate)
      : function_(function),
        parent_(std::move(parent)),
        duplicate_(std::move(duplicate)),
        exchange_(*parent_, bytes_of(propose(*parent_)), function) {
    number = self().request_numbers.take();
    trace::Call call = record(function, trace::Op::icollective, *parent_);
    call.request = number;
    self().endpoint->report(call);
    duplicate_->number = self().next_comm++;
  }
  DuplicateRequest(const DuplicateRequest&) = delete;
  DuplicateRequest& operator=(const DuplicateRequest&) = delete;
  ~DuplicateRequest() override { self().request_numbers.give_back(number); }

  [[nodiscard]] bool ready() override { return exchange_.ready(); }
  void finish() override {
    const auto identity = read<std::uint64_t>(exchange_.said_by(leader_seat(*parent_)));
    fill(*duplicate_, parent_->group, parent_->remote, identity);
    note_creation(function_, *duplicate_);
    if (duplicate_->local) note_creation(function_, *duplicate_->local);
  }
  [[nodiscard]] live::Waiting waiting() const override {
    return {.peer = exchange_.missing(), .comm = parent_->number};
  }

 private:
  Function function_;
  CommRef parent_, duplicate_;
  Exchange exchange_;
};

}  // namespace

CommRef duplicate(Function function, Comm& parent) {
  note_cost(function, parent);
  const Exchange exchange(parent, bytes_of(propose(parent)), function);
  exchange.wait(function, parent.number);
  return make(function, parent, parent.group, parent.remote,
              read<std::uint64_t>(exchange.said_by(leader_seat(parent))));
}

RequestRef begin_duplicate(Function function, const CommRef& parent, const CommRef& duplicate) {
  return std::make_shared<DuplicateRequest>(function, parent, duplicate);
}

// ---- splitting

namespace {

struct Choice {
  std::uint64_t proposal = 0;
  std::int32_t has_color = 0, color = 0, key = 0, padding = 0;
};

struct Subgroup {
  std::vector<std::int32_t> members;
  std::uint64_t proposal = 0;  // of its first member
};

Subgroup subgroup_of(const Said& said, std::size_t first_seat, const Group& group,
                     const Choice& mine) {
  struct Candidate {
    std::int32_t key, rank;
    std::uint64_t proposal;
  };
  std::vector<Candidate> candidates;
  for (int rank = 0; rank < group.size(); ++rank) {
    const auto other = read<Choice>(said.at(first_seat + static_cast<std::size_t>(rank)));
    if (other.has_color != 0 && other.color == mine.color)
      candidates.push_back({other.key, rank, other.proposal});
  }
  std::ranges::stable_sort(candidates, {}, &Candidate::key);
  Subgroup subgroup;
  for (const Candidate& candidate : candidates)
    subgroup.members.push_back(group.members[candidate.rank]);
  if (!candidates.empty()) subgroup.proposal = candidates[0].proposal;
  return subgroup;
}

// An intercommunicator takes the identity proposed by the group whose leader has the lower rank.
std::uint64_t identity_of(const Subgroup& local, const Subgroup& remote) {
  return local.members[0] < remote.members[0] ? local.proposal : remote.proposal;
}

}  // namespace

CommRef split(Function function, Comm& parent, std::optional<int> color, int key) {
  note_cost(function, parent);
  const Choice mine{propose(parent), color ? 1 : 0, color.value_or(0), key};
  const Said said = exchange(parent, bytes_of(mine), function);
  if (!color) return nullptr;
  Subgroup local = subgroup_of(said, 0, *parent.group, mine);
  if (!parent.inter())
    return make(function, parent, group_of(std::move(local.members)), nullptr, local.proposal);
  Subgroup remote =
      subgroup_of(said, static_cast<std::size_t>(parent.size()), *parent.remote, mine);
  if (remote.members.empty()) return nullptr;
  const std::uint64_t identity = identity_of(local, remote);
  return make(function, parent, group_of(std::move(local.members)),
              group_of(std::move(remote.members)), identity);
}

namespace {

// Combines the groups that both sides of an intercommunicator gave; first members speak for sides.
CommRef create_inter(Function function, Comm& parent, const GroupRef& group, const Said& said) {
  const std::vector<std::byte>& others = said.at(parent.size());
  GroupRef remote = group_of(read_members(others, sizeof(std::uint64_t)));
  const auto identity = read<std::uint64_t>(said.at(leader_seat(parent)));
  if (group->rank_of(self().endpoint->rank()) < 0 || remote->size() == 0) return nullptr;
  return make(function, parent, group, std::move(remote), identity);
}

}  // namespace

CommRef create(Function function, Comm& parent, const GroupRef& group) {
  for (const std::int32_t member : group->members)
    if (parent.group->rank_of(member) < 0)
      throw Error{ErrorClass::group,
                  "rank " + std::to_string(member) + " is not in the communicator"};
  note_cost(function, parent);
  std::vector<std::byte> mine = bytes_of(propose(parent));
  if (parent.inter()) append(mine, group->members);
  const Said said = exchange(parent, mine, function);
  if (parent.inter()) return create_inter(function, parent, group, said);
  if (group->rank_of(self().endpoint->rank()) < 0) return nullptr;
  const auto leader = static_cast<std::size_t>(parent.group->rank_of(group->members[0]));
  return make(function, parent, group, nullptr, read<std::uint64_t>(said.at(leader)));
}

CommRef create_of_group(Function function, Comm& parent, const GroupRef& group, int tag) {
  if (group->rank_of(self().endpoint->rank()) < 0) return nullptr;
  // The members derive it without communication, which could deadlock: a rank that waits for others
  // before the simulator knows of the call may keep from them the data that they wait for.
  const std::uint64_t identity =
      self().agreed.next(group->members, trace::group_key(parent.identity, tag));
  CommRef comm = make(function, parent, group, nullptr, identity);
  note_cost(function, *comm);  // the others of the parent are not there
  return comm;
}

// ---- intercommunicators

namespace {

// Both groups derive the same: the group whose first member is lower comes first.
std::uint64_t identity_between(const Group& local, const Group& remote, int tag) {
  const bool leads = local.members[0] < remote.members[0];
  std::vector<std::int32_t> members = (leads ? local : remote).members;
  const std::vector<std::int32_t>& rest = (leads ? remote : local).members;
  members.insert(members.end(), rest.begin(), rest.end());
  return self().agreed.next(members, trace::between_key(tag));
}

// The leaders exchange their groups.
std::vector<std::byte> exchange_groups(Function function, const Comm& local, const Bridge& bridge) {
  const Comm& peers = *bridge.peers;
  const std::int32_t me = self().endpoint->rank();
  const Group& group = peers.peers();
  if (bridge.remote_leader < 0 || bridge.remote_leader >= group.size())
    throw Error{ErrorClass::rank, "the remote leader is rank " +
                                      std::to_string(bridge.remote_leader) +
                                      " of a communicator of " + std::to_string(group.size())};
  const std::int32_t other = group.members[bridge.remote_leader];
  const std::vector<std::int32_t> both{std::min(me, other), std::max(me, other)};
  std::vector<std::byte> mine;
  append(mine, local.group->members);
  const std::uint64_t identity =
      self().agreed.next(both, trace::leaders_key(peers.identity, bridge.tag));
  const CommRef pair = make(function, peers, group_of(both), nullptr, identity);
  note_cost(function, *pair);
  const Said said = exchange(*pair, mine, function);
  return said.at(me < other ? 1 : 0);
}

}  // namespace

CommRef connect(Function function, Comm& local, const Bridge& bridge) {
  std::vector<std::byte> mine;
  if (local.rank == bridge.leader) mine = exchange_groups(function, local, bridge);
  note_cost(function, local);
  const Said said = exchange(local, mine, function);
  const std::vector<std::byte>& news = said.at(bridge.leader);
  GroupRef remote = group_of(read_members(news, 0));
  const std::uint64_t identity = identity_between(*local.group, *remote, bridge.tag);
  return make(function, local, local.group, std::move(remote), identity);
}

CommRef companion(Function function, Comm& parent, std::uint64_t key) {
  CommRef comm = make(function, parent, parent.group, parent.remote,
                      trace::companion_identity(parent.identity, key));
  comm->topology = parent.topology;
  return comm;
}

CommRef merge(Function function, Comm& intercomm, bool high) {
  struct Side {
    std::uint64_t proposal = 0, high = 0;
  };
  note_cost(function, intercomm);
  const Said said =
      exchange(intercomm, bytes_of(Side{propose(intercomm), high ? 1U : 0U}), function);
  const auto ours = read<Side>(said.at(0));
  const auto theirs = read<Side>(said.at(intercomm.size()));
  const bool first = ours.high == theirs.high ? local_leads(intercomm) : ours.high == 0;
  std::vector<std::int32_t> members = (first ? intercomm.group : intercomm.remote)->members;
  const std::vector<std::int32_t>& rest = (first ? intercomm.remote : intercomm.group)->members;
  members.insert(members.end(), rest.begin(), rest.end());
  return make(function, intercomm, group_of(std::move(members)), nullptr,
              (local_leads(intercomm) ? ours : theirs).proposal);
}

CommRef reorder(Function function, Comm& parent, const std::function<std::vector<int>()>& order) {
  note_cost(function, parent);
  const Exchange exchange(parent, bytes_of(propose(parent)), function);
  exchange.wait(function, parent.number);
  const std::vector<int> ranks = order();
  std::vector<std::int32_t> members;
  members.reserve(ranks.size());
  for (const int rank : ranks) members.push_back(parent.group->members.at(rank));
  GroupRef group = group_of(std::move(members));
  if (group->rank_of(self().endpoint->rank()) < 0) return nullptr;
  return make(function, parent, std::move(group), nullptr,
              read<std::uint64_t>(exchange.said_by(static_cast<std::size_t>(ranks.front()))));
}

int node_of(std::int32_t world_rank) {
  const Endpoint& endpoint = *self().endpoint;
  const live::Offset nodes = endpoint.header().nodes;
  return nodes == 0 ? world_rank
                    : reinterpret_cast<const std::int32_t*>(endpoint.at(nodes))[world_rank];
}

}  // namespace odonata::libmpi
