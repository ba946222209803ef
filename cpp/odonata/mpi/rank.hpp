// The interface of rank programs, which reads like MPI.
//
//     Task ping(Rank rank) {
//       if (rank.index() == 0) co_await rank.send(1, data);
//       else                   co_await rank.recv(0, data);
//     }
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "odonata/mpi/waits.hpp"
#include "odonata/mpi/world.hpp"

namespace odonata {

/// A communicator, seen from one of its ranks: by default all ranks of the job, in order.
struct Comm {
  std::int32_t first = 0;  // world number of rank 0 when `members` is empty
  std::int32_t size = 0;
  std::int32_t me = 0;     // world number of this rank
  std::int32_t context = 0;
  std::shared_ptr<const std::vector<std::int32_t>> members;  // world number of each rank
  std::int32_t place = -1;                                   // my rank, when `members` is set

  Comm(std::int32_t first_rank, std::int32_t count, std::int32_t my_number)
      : first(first_rank), size(count), me(my_number) {}

  /// Bytes that all its ranks agree on, and that no communicator of other ranks has.
  [[nodiscard]] std::string identity() const {
    if (!members) return " from " + std::to_string(first);
    const auto* bytes = reinterpret_cast<const char*>(members->data());
    return " of" + std::string(bytes, members->size() * sizeof(std::int32_t));
  }
};

class Rank {
 public:
  Rank(World& world, std::int32_t number, Comm comm)
      : world_(&world), number_(number), coroutine_(number), comm_(std::move(comm)) {}

  [[nodiscard]] int index() const { return comm_.members ? comm_.place : number_ - comm_.first; }
  [[nodiscard]] int size() const { return comm_.size; }
  /// Number in the world of all jobs.
  [[nodiscard]] std::int32_t number() const { return number_; }
  /// Tells its communicator's messages from others.
  [[nodiscard]] int context() const { return comm_.context; }
  [[nodiscard]] Time now() const { return world_->ranks_.now(number_); }
  [[nodiscard]] const Machine& machine() const { return world_->machine_; }
  [[nodiscard]] bool over() const { return world_->over(); }

  /// Node, router and group of a rank of this communicator.
  [[nodiscard]] int node_of(int rank) const { return world_->ranks_.home(number_of(rank)).node; }
  [[nodiscard]] int router_of(int rank) const { return machine().node_router[node_of(rank)]; }
  [[nodiscard]] int group_of(int rank) const { return machine().group_of(router_of(rank)); }
  /// Draws of this rank.
  [[nodiscard]] Draws draws(Purpose purpose) const {
    return {world_->seed_, purpose, static_cast<std::uint64_t>(number_)};
  }

  Request isend(int to, const Span& from, int tag = 0, Sending how = {}) const {
    return isend(Address{number_of(to), tag, comm_.context}, from, how);
  }
  /// The same to a rank of the world, on any context.
  Request isend(const Address& address, const Span& from, Sending how = {}) const {
    return world_->transport_.isend(number_, address, from, how);
  }
  Request irecv(int source, const Span& into, int tag = 0) const {
    return irecv(envelope(source, tag), into);
  }
  Request irecv(const Envelope& wanted, const Span& into) const {
    return world_->transport_.irecv(number_, wanted, into);
  }
  [[nodiscard]] Wait wait(Request request) const {
    look_at(1);
    return {world_->requests_, coroutine_, request, Request{}};
  }
  /// The requests must outlive the wait.
  [[nodiscard]] WaitAll wait_all(std::span<const Request> requests) const {
    look_at(requests.size());
    return block_on(requests);
  }
  /// The same as a blocking call does it, which looks at no request of the program.
  [[nodiscard]] WaitAll block_on(std::span<const Request> requests) const {
    return {world_->requests_, coroutine_, requests};
  }
  /// Pays for a wait or test of so many requests; complete_all and complete_any don't.
  void look_at(std::size_t requests) const { pay(look_time(requests), Work::look); }
  [[nodiscard]] Time look_time(std::size_t requests) const {
    return static_cast<Time>(requests) * world_->options_.wait_per_request;
  }
  /// Waits for all of the requests, or any; requests that are `done` have still to be retired. They
  /// must outlive the wait.
  [[nodiscard]] Completion complete_all(std::span<const Request> requests) const {
    return {world_->requests_, coroutine_, requests, Completion::Of::all};
  }
  [[nodiscard]] Completion complete_any(std::span<const Request> requests) const {
    return {world_->requests_, coroutine_, requests, Completion::Of::any};
  }
  [[nodiscard]] bool done(Request request) const { return world_->requests_.done(request); }
  /// Result of a request that is done; the request is then freed.
  Status retire(Request request) const { return world_->requests_.retire(request); }
  /// Takes back a receive; false if it has been matched. The request is done then.
  [[nodiscard]] bool cancel(Request receive) const {
    return world_->transport_.cancel(number_, receive);
  }

