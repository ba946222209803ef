#include "launcher.hpp"

#include <mpi.h>

#include <cstdlib>

namespace odonata::amg {
namespace {

// Where launchers say how many processes they start: MPICH and its relatives, Open MPI.
constexpr const char* size_variables[] = {"PMI_SIZE", "OMPI_COMM_WORLD_SIZE"};

int launched() {
  for (const char* name : size_variables) {
    const char* said = std::getenv(name);
    if (said && *said && *said != '0') return std::atoi(said);
  }
  return 1;
}

}  // namespace

std::string mpi_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(text, &length);
  const std::string version(text, std::size_t(length));
  return version.substr(0, version.find_first_of("\n,"));
}

std::string unfit_launcher(int ranks) {
  const int size = launched();
  if (ranks > 1 || size <= 1) return "";
  return "MPI: each of " + std::to_string(size) + " processes is alone, for their launcher is of " +
         "another MPI than this program's, " + mpi_version() + "; allowed: " ODONATA_AMG_MPIEXEC;
}

}  // namespace odonata::amg
