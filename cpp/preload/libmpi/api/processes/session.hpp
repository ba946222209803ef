// Sessions of MPI-4, which a program opens beside MPI_Init or in its place.
#pragma once

#include "preload/libmpi/api/api.hpp"

namespace odonata::libmpi::api {

/// Joins the run and creates the tables of handles; later calls only return the process.
Process& start_library();

#if MPI_VERSION >= 4
[[nodiscard]] SessionRef session_of(MPI_Session session);

/// Runs the error handler of a session; returns the code, or does not return.
int fail(Function function, MPI_Session session, const ErrorHandlerRef& handler,
         const Error& error);
#endif

}  // namespace odonata::libmpi::api
