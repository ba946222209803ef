// Definition of MPI functions, and conversion of their arguments to the core's. This folder is
// compiled once for each ABI.
#pragma once

#include <cstdint>
#include <new>
#include <string>
#include <utility>

#include "odonata/trace/functions.hpp"
#include "preload/libmpi/api/handles.hpp"
#include "preload/libmpi/core/environment/error.hpp"
#include "preload/libmpi/core/point_to_point/point_to_point.hpp"
#include "preload/libmpi/core/processes/process.hpp"

/// Defines PMPI_x, and MPI_x as an alias that a profiling tool may replace:
///
///     ODONATA_MPI(int, Send, (const void* buf, int count, ...)) {
///       return call(Function::Send, comm, [&] { ... });
///     }
#define ODONATA_MPI(result, name, parameters)                                                      \
  extern "C" __attribute__((visibility("default"))) result PMPI_##name parameters;                 \
  extern "C"                                                                                       \
      __attribute__((visibility("default"), alias("PMPI_" #name))) result MPI_##name parameters;   \
  result PMPI_##name parameters

namespace odonata::libmpi::api {

using trace::Function;

[[nodiscard]] inline Handles& handles() { return *self().handles; }

// ---- errors

[[nodiscard]] int error_code(ErrorClass error_class);
/// The class of a code; `unknown` for a code that this library does not define.
[[nodiscard]] ErrorClass error_class(int code);
/// "MPI_ERR_TRUNCATE"
[[nodiscard]] const char* error_name(ErrorClass error_class);

/// Thrown where a function of the program returned an error.
struct ErrorCode {
  int code;
};

/// Runs the error handler of a communicator (the world's if the handle is not one); returns the
/// code, or does not return.
int fail(Function function, MPI_Comm comm, const Error& error);
int fail(Function function, MPI_Comm comm, ErrorCode error);

/// Exists during every call of the program. Refuses calls before MPI_Init and after MPI_Finalize,
/// and writes the record of a call whose body wrote none.
class CallScope {
 public:
  explicit CallScope(Function function);
  ~CallScope();
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

 private:
  Function function_;
  std::uint64_t reported_;
};

/// Runs the body of a function on a communicator; it throws Error when something is wrong.
template <class Body>
int call(Function function, MPI_Comm comm, Body&& body) {
  const CallScope called(function);
  try {
    std::forward<Body>(body)();
    return MPI_SUCCESS;
  } catch (const Error& error) {
    return fail(function, comm, error);
  } catch (const ErrorCode& error) {
    return fail(function, comm, error);
  } catch (const std::bad_alloc&) {
    return fail(function, comm, Error{ErrorClass::no_mem, "no memory is left"});
  }
}

/// Runs the body of a function without communicator: errors go to MPI_COMM_WORLD.
template <class Body>
int call(Function function, Body&& body) {
  return call(function, MPI_COMM_WORLD, std::forward<Body>(body));
}

[[noreturn]] inline void refuse(ErrorClass error_class, const char* what) {
  throw Error{error_class, what};
}

/// Throws unless a condition holds.
inline void require(bool holds, ErrorClass error_class, const char* what) {
  if (!holds) refuse(error_class, what);
}

/// Body of an absent function that has a communicator.
int absent_on(Function function, MPI_Comm comm);

/// The variable for a result. Throws Error if the program passed a null pointer.
template <class Result>
[[nodiscard]] Result& out(Result* result) {
  require(result != nullptr, ErrorClass::arg, "a pointer to a result is null");
  return *result;
}

/// An array of the program. Throws Error if it is a null pointer and should have elements.
template <class Element>
[[nodiscard]] Element* array(Element* first, std::int64_t length) {
  require(first != nullptr || length <= 0, ErrorClass::arg, "an array is a null pointer");
  return first;
}

/// A text of the program. Throws Error if it is a null pointer.
[[nodiscard]] inline const char* text_of(const char* given) {
  require(given != nullptr, ErrorClass::arg, "a text is a null pointer");
  return given;
}

// ---- objects behind handles; Error if a handle is invalid

[[nodiscard]] CommRef comm_of(MPI_Comm comm);
/// The same; throws Error for an intercommunicator.
[[nodiscard]] CommRef intracomm_of(MPI_Comm comm);
[[nodiscard]] GroupRef group_of(MPI_Group group);
[[nodiscard]] TypeObject& type_object_of(MPI_Datatype type);
[[nodiscard]] const TypeRef& type_of(MPI_Datatype type);
[[nodiscard]] const OpRef& op_of(MPI_Op op);
/// Null for MPI_REQUEST_NULL.
[[nodiscard]] RequestRef request_of(MPI_Request request);
[[nodiscard]] ErrorHandlerRef errhandler_of(MPI_Errhandler handler);
/// Null for MPI_INFO_NULL.
[[nodiscard]] InfoRef info_of(MPI_Info info);

[[nodiscard]] inline MPI_Request add(RequestRef request) {
  return handles().requests.add(std::move(request));
}
/// A handle for a new communicator; MPI_COMM_NULL for null.
[[nodiscard]] MPI_Comm add(CommRef comm);

// ---- arguments

[[nodiscard]] inline bool in_place(const void* buffer) { return buffer == MPI_IN_PLACE; }

/// The program's buffer. Throws Error for a wrong count or type.
[[nodiscard]] Buffer buffer(const void* data, std::int64_t count, MPI_Datatype type);

/// The destination of a send: a rank of the peers, or trace::nobody.
[[nodiscard]] std::int32_t destination_in(const Comm& comm, int rank);
/// The source of a receive: a rank of the peers, trace::any or trace::nobody.
[[nodiscard]] std::int32_t source_in(const Comm& comm, int rank);
/// The root of a collective: a rank of the peers. In an intercommunicator it may also be
/// trace::nobody, or `this_is_root` (collective.hpp) for MPI_ROOT.
[[nodiscard]] std::int32_t root_in(const Comm& comm, int root);

[[nodiscard]] Peer destination(MPI_Comm comm, int rank, int tag);
[[nodiscard]] Peer source(MPI_Comm comm, int rank, int tag);

inline constexpr int tag_upper_bound = 0x7fffffff;

/// Writes a status, unless the program ignores it; its MPI_ERROR stays as it is.
void write_status(MPI_Status* to, const Status& from);
/// Writes an empty status, including MPI_ERROR.
void write_empty_status(MPI_Status* to);
/// The message that a status is of. MPI_ERROR is not read: calls that complete one request leave it
/// as it was, which may be nothing.
[[nodiscard]] Status read_status(const MPI_Status& from);

}  // namespace odonata::libmpi::api
