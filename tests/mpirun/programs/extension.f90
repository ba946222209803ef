! What Open MPI 4 has as an extension, and MPI-4 under another name.
program extension
  use mpi
  use mpi_ext
  implicit none
  integer :: rank, request, mine(1), total(1), i, error
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPIX_Allreduce_init(mine, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &
                           request, error)
  do i = 1, 2
    mine = i * rank
    call MPI_F_sync_reg(mine)
    call MPI_Start(request, error)
    call MPI_Wait(request, MPI_STATUS_IGNORE, error)
    call MPI_F_sync_reg(total)
    print '(i0,1x,i0)', i, total
  end do
  call MPI_Request_free(request, error)
  call MPI_Finalize(error)
end program
