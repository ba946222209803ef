// The MPI layer: the ranks of all jobs on one network. Programs use it through their `Rank`.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "odonata/mpi/rank_prefetcher.hpp"
#include "odonata/mpi/transport.hpp"

namespace odonata {

class World {
 public:
  World(const Machine& machine, const MpiOptions& options, Clock& clock, std::uint64_t seed);
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World() = default;

  void connect(Network& network);
  /// Tells an observer of the ranks' acts; it must be there before jobs are added.
  void observe(MpiObserver& observer) { ranks_.observe(observer); }
  /// Keeps the acts of programs.
  void keep(Acts& acts) { ranks_.keep(acts); }
  /// The network tells it about messages.
  [[nodiscard]] Receiver& receiver() { return transport_; }
  /// Adds a job; its ranks are numbered on from earlier jobs. Returns its number.
  int add(JobSpec job);
  /// Lets every rank run to its first wait.
  void start();
  /// An event of one of the MPI layer's kinds.
  void process(const Event& event);
  /// Throws DeadlockError with who waits for whom if a rank has not ended.
  void check_finished() const;

  /// All jobs that are not background have ended.
  [[nodiscard]] bool over() const { return running_ == 0; }
  [[nodiscard]] int num_jobs() const { return static_cast<int>(jobs_.size()); }
  [[nodiscard]] bool is_background(int job) const { return at(job).spec.background; }
  [[nodiscard]] const JobStatistics& statistics(int job) const { return at(job).statistics; }
  /// A message that is under way.
  [[nodiscard]] const MessageState& message(std::uint32_t id) const {
    return transport_.message(id);
  }
  /// When each rank of a job ended [ps].
  [[nodiscard]] std::vector<Time> finish_times(int job) const;

 private:
  friend class Rank;

  [[nodiscard]] const Job& at(int job) const { return jobs_[job]; }
  [[nodiscard]] Job& job_of(std::int32_t rank) { return jobs_[ranks_.home(rank).job]; }
  [[nodiscard]] std::vector<std::int32_t> ports_of(const std::vector<std::int32_t>& nodes) const;
  void enter(std::int32_t rank, std::string_view call, bool collective, int communicator);
  void leave(std::int32_t rank);
  void mark_phase(std::int32_t rank, const std::string& name);
  Task oversee(std::int32_t rank, Task program);
  void end_background();
  [[nodiscard]] std::vector<std::string> waits_of(std::int32_t rank) const;
  [[nodiscard]] std::unordered_map<std::int32_t, std::vector<std::string>> unmatched_sends() const;

  const Machine& machine_;
  MpiOptions options_;
  Clock& clock_;
  std::uint64_t seed_;
  std::vector<Job> jobs_;
  Ranks ranks_;
  Coroutines coroutines_;
  Requests requests_;
  Transport transport_;
  std::unique_ptr<RankPrefetcher> prefetcher_;
  std::unordered_map<std::string, std::weak_ptr<const void>> shared_;  // data that ranks share
  std::int64_t running_ = 0;  // ranks in the foreground that have not ended
};

}  // namespace odonata
