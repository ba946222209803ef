// Records of a rank: calls that start and complete its requests.
#include <algorithm>
#include <utility>

#include "preload/libprofile/journal.hpp"
#include "preload/libprofile/real.hpp"

namespace odonata::libprofile {

using trace::Call;
using trace::Outcome;

Tracked& Journal::track(Kind kind, const Call& call, MPI_Request request, const Comm* peers) {
  Tracked& made = requests_.add(request);
  made.kind = kind;
  made.number = requests_.take_number();
  made.call = call;
  if (peers != nullptr && peers->number != 0) {
    auto& known = const_cast<Comm*>(peers)->known_peers;
    if (!known) known = std::make_shared<const std::vector<std::int32_t>>(peers->peers);
    made.peers = known;
  }
  return made;
}

// ---- starting

void Journal::begin(Tracked& request) {
  request.active = true;
  request.settled = false;
  request.call.request = request.number;
  if (request.kind == Kind::receive) return begin_receive(request);
  report(request.call, request.words);
}

void Journal::begin_receive(Tracked& request) {
  request.undecided = undecided(request.call.receive);
  if (request.undecided) ++num_undecided_;
  request.cancelling = false;
  request.opened = num_calls_;
  report(request.call);
}

void Journal::start_requests(const Listed& listed) {
  for (Tracked* const request : listed.requests) {
    if (request == nullptr) continue;
    if (request->kind != Kind::partitions) {
      begin(*request);
      continue;
    }
    requests_.give_back(std::exchange(request->number, trace::no_request));
    request->active = false;
    request->settled = false;
    request->missing = request->partitions;
    if (request->missing == 0) send_partitions(*request);
  }
}

void Journal::send_partitions(Tracked& request) {
  request.number = requests_.take_number();
  request.active = true;
  request.call.request = request.number;
  report(request.call);
}

// ---- completing

bool Journal::was_cancelled(const Tracked& request, const MPI_Status* status) {
  if (!request.cancelling || status == nullptr) return false;
  int cancelled = 0;
  ODONATA_REAL(Test_cancelled)(status, &cancelled);
  return cancelled != 0;
}

// The request becomes inactive. A trace has the sender of a receive from anybody.
Outcome Journal::complete_one(Tracked& request, const MPI_Status* status) {
  Outcome found;
  found.tag = trace::any;
  request.active = false;
  if (std::exchange(request.undecided, false)) --num_undecided_;
  if (request.kind == Kind::duplicate) {
    Comm& made = communicators_.at(request.made);
    made.number = request.comm_number;
    made.identity = request.identity;
  }
  if (request.kind != Kind::receive || request.call.receive.source == trace::nobody) return found;
  const bool opened = request.call.op == Op::irecv;
  if (was_cancelled(request, status)) {
    found.cancelled = 1;
    const auto on = static_cast<std::uint16_t>(Found::flag_on);
    file_.patch(request.cancel_place + offsetof(trace::LoggedCall, found),
                std::as_bytes(std::span(&on, 1)));
    if (opened) matches_.push_back({rank_, trace::nobody, request.opened});
    return found;
  }
  if (status == nullptr) return found;
  const Comm& world = communicators_.at(comm_world());
  found = outcome_of(world, *status);
  if (request.peers && status->MPI_SOURCE >= 0 &&
      static_cast<std::size_t>(status->MPI_SOURCE) < request.peers->size())
    found.source = (*request.peers)[static_cast<std::size_t>(status->MPI_SOURCE)];
  if (opened && request.call.receive.source == trace::any && found.source >= 0)
    matches_.push_back({rank_, found.source, request.opened});
  return found;
}

// Writes the record of a wait or test, and gives back its completed requests.
void Journal::complete(Op op, const std::vector<Tracked*>& all, const std::vector<Tracked*>& done,
                       const std::vector<const MPI_Status*>& statuses, Found found) {
  Call call;
  call.op = op;
  std::vector<std::uint64_t> words;
  for (const Tracked* const request : all) words.push_back(request->number);
  if (op == Op::wait && words.size() == 1) {
    call.request = all.front()->number;
    words.clear();
  }
  std::vector<Outcome> outcomes;
  for (std::size_t i = 0; i < done.size(); ++i) {
    Outcome outcome = complete_one(*done[i], statuses[i]);
    outcome.index =
        static_cast<std::uint32_t>(std::find(all.begin(), all.end(), done[i]) - all.begin());
    if (found != Found::unknown) outcomes.push_back(outcome);
  }
  std::sort(outcomes.begin(), outcomes.end(),
            [](const Outcome& a, const Outcome& b) { return a.index < b.index; });
  report(call, words, found, outcomes);
  for (const Tracked* const request : done) {
    if (request->kind != Kind::duplicate) continue;
    const Function outer = std::exchange(function_, Function::Comm_idup);
    note_creation(comm(request->made));
    function_ = outer;
  }
}

namespace {

bool pending(const Tracked* request) {
  return request != nullptr && request->active && request->kind != Kind::partitions;
}

std::vector<Tracked*> pending_of(const Listed& listed) {
  std::vector<Tracked*> all;
  for (Tracked* const request : listed.requests)
    if (pending(request)) all.push_back(request);
  return all;
}

std::vector<const MPI_Status*> statuses_of(const Listed& listed, const MPI_Status* statuses) {
  std::vector<const MPI_Status*> all;
  for (std::size_t i = 0; i < listed.requests.size(); ++i)
    if (pending(listed.requests[i])) all.push_back(statuses == nullptr ? nullptr : statuses + i);
  return all;
}

}  // namespace

// Requests that are not persistent go with their handles, in the order of the list.
void Journal::free(const Listed& listed) {
  for (Tracked* const request : listed.requests) {
    if (request == nullptr) continue;
    // The number of an active request, which outlives its handle, stays in use.
    if (!request->active) requests_.give_back(request->number);
    requests_.remove(*request);
  }
}

namespace {

// Lists the requests that a call has completed, and whose handles it has taken.
Listed gone(const Listed& listed) {
  Listed all;
  for (Tracked* const request : listed.requests) {
    if (request == nullptr || request->active) continue;
    request->settled = false;
    if (!request->persistent) all.requests.push_back(request);
  }
  return all;
}

Listed only(Tracked* request) {
  Listed one;
  one.requests.push_back(request);
  return one;
}

}  // namespace

void Journal::wait_all(const Listed& listed, const MPI_Status* statuses) {
  for (Tracked* const request : listed.requests)
    if (request != nullptr && request->kind == Kind::partitions && request->active)
      complete(Op::wait, {request}, {request}, {nullptr}, Found::unknown);
  const std::vector<Tracked*> all = pending_of(listed);
  if (!all.empty()) {
    const bool asks = std::any_of(all.begin(), all.end(),
                                  [](const Tracked* request) { return request->undecided; });
    complete(Op::wait, all, all, statuses_of(listed, statuses),
             asks ? Found::flag_on : Found::unknown);
  }
  free(gone(listed));
}

// The library of a simulated run tests each message of partitions by itself.
void Journal::test_partitions(const Listed& listed, bool done) {
  for (Tracked* const request : listed.requests) {
    if (request == nullptr || request->kind != Kind::partitions || !request->active) continue;
    const Function outer = std::exchange(function_, Function::Test);
    if (done)
      complete(Op::test, {request}, {request}, {nullptr}, Found::flag_on);
    else
      complete(Op::test, {request}, {}, {}, Found::flag_off);
    function_ = outer;
  }
}

void Journal::test_all(const Listed& listed, bool done, const MPI_Status* statuses) {
  test_partitions(listed, done);
  const std::vector<Tracked*> all = pending_of(listed);
  if (!all.empty() && done)
    complete(Op::test, all, all, statuses_of(listed, statuses), Found::flag_on);
  if (!all.empty() && !done) complete(Op::test, all, {}, {}, Found::flag_off);
  if (done) free(gone(listed));
}

void Journal::any(Op op, const Listed& listed, int index, const MPI_Status& status) {
  Tracked* const chosen = index == MPI_UNDEFINED ? nullptr : listed.at(index);
  if (chosen != nullptr && chosen->kind == Kind::partitions && chosen->active) {
    test_partitions(only(chosen), true);
  } else if (const std::vector<Tracked*> all = pending_of(listed); !all.empty()) {
    if (pending(chosen))
      complete(op, all, {chosen}, {&status}, Found::flag_on);
    else if (chosen == nullptr)
      complete(op, all, {}, {}, op == Op::wait_any ? Found::flag_on : Found::flag_off);
  }
  if (chosen != nullptr) free(gone(only(chosen)));
}

void Journal::some(Op op, const Listed& listed, int count, const int* indices,
                   const MPI_Status* statuses) {
  if (count == MPI_UNDEFINED) return;
  std::vector<Tracked*> done;
  std::vector<const MPI_Status*> found;
  Listed taken;
  taken.requests.resize(listed.requests.size());  // by place
  for (int i = 0; i < count; ++i) {
    Tracked* const request = listed.at(indices[i]);
    if (request == nullptr) continue;
    taken.requests[static_cast<std::size_t>(indices[i])] = request;
    if (request->kind == Kind::partitions) test_partitions(only(request), true);
    if (!pending(request)) continue;
    done.push_back(request);
    found.push_back(statuses == nullptr ? nullptr : statuses + i);
  }
  const std::vector<Tracked*> all = pending_of(listed);
  const bool flag = op == Op::wait_some || !done.empty();
  if (!all.empty() && (!done.empty() || count == 0))
    complete(op, all, done, found, flag ? Found::flag_on : Found::flag_off);
  free(gone(taken));
}

void Journal::look(const Listed& listed, std::size_t place, bool done, const MPI_Status* status) {
  Tracked* const request = listed.requests[place];
  if (request == nullptr || !request->active) return;
  if (request->kind == Kind::partitions) return test_partitions(only(request), done);
  if (!done) return complete(Op::test, {request}, {}, {}, Found::flag_off);
  complete(Op::test, {request}, {request}, {status}, Found::flag_on);
  request->settled = true;
}

// Whether it came too late is known when the request is complete.
void Journal::cancel(const Listed& listed) {
  Tracked* const request = listed.at(0);
  if (request == nullptr || request->kind != Kind::receive || !request->active) return;
  Call call;
  call.op = Op::cancel;
  call.comm = request->call.comm;
  call.request = request->number;
  request->cancelling = true;
  request->cancel_place = file_.place();
  report(call, {}, Found::flag_off);
}

}  // namespace odonata::libprofile
