// Variables of a shared object as they were before its constructors ran.
#pragma once

#include <vector>

#include "odonata/live/objects.hpp"
#include "odonata/live/variables.hpp"

namespace odonata::live {

/// The writable segments of an object, without the parts that the dynamic linker protects, with
/// their contents before any constructor. Places that hold the address of a symbol have the present
/// one. Throws UserError if its file cannot be read.
[[nodiscard]] std::vector<Piece> pristine_variables(const Object& object);

/// The thread-local variables of an object in the thread that calls, with the contents that a new
/// thread finds. No bytes without such variables.
[[nodiscard]] Piece pristine_thread_variables(const Object& object);

}  // namespace odonata::live
