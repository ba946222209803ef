! Prints ranks in a grid and in a graph that may reorder ranks, by the module mpi_f08. A grid's
! neighbours along the columns check what comes from them.
program mapped
  use mpi_f08
  implicit none
  type(MPI_Comm) :: grid, far
  integer :: rank, ranks, place, coords(2), other(1), in_graph, source, target, came
  character(80) :: line
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, [2, ranks / 2], [.false., .false.], .true., grid)
  call MPI_Comm_rank(grid, place)
  call MPI_Cart_coords(grid, place, 2, coords)
  other = modulo(rank + ranks / 2, ranks)
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, other, MPI_UNWEIGHTED, 1, other, &
    MPI_UNWEIGHTED, MPI_INFO_NULL, .true., far)
  call MPI_Comm_rank(far, in_graph)
  call MPI_Cart_shift(grid, 0, 1, source, target)
  came = source
  call MPI_Sendrecv(place, 1, MPI_INTEGER, target, 0, came, 1, MPI_INTEGER, source, 0, grid, &
    MPI_STATUS_IGNORE)
  if (came /= source) call MPI_Abort(MPI_COMM_WORLD, 1)
  write (line, '(5(a,i0))') 'rank ', rank, ': grid ', place, ', row ', coords(1), ', column ', &
    coords(2), ', far ', in_graph
  print '(a)', trim(line)
  call MPI_Finalize()
end program
