// A machine, jobs and an engine give a result.
#pragma once

#include <functional>
#include <memory>

#include "odonata/engine/network.hpp"
#include "odonata/engine/observer.hpp"
#include "odonata/explain/explainer.hpp"
#include "odonata/explain/way_source.hpp"
#include "odonata/mpi/acts.hpp"
#include "odonata/mpi/world.hpp"

namespace odonata {

struct SimulationOptions {
  EngineOptions engine;
  MpiOptions mpi;
  std::uint64_t seed = 0;
  bool digest = false;    // hash the event log
  bool keep_log = false;  // keep it
  bool explain = false;   // keep account of where ranks' time goes,
  bool explain_path = true;  // and the log for their critical path
  bool acts = false;  // keep the acts of programs
  int most_samples = 0;   // of the occupancy over time; 0: none
  std::uint64_t shuffle_insertions = 0;  // not 0: inserts events in another order, to show that
                                         // nothing depends on it
};

/// Progress of a run.
struct Progress {
  std::int64_t events = 0;
  std::int64_t messages = 0;  // delivered, of all jobs that are not background
  Time now = 0;  // [ps]
};

/// Bytes that wait for links of each class, at one moment.
struct Sample {
  Time time;  // [ps]
  std::vector<Bytes> waiting;  // [num_classes]
};

/// One run. Many can live in one process; none has global state.
class Simulation {
 public:
  Simulation(std::shared_ptr<const Machine> machine, const SimulationOptions& options);

  /// Adds a job; returns its number.
  int add(JobSpec job);

  /// Runs to the end and checks that everything sent has arrived and every credit is home.
  /// `report` is called now and then; when it returns false the run stops unfinished.
  /// Returns whether it came to its end.
  bool run(const std::function<bool(const Progress&)>& report = {});

  [[nodiscard]] const Machine& machine() const { return *machine_; }
  [[nodiscard]] const World& world() const { return world_; }
  [[nodiscard]] const Network& network() const { return *network_; }
  /// Where ranks' time went; null unless it was asked for.
  [[nodiscard]] const Explainer* explainer() const { return explainer_.get(); }
  /// Acts of programs, if they were asked for.
  [[nodiscard]] const Acts& acts() const { return acts_; }
  [[nodiscard]] const EventLog& log() const { return log_; }
  [[nodiscard]] std::int64_t num_events() const { return events_ + clock_.num_passed; }
  [[nodiscard]] Time end() const { return clock_.now; }
  [[nodiscard]] const std::vector<Sample>& samples() const { return samples_; }

 private:
  void check_ended() const;
  [[nodiscard]] bool is_empty() const;  // has the network kept nothing?
  void make_network();
  void dispatch(const Event& event);
  void sample();
  [[nodiscard]] Progress progress() const;

  std::shared_ptr<const Machine> machine_;
  SimulationOptions options_;
  Clock clock_;
  EventLog log_;
  NoObserver nobody_;
  Logging logging_;
  std::unique_ptr<WaySource> ways_;  // if the run shall be explained
  std::unique_ptr<Explainer> explainer_;
  Acts acts_;
  World world_;
  std::unique_ptr<Network> network_;
  std::int64_t events_ = 0;
  std::vector<Sample> samples_;
  Time sample_interval_ = 1'000;  // [ps], doubles whenever there are too many
};

}  // namespace odonata
