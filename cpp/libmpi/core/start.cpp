// Joining the run: as a process, by the memory named in the environment; as a fiber, by the host
// that shares our process.
#include "libmpi/core/start.hpp"

#include <sys/prctl.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <optional>
#include <vector>

#include "libmpi/core/letters.hpp"
#include "libmpi/core/rank.hpp"
#include "odonata/live/memory.hpp"
#include "odonata/units/errors.hpp"

namespace odonata::libmpi {

namespace {

// The ranks of this process: one, or one a fiber.
struct Program {
  const live::Fibers* fibers = nullptr;
  std::optional<live::Memory> memory;  // of a process: fibers have their host's
  std::shared_ptr<live::Arena> arena;  // of all fibers
  GroupRef everybody;                  // of all fibers: as long as there are ranks
  std::vector<std::unique_ptr<Rank>> ranks;
};

Program& program() {
  static Program the_program;
  return the_program;
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
  group->members.resize(static_cast<std::size_t>(size));
  std::iota(group->members.begin(), group->members.end(), 0);
  return group;
}

CommRef make_world(int size, int rank) {
  GroupRef& everybody = program().everybody;
  if (!everybody) everybody = make_group(size);
  auto comm = std::make_shared<Comm>();
  comm->group = everybody;
  comm->rank = rank;
  comm->identity = 1;
  comm->name = "MPI_COMM_WORLD";
  return comm;
}

CommRef make_self(int rank) {
  auto group = std::make_shared<Group>();
  group->members = {rank};
  auto comm = std::make_shared<Comm>();
  comm->group = std::move(group);
  comm->number = 1;
  comm->identity = ~static_cast<std::uint64_t>(rank);
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

std::unique_ptr<Rank> make_rank(void* memory, int number) {
  auto rank = std::make_unique<Rank>();
  std::shared_ptr<live::Arena> arena = program().arena;
  if (!arena)
    arena = std::make_shared<live::Arena>(*static_cast<live::Header*>(memory), number, number);
  rank->link = std::make_unique<Link>(memory, number, program().fibers, std::move(arena));
  rank->messages = std::make_unique<PointToPoint>(*rank->link);
  rank->world = make_world(rank->link->size(), number);
  rank->self = make_self(number);
  rank->link->join();
  rank->clocks.start();
  return rank;
}

// What a rank prints is out when the line ends, since it may die at any time; and lines of C and of
// Fortran come in order.
__attribute__((constructor)) void print_by_line() {
  if (std::getenv(live::rank_variable) != nullptr) std::setvbuf(stdout, nullptr, _IOLBF, 0);
}

}  // namespace

Rank& self() { return *program().ranks[place()]; }

bool attached() {
  const std::size_t i = place();
  return i < program().ranks.size() && program().ranks[i] != nullptr;
}

Rank& attach() {
  Program& p = program();
  if (attached()) return self();
  if (p.fibers != nullptr) {
    p.ranks[place()] = make_rank(p.fibers->memory, *p.fibers->current);
    return self();
  }
  const char* path = std::getenv(live::memory_variable);
  const char* number = std::getenv(live::rank_variable);
  if (path == nullptr || number == nullptr)
    give_up("this MPI runs on a simulated machine: start the program with odonata mpirun");
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // as a grandchild, behind a shell
  watch_clocks();
  p.ranks.push_back(make_rank(map(path), std::atoi(number)));
  return self();
}

void detach() {
  Rank& rank = self();
  const trace::Call last = call_of(trace::Function::Finalize, trace::Op::finalize);
  // Its clocks go on from the end, which only the simulator knows.
  if (clocks_were_read())
    rank.clocks.stop(rank.link->ask(last).now);
  else
    rank.link->post(last);
  rank.link->leave_run();
  rank.left = true;
}

}  // namespace odonata::libmpi

extern "C" void odonata_attach_fibers(const odonata::live::Fibers* fibers) {
  using namespace odonata;
  using libmpi::program;
  program().fibers = fibers;
  if (fibers == nullptr) return;  // the run is over; who ends with the process may still ask
  auto& header = *static_cast<live::Header*>(fibers->memory);
  program().arena =
      std::make_shared<live::Arena>(header, 0, static_cast<int>(header.num_ranks) - 1);
  program().everybody = nullptr;
  program().ranks.clear();
  program().ranks.resize(header.num_ranks);
  libmpi::watch_clocks();
}
