! Sends round a ring and sums, by the module mpi_f08.
program modern
  use mpi_f08
  implicit none
  type(MPI_Comm) :: half
  type(MPI_Request) :: requests(2)
  type(MPI_Status) :: statuses(2)
  integer :: rank, ranks, right, left, came, total, part
  character(80) :: line
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  right = modulo(rank + 1, ranks)
  left = modulo(rank - 1, ranks)
  call MPI_Irecv(came, 1, MPI_INTEGER, left, 5, MPI_COMM_WORLD, requests(1))
  call MPI_Isend(rank, 1, MPI_INTEGER, right, 5, MPI_COMM_WORLD, requests(2))
  call MPI_Waitall(2, requests, statuses)
  call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call MPI_Comm_split(MPI_COMM_WORLD, modulo(rank, 2), -rank, half)
  call MPI_Comm_rank(half, part)
  call MPI_Comm_free(half)
  write (line, '(a,i0,4(a,i0))') 'rank ', rank, ': ', came, ' from ', statuses(1)%MPI_SOURCE, &
    ', sum ', total, ', place ', part
  print '(a)', trim(line)
  call MPI_Finalize()
end program
