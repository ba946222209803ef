// Ranks as processes: started, watched, ended.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "odonata/live/host.hpp"
#include "odonata/live/memory.hpp"

namespace odonata::live {

/// One program of a run, and the ranks that are it.
struct Command {
  std::string file;                      // path of the executable
  std::vector<std::string> arguments;    // the first is its name
  std::vector<std::string> environment;  // NAME=value, without the variables of a rank
  int num_ranks = 1;
};

struct ProcessOptions {
  std::vector<Command> commands;  // ranks are numbered on from one to the next
  std::vector<std::vector<std::string>> variables;  // [ranks] NAME=value of each; empty: none
  int output = 1;                 // file that standard output goes to
  bool tag_output = false;        // each line begins with the rank that wrote it
};

class TaggedOutput;  // tagged_output.hpp

class Processes final : public Host {
 public:
  Processes(Memory& memory, ProcessOptions options);
  /// No process outlives it.
  ~Processes() override;
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  /// The thread that calls must live as long as the run: ranks die with it.
  void start();
  bool run(int wanted, std::uint32_t seen, int milliseconds) override;
  [[nodiscard]] bool takes_turns() const override { return false; }
  void wake(int rank) override;
  void check() override;
  [[nodiscard]] double processor_seconds(int rank) const override;
  [[nodiscard]] bool gone(int rank) const override { return ranks_[at(rank)].gone; }
  /// Waits until every rank has ended; `interrupt` is called now and then. Throws RankFailed.
  template <class Interrupt>
  void finish(Interrupt interrupt) {
    while (!all_gone()) {
      interrupt();
      pause();
      check();
    }
    flush();
    require_mpi(memory_);
  }
  /// The exit code of the first rank that ended with another one than 0 after MPI_Finalize.
  [[nodiscard]] int exit_code() const { return exit_code_; }
  /// Kills ranks that still run, and waits for their end.
  void kill();

 private:
  struct Process {
    pid_t id = 0;
    pid_t group = 0;
    bool gone = false;
    int status = 0;  // as waitpid has it
  };

  static std::size_t at(int rank) { return static_cast<std::size_t>(rank); }
  void spawn(int rank, const Command& command);
  void judge(int rank);
  bool reap(int rank, bool wait);
  [[nodiscard]] bool all_gone();
  void pause();
  void flush();

  Memory& memory_;
  ProcessOptions options_;
  std::vector<Process> ranks_;
  int first_alive_ = 0;
  int exit_code_ = 0;
  std::int64_t next_check_ = 0;  // [ms]
  std::unique_ptr<TaggedOutput> tagged_;
};

}  // namespace odonata::live
