// Attributes of communicators and datatypes, for those who duplicate and free them.
#pragma once

#include <memory>

#include "libmpi/api/api.hpp"

namespace odonata::libmpi::api {

/// What the program's copy functions make of the attributes of an object; null if that is nothing.
/// Throws ErrorCode if one of them fails.
[[nodiscard]] std::shared_ptr<Attributes> copy_attributes(MPI_Comm handle, const Comm& comm);
[[nodiscard]] std::shared_ptr<Attributes> copy_attributes(MPI_Datatype handle,
                                                          const TypeObject& type);
/// Calls the program's delete functions, the last attribute that was set first.
void delete_attributes(MPI_Comm handle, Comm& comm);
void delete_attributes(MPI_Datatype handle, TypeObject& type);

/// Has the functions of a key called through those of a binding of MPICH's.
void call_through(int keyval, void (*copy)(), void (*remove)());

}  // namespace odonata::libmpi::api
