#include "odonata/profile/wait_states.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>

#include "odonata/trace/identity.hpp"

namespace odonata::profile {

using trace::Collective;
using trace::Found;
using trace::Op;
using trace::Outcome;

namespace {

// A communicator as a rank sees it.
struct Place {
  std::uint64_t identity = 0;
  std::uint32_t position = 0, size = 0;
  bool inter = false;
  std::uint64_t num_collectives = 0;
  std::vector<std::int32_t> peers;  // ranks in the world; of the world itself, none
};

// Puts an element where one is gone, or behind the last; returns its number.
template <class T>
std::uint32_t put(std::vector<T>& all, std::vector<std::uint32_t>& gone,
                  const std::type_identity_t<T>& made) {
  if (gone.empty()) {
    all.push_back(made);
    return static_cast<std::uint32_t>(all.size() - 1);
  }
  const std::uint32_t number = gone.back();
  gone.pop_back();
  all[number] = made;
  return number;
}

}  // namespace

struct WaitStates::RankState {
  std::int32_t rank = 0, num_ranks = 0;
  std::int64_t num_calls = 0;
  std::size_t next_match = 0, end_match = 0;
  std::vector<Place> places;
  std::vector<Request> requests;

  [[nodiscard]] Place* place(std::uint32_t comm) {
    return comm < places.size() && places[comm].size > 0 ? &places[comm] : nullptr;
  }
  [[nodiscard]] std::int32_t in_world(std::uint32_t comm, std::int32_t peer) {
    const Place* const at = place(comm);
    if (at == nullptr || peer < 0) return trace::nobody;
    if (comm == 0) return peer < num_ranks ? peer : trace::nobody;
    return static_cast<std::size_t>(peer) < at->peers.size()
               ? at->peers[static_cast<std::size_t>(peer)]
               : trace::nobody;
  }
  Request& request(std::uint64_t number) {
    // Numbers are taken again when they are free, so they do not exceed the number of calls.
    if (number > static_cast<std::uint64_t>(num_calls) + 1) number = 0;
    if (number >= requests.size()) requests.resize(number + 1);
    return requests[number];
  }
  void learn(const trace::Call& call, std::span<const std::uint64_t> words) {
    if (call.comm > 4 * static_cast<std::uint64_t>(num_calls) + 16) return;
    if (call.comm >= places.size()) places.resize(call.comm + 1);
    const std::size_t local = std::min<std::size_t>(call.communicator.num_local, words.size());
    Place& made = places[call.comm];
    made = {};
    made.identity = call.communicator.identity;
    made.position = call.communicator.position;
    made.size = static_cast<std::uint32_t>(words.size());
    made.inter = call.communicator.num_local > 0;
    for (const std::uint64_t word : words.subspan(local))
      made.peers.push_back(static_cast<std::int32_t>(word));
  }
};

WaitStates::WaitStates(int ranks, std::vector<trace::Match> matches)
    : matches_(std::move(matches)) {
  std::sort(matches_.begin(), matches_.end(), [](const trace::Match& a, const trace::Match& b) {
    return a.rank != b.rank ? a.rank < b.rank : a.call < b.call;
  });
  std::size_t at = 0;
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    auto state = std::make_unique<RankState>();
    state->rank = rank;
    state->num_ranks = ranks;
    state->next_match = at;
    while (at < matches_.size() && matches_[at].rank <= rank) ++at;
    state->end_match = at;
    const auto all = static_cast<std::uint32_t>(ranks);
    state->places.push_back(
        {trace::world_identity, static_cast<std::uint32_t>(rank), all, false, 0, {}});
    state->places.push_back({trace::self_identity(rank), 0, 1, false, 0, {rank}});
    ranks_.push_back(std::move(state));
  }
}

WaitStates::~WaitStates() = default;

// ---- calls that wait

std::uint32_t WaitStates::new_call(const trace::Call& call, int rank, std::int64_t begin,
                                   std::int64_t end) {
  return put(calls_, free_calls_, {call.function, rank, begin, end, 1, {}, 0});
}

