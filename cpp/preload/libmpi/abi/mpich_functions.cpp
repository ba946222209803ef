// Functions beside MPI that MPICH's module mpi_f08 calls for Fortran programs.
#include "preload/libmpi/api/communicators/attribute.hpp"
#include "preload/libmpi/api/requests/generalized.hpp"

#define ODONATA_EXPORT extern "C" __attribute__((visibility("default")))

using namespace odonata::libmpi;

ODONATA_EXPORT void MPII_Keyval_set_proxy(int keyval, void (*copy)(), void (*remove)()) {
  api::call_through(keyval, copy, remove);
}

ODONATA_EXPORT void MPII_Grequest_set_lang_f77(MPI_Request handle) {
  const RequestRef request = api::request_of(handle);
  if (auto* generalized = dynamic_cast<api::GeneralizedRequest*>(request.get()))
    generalized->speak_fortran();
}
