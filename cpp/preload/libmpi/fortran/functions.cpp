// Functions that are fully described by the types of their arguments.
#include "preload/libmpi/fortran/entry.hpp"

// Lists of parameters and of the arguments with the same names.
#define P0
#define P1 void *a1,
#define P2 P1 void *a2,
#define P3 P2 void *a3,
#define P4 P3 void *a4,
#define P5 P4 void *a5,
#define P6 P5 void *a6,
#define P7 P6 void *a7,
#define P8 P7 void *a8,
#define P9 P8 void *a9,
#define P10 P9 void *a10,
#define P11 P10 void *a11,
#define P12 P11 void *a12,
#define A0 nullptr
#define A1 a1
#define A2 A1, a2
#define A3 A2, a3
#define A4 A3, a4
#define A5 A4, a5
#define A6 A5, a6
#define A7 A6, a7
#define A8 A7, a8
#define A9 A8, a9
#define A10 A9, a10
#define A11 A10, a11
#define A12 A11, a12
// Lengths of strings.
#define LP0
#define LP1 , std::size_t l1
#define LP2 LP1, std::size_t l2
#define LA0
#define LA1 l1,
#define LA2 LA1 l2,

#define ODONATA_FORTRAN(arguments, strings, name, Name)                                            \
  ODONATA_MPI_FORTRAN(void, name, (P##arguments MPI_Fint * error LP##strings)) {                   \
    void* const places[] = {A##arguments};                                                         \
    const std::size_t lengths[] = {LA##strings 0};                                                 \
    odonata::libmpi::fortran::run<arguments, strings>(odonata::trace::Function::Name, PMPI_##Name, \
                                                      places, lengths, error);                     \
  }

#include "preload/libmpi/fortran/functions.inc"
