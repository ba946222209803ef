/* Prints what a rank can learn of its place: its node, and the variables that its arguments name. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  char node[MPI_MAX_PROCESSOR_NAME], line[1000];
  int rank, length, used;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Get_processor_name(node, &length);
  used = snprintf(line, sizeof line, "%d %s", rank, node);
  for (int i = 1; i < argc; ++i) {
    const char* value = getenv(argv[i]);
    used += snprintf(line + used, sizeof line - (size_t)used, " %s", value ? value : "-");
  }
  puts(line);
  MPI_Finalize();
  return 0;
}
