// Messages and requests of a DUMPI trace; collectives are in rank_collectives.cpp.
#include <algorithm>
#include <array>
#include <limits>

#include "odonata/interchange/dumpi/rank.hpp"

namespace odonata::interchange::dumpi {

namespace {

using trace::Mode;
using trace::Op;

std::int32_t tag_of(std::int64_t tag) {
  return static_cast<std::int32_t>(
      std::clamp<std::int64_t>(tag, -1, std::numeric_limits<std::int32_t>::max()));
}

std::vector<std::int64_t> places(std::size_t count) {
  std::vector<std::int64_t> all(count);
  for (std::size_t i = 0; i < count; ++i) all[i] = static_cast<std::int64_t>(i);
  return all;
}

}  // namespace

bool Rank::point_to_point(Numbers& n) {
  switch (static_cast<Function>(call_.function)) {
    case Function::Send: return send(n, Op::send, Mode::standard), true;
    case Function::Bsend: return send(n, Op::send, Mode::buffered), true;
    case Function::Ssend: return send(n, Op::send, Mode::synchronous), true;
    case Function::Rsend: return send(n, Op::send, Mode::ready), true;
    case Function::Isend: return send(n, Op::isend, Mode::standard), true;
    case Function::Ibsend: return send(n, Op::isend, Mode::buffered), true;
    case Function::Issend: return send(n, Op::isend, Mode::synchronous), true;
    case Function::Irsend: return send(n, Op::isend, Mode::ready), true;
    case Function::Recv: return receive(n, Op::recv), true;
    case Function::Irecv: return receive(n, Op::irecv), true;
    case Function::Sendrecv: return exchange(n, false), true;
    case Function::Sendrecv_replace: return exchange(n, true), true;
    case Function::Probe: return probe(n, true), true;
    case Function::Iprobe: return probe(n, false), true;
    default: return false;
  }
}

bool Rank::persistent(Numbers& n) {
  switch (static_cast<Function>(call_.function)) {
    case Function::Send_init: return keep(n, Op::isend, Mode::standard), true;
    case Function::Bsend_init: return keep(n, Op::isend, Mode::buffered), true;
    case Function::Ssend_init: return keep(n, Op::isend, Mode::synchronous), true;
    case Function::Rsend_init: return keep(n, Op::isend, Mode::ready), true;
    case Function::Recv_init: return keep(n, Op::irecv, Mode::standard), true;
    case Function::Start: return start(n.next()), true;
    case Function::Startall:
      n.next();
      for (const std::int64_t request : n.array()) start(request);
      return true;
    case Function::Request_free: return requests_.forget(n.next()), true;
    default: return false;
  }
}

bool Rank::completion(Numbers& n) {
  std::int64_t index = 0, flag = 0;
  std::span<const std::int64_t> some;
  const auto function = static_cast<Function>(call_.function);
  const bool one = function == Function::Wait || function == Function::Test;
  if (!one && (function < Function::Waitany || function > Function::Testsome)) return false;
  const std::array<std::int64_t, 1> single{one ? n.next() : n.next() /* count */};
  const std::span<const std::int64_t> requests =
      one ? std::span<const std::int64_t>(single) : n.array();
  const auto statuses = [&n] { return n.empty() ? std::span<const std::int64_t>{} : n.statuses(); };
  switch (function) {
    case Function::Wait:
    case Function::Waitall: return complete_all(Op::wait, requests, statuses()), true;
    case Function::Waitany:
      index = n.next();
      return complete(Op::wait_any, requests, {&index, 1}, statuses()), true;
    case Function::Waitsome:
      n.next(), some = n.array();
      return complete(Op::wait_some, requests, some, statuses()), true;
    case Function::Testany:
      index = n.next(), flag = n.next();
      if (flag == 0) return poll(Op::test_any, requests), true;
      return complete(Op::test_any, requests, {&index, 1}, statuses()), true;
    case Function::Testsome:
      n.next(), some = n.array();
      if (some.empty()) return poll(Op::test_some, requests), true;
      return complete(Op::test_some, requests, some, statuses()), true;
    default:  // Test, Testall
      flag = n.next();
      if (flag == 0) return poll(Op::test, requests), true;
      return complete_all(Op::test, requests, statuses()), true;
  }
}

void Rank::send(Numbers& n, Op op, Mode mode) {
  trace::Record& record = add(op);
  const trace::Send what = sent(n, mode, record.call);
  record.call.set(what);
  if (op == Op::isend) record.call.request = requests_.open(n.next(), -1);
}

trace::Send Rank::sent(Numbers& n, Mode mode, trace::Call& call) {
  const std::int64_t count = n.next(), type = n.next(), to = n.next(), tag = n.next();
  trace::Send what;
  what.mode = mode;
  what.tag = tag_of(tag);
  if (!on(n.next(), call)) return what;
  what.bytes = bytes(count, type);
  what.to = peer(to, call, false);
  return what;
}

void Rank::receive(Numbers& n, Op op) {
  trace::Record& record = add(op);
  trace::Receive what = received(n, record.call);
  const bool from_somebody = what.source != trace::nobody;
  const std::int64_t place = requests_.learn_later(from_somebody && what.source == trace::any,
                                                   from_somebody && what.tag == trace::any);
  if (op == Op::irecv) {
    record.call.request = requests_.open(n.next(), place);
  } else if (const auto status = n.statuses(); !status.empty()) {
    requests_.learn(place, status[1], status[4], size_of(record.call.comm));
  }
  resolve(what, place, record.call.comm);
  record.call.set(what);
}

trace::Receive Rank::received(Numbers& n, trace::Call& call) {
  const std::int64_t count = n.next(), type = n.next(), source = n.next(), tag = n.next();
  trace::Receive what;
  what.tag = tag_of(tag);
  if (!on(n.next(), call)) return what;
  what.bytes = bytes(count, type);
  what.source = peer(source, call, true);
  return what;
}

// Names the message of a receive from anything, where another reading has learnt it.
void Rank::resolve(trace::Receive& receive, std::int64_t place, std::uint32_t comm) const {
  if (!found_ || place < 0 || place >= static_cast<std::int64_t>(found_->size())) return;
  const Found& found = (*found_)[static_cast<std::size_t>(place)];
  const bool there = found.source < static_cast<std::int64_t>(size_of(comm));
  if (found.source != trace::any && there) receive.source = found.source;
  if (found.tag != trace::any) receive.tag = found.tag;
}

void Rank::exchange(Numbers& n, bool replace) {
  trace::Record& record = add(Op::sendrecv);
  const std::int64_t count = n.next(), type = n.next(), to = n.next(), send_tag = n.next();
  if (!replace) n.next(), n.next();
  const std::int64_t source = n.next(), receive_tag = n.next();
  trace::Exchange what;
  if (on(n.next(), record.call)) {
    what = {peer(to, record.call, false), tag_of(send_tag), bytes(count, type),
            peer(source, record.call, true), tag_of(receive_tag)};
    trace::Receive half{.source = what.source, .tag = what.receive_tag};
    const std::int64_t place =
        half.source == trace::nobody
            ? -1
            : requests_.learn_later(half.source == trace::any, half.tag == trace::any);
    if (const auto status = n.statuses(); !status.empty())
      requests_.learn(place, status[1], status[4], size_of(record.call.comm));
    resolve(half, place, record.call.comm);
    what.source = half.source;
    what.receive_tag = half.tag;
  }
  record.call.set(what);
}

void Rank::probe(Numbers& n, bool blocking) {
  trace::Record& record = add(blocking ? Op::probe : Op::iprobe);
  const std::int64_t source = n.next(), tag = n.next();
  if (!on(n.next(), record.call)) {
    record.call.op = Op::local;
    return;
  }
  trace::Probe what{peer(source, record.call, true), tag_of(tag)};
  if (!blocking) {
    record.decided = true;
    record.found.flag = n.next() != 0 ? 1 : 0;
  }
  const auto status = n.statuses();
  const bool found = !status.empty() && (blocking || record.found.flag != 0);
  if (found && what.source == trace::any && status[1] >= 0)
    what.source = peer(status[1], record.call, true);
  if (found && what.tag == trace::any) what.tag = tag_of(status[4]);
  record.call.set(what);
}

void Rank::keep(Numbers& n, Op op, Mode mode) {
  trace::Call call;
  call.op = op;
  if (op == Op::isend)
    call.set(sent(n, mode, call));
  else
    call.set(received(n, call));
  requests_.keep(n.next(), call);
}

void Rank::start(std::int64_t request) {
  const Requests::Request* kept = requests_.find(request);
  if (kept == nullptr || !kept->persistent) {
    ++anomalies_.unknown_requests;
    return;
  }
  trace::Record& record = add(kept->persistent->op);
  const std::uint16_t function = record.call.function;
  record.call = *kept->persistent;
  record.call.function = function;
  std::int64_t place = -1;
  if (record.call.op == Op::irecv) {
    trace::Receive what = record.call.receive;
    if (what.source != trace::nobody)
      place = requests_.learn_later(what.source == trace::any, what.tag == trace::any);
    resolve(what, place, record.call.comm);
    record.call.set(what);
  }
  record.call.request = requests_.open(request, place);
}

void Rank::complete_all(Op op, std::span<const std::int64_t> requests,
                        std::span<const std::int64_t> statuses) {
  complete(op, requests, places(requests.size()), statuses);
}

// Requests that no call has opened, and inactive ones, are not waited for.
void Rank::complete(Op op, std::span<const std::int64_t> requests,
                    std::span<const std::int64_t> done, std::span<const std::int64_t> statuses) {
  trace::Record& record = add(op);
  record.decided = op != Op::wait;
  record.found.flag = 1;
  std::vector<std::uint32_t> place_in_words(requests.size(), 0);
  std::vector<bool> listed(requests.size(), false);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (requests[i] < Requests::first) continue;
    const Requests::Request* open = requests_.find(requests[i]);
    if (open == nullptr) ++anomalies_.unknown_requests;
    if (open == nullptr || open->number == 0) continue;
    place_in_words[i] = static_cast<std::uint32_t>(record.words.size());
    listed[i] = true;
    record.words.push_back(open->number);
  }
  const std::size_t num_statuses = statuses.size() / status_numbers;
  for (std::size_t k = 0; k < done.size(); ++k) {
    const auto i = static_cast<std::size_t>(done[k]);
    if (done[k] < 0 || i >= requests.size() || !listed[i]) continue;
    const Requests::Request* open = requests_.find(requests[i]);
    if (open == nullptr || open->number == 0) continue;  // listed twice
    if (k < num_statuses)
      requests_.learn(open->learns, statuses[k * status_numbers + 1],
                      statuses[k * status_numbers + 4], context_.num_ranks);
    if (record.decided) record.found.outcomes.push_back({.index = place_in_words[i]});
    requests_.close(requests[i]);
  }
  if (record.words.empty() || (record.decided && record.found.outcomes.empty())) {
    record.call.op = Op::local;
    record.decided = false;
    record.words.clear();
    record.found.outcomes.clear();
  }
}

// A test that found nothing.
void Rank::poll(Op op, std::span<const std::int64_t> requests) {
  trace::Record& record = add(op);
  record.decided = true;
  for (const std::int64_t request : requests) {
    if (request < Requests::first) continue;
    const Requests::Request* open = requests_.find(request);
    if (open == nullptr) ++anomalies_.unknown_requests;
    if (open != nullptr && open->number != 0) record.words.push_back(open->number);
  }
}

}  // namespace odonata::interchange::dumpi
