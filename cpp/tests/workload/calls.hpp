// Calls written down in a test, as a source for the player; and a machine whose times can be
// computed by hand.
#pragma once

#include <memory>
#include <numeric>
#include <vector>

#include "odonata/machine/families/star/star.hpp"
#include "odonata/simulate/simulation.hpp"
#include "odonata/trace/functions.hpp"
#include "odonata/workload/algorithms.hpp"
#include "odonata/workload/playback/player.hpp"

namespace odonata::tests {

/// Makes the records of one rank.
class Script {
 public:
  using Words = std::vector<std::uint64_t>;

  /// Processor time before the next call [ns].
  Script& compute(std::int64_t nanoseconds) {
    compute_ += nanoseconds;
    return *this;
  }
  Script& send(int to, Bytes bytes, int tag = 0, trace::Mode mode = trace::Mode::standard) {
    trace::Call& call = add(trace::Op::send, trace::Function::Send);
    call.set(trace::Send{.to = to, .tag = tag, .bytes = bytes, .mode = mode});
    return *this;
  }
  Script& isend(std::uint32_t request, int to, Bytes bytes, int tag = 0) {
    send(to, bytes, tag);
    return as(trace::Op::isend, request);
  }
  Script& recv(int source, int tag = 0) {
    trace::Call& call = add(trace::Op::recv, trace::Function::Recv);
    call.set(trace::Receive{.source = source, .tag = tag});
    call.flags = trace::Call::answer;
    return *this;
  }
  Script& irecv(std::uint32_t request, int source, int tag = 0) {
    recv(source, tag);
    records_.back().call.flags = 0;
    return as(trace::Op::irecv, request);
  }
  Script& sendrecv(int to, Bytes bytes, int source) {
    trace::Call& call = add(trace::Op::sendrecv, trace::Function::Sendrecv);
    call.set(trace::Exchange{.to = to, .bytes = bytes, .source = source});
    return *this;
  }
  /// Any of the waits and tests.
  Script& requests(trace::Op op, Words numbers) {
    add(op, trace::Function::Waitall).flags = trace::Call::answer;
    records_.back().words = std::move(numbers);
    return *this;
  }
  Script& wait(std::uint32_t request) {
    add(trace::Op::wait, trace::Function::Wait).flags = trace::Call::answer;
    records_.back().call.request = request;
    return *this;
  }
  /// Any of the probes.
  Script& probe(trace::Op op, int source, int tag, std::uint32_t request = 0) {
    trace::Call& call = add(op, trace::Function::Probe);
    call.set(trace::Probe{.source = source, .tag = tag});
    call.flags = trace::Call::answer;
    return as(op, request);
  }
  Script& mrecv(std::uint32_t message) {
    recv(trace::any);
    records_.back().call.receive.message = message;
    return as(trace::Op::mrecv, trace::no_request);
  }
  Script& cancel(std::uint32_t request) {
    add(trace::Op::cancel, trace::Function::Cancel).flags = trace::Call::answer;
    records_.back().call.request = request;
    return *this;
  }
  Script& collective(trace::Collective kind, Bytes bytes, int root = trace::nobody,
                     Words words = {}) {
    trace::Call& call = add(trace::Op::collective, trace::Function::Allreduce);
    call.set(trace::CollectiveCall{.bytes = bytes, .root = root, .operation = kind});
    records_.back().words = std::move(words);
    return *this;
  }
  Script& icollective(std::uint32_t request, trace::Collective kind, Bytes bytes,
                      int root = trace::nobody) {
    collective(kind, bytes, root);
    return as(trace::Op::icollective, request);
  }
  Script& communicator(std::uint32_t number, std::uint64_t identity, std::uint32_t place,
                       Words members, std::uint32_t locals = 0) {
    trace::Call& call = add(trace::Op::communicator, trace::Function::Comm_dup);
    call.comm = number;
    call.set(trace::Creation{.identity = identity, .position = place, .num_local = locals});
    records_.back().words = std::move(members);
    return *this;
  }
  Script& clock() {
    add(trace::Op::clock, trace::Function::Wtime).flags = trace::Call::answer;
    return *this;
  }
  /// The rank knows that the test or probe before finds nothing, and is over then [ps].
  Script& known(Time over) {
    over_.resize(records_.size(), -1);
    over_.back() = over;
    return *this;
  }
  /// The call before is on this communicator.
  Script& on(std::uint32_t comm) {
    records_.back().call.comm = comm;
    return *this;
  }
  trace::Call& add(trace::Op op, trace::Function function) {
    records_.push_back({});
    trace::Call& call = records_.back().call;
    call.op = op;
    call.function = static_cast<std::uint16_t>(function);
    call.compute = std::exchange(compute_, 0);
    return call;
  }

