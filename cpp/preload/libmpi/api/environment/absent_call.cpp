// A call of an absent function runs the error handler, so that a program that has another way can
// take it. The default handler ends the run with a line that names the function.
#include "preload/libmpi/core/environment/absent.hpp"

#include <algorithm>

#include "preload/libmpi/api/api.hpp"

namespace odonata::libmpi {

namespace api {

namespace {

Error error_of(std::string_view function) {
  return {ErrorClass::unsupported_operation, why_absent(function)};
}

// Functions of files use the handler of MPI_FILE_NULL if the program has set one, else
// MPI_COMM_WORLD's: with the default of MPI the program would continue without its file.
int absent_file(Function function, const Error& error) {
  const ErrorHandlerRef& handler = handles().file_errhandler;
  if (!handler) return fail(function, MPI_COMM_WORLD, error);
  using enum ErrorHandler::Action;
  int code = error_code(error.error_class);
  if (handler->action == call) {
    MPI_File file = MPI_FILE_NULL;
    reinterpret_cast<MPI_File_errhandler_function*>(handler->function)(&file, &code, nullptr);
  } else if (handler->action != give_back) {
    end_in_absent(trace::function_names()[static_cast<std::size_t>(function)]);
  }
  return code;
}

// Functions for tools call no error handler, and may be called before MPI_Init.
int absent_tool(std::string_view function) {
  return function == "MPI_T_init_thread" ? MPI_T_ERR_CANNOT_INIT : MPI_T_ERR_NOT_INITIALIZED;
}

}  // namespace

int absent_on(Function function, MPI_Comm comm) {
  return call(function, comm, [&] {
    static_cast<void>(comm_of(comm));
    throw error_of(trace::function_names()[static_cast<std::size_t>(function)]);
  });
}

}  // namespace api

int absent(std::string_view name) {
  const auto names = trace::function_names();
  const auto found = std::ranges::find(names, name);
  if (name.starts_with("MPI_T_")) return api::absent_tool(name);
  if (found == names.end() || !attached() || !self().usable()) end_in_absent(name);
  const auto function = static_cast<trace::Function>(found - names.begin());
  const api::CallScope scope(function);
  const Error error = api::error_of(name);
  if (name.starts_with("MPI_File_")) return api::absent_file(function, error);
  return api::fail(function, MPI_COMM_WORLD, error);
}

}  // namespace odonata::libmpi
