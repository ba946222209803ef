#pragma once

#include <string>

namespace odonata::amg {

// Says why the hypre that the loader found can't be used; empty if it can. The program may have
// come with another one than this library was built with.
std::string unfit_hypre();

}  // namespace odonata::amg
