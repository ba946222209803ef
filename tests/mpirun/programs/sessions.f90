! Sessions and partitioned messages. There is no MPI_Init. The header knows no interfaces, and not
! all constants.
module callbacks
  implicit none
  include 'mpif.h'
  integer, parameter :: MPI_SESSION_NULL = int(z'38000000')
  integer :: rank = -1
contains
  subroutine note_error(session, code)
    integer :: session, code, kind, error
    call MPI_Error_class(code, kind, error)
    print '(i0,a,l1)', rank, ' handles an error of an argument ', kind == MPI_ERR_ARG
  end subroutine
end module

program sessions
  use callbacks
  implicit none
  integer :: session, group, comm, size, error
  call MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, session, error)
  call MPI_Group_from_session_pset(session, 'mpi://WORLD  ', group, error)
  call MPI_Comm_create_from_group(group, 'all of us', MPI_INFO_NULL, MPI_ERRORS_RETURN, comm, error)
  call MPI_Comm_rank(comm, rank, error)
  call MPI_Comm_size(comm, size, error)
  call process_sets
  call errors
  call halves
  call partitions
  call automatic
  call MPI_Comm_free(comm, error)
  call MPI_Group_free(group, error)
  call MPI_Session_finalize(session, error)
  print '(i0,a,l1)', rank, ' ends ', session == MPI_SESSION_NULL

contains

  subroutine process_sets
    integer :: number, lengths(3), info, i
    character(12) :: names(3)
    character(17) :: words(2)
    logical :: flag
    call MPI_Session_get_num_psets(session, MPI_INFO_NULL, number, error)
    names = 'untouched'
    lengths = [0, 5, 12]
    do i = 1, 3
      call MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 1, lengths(i), names(i), error)
    end do
    print '(i0,4(1x,i0),3(1x,2a))', rank, number, lengths, (names(i), '.', i = 1, 3)
    call MPI_Session_get_pset_info(session, 'mpi://WORLD', info, error)
    call MPI_Info_get(info, 'mpi_size', 17, words(1), flag, error)
    call MPI_Info_free(info, error)
    call MPI_Session_get_info(session, info, error)
    call MPI_Info_get(info, 'thread_level', 17, words(2), flag, error)
    call MPI_Info_free(info, error)
    print '(i0,a,i0,2(1x,a))', rank, ' of ', size, words
  end subroutine

  subroutine errors
    integer :: handler, before, nobody, kind
    call MPI_Group_from_session_pset(session, 'mpi://NOBODY', nobody, error)
    call MPI_Error_class(error, kind, error)
    call MPI_Session_get_errhandler(session, before, error)
    call MPI_Session_create_errhandler(note_error, handler, error)
    call MPI_Session_set_errhandler(session, handler, error)
    call MPI_Group_from_session_pset(session, 'mpi://NOBODY', nobody, error)
    call MPI_Session_call_errhandler(session, MPI_ERR_RANK, error)
    call MPI_Session_set_errhandler(session, before, error)
    call MPI_Errhandler_free(handler, error)
    print '(i0,3(1x,l1))', rank, kind == MPI_ERR_ARG, before == MPI_ERRORS_RETURN, &
      handler == MPI_ERRHANDLER_NULL
  end subroutine

  ! Even and odd ranks, who meet by their first ones.
  subroutine halves
    integer :: even, odd, inter, others, ranges(3, 1)
    ranges(:, 1) = [0, size - 1, 2]
    call MPI_Group_range_incl(group, 1, ranges, even, error)
    call MPI_Group_range_excl(group, 1, ranges, odd, error)
    if (modulo(rank, 2) == 0) then
      call MPI_Intercomm_create_from_groups(even, 0, odd, 0, 'halves', MPI_INFO_NULL, &
                                            MPI_ERRORS_RETURN, inter, error)
    else
      call MPI_Intercomm_create_from_groups(odd, 0, even, 0, 'halves', MPI_INFO_NULL, &
                                            MPI_ERRORS_RETURN, inter, error)
    end if
    call MPI_Comm_remote_size(inter, others, error)
    call MPI_Comm_free(inter, error)
    call MPI_Group_free(even, error)
    call MPI_Group_free(odd, error)
    print '(i0,a,i0)', rank, ' faces ', others
  end subroutine

  ! Four partitions of two numbers go to the right; one of them is ready before the barrier.
  subroutine partitions
    integer :: list(2), going(8), came(8), i
    logical :: early, flag
    call MPI_Psend_init(going, 4, 2_MPI_COUNT_KIND, MPI_INTEGER, modulo(rank + 1, size), 1, comm, &
                        MPI_INFO_NULL, list(1), error)
    call MPI_Precv_init(came, 4, 2_MPI_COUNT_KIND, MPI_INTEGER, modulo(rank - 1, size), 1, comm, &
                        MPI_INFO_NULL, list(2), error)
    call MPI_Startall(2, list, error)
    going = [(10 * rank + i, i = 1, 8)]
    call MPI_F_sync_reg(going)
    call MPI_Pready(2, list(1), error)
    call MPI_Parrived(list(2), 0, early, error)
    call MPI_Barrier(comm, error)
    call MPI_Pready_range(0, 1, list(1), error)
    call MPI_Pready_list(1, [3], list(1), error)
    flag = .false.
    do while (.not. flag)
      call MPI_Parrived(list(2), 3, flag, error)
    end do
    call MPI_Waitall(2, list, MPI_STATUSES_IGNORE, error)
    call MPI_F_sync_reg(came)
    call MPI_Request_free(list(1), error)
    call MPI_Request_free(list(2), error)
    print '(i0,a,8(1x,i0),1x,l1)', rank, ' has', came, early
  end subroutine

  ! A buffer that MPI makes as large as it has to be.
  subroutine automatic
    integer :: MPI_BUFFER_AUTOMATIC(1), going(10000), came(10000), bytes
    common /MPIFCMBa/ MPI_BUFFER_AUTOMATIC
    going = rank
    call MPI_Comm_attach_buffer(comm, MPI_BUFFER_AUTOMATIC, 0, error)
    call MPI_Bsend(going, 10000, MPI_INTEGER, modulo(rank + 1, size), 2, comm, error)
    call MPI_Recv(came, 10000, MPI_INTEGER, modulo(rank - 1, size), 2, comm, MPI_STATUS_IGNORE, &
                  error)
    call MPI_Comm_detach_buffer(comm, going, bytes, error)
    print '(i0,a,i0)', rank, ' buffered ', came(10000)
  end subroutine
end program
