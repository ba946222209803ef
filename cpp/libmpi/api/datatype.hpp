// What the functions on datatypes share.
#pragma once

#include <optional>
#include <vector>

#include "libmpi/api/api.hpp"
#include "libmpi/core/type_constructors.hpp"

namespace odonata::libmpi::api {

/// A new handle, not yet committed.
[[nodiscard]] MPI_Datatype add(TypeRef type);
/// The handle of exactly this type, if there is one.
[[nodiscard]] std::optional<MPI_Datatype> handle_of(const Datatype& type);
/// The same if it is a constant of MPI or of MPI_Type_create_f90_*.
[[nodiscard]] std::optional<MPI_Datatype> constant_of(const Datatype& type);

/// Makes a datatype and its handle.
template <class Maker>
int make(Function function, MPI_Datatype* made, Maker&& maker) {
  return call(function, [&] { out(made) = add(TypeRef(maker())); });
}

/// An array of the program's.
template <class Integer>
std::vector<std::int64_t> list(std::int64_t count, const Integer* values) {
  require(count >= 0, ErrorClass::count, "the count is negative");
  require(values != nullptr || count == 0, ErrorClass::arg, "an array is a null pointer");
  return std::vector<std::int64_t>(values, values + count);
}

/// What fits an int, and MPI_UNDEFINED otherwise.
[[nodiscard]] int int_or_undefined(std::int64_t value);

}  // namespace odonata::libmpi::api