// Something that a call waits for is known.
void WaitStates::settle(std::uint32_t number) {
  Call& call = calls_[number];
  if (--call.missing > 0) return;
  if (call.longest > 0) {
    Sum& sum = sums_[{call.function, call.rank, call.wait}];
    sum.time += call.longest;
    ++sum.calls;
  }
  free_calls_.push_back(number);
}

void WaitStates::propose(Call& call, WaitState wait, std::int64_t time) const {
  if (time <= call.longest) return;
  call.longest = time;
  call.wait = wait;
}

// ---- messages

WaitStates::Request WaitStates::new_half(const trace::ChannelKey& key, bool sends, std::int32_t tag,
                                         std::int64_t begin) {
  const std::uint32_t number =
      put(halves_, free_halves_, {sends, false, false, tag, begin, 0, 0, none});
  Queue& queue = queues_[key];
  const std::uint32_t other = take(sends ? queue.receives : queue.sends, tag);
  if (other == none)
    append(sends ? queue.sends : queue.receives, number);
  else
    link(sends ? number : other, sends ? other : number);
  return {Request::What::message, number, {}};
}

void WaitStates::append(List& list, std::uint32_t half) {
  if (list.last == none)
    list.first = half;
  else
    halves_[list.last].next = half;
  list.last = half;
}

// Takes the first half that a message with this tag matches; none if there is no such half.
std::uint32_t WaitStates::take(List& list, std::int32_t tag) {
  const auto fits = [&](std::uint32_t half) {
    const std::int32_t theirs = halves_[half].tag;
    return theirs == tag || theirs == trace::any || tag == trace::any;
  };
  std::uint32_t before = none;
  std::uint32_t found = list.first;
  while (found != none && !fits(found)) before = std::exchange(found, halves_[found].next);
  if (found == none) return none;
  const std::uint32_t after = halves_[found].next;
  (before == none ? list.first : halves_[before].next) = after;
  if (list.last == found) list.last = before;
  return found;
}

void WaitStates::link(std::uint32_t send, std::uint32_t receive) {
  Half& from = halves_[send];
  Half& to = halves_[receive];
  from.linked = to.linked = true;
  from.other = to.time;
  to.other = from.time;
  ++num_messages_;
  for (const std::uint32_t half : {send, receive}) {
    if (halves_[half].waiting != 0) judge(halves_[half]);
    drop_if_over(half);
  }
}

// A receive waits until the send begins; a send waits for the receive only if it ends after that
// was posted, or it was out of the rank's hands before.
void WaitStates::judge(Half& half) {
  const std::uint32_t number = half.waiting - 1;
  Call& call = calls_[number];
  const std::int64_t late = half.other - call.begin;
  if (!half.sends) {
    propose(call, WaitState::late_sender, std::min(late, call.end - call.begin));
    if (half.other > call.end) ++num_reversed_;
  } else if (half.other < call.end) {
    propose(call, WaitState::late_receiver, late);
  }
  settle(number);
}

void WaitStates::drop_if_over(std::uint32_t half) {
  if (halves_[half].linked && halves_[half].released) free_halves_.push_back(half);
}

WaitStates::Request WaitStates::post_send(RankState& state, std::uint32_t comm, std::int32_t to,
                                          std::int32_t tag, std::int64_t begin) {
  const std::int32_t receiver = state.in_world(comm, to);
  if (receiver < 0) return {};
  return new_half({state.place(comm)->identity, state.rank, receiver, 0}, true, tag, begin);
}

WaitStates::Request WaitStates::post_receive(RankState& state, std::uint32_t comm,
                                             std::int32_t source, std::int32_t tag,
                                             std::span<const Outcome> outcomes,
                                             std::int64_t begin) {
  std::int32_t sender = state.in_world(comm, source);
  if (source == trace::any && !outcomes.empty()) sender = outcomes.front().source;
  if (tag == trace::any && !outcomes.empty()) tag = outcomes.front().tag;
  const Place* const place = state.place(comm);
  if (sender < 0 || place == nullptr) return {};
  return new_half({place->identity, sender, state.rank, 0}, false, tag, begin);
}

