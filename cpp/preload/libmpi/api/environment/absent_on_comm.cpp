// Absent functions with a communicator: a call runs the error handler of that communicator.
#include "preload/libmpi/api/api.hpp"

namespace odonata::libmpi::api {

ODONATA_MPI(int, Win_create, (void*, MPI_Aint, int, MPI_Info, MPI_Comm comm, MPI_Win*)) {
  return absent_on(Function::Win_create, comm);
}
ODONATA_MPI(int, Win_allocate, (MPI_Aint, int, MPI_Info, MPI_Comm comm, void*, MPI_Win*)) {
  return absent_on(Function::Win_allocate, comm);
}
ODONATA_MPI(int, Win_allocate_shared, (MPI_Aint, int, MPI_Info, MPI_Comm comm, void*, MPI_Win*)) {
  return absent_on(Function::Win_allocate_shared, comm);
}
ODONATA_MPI(int, Win_create_dynamic, (MPI_Info, MPI_Comm comm, MPI_Win*)) {
  return absent_on(Function::Win_create_dynamic, comm);
}
#if MPI_VERSION >= 4
ODONATA_MPI(int, Win_create_c, (void*, MPI_Aint, MPI_Aint, MPI_Info, MPI_Comm comm, MPI_Win*)) {
  return absent_on(Function::Win_create_c, comm);
}
ODONATA_MPI(int, Win_allocate_c, (MPI_Aint, MPI_Aint, MPI_Info, MPI_Comm comm, void*, MPI_Win*)) {
  return absent_on(Function::Win_allocate_c, comm);
}
ODONATA_MPI(int, Win_allocate_shared_c,
            (MPI_Aint, MPI_Aint, MPI_Info, MPI_Comm comm, void*, MPI_Win*)) {
  return absent_on(Function::Win_allocate_shared_c, comm);
}
#endif

ODONATA_MPI(int, Comm_spawn,
            (const char*, char**, int, MPI_Info, int, MPI_Comm comm, MPI_Comm*, int*)) {
  return absent_on(Function::Comm_spawn, comm);
}
ODONATA_MPI(int, Comm_spawn_multiple,
            (int, char**, char***, const int*, const MPI_Info*, int, MPI_Comm comm, MPI_Comm*,
             int*)) {
  return absent_on(Function::Comm_spawn_multiple, comm);
}
ODONATA_MPI(int, Comm_accept, (const char*, MPI_Info, int, MPI_Comm comm, MPI_Comm*)) {
  return absent_on(Function::Comm_accept, comm);
}
ODONATA_MPI(int, Comm_connect, (const char*, MPI_Info, int, MPI_Comm comm, MPI_Comm*)) {
  return absent_on(Function::Comm_connect, comm);
}

}  // namespace odonata::libmpi::api
