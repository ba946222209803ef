/* A program without mpi.h, of any MPI: WORLD is its MPI_COMM_WORLD in C, FORTRAN_WORLD in Fortran. */
#include <stdio.h>
#ifdef FORTRAN_WORLD
void mpi_init_(int*), mpi_comm_rank_(int*, int*, int*), mpi_comm_size_(int*, int*, int*);
void mpi_barrier_(int*, int*), mpi_finalize_(int*);
#else
extern char ompi_mpi_comm_world[];
int MPI_Init(int*, char***), MPI_Comm_rank(__typeof__(WORLD), int*);
int MPI_Comm_size(__typeof__(WORLD), int*), PMPI_Barrier(__typeof__(WORLD)), MPI_Finalize(void);
#endif
#ifdef OTHER
int other(void);
#else
static int other(void) { return 0; }
#endif

int main(void) {
  int rank = -1, size = -1;
#ifdef FORTRAN_WORLD
  int world = FORTRAN_WORLD, error;
  mpi_init_(&error);
  mpi_comm_rank_(&world, &rank, &error);
  mpi_comm_size_(&world, &size, &error);
  mpi_barrier_(&world, &error);
#else
  MPI_Init(0, 0);
  MPI_Comm_rank(WORLD, &rank);
  MPI_Comm_size(WORLD, &size);
  PMPI_Barrier(WORLD);
#endif
  printf("%d of %d, %d\n", rank, size, other());
#ifdef FORTRAN_WORLD
  mpi_finalize_(&error);
#else
  MPI_Finalize();
#endif
  return 0;
}
