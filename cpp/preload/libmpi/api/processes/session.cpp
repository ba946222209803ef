#include "preload/libmpi/api/processes/session.hpp"

#include <array>
#include <cstdlib>

#include "odonata/live/memory.hpp"
#include "preload/libmpi/api/predefined.hpp"
#include "preload/libmpi/api/strings.hpp"

namespace odonata::libmpi::api {

namespace {

// Without MPI_Finalize nothing tells which call of a process is its last.
void leave_at_exit() {
  if (attached() && !self().left && !self().usable()) detach();
}

// Ranks of different ABIs would not understand each other's constants.
void agree_on_abi(const Process& process) {
  live::Abi first = live::Abi::none;
  if (process.endpoint->header().abi.compare_exchange_strong(first, abi::kind) ||
      first == abi::kind)
    return;
  process.endpoint->abort(2, "odonata: rank " + std::to_string(process.endpoint->rank()) +
                                 " has found the MPI of the ABI " + live::abi_name(abi::kind) +
                                 ", another rank the ABI " + live::abi_name(first) +
                                 ": all programs of a run need one");
}

}  // namespace

Process& start_library() {
  Process& process = attach();
  if (process.handles) return process;
  agree_on_abi(process);
  process.handles = make_handles(process.world, process.self);
  process.endpoint->start_computing();  // time before is not the first call's computing
  if (!process.endpoint->is_fiber()) std::atexit(leave_at_exit);
  return process;
}

#if MPI_VERSION >= 4

SessionRef session_of(MPI_Session handle) {
  const SessionRef* found = handles().sessions.find(handle);
  require(found != nullptr, ErrorClass::session,
          handle == MPI_SESSION_NULL ? "the session is MPI_SESSION_NULL"
                                     : "the session was freed or never made");
  return *found;
}

namespace {

constexpr std::array process_sets{"mpi://WORLD", "mpi://SELF"};

// Errors go to the session if the handle is valid.
template <class Body>
int call_in(Function function, MPI_Session handle, Body body) {
  const CallScope scope(function);
  try {
    body(session_of(handle));
    return MPI_SUCCESS;
  } catch (const Error& error) {
    const SessionRef* found = handles().sessions.find(handle);
    if (found == nullptr) return fail(function, MPI_COMM_WORLD, error);
    return fail(function, handle, (*found)->errhandler, error);
  }
}

const CommRef& members_of(const char* name) {
  require(name != nullptr, ErrorClass::arg, "the name is a null pointer");
  if (std::string_view(name) == process_sets[0]) return self().world;
  if (std::string_view(name) == process_sets[1]) return self().self;
  throw Error{ErrorClass::arg, "there is no set of processes \"" + std::string(name) +
                                   "\": there are mpi://WORLD and mpi://SELF"};
}

const char* level_name(int level) {
  switch (level) {
    case MPI_THREAD_SINGLE: return "MPI_THREAD_SINGLE";
    case MPI_THREAD_FUNNELED: return "MPI_THREAD_FUNNELED";
    default: return "MPI_THREAD_SERIALIZED";
  }
}

// MPI_THREAD_MULTIPLE is not supported: a lower level is provided.
int level_of(const InfoRef& hints) {
  const auto hint = hints ? hints->find("thread_level") : decltype(hints->find("")){};
  if (!hints || hint == hints->entries.end()) return MPI_THREAD_SINGLE;
  for (const int level : {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED})
    if (hint->second == level_name(level)) return level;
  return MPI_THREAD_SERIALIZED;
}

MPI_Info add_info(const char* key, std::string value) {
  auto info = std::make_shared<Info>();
  info->entries.emplace_back(key, std::move(value));
  return handles().infos.add(std::move(info));
}

}  // namespace

// ---- opening and closing

ODONATA_MPI(int, Session_init, (MPI_Info info, MPI_Errhandler handler, MPI_Session* result)) {
  return call(Function::Session_init, [&] {
    auto session = std::make_shared<Session>();
    session->errhandler = errhandler_of(handler);
    const InfoRef hints = info_of(info);
    session->info = std::make_shared<Info>();
    session->info->entries.emplace_back("thread_level", level_name(level_of(hints)));
    out(result) = handles().sessions.add(std::move(session));
    Process& process = self();
    process.thread_level = std::max(process.thread_level, level_of(hints));
    ++process.num_sessions;
  });
}

ODONATA_MPI(int, Session_finalize, (MPI_Session * handle)) {
  const MPI_Session given = handle != nullptr ? *handle : MPI_SESSION_NULL;
  return call_in(Function::Session_finalize, given, [&](const SessionRef&) {
    handles().sessions.remove(*handle);
    *handle = MPI_SESSION_NULL;
    Process& process = self();
    if (--process.num_sessions > 0 || (process.initialized && !process.finalized)) return;
    if (process.finalized || process.endpoint->is_fiber()) detach();
  });
}

ODONATA_MPI(int, Session_get_info, (MPI_Session handle, MPI_Info* result)) {
  return call_in(Function::Session_get_info, handle, [&](const SessionRef& session) {
    out(result) = handles().infos.add(std::make_shared<Info>(*session->info));
  });
}

// ---- sets of processes

ODONATA_MPI(int, Session_get_num_psets, (MPI_Session handle, MPI_Info, int* number)) {
  return call_in(Function::Session_get_num_psets, handle,
                 [&](const SessionRef&) { out(number) = static_cast<int>(process_sets.size()); });
}

ODONATA_MPI(int, Session_get_nth_pset,
            (MPI_Session handle, MPI_Info, int n, int* length, char* name)) {
  return call_in(Function::Session_get_nth_pset, handle, [&](const SessionRef&) {
    require(n >= 0 && n < static_cast<int>(process_sets.size()), ErrorClass::arg,
            "there is no set of processes of that number");
    const std::string_view found = process_sets[n];
    if (out(length) > 0) copy_string(found, name, *length);
    *length = static_cast<int>(found.size()) + 1;
  });
}

ODONATA_MPI(int, Session_get_pset_info, (MPI_Session handle, const char* name, MPI_Info* result)) {
  return call_in(Function::Session_get_pset_info, handle, [&](const SessionRef&) {
    out(result) = add_info("mpi_size", std::to_string(members_of(name)->size()));
  });
}

ODONATA_MPI(int, Group_from_session_pset,
            (MPI_Session handle, const char* name, MPI_Group* result)) {
  return call_in(Function::Group_from_session_pset, handle, [&](const SessionRef&) {
    out(result) = handles().groups.add(members_of(name)->group);
  });
}

// ---- handles in Fortran

ODONATA_MPI(MPI_Fint, Session_c2f, (MPI_Session session)) {
  return abi::to_integer(MPI_SESSION_NULL, session);
}
ODONATA_MPI(MPI_Session, Session_f2c, (MPI_Fint session)) {
  return abi::from_integer(MPI_SESSION_NULL, session);
}
ODONATA_MPI(int, Session_toint, (MPI_Session session)) {
  return abi::to_integer(MPI_SESSION_NULL, session);
}
ODONATA_MPI(MPI_Session, Session_fromint, (int session)) {
  return abi::from_integer(MPI_SESSION_NULL, session);
}

#endif

}  // namespace odonata::libmpi::api
