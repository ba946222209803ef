/* What says.f90 calls. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

void start(void) { MPI_Init(NULL, NULL); }
void say(int line) { printf("C %d\n", line); }
void die(void) { abort(); }
