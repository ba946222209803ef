// Versions of MPI and of the library, and the name of the node.
#include "odonata/live/memory.hpp"
#include "preload/libmpi/api/api.hpp"
#include "preload/libmpi/api/strings.hpp"

namespace odonata::libmpi::api {

ODONATA_MPI(int, Get_version, (int* version, int* subversion)) {
  if (version == nullptr || subversion == nullptr) return MPI_ERR_ARG;
  *version = MPI_VERSION;
  *subversion = MPI_SUBVERSION;
  return MPI_SUCCESS;
}

ODONATA_MPI(int, Get_library_version, (char* version, int* length)) {
  if (version == nullptr || length == nullptr) return MPI_ERR_ARG;
  std::string text = "Odonata " ODONATA_VERSION ", a simulated machine (ABI: ";
  text.append(abi::name).append(")");
  *length = copy_string(text, version, MPI_MAX_LIBRARY_VERSION_STRING);
  return MPI_SUCCESS;
}

ODONATA_MPI(int, Get_processor_name, (char* name, int* length)) {
  return call(Function::Get_processor_name, [&] {
    const Endpoint& endpoint = *self().endpoint;
    out(length) = copy_string(live::node_name(endpoint.header(), endpoint.rank()), name,
                              MPI_MAX_PROCESSOR_NAME);
  });
}

}  // namespace odonata::libmpi::api
