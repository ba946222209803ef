// The functions behind the predefined copy and delete functions of Open MPI's mpi.h, and functions
// for its C++ bindings.
#include "preload/libmpi/abi/openmpi.hpp"
#include "preload/libmpi/core/environment/absent.hpp"

#define ODONATA_EXPORT extern "C" __attribute__((visibility("default")))

#define ODONATA_NULL_COPY(name, Handle)                                                            \
  ODONATA_EXPORT int name(Handle, int, void*, void*, void*, int* flag) {                           \
    *flag = 0;                                                                                     \
    return MPI_SUCCESS;                                                                            \
  }
#define ODONATA_DUP(name, Handle)                                                                  \
  ODONATA_EXPORT int name(Handle, int, void*, void* from, void* to, int* flag) {                   \
    *static_cast<void**>(to) = from;                                                               \
    *flag = 1;                                                                                     \
    return MPI_SUCCESS;                                                                            \
  }
#define ODONATA_NULL_DELETE(name, Handle)                                                          \
  ODONATA_EXPORT int name(Handle, int, void*, void*) { return MPI_SUCCESS; }

ODONATA_NULL_COPY(OMPI_C_MPI_COMM_NULL_COPY_FN, MPI_Comm)
ODONATA_NULL_COPY(OMPI_C_MPI_TYPE_NULL_COPY_FN, MPI_Datatype)
ODONATA_NULL_COPY(OMPI_C_MPI_WIN_NULL_COPY_FN, MPI_Win)
ODONATA_NULL_COPY(OMPI_C_MPI_NULL_COPY_FN, MPI_Comm)
ODONATA_DUP(OMPI_C_MPI_COMM_DUP_FN, MPI_Comm)
ODONATA_DUP(OMPI_C_MPI_TYPE_DUP_FN, MPI_Datatype)
ODONATA_DUP(OMPI_C_MPI_WIN_DUP_FN, MPI_Win)
ODONATA_DUP(OMPI_C_MPI_DUP_FN, MPI_Comm)
ODONATA_NULL_DELETE(OMPI_C_MPI_COMM_NULL_DELETE_FN, MPI_Comm)
ODONATA_NULL_DELETE(OMPI_C_MPI_TYPE_NULL_DELETE_FN, MPI_Datatype)
ODONATA_NULL_DELETE(OMPI_C_MPI_WIN_NULL_DELETE_FN, MPI_Win)
ODONATA_NULL_DELETE(OMPI_C_MPI_NULL_DELETE_FN, MPI_Comm)

// Callbacks of the C++ bindings, which MPI-3 removed.
#define ODONATA_CXX(name, what)                                                                    \
  ODONATA_EXPORT void name() { odonata::libmpi::end_in_absent(what); }

ODONATA_CXX(ompi_attr_create_keyval, "MPI::Comm::Create_keyval")
ODONATA_CXX(ompi_errhandler_create, "MPI::Comm::Create_errhandler")
ODONATA_CXX(ompi_errhandler_invoke, "MPI::Comm::Call_errhandler")
ODONATA_CXX(ompi_op_set_cxx_callback, "MPI::Op::Init")
