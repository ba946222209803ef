// Functions of the C library in place of which a program that is loaded calls others.
#pragma once

#include <span>
#include <string_view>

namespace odonata::live {

struct Redirection {
  std::string_view name;
  void* to;
};

/// Changes where a shared object, and the libraries that it needs, find functions of these names.
/// The C library itself, libraries of MPI and the dynamic linker are left alone.
void redirect(void* loaded, std::span<const Redirection> functions);

}  // namespace odonata::live
