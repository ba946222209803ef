// Attributes of communicators and datatypes, where these are duplicated and freed.
#pragma once

#include <memory>

#include "preload/libmpi/api/api.hpp"

namespace odonata::libmpi::api {

/// The attributes of a duplicate, made by the program's copy functions; null without attributes.
/// Throws ErrorCode if a function fails.
[[nodiscard]] std::shared_ptr<Attributes> copy_attributes(MPI_Comm handle, const Comm& comm);
[[nodiscard]] std::shared_ptr<Attributes> copy_attributes(MPI_Datatype handle,
                                                          const TypeObject& type);
/// Calls the program's delete functions, the last attribute that was set first.
void delete_attributes(MPI_Comm handle, Comm& comm);
void delete_attributes(MPI_Datatype handle, TypeObject& type);

/// Sets the functions of an MPICH language binding through which a key's functions are called.
void call_through(int keyval, void (*copy)(), void (*remove)());

}  // namespace odonata::libmpi::api
