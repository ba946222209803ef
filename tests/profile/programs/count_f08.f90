! The calls of count.f90, by the module of Fortran 2008.
program count
  use mpi_f08
  implicit none
  integer :: rank, ranks, next, previous, i
  type(MPI_Request) :: request, requests(2)
  type(MPI_Status) :: status
  double precision :: numbers(10), sums(10)
  logical :: done

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  next = mod(rank + 1, ranks)
  previous = mod(rank + ranks - 1, ranks)
  numbers = 1
  do i = 1, 5
    call MPI_Irecv(sums, 10, MPI_DOUBLE_PRECISION, previous, i, MPI_COMM_WORLD, request)
    call MPI_Send(numbers, 10, MPI_DOUBLE_PRECISION, next, i, MPI_COMM_WORLD)
    call MPI_Wait(request, status)
  end do
  call MPI_Send_init(numbers, 2, MPI_DOUBLE_PRECISION, next, 9, MPI_COMM_WORLD, requests(1))
  call MPI_Recv_init(sums, 2, MPI_DOUBLE_PRECISION, previous, 9, MPI_COMM_WORLD, requests(2))
  call MPI_Startall(2, requests)
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  call MPI_Request_free(requests(1))
  call MPI_Request_free(requests(2))
  call MPI_Allreduce(MPI_IN_PLACE, numbers, 10, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, numbers, 1, MPI_DOUBLE_PRECISION, &
                     MPI_COMM_WORLD)
  call MPI_Iprobe(previous, 77, MPI_COMM_WORLD, done, status)
  call MPI_Finalize()
end program count
