! What MPI-4 and MPI-5 added for Fortran, without what needs a session. No module declares it all.
program newest
  use mpi
  implicit none
  integer :: rank, size, error, left, right
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, size, error)
  left = modulo(rank - 1, size)
  right = modulo(rank + 1, size)
  call buffers
  call statuses
  call persistent
  call answers
  call MPI_Finalize(error)

contains

  subroutine buffers
    integer :: mine(100), came(2), bytes, code, request, comm
    call MPI_Comm_dup(MPI_COMM_WORLD, comm, error)
    call MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN, error)
    call MPI_Comm_attach_buffer(comm, mine, 400, error)
    call MPI_Bsend(rank, 1, MPI_INTEGER, right, 3, comm, error)
    call MPI_Recv(came(1), 1, MPI_INTEGER, left, 3, comm, MPI_STATUS_IGNORE, error)
    call MPI_Comm_flush_buffer(comm, error)
    call MPI_Comm_iflush_buffer(comm, request, error)
    call MPI_Wait(request, MPI_STATUS_IGNORE, error)
    call MPI_Comm_detach_buffer(comm, mine, bytes, error)
    call MPI_Bsend(rank, 1, MPI_INTEGER, right, 3, comm, code)
    call MPI_Error_class(code, code, error)
    call MPI_Buffer_attach(mine, 400, error)
    call MPI_Bsend(-rank, 1, MPI_INTEGER, right, 3, comm, error)
    call MPI_Recv(came(2), 1, MPI_INTEGER, left, 3, comm, MPI_STATUS_IGNORE, error)
    call MPI_Buffer_flush(error)
    call MPI_Buffer_iflush(request, error)
    call MPI_Wait(request, MPI_STATUS_IGNORE, error)
    call MPI_Buffer_detach(mine, bytes, error)
    call MPI_Comm_free(comm, error)
    print '(i0,a,2(1x,i0),a,i0,2(1x,l1))', rank, ' buffered', came, ' in ', bytes, &
      code == MPI_ERR_BUFFER, request == MPI_REQUEST_NULL
  end subroutine

  ! A message with tag 10 comes before the barrier, one with tag 9 behind it.
  subroutine statuses
    integer :: list(3), got(2), which, done(2), places(3), status(MPI_STATUS_SIZE)
    integer :: all(MPI_STATUS_SIZE, 3)
    logical :: flag
    list(1) = MPI_REQUEST_NULL
    call MPI_Irecv(got(1), 1, MPI_INTEGER, left, 9, MPI_COMM_WORLD, list(2), error)
    call MPI_Irecv(got(2), 1, MPI_INTEGER, left, 10, MPI_COMM_WORLD, list(3), error)
    call MPI_Send(rank + 10, 1, MPI_INTEGER, right, 10, MPI_COMM_WORLD, error)
    flag = .false.
    do while (.not. flag)
      call MPI_Request_get_status_any(3, list, which, flag, status, error)
    end do
    call MPI_Request_get_status_some(3, list, done(1), places, all, error)
    call MPI_Request_get_status_all(3, list, flag, all, error)
    print '(i0,a,5(1x,i0),2(1x,l1))', rank, ' any', which, status(MPI_SOURCE), status(MPI_TAG), &
      done(1), places(1), flag, list(3) == MPI_REQUEST_NULL
    call MPI_Barrier(MPI_COMM_WORLD, error)
    call MPI_Send(rank + 9, 1, MPI_INTEGER, right, 9, MPI_COMM_WORLD, error)
    do while (.not. flag)
      call MPI_Request_get_status_all(3, list, flag, all, error)
    end do
    call MPI_Request_get_status_some(3, list, done(2), places, MPI_STATUSES_IGNORE, error)
    call MPI_Waitall(3, list, MPI_STATUSES_IGNORE, error)
    call MPI_F_sync_reg(got)
    print '(i0,a,7(1x,i0))', rank, ' all', all(MPI_TAG, 2:3), done(2), places(1:2), got
    call MPI_Request_get_status_any(3, list, which, flag, MPI_STATUS_IGNORE, error)
    call MPI_Request_get_status_some(3, list, done(1), places, MPI_STATUSES_IGNORE, error)
    print '(i0,a,3(1x,l1))', rank, ' none', flag, which == MPI_UNDEFINED, done(1) == MPI_UNDEFINED
  end subroutine

  subroutine persistent
    integer :: request, i, mine(1), sum(2), came(1), status(MPI_STATUS_SIZE), tag
    call MPI_Allreduce_init(mine, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &
                            request, error)
    do i = 1, 2
      mine = i * rank
      call MPI_F_sync_reg(mine)
      call MPI_Start(request, error)
      call MPI_Wait(request, MPI_STATUS_IGNORE, error)
      call MPI_F_sync_reg(sum)
      sum(2) = sum(1)
    end do
    call MPI_Request_free(request, error)
    mine = rank
    call MPI_Isendrecv(mine, 1, MPI_INTEGER, right, 7, came, 1, MPI_INTEGER, left, 7, &
                       MPI_COMM_WORLD, request, error)
    call MPI_Wait(request, status, error)
    call MPI_F_sync_reg(came)
    call MPI_Status_set_tag(status, 8, error)
    call MPI_Status_get_tag(status, tag, error)
    print '(i0,a,3(1x,i0))', rank, ' twice', sum(2), came, tag
  end subroutine

  subroutine answers
    integer :: info, keys(2), length
    character(8) :: value
    logical :: flag
    call MPI_Info_create_env(info, error)
    call MPI_Info_get_nkeys(info, keys(1), error)
    call MPI_Info_free(info, error)
    call MPI_Get_hw_resource_info(info, error)
    call MPI_Info_get_nkeys(info, keys(2), error)
    call MPI_Info_set(info, 'shade', 'dark green', error)
    length = 4
    call MPI_Info_get_string(info, 'shade', length, value, flag, error)
    call MPI_Info_free(info, error)
    print '(i0,a,3(1x,i0),1x,2a,1x,l1)', rank, ' knows', keys, length, value, '.', flag
  end subroutine
end program
