// A rank joins the run: as a process, by the memory named in the environment; as a fiber, by its
// host, which shares the process.
#include "preload/libmpi/core/processes/start.hpp"

#include <sys/prctl.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <vector>

#include "odonata/live/memory.hpp"
#include "odonata/trace/identity.hpp"
#include "odonata/units/errors.hpp"
#include "preload/libmpi/core/point_to_point/message_queues.hpp"
#include "preload/libmpi/core/processes/process.hpp"

namespace odonata::libmpi {

namespace {

// The MPI processes of this process of the system: one, or one for each fiber.
struct Program {
  const live::Fibers* fibers = nullptr;
  std::optional<live::Memory> memory;  // of a process: fibers have their host's
  std::shared_ptr<live::Arena> arena;  // of all fibers
  GroupRef everybody;                  // of all fibers, while there are MPI processes
  std::vector<std::unique_ptr<Process>> processes;
};

// Is never destroyed: a run that failed leaves requests of ranks that have ended.
union Kept {
  Kept() : program() {}
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  ~Kept() {}
  Program program;
};

Program& program() {
  static Kept kept;
  return kept.program;
}

std::size_t place() {
  const live::Fibers* fibers = program().fibers;
  return fibers == nullptr ? 0 : static_cast<std::size_t>(*fibers->current);
}

[[noreturn]] void give_up(const char* why) {
  std::fprintf(stderr, "odonata: %s\n", why);
  std::exit(1);
}

GroupRef make_group(int size) {
  auto group = std::make_shared<Group>();
  group->members.resize(size);
  std::iota(group->members.begin(), group->members.end(), 0);
  return group;
}

CommRef make_world(int size, int rank) {
  GroupRef& everybody = program().everybody;
  if (!everybody) everybody = make_group(size);
  auto comm = std::make_shared<Comm>();
  comm->group = everybody;
  comm->rank = rank;
  comm->identity = trace::world_identity;
  comm->name = "MPI_COMM_WORLD";
  return comm;
}

CommRef make_self(int rank) {
  auto group = std::make_shared<Group>();
  group->members = {rank};
  auto comm = std::make_shared<Comm>();
  comm->group = std::move(group);
  comm->number = 1;
  comm->identity = trace::self_identity(rank);
  comm->name = "MPI_COMM_SELF";
  return comm;
}

void* map(const char* path) {
  try {
    return program().memory.emplace(live::Memory::attach(path)).start();
  } catch (const UserError& error) {
    give_up(error.what());
  }
}

std::unique_ptr<Process> make_process(void* memory, int number) {
  auto process = std::make_unique<Process>();
  std::shared_ptr<live::Arena> arena = program().arena;
  if (!arena)
    arena = std::make_shared<live::Arena>(*static_cast<live::Header*>(memory), number, number);
  process->endpoint =
      std::make_unique<Endpoint>(memory, number, program().fibers, std::move(arena));
  process->messages = std::make_unique<MessageQueues>(*process->endpoint);
  process->world = make_world(process->endpoint->size(), number);
  process->self = make_self(number);
  process->endpoint->join();
  process->endpoint->meet();
  process->clocks.start(process->endpoint->header());
  return process;
}

// Requests that a rank leaves behind ask for its process when they end. The rest of a process
// stays: who ends with the program may still ask whether MPI has ended.
void end_handles() {
  if (program().fibers == nullptr) return;
  std::int32_t ending = 0;
  live::Fibers fibers = *program().fibers;
  fibers.current = &ending;
  program().fibers = &fibers;
  for (const auto& process : program().processes) {
    if (process) process->handles.reset();
    ++ending;
  }
}

// Standard output is written line by line, since a rank may be killed at any time, and so that
// lines of C and of Fortran stay in order.
__attribute__((constructor)) void print_by_line() {
  if (std::getenv(live::rank_variable) != nullptr) std::setvbuf(stdout, nullptr, _IOLBF, 0);
}

}  // namespace

Process& self() { return *program().processes[place()]; }

bool attached() {
  const std::size_t i = place();
  return i < program().processes.size() && program().processes[i] != nullptr;
}

Process& attach() {
  Program& p = program();
  if (attached()) return self();
  if (p.fibers != nullptr) {
    p.processes[place()] = make_process(p.fibers->memory, *p.fibers->current);
    return self();
  }
  const char* path = std::getenv(live::memory_variable);
  const char* number = std::getenv(live::rank_variable);
  if (path == nullptr || number == nullptr)
    give_up("this MPI runs on a simulated machine: start the program with odonata mpirun");
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // as a grandchild, behind a shell
  watch_clocks();
  p.processes.push_back(make_process(map(path), std::atoi(number)));
  return self();
}

void detach() {
  Process& process = self();
  const trace::Call last = call_of(trace::Function::Finalize, trace::Op::finalize);
  // The clocks continue from the end of the run, which only the simulator knows.
  if (clocks_were_read())
    process.clocks.stop(process.endpoint->ask(last).now);
  else
    process.endpoint->report(last);
  process.endpoint->leave_run();
  process.left = true;
}

}  // namespace odonata::libmpi

extern "C" void odonata_attach_fibers(const odonata::live::Fibers* fibers) {
  using namespace odonata;
  using libmpi::program;
  if (fibers == nullptr) libmpi::end_handles();
  program().fibers = fibers;
  if (fibers == nullptr) return;  // the run is over
  auto& header = *static_cast<live::Header*>(fibers->memory);
  program().arena =
      std::make_shared<live::Arena>(header, 0, static_cast<int>(header.num_ranks) - 1);
  program().everybody = nullptr;
  program().processes.clear();
  program().processes.resize(header.num_ranks);
  libmpi::watch_clocks();
}
