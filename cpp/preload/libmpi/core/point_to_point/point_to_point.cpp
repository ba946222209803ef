#include "preload/libmpi/core/point_to_point/point_to_point.hpp"

#include "preload/libmpi/core/point_to_point/receive.hpp"
#include "preload/libmpi/core/processes/process.hpp"
#include "preload/libmpi/core/requests/recycling.hpp"

namespace odonata::libmpi {

using trace::Answer;
using trace::Call;
using trace::Op;

namespace {

live::Waiting waiting_in(Function function, const Request& request) {
  live::Waiting what = request.waiting();
  what.function = static_cast<std::uint16_t>(function);
  return what;
}

// Writes the record, asks for the outcome if it is undecided, and waits for the data.
void complete(Function function, const Call& call, ReceiveRequest& receive) {
  Endpoint& endpoint = *self().endpoint;
  if (receive.undecided()) {
    const Answer answer = endpoint.ask(call);
    if (!answer.outcomes.empty()) receive.decide(answer.outcomes.front());
  } else {
    endpoint.report(call);
  }
  endpoint.wait(waiting_in(function, receive), [&] { return receive.ready(); });
  receive.finish();
}

Call probe_call(Function function, Op op, const Peer& source) {
  Call call = call_of(function, op, trace::Probe{.source = source.rank, .tag = source.tag});
  call.comm = source.comm->number;
  return call;
}

Status status_of(const trace::Outcome& found, const Comm& comm) {
  return {.source = comm.peers().rank_of(found.source), .tag = found.tag, .bytes = found.bytes};
}

constexpr Status no_message{.source = trace::nobody, .tag = trace::any};

// Does it depend on simulated time which message comes first?
bool must_ask(const Peer& source) {
  return source.rank == trace::any || self().messages->any_undecided();
}

// Waits for the first message of a named source.
Offset wait_for_message(Function function, const Peer& source) {
  const Envelope envelope = envelope_of(source);
  MessageQueues& messages = *self().messages;
  Offset mail = 0;
  self().endpoint->wait(live::Waiting{.function = static_cast<std::uint16_t>(function),
                                      .peer = envelope.source,
                                      .tag = envelope.tag,
                                      .comm = source.comm->number},
                        [&] {
                          messages.progress();
                          mail = messages.find(envelope);
                          return mail != 0;
                        });
  return mail;
}

Matched matched(Offset mail, const CommRef& comm, std::uint32_t number) {
  return {mail, number, comm, libmpi::status_of(self().endpoint->mail_at(mail), *comm)};
}

}  // namespace

// ---- blocking

void send(Function function, const Buffer& from, const Peer& to, trace::Mode mode) {
  deliver(from, to);
  self().endpoint->report(send_call(function, Op::send, from, to, mode));
}

Status recv(Function function, const Buffer& into, const Peer& source) {
  ReceiveRequest receive(into, source);
  receive.post();
  complete(function, receive.call(function, Op::recv), receive);
  return receive.status;
}

Status sendrecv(Function function, const Buffer& from, const Peer& to, const Buffer& into,
                const Peer& source) {
  ReceiveRequest receive(into, source);
  receive.post();
  deliver(from, to);
  Call call = call_of(function, Op::sendrecv,
                      trace::Exchange{.to = to.rank,
                                      .send_tag = to.tag,
                                      .bytes = from.count * from.type->size(),
                                      .source = source.rank,
                                      .receive_tag = source.tag});
  call.comm = to.comm->number;
  complete(function, call, receive);
  return receive.status;
}

// ---- requests

RequestRef isend(Function function, const Buffer& from, const Peer& to, trace::Mode mode) {
  const auto request = make_recycled<SendRequest>(from, to, mode);
  request->begin(function);
  return request;
}

RequestRef irecv(Function function, const Buffer& into, const Peer& source) {
  const auto request = make_recycled<ReceiveRequest>(into, source);
  request->begin(function);
  return request;
}

RequestRef send_init(const Buffer& from, const Peer& to, trace::Mode mode) {
  const auto request = make_recycled<SendRequest>(from, to, mode);
  request->persistent = true;
  request->active = false;
  return request;
}

RequestRef recv_init(const Buffer& into, const Peer& source) {
  const auto request = make_recycled<ReceiveRequest>(into, source);
  request->persistent = true;
  request->active = false;
  return request;
}

// A send that has started cannot be cancelled.
void cancel(Function function, const RequestRef& request) {
  if (auto* receive = dynamic_cast<ReceiveRequest*>(request.get())) receive->cancel(function);
}

// ---- probes

Status probe(Function function, const Peer& source) {
  Call call = probe_call(function, Op::probe, source);
  if (source.rank == trace::nobody) {
    self().endpoint->report(call);
    return no_message;
  }
  if (must_ask(source)) return status_of(self().endpoint->ask(call).outcomes.at(0), *source.comm);
  self().endpoint->report(call);
  return libmpi::status_of(self().endpoint->mail_at(wait_for_message(function, source)),
                           *source.comm);
}

std::optional<Status> iprobe(Function function, const Peer& source) {
  const Call call = probe_call(function, Op::iprobe, source);
  if (source.rank == trace::nobody) {
    self().endpoint->report(call);
    return no_message;
  }
  const Answer answer = self().endpoint->ask(call);
  if (answer.flag == 0) return std::nullopt;
  return status_of(answer.outcomes.at(0), *source.comm);
}

Matched mprobe(Function function, const Peer& source) {
  if (source.rank == trace::nobody) {
    self().endpoint->report(call_of(function, Op::local));
    return {0, 0, source.comm, no_message};
  }
  MessageQueues& messages = *self().messages;
  Call call = probe_call(function, Op::mprobe, source);
  call.request = self().request_numbers.take();
  if (!must_ask(source)) {
    self().endpoint->report(call);
    const Offset mail = messages.take(wait_for_message(function, source));
    return matched(mail, source.comm, call.request);
  }
  const Answer answer = self().endpoint->ask(call);
  const trace::Outcome& found = answer.outcomes.at(0);
  return matched(messages.take(found.source, found.serial), source.comm, call.request);
}

std::optional<Matched> improbe(Function function, const Peer& source) {
  if (source.rank == trace::nobody) return mprobe(function, source);
  MessageQueues& messages = *self().messages;
  Call call = probe_call(function, Op::improbe, source);
  call.request = self().request_numbers.take();
  const Answer answer = self().endpoint->ask(call);
  if (answer.flag == 0) {
    self().request_numbers.give_back(call.request);
    return std::nullopt;
  }
  const trace::Outcome& found = answer.outcomes.at(0);
  return matched(messages.take(found.source, found.serial), source.comm, call.request);
}

Status mrecv(Function function, const Buffer& into, const Matched& message) {
  const bool real = message.mail != 0;
  ReceiveRequest receive(into, {message.comm, real ? message.status.source : trace::nobody});
  receive.take(message.mail);
  Call call = call_of(function, Op::local);
  if (real) {
    call = receive.call(function, Op::mrecv);
    call.receive.message = message.number;
  }
  self().endpoint->report(call);
  if (real) self().request_numbers.give_back(message.number);
  receive.finish();
  return receive.status;
}

RequestRef imrecv(Function function, const Buffer& into, const Matched& message) {
  if (message.mail == 0) return irecv(function, into, {message.comm, trace::nobody});
  const auto receive = make_recycled<ReceiveRequest>(
      into, Peer{message.comm, message.status.source, message.status.tag});
  receive->take(message.mail);
  Call call = receive->call(function, Op::imrecv);
  call.request = receive->number;
  call.receive.message = message.number;
  self().endpoint->report(call);
  self().request_numbers.give_back(message.number);
  return receive;
}

}  // namespace odonata::libmpi
