// Handles and arguments of the datatype functions.
#pragma once

#include <optional>
#include <vector>

#include "preload/libmpi/api/api.hpp"
#include "preload/libmpi/core/datatypes/type_constructors.hpp"

namespace odonata::libmpi::api {

/// A new handle; its datatype is not yet committed.
[[nodiscard]] MPI_Datatype add(TypeRef type);
/// The handle of exactly this type, if there is one.
[[nodiscard]] std::optional<MPI_Datatype> handle_of(const Datatype& type);
/// The same, for a constant of MPI or a result of MPI_Type_create_f90_*.
[[nodiscard]] std::optional<MPI_Datatype> constant_of(const Datatype& type);

/// Makes a datatype and its handle.
template <class Maker>
int make(Function function, MPI_Datatype* made, Maker&& maker) {
  return call(function, [&] { out(made) = add(TypeRef(maker())); });
}

/// Copies an array of the program. Throws Error if it is null or its length negative.
template <class Integer>
std::vector<std::int64_t> list(std::int64_t count, const Integer* values) {
  require(count >= 0, ErrorClass::count, "the count is negative");
  require(values != nullptr || count == 0, ErrorClass::arg, "an array is a null pointer");
  return std::vector<std::int64_t>(values, values + count);
}

/// The value if an int can hold it, else MPI_UNDEFINED.
[[nodiscard]] int int_or_undefined(std::int64_t value);

}  // namespace odonata::libmpi::api
