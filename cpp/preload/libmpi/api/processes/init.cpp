// The start and the end of MPI.
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "preload/libmpi/api/api.hpp"
#include "preload/libmpi/api/communicators/attribute.hpp"
#include "preload/libmpi/api/point_to_point/buffered.hpp"
#include "preload/libmpi/api/processes/session.hpp"
#include "preload/libmpi/api/requests/orphans.hpp"

namespace odonata::libmpi::api {

namespace {

// Calls are not locked, so only one thread may call at a time.
constexpr int highest_thread_level = MPI_THREAD_SERIALIZED;

int init(Function function, int thread_level) {
  Process& process = start_library();
  if (!process.initialized) {
    process.thread_level = std::min(thread_level, highest_thread_level);
    if (thread_level > highest_thread_level) process.endpoint->want_threads();
    process.main_thread = pthread_self();
    process.initialized = true;
    const CallScope scope(function);
    return MPI_SUCCESS;
  }
  return call(function, [] { throw Error{ErrorClass::other, "MPI is initialized already"}; });
}

void finalize() {
  Process& process = self();
  delete_attributes(MPI_COMM_SELF, *process.self);
  delete_attributes(MPI_COMM_WORLD, *process.world);
  wait_for_orphans(Function::Finalize);
  flush_bsend_buffers(Function::Finalize);
  process.finalized = true;
  if (process.num_sessions == 0) detach();
}

}  // namespace

ODONATA_MPI(int, Init, (int*, char***)) { return init(Function::Init, MPI_THREAD_SINGLE); }

ODONATA_MPI(int, Init_thread, (int*, char***, int required, int* provided)) {
  const int code = init(Function::Init_thread, required);
  if (provided != nullptr) *provided = self().thread_level;
  return code;
}

ODONATA_MPI(int, Initialized, (int* flag)) {
  if (flag == nullptr) return MPI_ERR_ARG;
  *flag = attached() && self().initialized ? 1 : 0;
  return MPI_SUCCESS;
}

ODONATA_MPI(int, Finalized, (int* flag)) {
  if (flag == nullptr) return MPI_ERR_ARG;
  *flag = attached() && self().finalized ? 1 : 0;
  return MPI_SUCCESS;
}

ODONATA_MPI(int, Finalize, (void)) {
  return call(Function::Finalize, [] { finalize(); });
}

ODONATA_MPI(int, Query_thread, (int* provided)) {
  return call(Function::Query_thread, [&] { out(provided) = self().thread_level; });
}

ODONATA_MPI(int, Is_thread_main, (int* flag)) {
  return call(Function::Is_thread_main,
              [&] { out(flag) = pthread_equal(self().main_thread, pthread_self()) != 0 ? 1 : 0; });
}

ODONATA_MPI(int, Abort, (MPI_Comm, int code)) {
  if (!attached()) std::exit(code == 0 ? 1 : code);
  Process& process = self();
  const trace::Call call = call_of(Function::Abort, trace::Op::abort, trace::Abort{code});
  const bool alone = process.endpoint->enter(Function::Abort, false);
  // The simulator ends all ranks as soon as it knows: by then their lines must be out.
  std::fprintf(stderr, "odonata: rank %d called MPI_Abort with code %d%s\n",
               process.endpoint->rank(), code, process.endpoint->thread_hint());
  std::fflush(nullptr);
  if (alone && process.usable()) process.endpoint->report(call);
  process.endpoint->abort(code, "");
}

}  // namespace odonata::libmpi::api