  /// Waits for a message and leaves it there. Only for a rank's program itself.
  [[nodiscard]] Probe probe(int source, int tag = 0) const { return probe(envelope(source, tag)); }
  [[nodiscard]] Probe probe(const Envelope& wanted) const {
    return {world_->transport_, number_, wanted};
  }
  [[nodiscard]] std::optional<Status> iprobe(int source, int tag = 0) const {
    return iprobe(envelope(source, tag));
  }
  [[nodiscard]] std::optional<Status> iprobe(const Envelope& wanted) const {
    return world_->transport_.iprobe(number_, wanted);
  }
  /// Takes a message that has come out of matching: only irecv(matched) receives it.
  [[nodiscard]] std::optional<MatchedMessage> improbe(int source, int tag = 0) const {
    return improbe(envelope(source, tag));
  }
  [[nodiscard]] std::optional<MatchedMessage> improbe(const Envelope& wanted) const {
    return world_->transport_.improbe(number_, wanted);
  }
  Request irecv(const MatchedMessage& matched, const Span& into) const {
    return world_->transport_.irecv(matched, into);
  }

  /// Starts make(rank), a Task, beside this program: they share the processor. The request is
  /// done when it ends.
  template <class Make>
  [[nodiscard]] Request start(Make make) const {
    Rank beside = *this;
    beside.coroutine_ = world_->coroutines_.open(number_);
    const CoroutineId coroutine = beside.coroutine_;
    return world_->coroutines_.run(coroutine, make(std::move(beside)));
  }

  [[nodiscard]] Wait send(int to, const Span& from, int tag = 0) const {
    return {world_->requests_, coroutine_, isend(to, from, tag), Request{}};
  }
  [[nodiscard]] Wait recv(int source, const Span& into, int tag = 0) const {
    return {world_->requests_, coroutine_, irecv(source, into, tag), Request{}};
  }
  [[nodiscard]] Wait sendrecv(int to, const Span& from, int source, const Span& into,
                              int tag = 0) const {
    const Request receive = irecv(source, into, tag);
    return {world_->requests_, coroutine_, receive, isend(to, from, tag)};
  }

  /// Computes for this long [ps].
  [[nodiscard]] Sleep compute(Time time) const { return work(time, Work::compute); }
  /// Does work of another kind for this long [ps].
  [[nodiscard]] Sleep work(Time time, Work what) const {
    occupy(time, what);
    return {world_->coroutines_, coroutine_, now()};
  }
  /// Makes the processor busy for this long [ps].
  void occupy(Time time, Work what) const { world_->ranks_.occupy(number_, time, what); }
  [[nodiscard]] Sleep sleep_until(Time time) const {
    return {world_->coroutines_, coroutine_, time};
  }
  /// Overheads are still being paid: now() is later than the clock.
  [[nodiscard]] bool busy() const { return world_->ranks_.busy(number_); }

  /// Local copy; its cost is the processor's.
  void copy(const Span& to, const Span& from) const {
    if (Memory* memory = world_->transport_.memory_of(number_))
      memory->write(job_rank(), to, memory->read(job_rank(), from));
    pay(world_->options_.copy_per_byte.of(from.bytes), Work::copy);
  }
  /// to = to (+) from, element by element.
  void combine(const Span& to, const Span& from) const {
    if (Memory* memory = world_->transport_.memory_of(number_))
      memory->combine(job_rank(), to, memory->read(job_rank(), from));
    pay(world_->options_.reduce_per_byte.of(from.bytes), Work::reduce);
  }
  /// Sends bytes without a receive: synthetic traffic. They were due at `due` [ps], or are now.
  void send_datagram(int to, Bytes bytes, Time due = never, bool last = false) const {
    world_->transport_.send_datagram(number_, number_of(to), bytes, due, last);
  }
  /// Waits until one more such message may be under way. Only for a rank's program itself.
  [[nodiscard]] Room room() const {
    return {world_->transport_, number_, world_->options_.outstanding};
  }

