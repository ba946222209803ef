// The integers that stand for constant handles in Fortran, as in Open MPI's mpif.h.
#pragma once

#include <array>
#include <cstdint>
#include <utility>

namespace odonata::libmpi::abi {

template <class Handle>
struct Constant {
  int integer;
  Handle handle;
};

inline auto constants(MPI_Comm) {
  return std::to_array<Constant<MPI_Comm>>({
      {0, MPI_COMM_WORLD},
      {1, MPI_COMM_SELF},
      {2, MPI_COMM_NULL},
  });
}

inline auto constants(MPI_Group) {
  return std::to_array<Constant<MPI_Group>>({
      {0, MPI_GROUP_NULL},
      {1, MPI_GROUP_EMPTY},
  });
}

inline auto constants(MPI_Request) {
  return std::to_array<Constant<MPI_Request>>({
      {0, MPI_REQUEST_NULL},
  });
}

inline auto constants(MPI_Message) {
  return std::to_array<Constant<MPI_Message>>({
      {0, MPI_MESSAGE_NULL},
      {1, MPI_MESSAGE_NO_PROC},
  });
}

inline auto constants(MPI_Errhandler) {
  return std::to_array<Constant<MPI_Errhandler>>({
      {0, MPI_ERRHANDLER_NULL},
      {1, MPI_ERRORS_ARE_FATAL},
      {2, MPI_ERRORS_RETURN},
  });
}

inline auto constants(MPI_Info) {
  return std::to_array<Constant<MPI_Info>>({
      {0, MPI_INFO_NULL},
      {1, MPI_INFO_ENV},
  });
}

inline auto constants(MPI_Op) {
  return std::to_array<Constant<MPI_Op>>({
      {0, MPI_OP_NULL},
      {1, MPI_MAX},
      {2, MPI_MIN},
      {3, MPI_SUM},
      {4, MPI_PROD},
      {5, MPI_LAND},
      {6, MPI_BAND},
      {7, MPI_LOR},
      {8, MPI_BOR},
      {9, MPI_LXOR},
      {10, MPI_BXOR},
      {11, MPI_MAXLOC},
      {12, MPI_MINLOC},
      {13, MPI_REPLACE},
      {14, MPI_NO_OP},
  });
}

inline auto constants(MPI_Win) {
  return std::to_array<Constant<MPI_Win>>({
      {0, MPI_WIN_NULL},
  });
}

inline auto constants(MPI_Datatype) {
  return std::to_array<Constant<MPI_Datatype>>({
      {0, MPI_DATATYPE_NULL},
      {1, MPI_BYTE},
      {2, MPI_PACKED},
      {3, MPI_UB},
      {4, MPI_LB},
      {5, MPI_CHARACTER},
      {6, MPI_LOGICAL},
      {7, MPI_INTEGER},
#ifdef MPI_INTEGER1
      {8, MPI_INTEGER1},
#endif
#ifdef MPI_INTEGER2
      {9, MPI_INTEGER2},
#endif
#ifdef MPI_INTEGER4
      {10, MPI_INTEGER4},
#endif
#ifdef MPI_INTEGER8
      {11, MPI_INTEGER8},
#endif
#ifdef MPI_INTEGER16
      {12, MPI_INTEGER16},
#endif
      {13, MPI_REAL},
#ifdef MPI_REAL4
      {14, MPI_REAL4},
#endif
#ifdef MPI_REAL8
      {15, MPI_REAL8},
#endif
#ifdef MPI_REAL16
      {16, MPI_REAL16},
#endif
      {17, MPI_DOUBLE_PRECISION},
#ifdef MPI_COMPLEX
      {18, MPI_COMPLEX},
#endif
#ifdef MPI_COMPLEX8
      {19, MPI_COMPLEX8},
#endif
#ifdef MPI_COMPLEX16
      {20, MPI_COMPLEX16},
#endif
#ifdef MPI_COMPLEX32
      {21, MPI_COMPLEX32},
#endif
      {22, MPI_DOUBLE_COMPLEX},
      {23, MPI_2REAL},
      {24, MPI_2DOUBLE_PRECISION},
      {25, MPI_2INTEGER},
#ifdef MPI_2COMPLEX
      {26, MPI_2COMPLEX},
#endif
#ifdef MPI_2DOUBLE_COMPLEX
      {27, MPI_2DOUBLE_COMPLEX},
#endif
#ifdef MPI_LOGICAL1
      {29, MPI_LOGICAL1},
#endif
#ifdef MPI_LOGICAL2
      {30, MPI_LOGICAL2},
#endif
#ifdef MPI_LOGICAL4
      {31, MPI_LOGICAL4},
#endif
#ifdef MPI_LOGICAL8
      {32, MPI_LOGICAL8},
#endif
      {33, MPI_WCHAR},
      {34, MPI_CHAR},
      {35, MPI_UNSIGNED_CHAR},
      {36, MPI_SIGNED_CHAR},
      {37, MPI_SHORT},
      {38, MPI_UNSIGNED_SHORT},
      {39, MPI_INT},
      {40, MPI_UNSIGNED},
      {41, MPI_LONG},
      {42, MPI_UNSIGNED_LONG},
      {43, MPI_LONG_LONG},
      {44, MPI_UNSIGNED_LONG_LONG},
      {45, MPI_FLOAT},
      {46, MPI_DOUBLE},
      {47, MPI_LONG_DOUBLE},
      {48, MPI_FLOAT_INT},
      {49, MPI_DOUBLE_INT},
      {50, MPI_LONG_DOUBLE_INT},
      {51, MPI_LONG_INT},
      {52, MPI_2INT},
      {53, MPI_SHORT_INT},
#ifdef MPI_CXX_LONG_DOUBLE_COMPLEX
      {57, MPI_CXX_LONG_DOUBLE_COMPLEX},
#endif
#ifdef MPI_C_LONG_DOUBLE_COMPLEX
      {71, MPI_C_LONG_DOUBLE_COMPLEX},
#endif
  });
}

template <class Handle>
int integer_of_constant(Handle handle) {
  for (const auto& constant : constants(handle))
    if (constant.handle == handle) return constant.integer;
  return -1;
}
template <class Handle>
Handle constant_of_integer(Handle null, int integer) {
  for (const auto& constant : constants(null))
    if (constant.integer == integer) return constant.handle;
  return null;
}

}  // namespace odonata::libmpi::abi
