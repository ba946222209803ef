// Ranks as fibers of this process: for programs that are shared objects. One run at a time:
// functions that the MPI library calls have no argument for the run.
#pragma once

#include <csignal>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "odonata/live/context.hpp"
#include "odonata/live/host.hpp"
#include "odonata/live/memory.hpp"
#include "odonata/live/program.hpp"
#include "odonata/live/ready_ranks.hpp"

namespace odonata::live {

struct FiberOptions {
  ProgramOptions program;
  std::string clocks;                   // library with the clocks of ranks; empty: the real ones
  std::vector<std::string> arguments;   // the first is its name
  std::size_t stack_bytes = 256 << 10;  // [B] of one rank
};

class FiberHost final : public Host {
 public:
  FiberHost(Memory& memory, FiberOptions options);
  ~FiberHost() override;
  FiberHost(const FiberHost&) = delete;
  FiberHost& operator=(const FiberHost&) = delete;

  /// Loads the library and the program. Throws UserError.
  void start();
  bool run(int wanted, std::uint32_t seen, int milliseconds) override;
  [[nodiscard]] bool takes_turns() const override { return true; }
  void wake(int rank) override;
  void check() override;
  [[nodiscard]] bool gone(int rank) const override { return fibers_[at(rank)].done; }
  /// Runs all ranks to their end. Throws RankFailed.
  void finish();
  /// The exit code of the first rank that ended with another one than 0 after MPI_Finalize.
  [[nodiscard]] int exit_code() const { return exit_code_; }
  /// Ranks, from 0 on, whose stack ends at a guard page; known after `start`.
  [[nodiscard]] int num_guarded() const { return num_guarded_; }
  /// Libraries that were loaded while ranks ran, and whose variables all ranks share.
  [[nodiscard]] std::vector<std::string> late_libraries() const;
  /// Has the program started threads, which use the variables of any rank?
  [[nodiscard]] bool had_threads() const { return program_ && program_->had_threads(); }

 private:
  // State of the C++ runtime for the exceptions in progress in a thread.
  struct Exceptions {
    void* caught = nullptr;
    unsigned int uncaught = 0;
  };
  struct Fiber {
    Context context;
    Exceptions exceptions;
    int error_number = 0;
    bool done = false;
    std::vector<std::string> arguments;
    std::vector<char*> pointers;
  };

  static std::size_t at(int rank) { return static_cast<std::size_t>(rank); }
  static void sleep_current();
  static void yield_current();
  static void wake_rank(std::int32_t rank);
  static void enter();
  static void at_exit(int code, void*);
  static void crashed(int number, siginfo_t* info, void*);
  static int set_action(int number, const struct sigaction* action, struct sigaction* before);
  static sighandler_t set_handler(int number, sighandler_t handler);

  void simulate_clocks();
  void make_stacks();
  void watch_crashes();
  void switch_to(int rank);
  void suspend();
  [[noreturn]] void leave(int code);
  void judge(int rank, int code);
  [[nodiscard]] std::byte* stack(int rank) const;

  Memory& memory_;
  FiberOptions options_;
  live::Fibers calls_{};
  std::int32_t current_ = -1;
  Context scheduler_;
  Exceptions exceptions_;
  std::vector<Fiber> fibers_;
  ReadyRanks ready_;  // of fibers that do not sleep
  bool bell_ = false;
  std::byte* stacks_ = nullptr;
  std::unique_ptr<Program> program_;
  void* clocks_ = nullptr;
  using Attach = void (*)(const live::Fibers*);
  Attach attach_ = nullptr;  // of our libmpi
  std::unique_ptr<RankFailed> failed_;
  int num_guarded_ = 0;
  int num_done_ = 0;
  int exit_code_ = 0;
  std::vector<std::byte> signal_stack_;
};

}  // namespace odonata::live