  /// Names the following part, up to the next mark or the end.
  void phase(const std::string& name) const { world_->mark_phase(number_, name); }

  /// Names the call that the rank is in, for the deadlock report and for explanations; the name is
  /// not copied. Ranks are late in blocking collectives only.
  void enter(std::string_view call, bool collective = false, int communicator = -1) const {
    world_->enter(number_, call, collective, communicator);
  }
  /// The rank is outside of MPI.
  void leave() const { world_->leave(number_); }
  /// Lets the rank receive messages that are too long: its player has looked for them.
  void receive_any_length() const { world_->ranks_[number_].any_length = 1; }

  /// Keeps account of expected events of each rank of the world, from now on. It costs time with
  /// every message.
  void begin_lookahead() const { world_->transport_.begin_lookahead(); }
  /// When something may happen to the rank at the earliest [ps]; see Transport::quiet_until.
  [[nodiscard]] Time quiet_until() const { return world_->transport_.quiet_until(number_); }
  /// The same while it computes until `end` and another rank may act now; 0 if before `end`.
  [[nodiscard]] Time quiet_beyond(Time end) const {
    return world_->transport_.quiet_beyond(number_, end);
  }
  /// Changes when something has happened to the rank; 0 before begin_lookahead(), and never after
  /// it.
  [[nodiscard]] std::uint32_t touches() const { return world_->transport_.touches(number_); }

  /// Counts events of the rank that are passed over, as if they had taken place.
  void pass_over(std::int64_t events) const { world_->clock_.num_passed += events; }

  /// A value that is the same for all ranks of this communicator, such as an order of them: made
  /// by the first that asks under this name, and kept while one of them holds it.
  template <class Make>
  [[nodiscard]] auto shared(const std::string& name, Make make) const {
    using Value = decltype(make());
    std::weak_ptr<const void>& kept = world_->shared_[name + comm_.identity()];
    auto value = std::static_pointer_cast<const Value>(kept.lock());
    if (!value) {
      value = std::make_shared<const Value>(make());
      kept = value;
    }
    return value;
  }

  /// The same rank on a communicator of these ranks of mine (in their order), which include me.
  [[nodiscard]] Rank on(const std::vector<int>& ranks, int context) const;
  /// The same rank on a communicator of these ranks of the world; `place` is its rank there, or -1.
  [[nodiscard]] Rank on(std::shared_ptr<const std::vector<std::int32_t>> members, int place,
                        int context) const;
  /// The same rank and ranks with messages of their own.
  [[nodiscard]] Rank with_context(int context) const {
    Rank other = *this;
    other.comm_.context = context;
    return other;
  }

  /// Number in the world of all jobs of a rank of this communicator.
  [[nodiscard]] std::int32_t number_of(int rank) const {
    return comm_.members ? (*comm_.members)[rank] : comm_.first + rank;
  }
  /// Envelope of a receive from a rank of this communicator.
  [[nodiscard]] Envelope envelope(int source, int tag) const {
    return {source == any_source ? any_source : number_of(source), tag, comm_.context};
  }

 private:
  [[nodiscard]] std::int32_t job_rank() const { return world_->ranks_.home(number_).index; }
  void pay(Time cost, Work what) const {
    if (cost > 0) occupy(cost, what);
  }

  World* world_;
  std::int32_t number_;
  CoroutineId coroutine_;
  Comm comm_;
};

inline Rank Rank::on(std::shared_ptr<const std::vector<std::int32_t>> members, int place,
                     int context) const {
  Rank other = *this;
  other.comm_.size = static_cast<std::int32_t>(members->size());
  other.comm_.place = place;
  other.comm_.context = context;
  other.comm_.members = std::move(members);
  return other;
}

inline Rank Rank::on(const std::vector<int>& ranks, int context) const {
  std::vector<std::int32_t> members;
  int place = -1;
  for (const int r : ranks) {
    if (number_of(r) == number_) place = static_cast<int>(members.size());
    members.push_back(number_of(r));
  }
  return on(std::make_shared<const std::vector<std::int32_t>>(std::move(members)), place, context);
}

}  // namespace odonata
