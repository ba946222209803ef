! Each rank has its own common blocks, saved variables and variables of modules, and its own units.
module kept
  implicit none
  integer :: rank = -1, numbers(30000) = 4
  real, allocatable :: field(:)
end module

integer function calls()
  implicit none
  integer, save :: count = 10
  count = count + 1
  calls = count
end function

program own
  use mpi
  use kept
  implicit none
  integer :: error, size, i, shared, calls, sum, line
  integer, save :: large(1000000)
  character(len=20) :: name
  common /block/ shared
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, size, error)
  shared = 100 + rank
  numbers(1:30000:1000) = rank
  large(1000 * rank + 1) = rank + 1
  allocate(field(rank + 1))
  field = rank
  write (name, '(a, i0)') 'unit-', rank
  open (unit=10, file=name)
  do i = 0, rank
    write (10, *) calls()
    call MPI_Barrier(MPI_COMM_SELF, error)
  end do
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call MPI_Allreduce(numbers, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  call MPI_Allreduce(MPI_IN_PLACE, numbers, 30000, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, error)
  rewind (10)
  do i = 0, rank
    read (10, *) line
  end do
  close (10, status='delete')
  print '(9(i0, 1x), f4.1)', rank, shared, sum, numbers(1), numbers(2), calls(), line, &
    count(large /= 0), maxval(large), field(rank + 1)
  call MPI_Finalize(error)
end program
