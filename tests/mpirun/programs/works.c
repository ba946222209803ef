/* Computes for some 10 ms, and says that it has computed for another 2 ms. */
#include <mpi.h>

int main(int argc, char** argv) {
  volatile double sum = 0;
  MPI_Init(&argc, &argv);
  for (int i = 1; i < 5000000; ++i) sum += 1.0 / i;
  MPI_Pcontrol(13663866, 2e-3);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
