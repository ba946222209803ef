#include "preload/libmpi/core/point_to_point/receive.hpp"

#include <algorithm>
#include <utility>

#include "preload/libmpi/core/processes/process.hpp"

namespace odonata::libmpi {

using live::Mail;
using trace::Call;
using trace::Op;

namespace {

std::int64_t bytes_of(const Buffer& buffer) { return buffer.count * buffer.type->size(); }

std::int32_t world_rank(const Peer& peer) {
  if (peer.rank < 0) return peer.rank;
  return peer.comm->peers().members[peer.rank];
}

}  // namespace

Envelope envelope_of(const Peer& source) {
  return {source.comm->identity, world_rank(source), source.tag};
}

Status status_of(const Mail& mail, const Comm& comm) {
  return {.source = comm.peers().rank_of(mail.source), .tag = mail.tag, .bytes = mail.bytes};
}

Call send_call(Function function, Op op, const Buffer& from, const Peer& to, trace::Mode mode) {
  Call call =
      call_of(function, op,
              trace::Send{.to = to.rank, .tag = to.tag, .bytes = bytes_of(from), .mode = mode});
  call.comm = to.comm->number;
  return call;
}

void deliver(const Buffer& from, const Peer& to) {
  if (to.rank == trace::nobody) return;
  Process& me = self();
  const std::int64_t bytes = bytes_of(from);
  const Offset place = me.endpoint->allocate(sizeof(Mail) + static_cast<std::size_t>(bytes));
  const std::int32_t receiver = world_rank(to);
  new (me.endpoint->at(place)) Mail{.next = 0,
                                    .kind = Mail::Kind::message,
                                    .source = me.endpoint->rank(),
                                    .comm = to.comm->identity,
                                    .tag = to.tag,
                                    .serial = me.messages->next_serial(),
                                    .bytes = bytes};
  if (bytes > 0) from.type->pack(from.data, from.count, me.endpoint->at(place) + sizeof(Mail));
  me.endpoint->send_mail(receiver, place);
}

// ---- sends

SendRequest::SendRequest(Buffer from, Peer to, trace::Mode mode)
    : from_(std::move(from)), to_(std::move(to)), mode_(mode) {
  number = self().request_numbers.take();
}

SendRequest::~SendRequest() { self().request_numbers.give_back(number); }

void SendRequest::begin(Function function) {
  active = true;
  deliver(from_, to_);
  Call call = send_call(function, Op::isend, from_, to_, mode_);
  call.request = number;
  self().endpoint->report(call);
}

// ---- receives

ReceiveRequest::ReceiveRequest(Buffer into, Peer source)
    : into_(std::move(into)), source_(std::move(source)), envelope_(envelope_of(source_)) {
  number = self().request_numbers.take();
}

ReceiveRequest::~ReceiveRequest() {
  settle();
  self().request_numbers.give_back(number);
}

// Removes a receive that was given up from queues and counts.
void ReceiveRequest::settle() {
  MessageQueues& messages = *self().messages;
  if (undecided_) messages.add_undecided(-1);
  if (posted_ && mail_ == 0) messages.withdraw(*this);
  undecided_ = posted_ = false;
}

Call ReceiveRequest::call(Function function, Op op) const {
  Call call =
      call_of(function, op,
              trace::Receive{.source = source_.rank, .tag = source_.tag, .bytes = bytes_of(into_)});
  call.comm = source_.comm->number;
  return call;
}

void ReceiveRequest::post() {
  active = true;
  status = {};
  if (source_.rank == trace::nobody) return;
  MessageQueues& messages = *self().messages;
  messages.progress();
  posted_ = true;
  undecided_ = source_.rank == trace::any || messages.any_undecided();
  if (undecided_)
    messages.add_undecided(1);
  else
    messages.post(*this);
}

void ReceiveRequest::begin(Function function) {
  post();
  Call noted = call(function, Op::irecv);
  noted.request = number;
  self().endpoint->report(noted);
}

bool ReceiveRequest::ready() {
  if (mail_ == 0) self().messages->progress();
  return mail_ != 0 || status.cancelled || source_.rank == trace::nobody;
}

void ReceiveRequest::decide(const trace::Outcome& outcome) {
  if (!undecided_) return;
  undecided_ = false;
  self().messages->add_undecided(-1);
  mail_ = self().messages->take(outcome.source, outcome.serial);
}

void ReceiveRequest::finish() {
  posted_ = false;
  if (status.cancelled) return;
  if (source_.rank == trace::nobody) {
    status = {.source = trace::nobody, .tag = trace::any};
    return;
  }
  Endpoint& endpoint = *self().endpoint;
  const Mail& mail = endpoint.mail_at(mail_);
  const std::int64_t room = bytes_of(into_);
  status = status_of(mail, *source_.comm);
  status.bytes = std::min(mail.bytes, room);
  if (status.bytes > 0)
    into_.type->unpack(endpoint.at(mail_) + sizeof(Mail), status.bytes, into_.data, into_.count);
  const std::int64_t sent = mail.bytes;
  endpoint.release(std::exchange(mail_, 0));
  const auto refuse = [&](ErrorClass error_class, const std::string& why) {
    throw Error{error_class, "message of " + std::to_string(sent) + " bytes from rank " +
                                 std::to_string(status.source) + " with tag " +
                                 std::to_string(status.tag) + why};
  };
  if (sent > room)
    refuse(ErrorClass::truncate, " into a buffer of " + std::to_string(room) + " bytes");
  if (sent != room && sent % into_.type->size() != 0 &&
      into_.type->signature()->elements_in(sent) < 0)
    refuse(ErrorClass::type, " ends within an element of the receive's datatype");
}

// Simulated time decides whether the receive had been matched.
void ReceiveRequest::cancel(Function function) {
  Call noted = call_of(function, Op::cancel);
  noted.comm = source_.comm->number;
  noted.request = number;
  const trace::Answer answer = self().endpoint->ask(noted);
  if (answer.flag == 0) return;
  if (!undecided_) self().messages->withdraw(*this);
  mail_ = 0;
  posted_ = false;
  settle();
  status = {.cancelled = true};
}

live::Waiting ReceiveRequest::waiting() const {
  return {.peer = envelope_.source, .tag = envelope_.tag, .comm = source_.comm->number};
}

}  // namespace odonata::libmpi
