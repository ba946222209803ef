// Integers that stand for handles in Fortran, and statuses as arrays of them.
#include <cstring>

#include "preload/libmpi/api/api.hpp"

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

ODONATA_MPI(MPI_Fint, Type_c2f, (MPI_Datatype type)) {
  return abi::to_integer(MPI_DATATYPE_NULL, type);
}
ODONATA_MPI(MPI_Datatype, Type_f2c, (MPI_Fint type)) {
  return abi::from_integer(MPI_DATATYPE_NULL, type);
}
ODONATA_MPI(int, Type_toint, (MPI_Datatype type)) {
  return abi::to_integer(MPI_DATATYPE_NULL, type);
}
ODONATA_MPI(MPI_Datatype, Type_fromint, (int type)) {
  return abi::from_integer(MPI_DATATYPE_NULL, type);
}

ODONATA_MPI(MPI_Fint, Op_c2f, (MPI_Op op)) { return abi::to_integer(MPI_OP_NULL, op); }
ODONATA_MPI(MPI_Op, Op_f2c, (MPI_Fint op)) { return abi::from_integer(MPI_OP_NULL, op); }
ODONATA_MPI(int, Op_toint, (MPI_Op op)) { return abi::to_integer(MPI_OP_NULL, op); }
ODONATA_MPI(MPI_Op, Op_fromint, (int op)) { return abi::from_integer(MPI_OP_NULL, op); }

// Windows and files do not exist, so their handles are null.
ODONATA_MPI(MPI_Fint, Win_c2f, (MPI_Win win)) { return abi::to_integer(MPI_WIN_NULL, win); }
ODONATA_MPI(MPI_Win, Win_f2c, (MPI_Fint)) { return MPI_WIN_NULL; }
ODONATA_MPI(MPI_Fint, File_c2f, (MPI_File)) { return 0; }
ODONATA_MPI(MPI_File, File_f2c, (MPI_Fint)) { return MPI_FILE_NULL; }
ODONATA_MPI(int, Win_toint, (MPI_Win win)) { return abi::to_integer(MPI_WIN_NULL, win); }
ODONATA_MPI(MPI_Win, Win_fromint, (int)) { return MPI_WIN_NULL; }
ODONATA_MPI(int, File_toint, (MPI_File)) { return 0; }
ODONATA_MPI(MPI_File, File_fromint, (int)) { return MPI_FILE_NULL; }

// A status in Fortran, also in Fortran 2008, is an array of the integers that it consists of in C.
#define ODONATA_SAME_STATUS(name, From, To)                                                        \
  ODONATA_MPI(int, Status_##name, (const From* from, To* to)) {                                    \
    std::memcpy(to, from, sizeof(MPI_Status));                                                     \
    return MPI_SUCCESS;                                                                            \
  }
ODONATA_SAME_STATUS(c2f, MPI_Status, MPI_Fint)
ODONATA_SAME_STATUS(f2c, MPI_Fint, MPI_Status)
#ifdef ODONATA_ABI_MPICH
ODONATA_SAME_STATUS(c2f08, MPI_Status, MPI_F08_status)
ODONATA_SAME_STATUS(f082c, MPI_F08_status, MPI_Status)
ODONATA_SAME_STATUS(f082f, MPI_F08_status, MPI_Fint)
ODONATA_SAME_STATUS(f2f08, MPI_Fint, MPI_F08_status)
#endif

}  // namespace odonata::libmpi::api
