// Simulated time.
#include "preload/libmpi/api/api.hpp"

namespace odonata::libmpi::api {

ODONATA_MPI(double, Wtime, (void)) {
  const CallScope scope(Function::Wtime);
  return static_cast<double>(clock(Function::Wtime)) * 1e-12;
}

ODONATA_MPI(double, Wtick, (void)) { return 1e-12; }

}  // namespace odonata::libmpi::api
