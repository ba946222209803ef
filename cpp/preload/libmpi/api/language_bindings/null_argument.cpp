// The answer to null pointers that the entry points for Fortran would read or write.
#include "preload/libmpi/api/api.hpp"
#include "preload/libmpi/api/language_bindings/fortran.hpp"

using namespace odonata::libmpi;

extern "C" __attribute__((visibility("default"))) int odonata_null_argument(int function) {
  if (!attached()) return MPI_ERR_ARG;
  return api::call(static_cast<odonata::trace::Function>(function),
                   [] { api::refuse(ErrorClass::arg, "the address of an argument is null"); });
}
