// Integers that stand for handles in Fortran: requests, messages, and what is absent.
#include "libmpi/api/api.hpp"

namespace odonata::libmpi::api {

ODONATA_MPI(MPI_Fint, Request_c2f, (MPI_Request request)) {
  return abi::to_integer(MPI_REQUEST_NULL, request);
}
ODONATA_MPI(MPI_Request, Request_f2c, (MPI_Fint request)) {
  return abi::from_integer(MPI_REQUEST_NULL, request);
}
ODONATA_MPI(int, Request_toint, (MPI_Request request)) {
  return abi::to_integer(MPI_REQUEST_NULL, request);
}
ODONATA_MPI(MPI_Request, Request_fromint, (int request)) {
  return abi::from_integer(MPI_REQUEST_NULL, request);
}

ODONATA_MPI(MPI_Fint, Message_c2f, (MPI_Message message)) {
  return abi::to_integer(MPI_MESSAGE_NULL, message);
}
ODONATA_MPI(MPI_Message, Message_f2c, (MPI_Fint message)) {
  return abi::from_integer(MPI_MESSAGE_NULL, message);
}
ODONATA_MPI(int, Message_toint, (MPI_Message message)) {
  return abi::to_integer(MPI_MESSAGE_NULL, message);
}
ODONATA_MPI(MPI_Message, Message_fromint, (int message)) {
  return abi::from_integer(MPI_MESSAGE_NULL, message);
}

}  // namespace odonata::libmpi::api