  [[nodiscard]] std::vector<trace::Record>& records() { return records_; }
  /// When the i-th call is over, where the rank knows that [ps]; else -1.
  [[nodiscard]] Time over(std::size_t i) const { return i < over_.size() ? over_[i] : -1; }

 private:
  Script& as(trace::Op op, std::uint32_t request) {
    records_.back().call.op = op;
    records_.back().call.request = request;
    return *this;
  }

  std::vector<trace::Record> records_;
  std::vector<Time> over_;    // [ps] by call; -1 or no entry: not known
  std::int64_t compute_ = 0;  // [ns]
};

/// Plays them and keeps the answers.
class CallSource final : public trace::Source {
 public:
  explicit CallSource(std::vector<Script> ranks) : ranks_(std::move(ranks)) {
    answers.resize(ranks_.size());
    next_.resize(ranks_.size());
  }

  bool next(int rank, trace::Record& record) override {
    auto& records = ranks_[rank].records();
    std::size_t& i = next_[rank];
    if (i == records.size()) return false;
    record = records[i++];
    return true;
  }
  Time pass(int rank, trace::Record& record) override {
    const std::size_t next = next_[rank];
    if (ranks_[rank].over(next - 1) < 0 || ranks_[rank].over(next) < 0) return -1;
    this->next(rank, record);
    return ranks_[rank].over(next - 1);
  }
  void answer(int rank, const trace::Answer& a) override { answers[rank].push_back(a); }
  [[nodiscard]] std::vector<Script>& ranks() { return ranks_; }

  std::vector<std::vector<trace::Answer>> answers;  // by rank, in order

 private:
  std::vector<Script> ranks_;
  std::vector<std::size_t> next_;
};

/// One node a rank. A message of b bytes is under way for `hop` + b ps.
inline constexpr Time hop = 1'000;  // [ps]

inline std::shared_ptr<const Machine> plain_machine() {
  Star star;
  star.basics.name = "plain";
  star.basics.router_delay = hop;
  star.basics.node_bandwidth = Rate{picoseconds_per_second};
  star.nodes = 16;
  star.injection.bandwidth = star.ejection.bandwidth = Rate{picoseconds_per_second};
  star.injection.buffer_bytes = star.ejection.buffer_bytes = 65'536;
  return std::make_shared<const Machine>(make_star(star));
}

/// Runs a program on so many ranks; returns when each ended [ps].
inline std::vector<Time> run(int ranks, const Program& program, const MpiOptions& mpi = {}) {
  SimulationOptions options;
  options.engine.engine = "analytic";
  options.mpi = mpi;
  Simulation simulation(plain_machine(), options);
  std::vector<std::int32_t> nodes(ranks);
  std::iota(nodes.begin(), nodes.end(), 0);
  simulation.add({nodes, program});
  simulation.run();
  return simulation.world().finish_times(0);
}

/// Results of playing some calls.
struct Played {
  std::shared_ptr<CallSource> source;
  std::vector<Time> ends;  // [ps] of each rank

  [[nodiscard]] const trace::Answer& answer(int rank, std::size_t i) const {
    return source->answers.at(rank).at(i);
  }
};

inline Played play_calls(std::vector<Script> ranks, const MpiOptions& mpi = {},
                         const PlayOptions& options = {}) {
  const int n = static_cast<int>(ranks.size());
  auto source = std::make_shared<CallSource>(std::move(ranks));
  return {source, run(n, play(source, options), mpi)};
}

}  // namespace odonata::tests
