// Error handlers.
#include "preload/libmpi/api/api.hpp"
#include "preload/libmpi/api/language_bindings/fortran.hpp"
#include "preload/libmpi/api/processes/session.hpp"

namespace odonata::libmpi::api {

namespace {

// The handle of an error handler: the program's own, or a new one.
MPI_Errhandler handle_of(const ErrorHandlerRef& handler) {
  auto& table = handles().errhandlers;
  if (const auto constant = table.constant_for([&](const auto& is) { return is == handler; }))
    return *constant;
  ++handler->num_handles;
  if (const auto made = table.made_for(handler)) return *made;
  return table.add(handler);
}

int create(Function function, void (*user)(), MPI_Errhandler* result, bool fortran = false) {
  return call(function, [&] {
    auto handler = std::make_shared<ErrorHandler>();
    handler->action = ErrorHandler::Action::call;
    handler->function = user;
    handler->fortran = fortran;
    out(result) = handles().errhandlers.add(std::move(handler));
  });
}

int set(Function function, MPI_Comm comm, MPI_Errhandler handler) {
  return call(function, comm, [&] {
    const CommRef found = comm_of(comm);
    found->errhandler = errhandler_of(handler);
  });
}

int get(Function function, MPI_Comm comm, MPI_Errhandler* handler) {
  return call(function, comm, [&] { out(handler) = handle_of(comm_of(comm)->errhandler); });
}

template <class User>
auto plain(User* user) {
  return reinterpret_cast<void (*)()>(user);
}

}  // namespace

ODONATA_MPI(int, Comm_create_errhandler,
            (MPI_Comm_errhandler_function * user, MPI_Errhandler* handler)) {
  return create(Function::Comm_create_errhandler, plain(user), handler);
}
ODONATA_MPI(int, Errhandler_create, (MPI_Handler_function * user, MPI_Errhandler* handler)) {
  return create(Function::Errhandler_create, plain(user), handler);
}
extern "C" __attribute__((visibility("default"))) int
odonata_errhandler_create(MPI_Comm_errhandler_function* user, MPI_Errhandler* handler) {
  return create(Function::Comm_create_errhandler, plain(user), handler, true);
}
ODONATA_MPI(int, Comm_set_errhandler, (MPI_Comm comm, MPI_Errhandler handler)) {
  return set(Function::Comm_set_errhandler, comm, handler);
}
ODONATA_MPI(int, Errhandler_set, (MPI_Comm comm, MPI_Errhandler handler)) {
  return set(Function::Errhandler_set, comm, handler);
}
ODONATA_MPI(int, Comm_get_errhandler, (MPI_Comm comm, MPI_Errhandler* handler)) {
  return get(Function::Comm_get_errhandler, comm, handler);
}
ODONATA_MPI(int, Errhandler_get, (MPI_Comm comm, MPI_Errhandler* handler)) {
  return get(Function::Errhandler_get, comm, handler);
}

ODONATA_MPI(int, Errhandler_free, (MPI_Errhandler * handle)) {
  return call(Function::Errhandler_free, [&] {
    const ErrorHandlerRef handler = errhandler_of(out(handle));
    if (!handles().errhandlers.constant(out(handle)) && --handler->num_handles == 0)
      handles().errhandlers.remove(out(handle));
    out(handle) = MPI_ERRHANDLER_NULL;
  });
}

ODONATA_MPI(int, Comm_call_errhandler, (MPI_Comm comm, int code)) {
  return call(Function::Comm_call_errhandler, [&] {
    static_cast<void>(comm_of(comm));
    fail(Function::Comm_call_errhandler, comm, ErrorCode{code});
  });
}

ODONATA_MPI(MPI_Fint, Errhandler_c2f, (MPI_Errhandler handler)) {
  return abi::to_integer(MPI_ERRHANDLER_NULL, handler);
}
ODONATA_MPI(MPI_Errhandler, Errhandler_f2c, (MPI_Fint handler)) {
  return abi::from_integer(MPI_ERRHANDLER_NULL, handler);
}
ODONATA_MPI(int, Errhandler_toint, (MPI_Errhandler handler)) {
  return abi::to_integer(MPI_ERRHANDLER_NULL, handler);
}
ODONATA_MPI(MPI_Errhandler, Errhandler_fromint, (int handler)) {
  return abi::from_integer(MPI_ERRHANDLER_NULL, handler);
}

// ---- sessions

#if MPI_VERSION >= 4
ODONATA_MPI(int, Session_create_errhandler,
            (MPI_Session_errhandler_function * user, MPI_Errhandler* handler)) {
  return create(Function::Session_create_errhandler, plain(user), handler);
}
ODONATA_MPI(int, Session_set_errhandler, (MPI_Session session, MPI_Errhandler handler)) {
  return call(Function::Session_set_errhandler,
              [&] { session_of(session)->errhandler = errhandler_of(handler); });
}
ODONATA_MPI(int, Session_get_errhandler, (MPI_Session session, MPI_Errhandler* handler)) {
  return call(Function::Session_get_errhandler,
              [&] { out(handler) = handle_of(session_of(session)->errhandler); });
}
ODONATA_MPI(int, Session_call_errhandler, (MPI_Session session, int code)) {
  return call(Function::Session_call_errhandler, [&] {
    fail(Function::Session_call_errhandler, session, session_of(session)->errhandler,
         Error{error_class(code), ""});
  });
}
#endif

// ---- files: MPI_FILE_NULL has the handler that new files would have

namespace {

void check_no_file(MPI_File file) {
  require(file == MPI_FILE_NULL, ErrorClass::arg, "there are no files to have an error handler");
}

}  // namespace

ODONATA_MPI(int, File_set_errhandler, (MPI_File file, MPI_Errhandler handler)) {
  return call(Function::File_set_errhandler, [&] {
    check_no_file(file);
    handles().file_errhandler = errhandler_of(handler);
  });
}

ODONATA_MPI(int, File_get_errhandler, (MPI_File file, MPI_Errhandler* handler)) {
  return call(Function::File_get_errhandler, [&] {
    check_no_file(file);
    const ErrorHandlerRef& set = handles().file_errhandler;
    out(handler) = set ? handle_of(set) : MPI_ERRORS_RETURN;
  });
}

}  // namespace odonata::libmpi::api
