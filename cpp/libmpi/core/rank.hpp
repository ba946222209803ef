// All that one rank of the program has: in a process of its own, the only one; as a fiber, one of
// many.
#pragma once

#include <pthread.h>

#include <map>
#include <memory>

#include "libmpi/core/comm.hpp"
#include "libmpi/core/link.hpp"
#include "libmpi/core/program_clocks.hpp"
#include "libmpi/core/request.hpp"

namespace odonata::libmpi {

class PointToPoint;  // point_to_point.hpp: messages that have come, receives that wait
struct Handles;      // api/handles.hpp: what the program's handles stand for

struct Rank {
  std::unique_ptr<Link> link;
  std::unique_ptr<PointToPoint> messages;
  std::shared_ptr<Handles> handles;
  ProgramClocks clocks;
  CommRef world, self;
  std::uint32_t next_comm = 2;
  std::uint32_t next_proposal = 0;  // of identities of communicators
  std::map<std::uint64_t, std::uint64_t> meetings;  // by who met and why: how often
  bool initialized = false, finalized = false;  // by MPI_Init and MPI_Finalize
  int num_sessions = 0;                         // open
  bool left = false;                            // has made its last call
  int thread_level = 0;
  pthread_t main_thread{};  // called MPI_Init
  pthread_t thread{};       // is in a call of MPI
  trace::Function inside{};  // the call that it is in

  /// Between the start and the end of MPI, or in a session.
  [[nodiscard]] bool usable() const { return (initialized && !finalized) || num_sessions > 0; }
};

/// The rank that calls; only after attach().
[[nodiscard]] Rank& self();
[[nodiscard]] bool attached();
/// Joins the run that started this process (or fiber): sets link, messages, world and self. Ends
/// the process with one line if nobody started it.
Rank& attach();
/// Notes the last call of this rank.
void detach();

}  // namespace odonata::libmpi
