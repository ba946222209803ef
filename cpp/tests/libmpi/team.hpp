// Ranks of the drop-in library as processes of a test, without a simulator: nothing may ask it.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "check.hpp"
#include "odonata/live/memory.hpp"
#include "preload/libmpi/core/environment/error.hpp"
#include "preload/libmpi/core/processes/process.hpp"

namespace team {

[[noreturn]] inline void live_as(const odonata::live::Memory& memory, int rank,
                                 const std::function<void()>& body) {
  alarm(60);
  const int before = check::state().failures;
  setenv(odonata::live::memory_variable, memory.path().c_str(), 1);
  setenv(odonata::live::rank_variable, std::to_string(rank).c_str(), 1);
  try {
    odonata::libmpi::attach();
    body();
  } catch (const odonata::libmpi::Error& error) {
    check::fail("rank", rank, error.what);
  } catch (const std::exception& error) {
    check::fail("rank", rank, error.what());
  }
  std::fflush(stdout);
  _exit(check::state().failures == before ? 0 : 1);
}

/// Runs `body` as every rank of a world of `size`; its failed checks are printed and count.
inline void run(int size, const std::function<void()>& body) {
  const odonata::live::Memory memory(
      {.num_ranks = size, .ring_bytes = 1U << 22U, .arena_bytes = 1U << 24U});
  std::fflush(stdout);
  std::vector<pid_t> children;
  for (int rank = 0; rank < size; ++rank) {
    const pid_t child = fork();
    if (child == 0) live_as(memory, rank, body);
    children.push_back(child);
  }
  int failed = 0;
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) ++failed;
  }
  if (failed > 0) check::fail("team", size, std::to_string(failed) + " ranks failed");
}

}  // namespace team
