// Functions of the C library in place of which a program that is loaded calls others.
#pragma once

#include <span>
#include <string_view>

#include "odonata/live/objects.hpp"

namespace odonata::live {

struct Redirection {
  std::string_view name;
  void* to;
};

/// Changes where a shared object, and the libraries that it needs, find functions of these names.
/// The C library itself, libraries of MPI and the dynamic linker are left alone.
void redirect(void* loaded, std::span<const Redirection> functions);

/// The same for one object.
void redirect_one(const Object& object, std::span<const Redirection> functions);

/// Lets an object find its own exported data where a program that is loaded finds data of these
/// names, as the dynamic linker does where the program comes first.
void share_data(const Object& object, void* loaded);

}  // namespace odonata::live
