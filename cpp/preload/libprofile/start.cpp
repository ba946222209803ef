// Functions that start and end a profile, or mark a phase of it.
#include <cstdarg>

#include "preload/libprofile/wrapped.hpp"

using namespace odonata;
using namespace odonata::libprofile;

namespace {

// Level by which a program states compute times to a simulated machine: it marks no phase.
constexpr int computed = 13'663'866;

void no_record(Journal&) {}

// `record` writes the record of the call, which is a local one if it writes none.
template <class Write>
void count(Function function, std::uint64_t began, Write record) {
  if (recorder == nullptr) return;
  const RecorderLock lock;
  const std::uint64_t now = ticks(counter);
  recorder->tally().pass(now);
  recorder->tally().call(static_cast<std::uint32_t>(function), trace::Found::unknown, now - began);
  Journal* const journal = recorder->journal();
  if (journal == nullptr) return;
  journal->enter(function, began, now);
  record(*journal);
  journal->leave();
}

// Calls MPI_Init or MPI_Init_thread; counts begin with it.
template <class Call>
int initialize(Function function, Call call) {
  if (inside) return call();
  inside = true;
  const std::uint64_t began = ticks(counter);
  const int result = call();
  if (result == MPI_SUCCESS) begin_recording(began);
  count(function, began, no_record);
  inside = false;
  return result;
}

}  // namespace

#define ODONATA_PROFILED extern "C" __attribute__((visibility("default")))

ODONATA_PROFILED int MPI_Init(int* words, char*** text) {
  return initialize(Function::Init, [&] { return ODONATA_REAL(Init)(words, text); });
}

ODONATA_PROFILED int MPI_Init_thread(int* words, char*** text, int required, int* provided) {
  return initialize(Function::Init_thread, [&] {
    int level = MPI_THREAD_SINGLE;
    const int result = ODONATA_REAL(Init_thread)(words, text, required, &level);
    threads_share = level == MPI_THREAD_MULTIPLE;
    if (provided != nullptr) *provided = level;
    return result;
  });
}

ODONATA_PROFILED int MPI_Finalize() {
  if (inside) return ODONATA_REAL(Finalize)();
  inside = true;
  const std::uint64_t began = ticks(counter);
  const int result = ODONATA_REAL(Finalize)();
  count(Function::Finalize, began, [](Journal& journal) { journal.finalize(); });
  end_recording();
  inside = false;
  return result;
}

// It does not return.
ODONATA_PROFILED int MPI_Abort(MPI_Comm comm, int code) {
  if (!inside)
    count(Function::Abort, ticks(counter), [code](Journal& journal) { journal.abort(code); });
  return ODONATA_REAL(Abort)(comm, code);
}

// Levels belong to the profiler: an MPI ignores them.
ODONATA_PROFILED int MPI_Pcontrol(const int level, ...) {
  if (recorder == nullptr || inside) return MPI_SUCCESS;
  const std::uint64_t began = ticks(counter);
  if (level != computed) {
    const RecorderLock lock;
    recorder->tally().mark(level, began);
  }
  count(Function::Pcontrol, began, [level](Journal& journal) {
    if (level != computed) journal.phase(level);
  });
  return MPI_SUCCESS;
}

// See functions.cpp.
#ifndef OPEN_MPI
#define ODONATA_ALIAS(name)                                                                        \
  extern "C" __attribute__((visibility("default"),                                                 \
                            alias("MPI_" #name))) decltype(PMPI_##name) PMPI_##name;
ODONATA_ALIAS(Init)
ODONATA_ALIAS(Init_thread)
ODONATA_ALIAS(Finalize)
ODONATA_ALIAS(Abort)
ODONATA_ALIAS(Pcontrol)
#endif
