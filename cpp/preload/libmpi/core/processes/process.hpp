// The state of one MPI process. A process of the system holds one, or one for each of its fibers.
#pragma once

#include <pthread.h>

#include <memory>
#include <string>

#include "odonata/trace/identity.hpp"
#include "preload/libmpi/core/communicators/comm.hpp"
#include "preload/libmpi/core/environment/program_clocks.hpp"
#include "preload/libmpi/core/requests/numbers.hpp"
#include "preload/libmpi/core/shared_memory/endpoint.hpp"

namespace odonata::libmpi {

class MessageQueues;  // message_queues.hpp
struct Handles;       // api/handles.hpp

struct Process {
  std::unique_ptr<Endpoint> endpoint;
  std::unique_ptr<MessageQueues> messages;
  RequestNumbers request_numbers;  // before the handles, whose requests give theirs back
  std::shared_ptr<Handles> handles;
  ProgramClocks clocks;
  std::string host;  // name of its node, once the program has asked the system for it
  CommRef world, self;
  std::uint32_t next_comm = 2;
  trace::AgreedIdentities agreed;  // of communicators
  bool initialized = false, finalized = false;  // by MPI_Init and MPI_Finalize
  int num_sessions = 0;                         // open
  bool left = false;                            // has made its last call
  int thread_level = 0;
  pthread_t main_thread{};  // called MPI_Init

  /// Between the start and the end of MPI, or in a session.
  [[nodiscard]] bool usable() const { return (initialized && !finalized) || num_sessions > 0; }
};

/// The MPI process that calls; only after attach().
[[nodiscard]] Process& self();
[[nodiscard]] bool attached();
/// Joins the run that started this process (or fiber): sets endpoint, messages, world and self.
/// Ends the process with one line if the launcher did not start it.
Process& attach();
/// Writes the record of the last call.
void detach();

}  // namespace odonata::libmpi
