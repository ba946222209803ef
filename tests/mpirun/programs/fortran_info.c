/* Prints what MPI_Abi_get_fortran_info says of each type, and the size of those in the header. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

static void print_size(const char* name, MPI_Datatype type) {
  int bytes;
  MPI_Type_size(type, &bytes);
  printf("%s has %d bytes\n", name, bytes);
}

#define PRINT_SIZE(type) print_size(#type, type)

int main(int argc, char** argv) {
  MPI_Info info;
  int keys, flag;
  char key[MPI_MAX_INFO_KEY + 1], value[32];
  MPI_Init(&argc, &argv);
  /* The header of Open MPI 4 has no such function. */
  int (*get)(MPI_Info*) = (int (*)(MPI_Info*))dlsym(RTLD_DEFAULT, "MPI_Abi_get_fortran_info");
  get(&info);
  MPI_Info_get_nkeys(info, &keys);
  for (int i = 0; i < keys; ++i) {
    MPI_Info_get_nthkey(info, i, key);
    MPI_Info_get(info, key, sizeof value - 1, value, &flag);
    printf("%s is %s\n", key, flag ? value : "not there");
  }
  MPI_Info_free(&info);
#ifdef MPI_LOGICAL1
  PRINT_SIZE(MPI_LOGICAL1);
#endif
#ifdef MPI_LOGICAL2
  PRINT_SIZE(MPI_LOGICAL2);
#endif
#ifdef MPI_LOGICAL4
  PRINT_SIZE(MPI_LOGICAL4);
#endif
#ifdef MPI_LOGICAL8
  PRINT_SIZE(MPI_LOGICAL8);
#endif
#ifdef MPI_LOGICAL16
  PRINT_SIZE(MPI_LOGICAL16);
#endif
#ifdef MPI_INTEGER1
  PRINT_SIZE(MPI_INTEGER1);
#endif
#ifdef MPI_INTEGER2
  PRINT_SIZE(MPI_INTEGER2);
#endif
#ifdef MPI_INTEGER4
  PRINT_SIZE(MPI_INTEGER4);
#endif
#ifdef MPI_INTEGER8
  PRINT_SIZE(MPI_INTEGER8);
#endif
#ifdef MPI_INTEGER16
  PRINT_SIZE(MPI_INTEGER16);
#endif
#ifdef MPI_REAL2
  PRINT_SIZE(MPI_REAL2);
#endif
#ifdef MPI_REAL4
  PRINT_SIZE(MPI_REAL4);
#endif
#ifdef MPI_REAL8
  PRINT_SIZE(MPI_REAL8);
#endif
#ifdef MPI_REAL16
  PRINT_SIZE(MPI_REAL16);
#endif
#ifdef MPI_COMPLEX4
  PRINT_SIZE(MPI_COMPLEX4);
#endif
#ifdef MPI_COMPLEX8
  PRINT_SIZE(MPI_COMPLEX8);
#endif
#ifdef MPI_COMPLEX16
  PRINT_SIZE(MPI_COMPLEX16);
#endif
#ifdef MPI_COMPLEX32
  PRINT_SIZE(MPI_COMPLEX32);
#endif
#ifdef MPI_DOUBLE_COMPLEX
  PRINT_SIZE(MPI_DOUBLE_COMPLEX);
#endif
  PRINT_SIZE(MPI_LOGICAL);
  PRINT_SIZE(MPI_INTEGER);
  PRINT_SIZE(MPI_REAL);
  PRINT_SIZE(MPI_DOUBLE_PRECISION);
  MPI_Finalize();
  return 0;
}
