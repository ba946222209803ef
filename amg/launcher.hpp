#pragma once

#include <string>

namespace odonata::amg {

// Name and version of the MPI.
std::string mpi_version();

// Why the launcher does not fit: it started several processes, and each is alone in its world,
// because it belongs to another MPI. Empty if it fits.
std::string unfit_launcher(int ranks);

}  // namespace odonata::amg
