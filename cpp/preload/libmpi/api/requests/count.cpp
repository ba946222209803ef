// Numbers of elements in a message.
#include "preload/libmpi/api/datatypes/datatype.hpp"

namespace odonata::libmpi::api {

namespace {

/// Whole elements of the datatype, MPI_UNDEFINED if the message ended within one.
std::int64_t count_of(const MPI_Status* status, MPI_Datatype datatype) {
  const std::int64_t size = type_of(datatype)->size();
  const std::int64_t bytes = read_status(out(status)).bytes;
  if (size == 0) return bytes == 0 ? 0 : std::int64_t{MPI_UNDEFINED};
  return bytes % size == 0 ? bytes / size : std::int64_t{MPI_UNDEFINED};
}

/// The same in basic elements of the datatype.
std::int64_t elements_of(const MPI_Status* status, MPI_Datatype datatype) {
  const std::int64_t bytes = read_status(out(status)).bytes;
  const std::int64_t found = type_of(datatype)->signature()->elements_in(bytes);
  return found < 0 ? std::int64_t{MPI_UNDEFINED} : found;
}

int set_elements(Function function, MPI_Status* status, MPI_Datatype datatype, std::int64_t count) {
  return call(function, [&] {
    Status now = read_status(out(status));
    now.bytes = type_of(datatype)->signature()->bytes_of(count);
    write_status(status, now);
  });
}

}  // namespace

ODONATA_MPI(int, Get_count, (const MPI_Status* status, MPI_Datatype datatype, int* count)) {
  return call(Function::Get_count,
              [&] { out(count) = int_or_undefined(count_of(status, datatype)); });
}

ODONATA_MPI(int, Get_elements, (const MPI_Status* status, MPI_Datatype datatype, int* count)) {
  return call(Function::Get_elements,
              [&] { out(count) = int_or_undefined(elements_of(status, datatype)); });
}

ODONATA_MPI(int, Get_elements_x,
            (const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count)) {
  return call(Function::Get_elements_x, [&] { out(count) = elements_of(status, datatype); });
}

ODONATA_MPI(int, Status_set_elements, (MPI_Status * status, MPI_Datatype datatype, int count)) {
  return set_elements(Function::Status_set_elements, status, datatype, count);
}

ODONATA_MPI(int, Status_set_elements_x,
            (MPI_Status * status, MPI_Datatype datatype, MPI_Count count)) {
  return set_elements(Function::Status_set_elements_x, status, datatype, count);
}

#if MPI_VERSION >= 4
ODONATA_MPI(int, Get_count_c, (const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count)) {
  return call(Function::Get_count_c, [&] { out(count) = count_of(status, datatype); });
}

ODONATA_MPI(int, Get_elements_c,
            (const MPI_Status* status, MPI_Datatype datatype, MPI_Count* count)) {
  return call(Function::Get_elements_c, [&] { out(count) = elements_of(status, datatype); });
}

ODONATA_MPI(int, Status_set_elements_c,
            (MPI_Status * status, MPI_Datatype datatype, MPI_Count count)) {
  return set_elements(Function::Status_set_elements_c, status, datatype, count);
}
#endif

}  // namespace odonata::libmpi::api
