// Statuses.
#include "preload/libmpi/api/api.hpp"

namespace odonata::libmpi::api {

ODONATA_MPI(int, Test_cancelled, (const MPI_Status* status, int* flag)) {
  return call(Function::Test_cancelled,
              [&] { out(flag) = read_status(out(status)).cancelled ? 1 : 0; });
}

ODONATA_MPI(int, Status_set_cancelled, (MPI_Status * status, int flag)) {
  return call(Function::Status_set_cancelled, [&] {
    Status changed = read_status(out(status));
    changed.cancelled = flag != 0;
    abi::write_status(out(status), changed);
  });
}

ODONATA_MPI(int, Status_get_source, (const MPI_Status* status, int* source)) {
  return call(Function::Status_get_source, [&] { out(source) = out(status).MPI_SOURCE; });
}
ODONATA_MPI(int, Status_get_tag, (const MPI_Status* status, int* tag)) {
  return call(Function::Status_get_tag, [&] { out(tag) = out(status).MPI_TAG; });
}
ODONATA_MPI(int, Status_get_error, (const MPI_Status* status, int* error)) {
  return call(Function::Status_get_error, [&] { out(error) = out(status).MPI_ERROR; });
}
ODONATA_MPI(int, Status_set_source, (MPI_Status * status, int source)) {
  return call(Function::Status_set_source, [&] { out(status).MPI_SOURCE = source; });
}
ODONATA_MPI(int, Status_set_tag, (MPI_Status * status, int tag)) {
  return call(Function::Status_set_tag, [&] { out(status).MPI_TAG = tag; });
}
ODONATA_MPI(int, Status_set_error, (MPI_Status * status, int error)) {
  return call(Function::Status_set_error, [&] { out(status).MPI_ERROR = error; });
}

}  // namespace odonata::libmpi::api
