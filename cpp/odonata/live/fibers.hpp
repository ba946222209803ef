// Ranks as fibers of this process: for programs that are shared objects without global state of
// their own. One run at a time: the functions that the MPI library calls have no argument.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "odonata/live/host.hpp"
#include "odonata/live/memory.hpp"

namespace odonata::live {

struct FiberOptions {
  std::string library;                  // our libmpi
  std::string program;                  // shared object with a main()
  std::vector<std::string> arguments;   // the first is its name
  std::size_t stack_bytes = 256 << 10;  // [B] of one rank
};

class FiberHost final : public Host {
 public:
  FiberHost(Memory& memory, FiberOptions options);
  ~FiberHost() override;
  FiberHost(const FiberHost&) = delete;
  FiberHost& operator=(const FiberHost&) = delete;

  /// Loads the library and the program; throws UserError.
  void start();
  bool run(int wanted, std::uint32_t seen, int milliseconds) override;
  void wake(int rank) override;
  void check() override;
  [[nodiscard]] bool gone(int rank) const override;
  /// Runs all ranks to their end. Throws RankFailed.
  void finish();

 private:
  struct Fiber;

  static void sleep_current();
  static void wake_rank(std::int32_t rank);
  static void enter();
  void switch_to(int rank);
  void leave(int exit_code);

  Memory& memory_;
  FiberOptions options_;
  Fibers calls_{};
  std::int32_t current_ = -1;
  std::vector<Fiber> fibers_;
  std::deque<std::int32_t> ready_;
  bool bell_ = false;
};

}  // namespace odonata::live
