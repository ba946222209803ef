// Names that MPI and the system have for the node of a rank.
#include <mpi.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <unistd.h>

int main(int argc, char** argv) {
  char name[MPI_MAX_PROCESSOR_NAME], host[256];
  struct utsname system;
  int length;
  MPI_Init(&argc, &argv);
  MPI_Get_processor_name(name, &length);
  if (gethostname(host, sizeof host) != 0 || uname(&system) != 0) return 1;
  if (gethostname(host + 200, 4) == 0) return 2;  // too small
  printf("host %s %s %s\n", name, host, system.nodename);
  return MPI_Finalize();
}
