// Records of a rank: messages, probes, collectives.
#include "preload/libprofile/journal.hpp"

#include <algorithm>
#include <ctime>
#include <utility>

#include "preload/libprofile/real.hpp"

namespace odonata::libprofile {

using trace::Call;
using trace::Outcome;

namespace {

std::int32_t rank_in_trace(int rank) {
  if (rank == MPI_ANY_SOURCE) return trace::any;
  return rank == MPI_PROC_NULL ? trace::nobody : rank;
}

std::int32_t tag_in_trace(int tag) { return tag == MPI_ANY_TAG ? trace::any : tag; }

std::int64_t wall_clock() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

// ---- the file

bool Journal::start(const std::string& folder, int rank, int ranks, std::uint64_t began,
                    bool counter, const TickLength& tick) {
  if (!file_.open(folder, rank, ranks)) return false;
  trace::LogHead& head = file_.head();
  head.start = began;
  head.seconds_per_tick = tick.seconds();
  head.clock_ticks = ticks(counter);
  head.clock_time = wall_clock();
  rank_ = rank;
  Comm& world = communicators_.at(comm_world());
  world.number = 0;
  world.identity = trace::world_identity;
  Comm& self = communicators_.at(comm_self());
  self.number = 1;
  self.identity = trace::self_identity(rank);
  return true;
}

void Journal::stop(const TickLength& tick) {
  file_.head().seconds_per_tick = tick.seconds();
  file_.head().ended = 1;
  file_.close();
}

void Journal::enter(Function function, std::uint64_t began, std::uint64_t ended) {
  function_ = function;
  began_ = began;
  ended_ = ended;
  reported_ = 0;
  whole_ = true;
}

void Journal::leave() {
  if (reported_ == 0) {
    Call local;
    local.op = Op::local;
    report(local);
  }
  if (whole_)
    file_.commit(static_cast<std::uint64_t>(reported_));
  else
    file_.give_up(static_cast<std::uint64_t>(reported_));
}

void Journal::report(Call call, std::span<const std::uint64_t> words, Found found,
                     std::span<const Outcome> outcomes) {
  call.function = static_cast<std::uint16_t>(function_);
  call.num_words = static_cast<std::uint32_t>(words.size());
  if (found != Found::unknown) call.flags |= Call::answer;
  const bool first = reported_++ == 0;
  if (!first) call.flags |= Call::more;
  const trace::LoggedCall head{.call = call,
                               .began = first ? began_ : ended_,
                               .ended = ended_,
                               .num_outcomes = static_cast<std::uint32_t>(outcomes.size()),
                               .found = static_cast<std::uint16_t>(found),
                               .num_matches = static_cast<std::uint16_t>(matches_.size())};
  whole_ = whole_ && file_.put(std::as_bytes(std::span(&head, 1))) &&
           file_.put(std::as_bytes(words)) && file_.put(std::as_bytes(outcomes)) &&
           file_.put(std::as_bytes(std::span(matches_)));
  matches_.clear();
  ++num_calls_;
}

Call Journal::call_on(Op op, const Comm& comm) const {
  Call call;
  call.op = op;
  call.comm = comm.number;
  return call;
}

// ---- messages

Call Journal::send_call(Op op, trace::Mode mode, const Message& message) {
  Call call = call_on(op, comm(message.comm));
  call.set(trace::Send{
      .to = rank_in_trace(message.rank), .tag = message.tag, .bytes = message.bytes, .mode = mode});
  return call;
}

Call Journal::receive_call(Op op, const Message& message) {
  Call call = call_on(op, comm(message.comm));
  call.set(trace::Receive{.source = rank_in_trace(message.rank),
                          .tag = tag_in_trace(message.tag),
                          .bytes = message.bytes});
  return call;
}

Call Journal::probe_call(Op op, const Message& message) {
  Call call = call_on(op, comm(message.comm));
  call.set(trace::Probe{.source = rank_in_trace(message.rank), .tag = tag_in_trace(message.tag)});
  return call;
}

Outcome Journal::outcome_of(const Comm& comm, const MPI_Status& status) const {
  Outcome found;
  found.tag = tag_in_trace(status.MPI_TAG);
  const auto at = static_cast<std::size_t>(status.MPI_SOURCE);
  if (status.MPI_SOURCE >= 0 && at < comm.peers.size()) found.source = comm.peers[at];
  int bytes = 0;
  ODONATA_REAL(Get_count)(&status, type_byte(), &bytes);
  found.bytes = bytes == MPI_UNDEFINED ? 0 : bytes;
  return found;
}

// It depends on time as well which message a receive gets that was posted after one from anybody.
bool Journal::undecided(const trace::Receive& call) const {
  return call.source != trace::nobody && (call.source == trace::any || num_undecided_ > 0);
}

void Journal::send(trace::Mode mode, const Message& message) {
  report(send_call(Op::send, mode, message));
}

void Journal::isend(trace::Mode mode, const Message& message, MPI_Request request) {
  begin(track(Kind::send, send_call(Op::isend, mode, message), request, nullptr));
}

void Journal::recv(const Message& message, const MPI_Status& status) {
  const Call call = receive_call(Op::recv, message);
  if (!undecided(call.receive)) return report(call);
  const Outcome found = outcome_of(comm(message.comm), status);
  report(call, {}, Found::flag_on, {&found, 1});
}

void Journal::irecv(const Message& message, MPI_Request request) {
  begin(track(Kind::receive, receive_call(Op::irecv, message), request, &comm(message.comm)));
}

void Journal::sendrecv(const Message& out, const Message& in, const MPI_Status& status) {
  Call call = call_on(Op::sendrecv, comm(out.comm));
  const trace::Receive receive = receive_call(Op::recv, in).receive;
  call.set(trace::Exchange{.to = rank_in_trace(out.rank),
                           .send_tag = out.tag,
                           .bytes = out.bytes,
                           .source = receive.source,
                           .receive_tag = receive.tag});
  if (!undecided(receive)) return report(call);
  const Outcome found = outcome_of(comm(in.comm), status);
  report(call, {}, Found::flag_on, {&found, 1});
}

// The request stands for the receive; the send is left to itself.
void Journal::isendrecv(const Message& out, const Message& in, MPI_Request request) {
  Call call = send_call(Op::isend, trace::Mode::standard, out);
  call.request = requests_.take_number();
  report(call);
  irecv(in, request);
}

void Journal::send_init(trace::Mode mode, const Message& message, MPI_Request request) {
  Tracked& made = track(Kind::send, send_call(Op::isend, mode, message), request, nullptr);
  made.persistent = true;
  made.active = false;
}

void Journal::recv_init(const Message& message, MPI_Request request) {
  Tracked& made =
      track(Kind::receive, receive_call(Op::irecv, message), request, &comm(message.comm));
  made.persistent = true;
  made.active = false;
}

void Journal::psend_init(const Message& message, int partitions, MPI_Request request) {
  Comm& parent = comm(message.comm);
  if (parent.partitioned == Comm::unnumbered) parent.partitioned = companion(parent, 0);
  Call call = send_call(Op::isend, trace::Mode::standard, message);
  call.comm = parent.partitioned;
  Tracked& made = requests_.add(request);
  made.kind = Kind::partitions;
  made.call = call;
  made.persistent = true;
  made.active = false;
  made.partitions = partitions;
}

void Journal::precv_init(const Message& message, MPI_Request request) {
  Comm& parent = comm(message.comm);
  if (parent.partitioned == Comm::unnumbered) parent.partitioned = companion(parent, 0);
  recv_init(message, request);
  if (Tracked* const made = requests_.find(request); made != nullptr)
    made->call.comm = parent.partitioned;
}

void Journal::ready(MPI_Request request, int partitions) {
  Tracked* const tracked = requests_.find(request);
  if (tracked == nullptr || tracked->kind != Kind::partitions || tracked->missing <= 0) return;
  tracked->missing -= partitions;
  if (tracked->missing == 0) send_partitions(*tracked);
}

// ---- probes

void Journal::probe(const Message& message, const MPI_Status& status) {
  const Call call = probe_call(Op::probe, message);
  const bool asks = call.probe.source == trace::any || num_undecided_ > 0;
  if (call.probe.source == trace::nobody || !asks) return report(call);
  const Outcome found = outcome_of(comm(message.comm), status);
  report(call, {}, Found::flag_on, {&found, 1});
}

void Journal::iprobe(const Message& message, bool found, const MPI_Status& status) {
  const Call call = probe_call(Op::iprobe, message);
  if (call.probe.source == trace::nobody) return report(call);
  if (!found) return report(call, {}, Found::flag_off);
  const Outcome outcome = outcome_of(comm(message.comm), status);
  report(call, {}, Found::flag_on, {&outcome, 1});
}

void Journal::mprobe(const Message& message, MPI_Message matched, const MPI_Status& status) {
  Call call = probe_call(Op::mprobe, message);
  if (call.probe.source == trace::nobody) return;
  call.request = requests_.take_number();
  Call& receive = messages_[bits_of(matched)];
  receive = call_on(Op::mrecv, comm(message.comm));
  receive.set(trace::Receive{
      .source = status.MPI_SOURCE, .tag = status.MPI_TAG, .bytes = 0, .message = call.request});
  if (call.probe.source != trace::any && num_undecided_ == 0) return report(call);
  const Outcome found = outcome_of(comm(message.comm), status);
  report(call, {}, Found::flag_on, {&found, 1});
}

void Journal::improbe(const Message& message, bool found, MPI_Message matched,
                      const MPI_Status& status) {
  Call call = probe_call(Op::improbe, message);
  if (call.probe.source == trace::nobody) return;
  call.request = requests_.take_number();
  if (!found) {
    requests_.give_back(call.request);
    return report(call, {}, Found::flag_off);
  }
  Call& receive = messages_[bits_of(matched)];
  receive = call_on(Op::mrecv, comm(message.comm));
  receive.set(trace::Receive{
      .source = status.MPI_SOURCE, .tag = status.MPI_TAG, .bytes = 0, .message = call.request});
  const Outcome outcome = outcome_of(comm(message.comm), status);
  report(call, {}, Found::flag_on, {&outcome, 1});
}

void Journal::mrecv(MPI_Message matched, std::int64_t bytes) {
  const auto found = messages_.find(bits_of(matched));
  if (found == messages_.end()) return;
  Call call = found->second;
  messages_.erase(found);
  call.receive.tag = 0;
  call.receive.bytes = bytes;
  report(call);
  const std::uint32_t own = requests_.take_number();  // for as long as the call lasts
  requests_.give_back(call.receive.message);
  requests_.give_back(own);
}

void Journal::imrecv(MPI_Message matched, std::int64_t bytes, MPI_Request request) {
  const auto found = messages_.find(bits_of(matched));
  if (found == messages_.end()) return;
  Call call = found->second;
  messages_.erase(found);
  call.op = Op::imrecv;
  call.receive.bytes = bytes;
  Tracked& made = track(Kind::receive, call, request, nullptr);
  call.request = made.number;
  report(call);
  requests_.give_back(call.receive.message);
}

// ---- collectives

void Journal::collective(const Comm& comm, const Collected& made) {
  Call call = call_on(Op::collective, comm);
  call.set(made.call);
  report(call, made.words);
}

void Journal::icollective(const Comm& comm, const Collected& made, MPI_Request request) {
  Call call = call_on(Op::icollective, comm);
  call.set(made.call);
  Tracked& tracked = track(Kind::collective, call, request, nullptr);
  tracked.words = made.words;
  begin(tracked);
}

void Journal::collective_init(Comm& comm, const Collected& made, MPI_Request request) {
  Call call = call_on(Op::icollective, comm);
  call.comm = companion(comm, ++comm.num_persistent);
  call.set(made.call);
  Tracked& tracked = track(Kind::collective, call, request, nullptr);
  tracked.words = made.words;
  tracked.persistent = true;
  tracked.active = false;
}

// ---- others

void Journal::clock() {
  Call call;
  call.op = Op::clock;
  call.set(trace::Question{});
  report(call, {}, Found::flag_on);
}

void Journal::phase(int level) {
  Call call;
  call.op = Op::phase;
  call.set(trace::Phase{level});
  report(call);
}

void Journal::abort(int code) {
  Call call;
  call.op = Op::abort;
  call.set(trace::Abort{code});
  report(call);
}

void Journal::finalize() {
  Call call;
  call.op = Op::finalize;
  report(call);
}

}  // namespace odonata::libprofile