// The source of a receive from anybody is known from later calls.
WaitStates::Request WaitStates::post_irecv(RankState& state, const trace::Call& call,
                                           std::int64_t begin) {
  while (state.next_match < state.end_match && matches_[state.next_match].call < state.num_calls)
    ++state.next_match;
  std::int32_t source = call.receive.source;
  if (state.next_match < state.end_match && matches_[state.next_match].call == state.num_calls) {
    const std::int32_t found = matches_[state.next_match].source;
    if (found < 0) return {};  // it was cancelled
    const Outcome known{.source = found, .tag = call.receive.tag};
    return post_receive(state, call.comm, trace::any, call.receive.tag, {&known, 1}, begin);
  }
  if (source == trace::any) return {};
  return post_receive(state, call.comm, source, call.receive.tag, {}, begin);
}

// ---- collectives

namespace {

// Reason to wait in a collective; none where each rank waits for others.
std::optional<WaitState> reason_of(Collective operation) {
  if (operation == Collective::barrier) return WaitState::wait_at_barrier;
  switch (trace::row_of(operation).moves) {
    case trace::Moves::from_root: return WaitState::late_broadcast;
    case trace::Moves::to_root: return WaitState::early_reduce;
    case trace::Moves::up_the_ranks: return WaitState::early_scan;
    case trace::Moves::to_neighbors: return std::nullopt;
    default: return WaitState::wait_at_nxn;
  }
}

template <class Members, class Counts>
std::int64_t latest(const Members& members, Counts counts) {
  std::int64_t time = std::numeric_limits<std::int64_t>::min();
  for (const auto& member : members)
    if (counts(member)) time = std::max(time, member.begin);
  return time;
}

// The time until which each member of a collective waits, when all have come.
template <class Members>
void find_ends(Members& members, WaitState reason, std::int32_t root) {
  const auto is_root = [&](const auto& member) {
    return static_cast<std::int32_t>(member.position) == root;
  };
  if (reason == WaitState::late_broadcast) {
    const std::int64_t last = latest(members, is_root);
    for (auto& member : members) member.until = is_root(member) ? member.begin : last;
  } else if (reason == WaitState::early_reduce) {
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    for (const auto& member : members)
      if (!is_root(member)) first = std::min(first, member.begin);
    for (auto& member : members) member.until = is_root(member) ? first : member.begin;
  } else if (reason == WaitState::early_scan) {
    std::vector<std::size_t> order(members.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return members[a].position < members[b].position;
    });
    std::int64_t last = std::numeric_limits<std::int64_t>::min();
    for (const std::size_t at : order) {
      members[at].until = last;
      last = std::max(last, members[at].begin);
    }
  } else {
    const std::int64_t last = latest(members, [](const auto&) { return true; });
    for (auto& member : members) member.until = last;
  }
}

}  // namespace

WaitStates::Request WaitStates::meet(RankState& state, const trace::Call& call,
                                     std::int64_t begin) {
  Place* const place = state.place(call.comm);
  if (place == nullptr || place->size < 2) return {};
  const MeetingKey key{place->identity, place->num_collectives++};
  const auto [found, made] = meetings_.try_emplace(key);
  Meeting& meeting = found->second;
  if (made && !free_members_.empty()) {
    meeting.members = std::move(free_members_.back());
    free_members_.pop_back();
  }
  meeting.operation = call.collective.operation;
  meeting.root = place->inter ? trace::nobody : call.collective.root;
  meeting.size = place->size;
  meeting.members.push_back({begin, begin, place->position, 0});
  const auto at = static_cast<std::uint32_t>(meeting.members.size() - 1);
  if (meeting.members.size() == meeting.size) {
    if (const auto reason = reason_of(meeting.operation))
      find_ends(meeting.members, *reason, meeting.root);
    for (Meeting::Member& member : meeting.members)
      if (member.waiting != 0) judge(meeting, member);
  }
  return {Request::What::meeting, at, key};
}

// All members have come.
void WaitStates::judge(const Meeting& meeting, Meeting::Member& member) {
  const std::uint32_t number = std::exchange(member.waiting, 0) - 1;
  Call& call = calls_[number];
  const auto reason = reason_of(meeting.operation);
  const bool between_groups = trace::row_of(meeting.operation).rooted() && meeting.root < 0;
  if (reason && !between_groups && member.until > call.begin)
    propose(call, *reason, std::min(member.until, call.end) - call.begin);
  settle(number);
}

