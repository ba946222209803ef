! Calls of MPI that tests/profile/test_recorder.py counts by hand.
program count
  use mpi
  implicit none
  integer :: error, rank, ranks, next, previous, request, status(MPI_STATUS_SIZE), requests(2), i
  double precision :: numbers(10), sums(10)
  logical :: done

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  next = mod(rank + 1, ranks)
  previous = mod(rank + ranks - 1, ranks)
  numbers = 1
  do i = 1, 5
    call MPI_Irecv(sums, 10, MPI_DOUBLE_PRECISION, previous, i, MPI_COMM_WORLD, request, error)
    call MPI_Send(numbers, 10, MPI_DOUBLE_PRECISION, next, i, MPI_COMM_WORLD, error)
    call MPI_Wait(request, status, error)
  end do
  call MPI_Send_init(numbers, 2, MPI_DOUBLE_PRECISION, next, 9, MPI_COMM_WORLD, requests(1), error)
  call MPI_Recv_init(sums, 2, MPI_DOUBLE_PRECISION, previous, 9, MPI_COMM_WORLD, requests(2), error)
  call MPI_Startall(2, requests, error)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, error)
  call MPI_Request_free(requests(1), error)
  call MPI_Request_free(requests(2), error)
  call MPI_Allreduce(MPI_IN_PLACE, numbers, 10, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, numbers, 1, MPI_DOUBLE_PRECISION, &
                     MPI_COMM_WORLD, error)
  call MPI_Iprobe(previous, 77, MPI_COMM_WORLD, done, status, error)
  call MPI_Finalize(error)
end program count
