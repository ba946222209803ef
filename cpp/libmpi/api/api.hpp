// What the files of this folder share: how an MPI function is defined, and how its arguments become
// the core's. Compiled once for each ABI.
#pragma once

#include <cstdint>
#include <new>
#include <string>
#include <utility>

#include "libmpi/api/handles.hpp"
#include "libmpi/core/error.hpp"
#include "libmpi/core/point_to_point.hpp"
#include "libmpi/core/rank.hpp"
#include "odonata/trace/functions.hpp"

/// Defines PMPI_x, and MPI_x as another name of it that a profiling tool may take over:
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
/// unknown for a code that we never gave out.
[[nodiscard]] ErrorClass error_class(int code);
/// "MPI_ERR_TRUNCATE"
[[nodiscard]] const char* error_name(ErrorClass error_class);

/// Thrown where a function of the program's returned an error.
struct ErrorCode {
  int code;
};

/// Runs the error handler of a communicator (the world's if the handle is not one); returns the
/// code, or does not return.
int fail(Function function, MPI_Comm comm, const Error& error);
int fail(Function function, MPI_Comm comm, ErrorCode error);

/// Around every call of the program: refuses calls before MPI_Init and after MPI_Finalize, and
/// notes the call if it does not do so itself.
class Called {
 public:
  explicit Called(Function function);
  ~Called();
  Called(const Called&) = delete;
  Called& operator=(const Called&) = delete;

 private:
  Function function_;
  std::uint64_t posted_;
};

/// Runs the body of a function on a communicator; it throws Error when something is wrong.
template <class Body>
int call(Function function, MPI_Comm comm, Body&& body) {
  const Called called(function);
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

/// Runs the body of a function that has no communicator: errors are the world's.
template <class Body>
int call(Function function, Body&& body) {
  return call(function, MPI_COMM_WORLD, std::forward<Body>(body));
}

/// Throws unless a condition holds.
inline void require(bool holds, ErrorClass error_class, const char* what) {
  if (!holds) throw Error{error_class, what};
}

/// The body of an absent function that has a communicator.
int absent_on(Function function, MPI_Comm comm);

/// Where a function writes a result; Error if the program gave a null pointer.
template <class Result>
[[nodiscard]] Result& out(Result* result) {
  require(result != nullptr, ErrorClass::arg, "a pointer to a result is null");
  return *result;
}

// ---- handles: what they stand for; Error if that is nothing

[[nodiscard]] CommRef comm_of(MPI_Comm comm);
/// Error if it is an intercommunicator.
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
/// A handle for a new communicator; MPI_COMM_NULL for none.
[[nodiscard]] MPI_Comm add(CommRef comm);

// ---- arguments

[[nodiscard]] inline bool in_place(const void* buffer) { return buffer == MPI_IN_PLACE; }

/// Checks count and type.
[[nodiscard]] Buffer buffer(const void* data, std::int64_t count, MPI_Datatype type);

/// A rank to send to: of the peers, or trace::nobody.
[[nodiscard]] std::int32_t destination_in(const Comm& comm, int rank);
/// A rank to receive from: of the peers, trace::any or trace::nobody.
[[nodiscard]] std::int32_t source_in(const Comm& comm, int rank);
/// The root of a collective: of the peers; in an intercommunicator also trace::nobody, or
/// `this_is_root` (collective.hpp) for MPI_ROOT.
[[nodiscard]] std::int32_t root_in(const Comm& comm, int root);

[[nodiscard]] Peer destination(MPI_Comm comm, int rank, int tag);
[[nodiscard]] Peer source(MPI_Comm comm, int rank, int tag);

inline constexpr int tag_upper_bound = 0x7fffffff;

/// Writes what a status holds, unless the program ignores it; MPI_ERROR stays as it is.
void write_status(MPI_Status* to, const Status& from);
/// Writes the status of no operation, MPI_ERROR and all.
void write_empty_status(MPI_Status* to);
[[nodiscard]] Status read_status(const MPI_Status& from);

}  // namespace odonata::libmpi::api
