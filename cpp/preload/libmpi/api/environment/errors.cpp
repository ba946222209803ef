// Codes and names of errors, and calls of error handlers.
#include <array>

#include "preload/libmpi/api/processes/session.hpp"

namespace odonata::libmpi::api {

namespace {

struct Named {
  ErrorClass error_class;
  int code;
  const char* name;
};

#define ODONATA_ERROR(error_class, code)                                                           \
  Named { ErrorClass::error_class, code, #code }

constexpr auto errors = std::to_array<Named>({
    ODONATA_ERROR(success, MPI_SUCCESS),
    ODONATA_ERROR(buffer, MPI_ERR_BUFFER),
    ODONATA_ERROR(count, MPI_ERR_COUNT),
    ODONATA_ERROR(type, MPI_ERR_TYPE),
    ODONATA_ERROR(tag, MPI_ERR_TAG),
    ODONATA_ERROR(comm, MPI_ERR_COMM),
    ODONATA_ERROR(rank, MPI_ERR_RANK),
    ODONATA_ERROR(root, MPI_ERR_ROOT),
    ODONATA_ERROR(group, MPI_ERR_GROUP),
    ODONATA_ERROR(op, MPI_ERR_OP),
    ODONATA_ERROR(topology, MPI_ERR_TOPOLOGY),
    ODONATA_ERROR(dims, MPI_ERR_DIMS),
    ODONATA_ERROR(arg, MPI_ERR_ARG),
    ODONATA_ERROR(unknown, MPI_ERR_UNKNOWN),
    ODONATA_ERROR(truncate, MPI_ERR_TRUNCATE),
    ODONATA_ERROR(other, MPI_ERR_OTHER),
    ODONATA_ERROR(intern, MPI_ERR_INTERN),
    ODONATA_ERROR(request, MPI_ERR_REQUEST),
    ODONATA_ERROR(in_status, MPI_ERR_IN_STATUS),
    ODONATA_ERROR(pending, MPI_ERR_PENDING),
    ODONATA_ERROR(keyval, MPI_ERR_KEYVAL),
    ODONATA_ERROR(info, MPI_ERR_INFO),
    ODONATA_ERROR(info_key, MPI_ERR_INFO_KEY),
    ODONATA_ERROR(info_value, MPI_ERR_INFO_VALUE),
    ODONATA_ERROR(info_nokey, MPI_ERR_INFO_NOKEY),
    ODONATA_ERROR(no_mem, MPI_ERR_NO_MEM),
    ODONATA_ERROR(unsupported_operation, MPI_ERR_UNSUPPORTED_OPERATION),
    ODONATA_ERROR(name, MPI_ERR_NAME),
    ODONATA_ERROR(port, MPI_ERR_PORT),
    ODONATA_ERROR(service, MPI_ERR_SERVICE),
    ODONATA_ERROR(spawn, MPI_ERR_SPAWN),
    ODONATA_ERROR(base, MPI_ERR_BASE),
    ODONATA_ERROR(size, MPI_ERR_SIZE),
    ODONATA_ERROR(disp, MPI_ERR_DISP),
    ODONATA_ERROR(not_same, MPI_ERR_NOT_SAME),
#if MPI_VERSION >= 4
    ODONATA_ERROR(session, MPI_ERR_SESSION),
#endif
});

std::string line(Function function, const char* name, const std::string& what) {
  const auto number = static_cast<std::size_t>(function);
  return "odonata: rank " + std::to_string(self().endpoint->rank()) + ": " +
         std::string(trace::function_names()[number]) + ": " + name +
         (what.empty() ? "" : ": " + what);
}

[[noreturn]] void end_run(Function function, int code, const std::string& what) {
  self().endpoint->abort(code, line(function, error_name(error_class(code)), what));
}

int handle_error(Function function, MPI_Comm handle, int code, const std::string& what) {
  using enum ErrorHandler::Action;
  const CommRef* comm = handles().comms.find(handle);
  if (comm == nullptr) handle = MPI_COMM_WORLD;
  const ErrorHandlerRef handler = comm ? (*comm)->errhandler : self().world->errhandler;
  const auto action = handler ? handler->action : fatal;
  if (action == give_back) return code;
  if (action == call) {
    if (handler->fortran) {
      MPI_Fint integer = abi::to_integer(MPI_COMM_NULL, handle);
      reinterpret_cast<void (*)(MPI_Fint*, MPI_Fint*, ...)>(handler->function)(&integer, &code);
    } else {
      reinterpret_cast<MPI_Comm_errhandler_function*>(handler->function)(&handle, &code, nullptr);
    }
    return code;
  }
  end_run(function, code, what);
}

}  // namespace

int error_code(ErrorClass error_class) {
  for (const Named& error : errors)
    if (error.error_class == error_class) return error.code;
  return MPI_ERR_OTHER;
}

ErrorClass error_class(int code) {
  for (const Named& error : errors)
    if (error.code == code) return error.error_class;
  return ErrorClass::unknown;
}

const char* error_name(ErrorClass error_class) {
  for (const Named& error : errors)
    if (error.error_class == error_class) return error.name;
  return "MPI_ERR_OTHER";
}

int fail(Function function, MPI_Comm comm, const Error& error) {
  return handle_error(function, comm, error_code(error.error_class), error.what);
}

int fail(Function function, MPI_Comm comm, ErrorCode error) {
  return handle_error(function, comm, error.code, "");
}

#if MPI_VERSION >= 4
int fail(Function function, MPI_Session session, const ErrorHandlerRef& handler,
         const Error& error) {
  int code = error_code(error.error_class);
  if (handler && handler->action == ErrorHandler::Action::give_back) return code;
  if (!handler || handler->action != ErrorHandler::Action::call)
    end_run(function, code, error.what);
  reinterpret_cast<MPI_Session_errhandler_function*>(handler->function)(&session, &code, nullptr);
  return code;
}
#endif

}  // namespace odonata::libmpi::api
