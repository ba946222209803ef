#include "odonata/simulate/simulation.hpp"

#include <utility>

#include "odonata/engine/make_network.hpp"
#include "odonata/explain/message_ways.hpp"
#include "odonata/explain/packet_ways.hpp"
#include "odonata/units/errors.hpp"

namespace odonata {

Simulation::Simulation(std::shared_ptr<const Machine> machine, const SimulationOptions& options)
    : machine_(std::move(machine)),
      options_(options),
      log_{options.keep_log, options.digest, 0, {}},
      logging_(log_),
      explainer_(options.explain
                     ? std::make_unique<Explainer>(*machine_, clock_, options.explain_path)
                     : nullptr),
      acts_(options.acts),
      world_(*machine_, options.mpi, clock_, options.seed) {
  options_.engine.fetch_latency = options.mpi.fetch_latency;  // one number: the NIC does it
  make_network();
  world_.connect(*network_);
  if (explainer_) {
    explainer_->connect(*network_, *ways_);
    world_.observe(*explainer_);
  }
  if (options.acts) world_.keep(acts_);
  clock_.queue.shuffle_insertions(options.shuffle_insertions);
}

// A network whose observer has the requested verbs, and nothing else.
void Simulation::make_network() {
  const auto observed_by = [&](auto& of_packets, auto& of_messages) {
    network_ = odonata::make_network(*machine_, options_.engine, clock_, world_.receiver(),
                                     of_packets, of_messages);
  };
  if (options_.explain) {
    auto of_packets = std::make_unique<PacketWays>(log_);
    auto of_messages = std::make_unique<MessageWays>(log_);
    observed_by(*of_packets, *of_messages);
    ways_ = std::move(of_packets);
    if (options_.engine.engine == "analytic") ways_ = std::move(of_messages);
  } else if (log_.on()) {
    observed_by(logging_, logging_);
  } else {
    observed_by(nobody_, nobody_);
  }
}

int Simulation::add(JobSpec job) {
  for (const std::int32_t node : job.nodes)
    if (node < 0 || node >= machine_->num_nodes())
      throw UserError("placement: no such node", node,
                      "0 to " + std::to_string(machine_->num_nodes() - 1));
  return world_.add(std::move(job));
}

// A sample behind the last event of the run does not make the run longer.
bool Simulation::run(const std::function<bool(const Progress&)>& report) {
  constexpr std::int64_t between_reports = 1 << 18;
  world_.start();
  if (options_.most_samples > 0) clock_.at(0, Kind::sample, 0);
  while (!clock_.queue.empty()) {
    const Event event = clock_.queue.pop();
    const Time before = std::exchange(clock_.now, event.time);
    clock_.prefetch();
    dispatch(event);
    if (clock_.queue.empty() && kind_of(event.key) == Kind::sample) clock_.now = before;
    if (++events_ % between_reports == 0 && report && !report(progress())) return false;
  }
  check_ended();
  if (explainer_) {
    explainer_->close();
    explainer_->check();
  }
  return true;
}

// Packets that are left when nothing happens any more wait for each other.
void Simulation::check_ended() const {
  try {
    world_.check_finished();
    return network_->check_conservation(clock_.now);
  } catch (const DeadlockError&) {
    if (is_empty()) throw;
  }
  throw DeadlockError(
      "deadlock: the network is locked up, packets wait for each other in a cycle of full buffers");
}

bool Simulation::is_empty() const {
  try {
    network_->check_conservation(clock_.now);
  } catch (const ConservationError&) {
    return false;
  }
  return true;
}

void Simulation::dispatch(const Event& event) {
  switch (kind_of(event.key)) {
    case Kind::arrive:
    case Kind::deliver:
    case Kind::injected:
    case Kind::wake: return network_->process(event);
    case Kind::local:
    case Kind::step:
    case Kind::resume: return world_.process(event);
    case Kind::sample: return sample();
  }
}

// Keeps at most `most_samples`: when there are more, every other one goes and the pace halves.
void Simulation::sample() {
  samples_.push_back({clock_.now, network_->waiting_by_class()});
  if (static_cast<int>(samples_.size()) > options_.most_samples) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < samples_.size(); i += 2) samples_[kept++] = samples_[i];
    samples_.resize(kept);
    sample_interval_ *= 2;
  }
  if (!clock_.queue.empty()) clock_.at(samples_.back().time + sample_interval_, Kind::sample, 0);
}

Progress Simulation::progress() const {
  Progress p{num_events(), 0, clock_.now};
  for (int job = 0; job < world_.num_jobs(); ++job)
    if (!world_.is_background(job)) p.messages += world_.statistics(job).messages;
  return p;
}

}  // namespace odonata
