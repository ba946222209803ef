// Asks all other ranks and answers them as they come, as hypre does: the order of calls depends on
// time, their number but for polls does not.
#include <mpi.h>

enum { question = 1, answer = 2, most = 64 };

int main(int argc, char** argv) {
  int rank = 0, size = 0, answered = 0, others = 0, all = 0;
  int asked[most], answers[most], number[most], bell = 0;
  MPI_Request mine[most], sent[2 * most], far = MPI_REQUEST_NULL, ringing = MPI_REQUEST_NULL;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  others = size - 1;
  for (int i = 0; i < others; ++i) {
    const int other = (rank + 1 + i) % size;
    asked[i] = rank;
    MPI_Irecv(&answers[i], 1, MPI_INT, other, answer, MPI_COMM_WORLD, &mine[i]);
    MPI_Isend(&asked[i], 1, MPI_INT, other, question, MPI_COMM_WORLD, &sent[i]);
  }
  while (answered < others || !all) {
    MPI_Status status;
    int found = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, question, MPI_COMM_WORLD, &found, &status);
    if (found) {
      int count = 0;
      MPI_Get_count(&status, MPI_INT, &count);
      MPI_Recv(&number[answered], count, MPI_INT, status.MPI_SOURCE, question, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
      MPI_Isend(&number[answered], 1, MPI_INT, status.MPI_SOURCE, answer, MPI_COMM_WORLD,
                &sent[others + answered]);
      ++answered;
    }
    if (!all) {
      MPI_Testall(others, mine, &all, MPI_STATUSES_IGNORE);
      if (all) {  // comes before or after some of the answers
        MPI_Irecv(&bell, 1, MPI_INT, (rank + others) % size, 3, MPI_COMM_WORLD, &far);
        MPI_Isend(&rank, 1, MPI_INT, (rank + 1) % size, 3, MPI_COMM_WORLD, &ringing);
      }
    }
  }
  MPI_Waitall(2 * others, sent, MPI_STATUSES_IGNORE);
  MPI_Wait(&far, MPI_STATUS_IGNORE);
  MPI_Wait(&ringing, MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
