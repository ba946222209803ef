// What rank programs are written against; it reads like MPI.
//
//     Task ping(Rank rank) {
//       if (rank.index() == 0) co_await rank.send(1, data);
//       else                   co_await rank.recv(0, data);
//     }
#pragma once

#include <array>
#include <span>
#include <string>

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

/// Waits for requests; they are spent afterwards.
class Wait {
 public:
  Wait(World& world, std::int32_t rank, Request one, Request two)
      : world_(world), rank_(rank), own_{one, two} {}
  Wait(World& world, std::int32_t rank, std::span<const Request> many)
      : world_(world), rank_(rank), many_(many) {}

  bool await_ready() { return world_.prepare_wait(rank_, requests()); }
  void await_suspend(std::coroutine_handle<> waiting) { world_.suspend(rank_, waiting); }
  /// What the first of the requests found.
  Status await_resume() {
    Status first;
    for (const Request& r : requests()) {
      const Status status = world_.retire(r);
      if (&r == requests().data()) first = status;
    }
    return first;
  }

 private:
  [[nodiscard]] std::span<const Request> requests() const {
    return many_.empty() ? std::span<const Request>(own_) : many_;
  }

  World& world_;
  std::int32_t rank_;
  std::array<Request, 2> own_{};
  std::span<const Request> many_;
};

/// Goes on at a later time.
class Sleep {
 public:
  Sleep(World& world, std::int32_t rank, Time until) : world_(world), rank_(rank), until_(until) {}
  [[nodiscard]] bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> waiting) { world_.resume_at(rank_, until_, waiting); }
  void await_resume() const {}

 private:
  World& world_;
  std::int32_t rank_;
  Time until_;
};

class Rank {
 public:
  Rank(World& world, std::int32_t number, Comm comm)
      : world_(&world), number_(number), comm_(std::move(comm)) {}

  [[nodiscard]] int index() const { return comm_.members ? comm_.place : number_ - comm_.first; }
  [[nodiscard]] int size() const { return comm_.size; }
  /// Number in the world of all jobs.
  [[nodiscard]] std::int32_t number() const { return number_; }
  [[nodiscard]] Time now() const { return world_->now(number_); }
  [[nodiscard]] const Machine& machine() const { return world_->machine(); }
  [[nodiscard]] World& world() const { return *world_; }
  [[nodiscard]] bool over() const { return world_->over(); }

  /// Node, router and group of a rank of this communicator.
  [[nodiscard]] int node_of(int rank) const { return world_->node_of(number_of(rank)); }
  [[nodiscard]] int router_of(int rank) const {
    return machine().node_router[static_cast<std::size_t>(node_of(rank))];
  }
  [[nodiscard]] int group_of(int rank) const { return machine().group_of(router_of(rank)); }
  /// Draws of this rank.
  [[nodiscard]] Draws draws(Purpose purpose) const {
    return {world_->seed(), purpose, static_cast<std::uint64_t>(number_)};
  }

  Request isend(int to, const Span& from, int tag = 0) const {
    return world_->isend(number_, number_of(to), from, tag, comm_.context);
  }
  Request irecv(int source, const Span& into, int tag = 0) const {
    return world_->irecv(number_, source == any_source ? any_source : number_of(source), into, tag,
                         comm_.context);
  }
  [[nodiscard]] Wait wait(Request request) const { return {*world_, number_, request, Request{}}; }
  /// The requests must outlive the wait.
  [[nodiscard]] Wait wait_all(std::span<const Request> requests) const {
    return {*world_, number_, requests};
  }
  [[nodiscard]] Wait send(int to, const Span& from, int tag = 0) const {
    return wait(isend(to, from, tag));
  }
  [[nodiscard]] Wait recv(int source, const Span& into, int tag = 0) const {
    return wait(irecv(source, into, tag));
  }
  [[nodiscard]] Wait sendrecv(int to, const Span& from, int source, const Span& into,
                              int tag = 0) const {
    const Request receive = irecv(source, into, tag);
    return {*world_, number_, receive, isend(to, from, tag)};
  }

  /// Computes for this long [ps].
  [[nodiscard]] Sleep compute(Time time) const {
    world_->occupy(number_, time);
    return {*world_, number_, now()};
  }
  [[nodiscard]] Sleep sleep_until(Time time) const { return {*world_, number_, time}; }

  /// Local copy; its cost is the processor's.
  void copy(const Span& to, const Span& from) const {
    if (Memory* memory = world_->memory_of(number_))
      memory->write(world_->index_of(number_), to, memory->read(world_->index_of(number_), from));
    pay(world_->options().copy_per_byte.of(from.bytes));
  }
  /// to = to (+) from, element by element.
  void combine(const Span& to, const Span& from) const {
    if (Memory* memory = world_->memory_of(number_))
      memory->combine(world_->index_of(number_), to, memory->read(world_->index_of(number_), from));
    pay(world_->options().reduce_per_byte.of(from.bytes));
  }
  /// Sends bytes that nobody receives: synthetic traffic.
  void post(int to, Bytes bytes, bool last = false) const {
    world_->post(number_, number_of(to), bytes, last);
  }

  /// Names what comes next, up to the next mark or the end.
  void phase(const std::string& name) const { world_->mark_phase(number_, name); }

  /// A value that is the same for all ranks of this communicator, such as an order of them: made
  /// by the first that asks under this name, and kept while one of them holds it.
  template <class Make>
  [[nodiscard]] auto shared(const std::string& name, Make make) const {
    using Value = decltype(make());
    std::weak_ptr<const void>& kept = world_->shared(name + comm_.identity());
    auto value = std::static_pointer_cast<const Value>(kept.lock());
    if (!value) {
      value = std::make_shared<const Value>(make());
      kept = value;
    }
    return value;
  }

  /// The same rank on a communicator of these ranks of mine (in their order), which include me.
  [[nodiscard]] Rank on(const std::vector<int>& ranks, int context) const;

 private:
  [[nodiscard]] std::int32_t number_of(int rank) const {
    return comm_.members ? (*comm_.members)[static_cast<std::size_t>(rank)] : comm_.first + rank;
  }
  void pay(Time cost) const {
    if (cost > 0) world_->occupy(number_, cost);
  }

  World* world_;
  std::int32_t number_;
  Comm comm_;
};

inline Rank Rank::on(const std::vector<int>& ranks, int context) const {
  Comm comm = comm_;
  std::vector<std::int32_t> members;
  for (const int r : ranks) {
    if (number_of(r) == number_) comm.place = static_cast<std::int32_t>(members.size());
    members.push_back(number_of(r));
  }
  comm.size = static_cast<std::int32_t>(members.size());
  comm.context = context;
  comm.members = std::make_shared<const std::vector<std::int32_t>>(std::move(members));
  return {*world_, number_, std::move(comm)};
}

}  // namespace odonata
