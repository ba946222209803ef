// The start and the end of MPI, and what can be asked of the surroundings.
#include <cmath>
#include <cstdarg>
#include <cstdlib>

#include "libmpi/api/api.hpp"
#include "libmpi/api/attribute.hpp"
#include "libmpi/api/buffer.hpp"
#include "libmpi/api/orphans.hpp"
#include "libmpi/api/session.hpp"
#include "libmpi/api/strings.hpp"
#include "libmpi/core/communicators.hpp"
#include "odonata/live/memory.hpp"

namespace odonata::libmpi::api {

namespace {

// Calls are not locked: one at a time.
constexpr int highest_thread_level = MPI_THREAD_SERIALIZED;

// MPI_Pcontrol(computed, seconds): the program says how long it computed, in place of a clock.
constexpr int computed = 13'663'866;
constexpr double most_computed = 1e6;  // [s] at once

int init(Function function, int thread_level) {
  Rank& rank = start_library();
  if (!rank.initialized) {
    rank.thread_level = std::min(thread_level, highest_thread_level);
    rank.main_thread = pthread_self();
    rank.initialized = true;
    const Called called(function);
    return MPI_SUCCESS;
  }
  return call(function, [] { throw Error{ErrorClass::other, "MPI is initialized already"}; });
}

void finalize() {
  Rank& rank = self();
  delete_attributes(MPI_COMM_SELF, *rank.self);
  delete_attributes(MPI_COMM_WORLD, *rank.world);
  wait_for_orphans(Function::Finalize);
  flush_bsend_buffers(Function::Finalize);
  rank.finalized = true;
  if (rank.num_sessions == 0) detach();
}

}  // namespace

ODONATA_MPI(int, Init, (int*, char***)) { return init(Function::Init, MPI_THREAD_SINGLE); }

ODONATA_MPI(int, Init_thread, (int*, char***, int required, int* provided)) {
  const int code = init(Function::Init_thread, required);
  if (provided != nullptr) *provided = self().thread_level;
  return code;
}

ODONATA_MPI(int, Initialized, (int* flag)) {
  *flag = attached() && self().initialized ? 1 : 0;
  return MPI_SUCCESS;
}

ODONATA_MPI(int, Finalized, (int* flag)) {
  *flag = attached() && self().finalized ? 1 : 0;
  return MPI_SUCCESS;
}

ODONATA_MPI(int, Finalize, (void)) {
  return call(Function::Finalize, [] { finalize(); });
}

ODONATA_MPI(int, Query_thread, (int* provided)) {
  return call(Function::Query_thread, [&] { *provided = self().thread_level; });
}

ODONATA_MPI(int, Is_thread_main, (int* flag)) {
  return call(Function::Is_thread_main,
              [&] { *flag = pthread_equal(self().main_thread, pthread_self()) != 0 ? 1 : 0; });
}

ODONATA_MPI(int, Abort, (MPI_Comm, int code)) {
  if (!attached()) std::exit(code == 0 ? 1 : code);
  Rank& rank = self();
  trace::Call call = call_of(Function::Abort, trace::Op::abort);
  call.tag = code;
  rank.link->enter();
  if (rank.usable()) rank.link->post(call);
  rank.link->abort(code, "odonata: rank " + std::to_string(rank.link->rank()) +
                             " called MPI_Abort with code " + std::to_string(code));
}

// ---- time

ODONATA_MPI(double, Wtime, (void)) {
  const Called called(Function::Wtime);
  return static_cast<double>(clock(Function::Wtime)) * 1e-12;
}

ODONATA_MPI(double, Wtick, (void)) { return 1e-12; }

// By MPI the levels from 3 on, and what comes after them, mean what the library says.
ODONATA_MPI(int, Pcontrol, (const int level, ...)) {
  if (level == computed) {
    va_list rest;
    va_start(rest, level);
    const double seconds = va_arg(rest, double);
    va_end(rest);
    return call(Function::Pcontrol, [&] {
      require(seconds >= 0 && seconds <= most_computed, ErrorClass::arg,
              "a compute time out of range: 0 to 1e6 s");
      self().link->charge(std::llround(seconds * 1e9));
    });
  }
  return call(Function::Pcontrol, [&] {
    trace::Call call = call_of(Function::Pcontrol, trace::Op::phase);
    call.tag = level;
    self().link->post(call);
  });
}

// ---- surroundings

ODONATA_MPI(int, Get_version, (int* version, int* subversion)) {
  *version = MPI_VERSION;
  *subversion = MPI_SUBVERSION;
  return MPI_SUCCESS;
}

ODONATA_MPI(int, Get_library_version, (char* version, int* length)) {
  std::string text = "Odonata " ODONATA_VERSION ", a simulated machine (ABI: ";
  text.append(abi::name).append(")");
  *length = copy_string(text, version, MPI_MAX_LIBRARY_VERSION_STRING);
  return MPI_SUCCESS;
}

ODONATA_MPI(int, Get_processor_name, (char* name, int* length)) {
  return call(Function::Get_processor_name, [&] {
    const Link& link = *self().link;
    *length =
        copy_string(live::node_name(link.header(), link.rank()), name, MPI_MAX_PROCESSOR_NAME);
  });
}

ODONATA_MPI(int, Alloc_mem, (MPI_Aint size, MPI_Info info, void* base)) {
  return call(Function::Alloc_mem, [&] {
    require(size >= 0, ErrorClass::arg, "the size is negative");
    static_cast<void>(info_of(info));
    void* memory = std::malloc(static_cast<std::size_t>(std::max<MPI_Aint>(size, 1)));
    if (memory == nullptr) throw Error{ErrorClass::no_mem, "no memory is left"};
    *static_cast<void**>(base) = memory;
  });
}

ODONATA_MPI(int, Free_mem, (void* base)) {
  return call(Function::Free_mem, [&] { std::free(base); });
}

}  // namespace odonata::libmpi::api