// ---- completing

void WaitStates::release(const Request& request, std::uint32_t call) {
  if (request.what == Request::What::nothing) return;
  if (call != none) ++calls_[call].missing;
  if (request.what == Request::What::message) {
    Half& half = halves_[request.at];
    half.released = true;
    if (call != none) half.waiting = call + 1;
    if (call != none && half.linked) judge(half);
    return drop_if_over(request.at);
  }
  const auto found = meetings_.find(request.meeting);
  if (found == meetings_.end() || request.at >= found->second.members.size())
    return call == none ? void() : settle(call);  // a trace with more calls than members
  Meeting& meeting = found->second;
  Meeting::Member& member = meeting.members[request.at];
  if (call != none) member.waiting = call + 1;
  const bool all_came = meeting.members.size() >= meeting.size;
  if (call != none && all_came) judge(meeting, member);
  if (++meeting.released < meeting.size || !all_came) return;
  meeting.members.clear();
  free_members_.push_back(std::move(meeting.members));
  meetings_.erase(found);
}

void WaitStates::complete(RankState& state, const trace::Call& call,
                          std::span<const std::uint64_t> words, std::span<const Outcome> outcomes,
                          std::uint32_t waiting) {
  const auto one = [&](std::uint64_t number) {
    release(std::exchange(state.request(number), Request{}), waiting);
  };
  if (call.op == Op::wait || call.op == Op::test) {
    if (words.empty() && call.request != trace::no_request) one(call.request);
    for (const std::uint64_t number : words) one(number);
    return;
  }
  for (const Outcome& outcome : outcomes)
    if (outcome.index < words.size()) one(words[outcome.index]);
}

void WaitStates::called(int rank, const trace::Call& call, std::span<const std::uint64_t> words,
                        Found found, std::span<const Outcome> outcomes, std::int64_t begin,
                        std::int64_t end) {
  RankState& state = *ranks_[static_cast<std::size_t>(rank)];
  const auto waits_for = [&](auto... requests) {
    const std::uint32_t waiting = new_call(call, rank, begin, end);
    (release(requests, waiting), ...);
    settle(waiting);
  };
  const trace::Exchange& both = call.exchange;
  switch (call.op) {
    case Op::send:
      waits_for(post_send(state, call.comm, call.send.to, call.send.tag, begin));
      break;
    case Op::recv:
      waits_for(
          post_receive(state, call.comm, call.receive.source, call.receive.tag, outcomes, begin));
      break;
    case Op::sendrecv: {
      const Request out = post_send(state, call.comm, both.to, both.send_tag, begin);
      waits_for(out,
                post_receive(state, call.comm, both.source, both.receive_tag, outcomes, begin));
      break;
    }
    case Op::mprobe:
      waits_for(post_receive(state, call.comm, call.probe.source, call.probe.tag, outcomes, begin));
      break;
    case Op::improbe:
      if (found == Found::flag_on)
        release(post_receive(state, call.comm, call.probe.source, call.probe.tag, outcomes, begin),
                none);
      break;
    case Op::isend:
      state.request(call.request) = post_send(state, call.comm, call.send.to, call.send.tag, begin);
      break;
    case Op::irecv: state.request(call.request) = post_irecv(state, call, begin); break;
    case Op::icollective: state.request(call.request) = meet(state, call, begin); break;
    case Op::collective: waits_for(meet(state, call, begin)); break;
    case Op::wait:
    case Op::wait_any:
    case Op::wait_some: {
      const std::uint32_t waiting = new_call(call, rank, begin, end);
      complete(state, call, words, outcomes, waiting);
      settle(waiting);
      break;
    }
    case Op::test:
    case Op::test_any:
    case Op::test_some:
      if (found == Found::flag_on) complete(state, call, words, outcomes, none);
      break;
    case Op::communicator: state.learn(call, words); break;
    default: break;
  }
  ++state.num_calls;
}

}  // namespace odonata::profile
