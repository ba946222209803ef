! What MPI gives to Fortran: all that is not passed as in C. Lines begin with the rank.
module callbacks
  use mpi
  implicit none
contains
  subroutine widest(in, inout, length, type)
    integer :: length, type
    integer :: in(2, length), inout(2, length)
    integer :: i, bytes, error
    call MPI_Type_size(type, bytes, error)
    do i = 1, length
      if (in(2, i) - in(1, i) >= inout(2, i) - inout(1, i)) inout(:, i) = in(:, i) + bytes - 8
    end do
  end subroutine

  subroutine copy_double(comm, key, extra, in, out, flag, error)
    integer :: comm, key, error
    integer(MPI_ADDRESS_KIND) :: extra, in, out
    logical :: flag
    out = 2 * in + extra
    flag = .true.
    error = MPI_SUCCESS
  end subroutine

  subroutine delete_loud(comm, key, value, extra, error)
    integer :: comm, key, error, rank
    integer(MPI_ADDRESS_KIND) :: value, extra
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    print '(i0,a,i0,a,i0)', rank, ' deletes ', value, ' of ', extra
    error = MPI_SUCCESS
  end subroutine

  subroutine note_error(comm, code)
    integer :: comm, code, kind, error, rank
    call MPI_Error_class(code, kind, error)
    call MPI_Comm_rank(comm, rank, error)
    print '(i0,a,l1)', rank, ' handles an error of rank ', kind == MPI_ERR_RANK
  end subroutine
end module

program fortran
  use mpi
  use callbacks
  implicit none
  integer :: rank, size, error, left, right
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, size, error)
  left = modulo(rank - 1, size)
  right = modulo(rank + 1, size)
  call messages
  call requests
  call collectives
  call communicators
  call topologies
  call datatypes
  call attributes
  call strings
  call old_style(rank, size)
  call MPI_Finalize(error)

contains

  subroutine messages
    integer :: received(4), status(MPI_STATUS_SIZE), n, message
    logical :: flag
    received = -1
    call MPI_Sendrecv([rank, 10 * rank], 2, MPI_INTEGER, right, 5, received, 4, MPI_INTEGER, left, &
                      5, MPI_COMM_WORLD, status, error)
    call MPI_Get_count(status, MPI_INTEGER, n, error)
    print '(i0,a,4(1x,i0),a,3(1x,i0))', rank, ' has', received, ' from', status(MPI_SOURCE), &
      status(MPI_TAG), n
    received(1) = rank
    call MPI_Sendrecv_replace(received, 1, MPI_INTEGER, right, 6, MPI_ANY_SOURCE, 6, &
                              MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    call MPI_Isend(rank, 1, MPI_INTEGER, left, 7, MPI_COMM_WORLD, n, error)
    call MPI_Mprobe(right, 7, MPI_COMM_WORLD, message, status, error)
    call MPI_Mrecv(received(2), 1, MPI_INTEGER, message, MPI_STATUS_IGNORE, error)
    call MPI_Wait(n, MPI_STATUS_IGNORE, error)
    call MPI_Iprobe(MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, flag, status, error)
    print '(i0,a,2(1x,i0),3l2)', rank, ' then', received(1:2), flag, &
      message == MPI_MESSAGE_NULL, n == MPI_REQUEST_NULL
  end subroutine

  subroutine requests
    integer :: list(3), statuses(MPI_STATUS_SIZE, 3), got(3), which, done, places(3), i
    logical :: flag
    do i = 1, 3
      call MPI_Recv_init(got(i), 1, MPI_INTEGER, left, i, MPI_COMM_WORLD, list(i), error)
    end do
    call MPI_Startall(3, list, error)
    do i = 1, 3
      call MPI_Send(100 * rank + i, 1, MPI_INTEGER, right, i, MPI_COMM_WORLD, error)
    end do
    call MPI_Waitall(3, list, statuses, error)
    print '(i0,a,6(1x,i0))', rank, ' got', got, statuses(MPI_TAG, :)
    do i = 1, 3
      call MPI_Request_free(list(i), error)
    end do
    list = MPI_REQUEST_NULL
    call MPI_Irecv(got(2), 1, MPI_INTEGER, left, 9, MPI_COMM_WORLD, list(2), error)
    call MPI_Send(rank, 1, MPI_INTEGER, right, 9, MPI_COMM_WORLD, error)
    call MPI_Waitany(3, list, which, statuses(:, 1), error)
    print '(i0,a,i0,1x,l1)', rank, ' waited for any ', which, all(list == MPI_REQUEST_NULL)
    call MPI_Waitany(3, list, which, MPI_STATUS_IGNORE, error)
    print '(i0,1x,l1)', rank, which == MPI_UNDEFINED
    call MPI_Irecv(got(3), 1, MPI_INTEGER, left, 9, MPI_COMM_WORLD, list(3), error)
    call MPI_Send(rank, 1, MPI_INTEGER, right, 9, MPI_COMM_WORLD, error)
    call MPI_Waitsome(3, list, done, places, MPI_STATUSES_IGNORE, error)
    print '(i0,a,2(1x,i0))', rank, ' waited for some', done, places(1)
    call MPI_Testall(3, list, flag, MPI_STATUSES_IGNORE, error)
    print '(i0,1x,l1)', rank, flag
  end subroutine

  subroutine collectives
    integer :: i, pair(2), op, type, request, counts(size), places(size), all(2, size), mine(2)
    double precision :: sum
    logical :: commutes, any
    sum = 1d0 / (rank + 1)
    call MPI_Allreduce(MPI_IN_PLACE, sum, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    any = rank == 0
    call MPI_Allreduce(MPI_IN_PLACE, any, 1, MPI_LOGICAL, MPI_LOR, MPI_COMM_WORLD, error)
    call MPI_Type_contiguous(2, MPI_INTEGER, type, error)
    call MPI_Type_commit(type, error)
    call MPI_Op_create(widest, .true., op, error)
    call MPI_Op_commutative(op, commutes, error)
    pair = [rank, rank * rank]
    call MPI_Allreduce(MPI_IN_PLACE, pair, 1, type, op, MPI_COMM_WORLD, error)
    print '(i0,1x,es24.16,1x,l1,2(1x,i0),1x,l1)', rank, sum, any, pair, commutes
    call MPI_Op_free(op, error)
    call MPI_Type_free(type, error)
    counts = 2
    places = [(2 * (size - i), i = 1, size)]
    mine = [rank, -rank]
    call MPI_Iallgatherv(mine, 2, MPI_INTEGER, all, counts, places, MPI_INTEGER, &
                         MPI_COMM_WORLD, request, error)
    call MPI_Wait(request, MPI_STATUS_IGNORE, error)
    print '(i0,a,99(1x,i0))', rank, ' all', all
    call MPI_Gather(rank, 1, MPI_INTEGER, counts, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, error)
    if (rank == 0) print '(i0,a,99(1x,i0))', rank, ' gathered', counts
    call MPI_Ibarrier(MPI_COMM_WORLD, request, error)
    call MPI_Wait(request, MPI_STATUS_IGNORE, error)
  end subroutine

  subroutine communicators
    integer :: half, group, world, ranks(1), n, me, relation, handler
    call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), -rank, half, error)
    call MPI_Comm_size(half, n, error)
    call MPI_Comm_rank(half, me, error)
    call MPI_Comm_group(half, group, error)
    call MPI_Comm_group(MPI_COMM_WORLD, world, error)
    call MPI_Group_translate_ranks(group, 1, [0], world, ranks, error)
    call MPI_Comm_compare(half, MPI_COMM_WORLD, relation, error)
    print '(i0,4(1x,i0),2(1x,l1))', rank, n, me, ranks, merge(1, 0, relation == MPI_UNEQUAL), &
      half == MPI_COMM_NULL, group == MPI_GROUP_EMPTY
    call MPI_Comm_split(MPI_COMM_WORLD, MPI_UNDEFINED, 0, n, error)
    call MPI_Comm_create_errhandler(note_error, handler, error)
    call MPI_Comm_set_errhandler(half, handler, error)
    call MPI_Send(rank, 1, MPI_INTEGER, size, 0, half, error)
    call MPI_Errhandler_free(handler, error)
    call MPI_Group_free(group, error)
    call MPI_Group_free(world, error)
    call MPI_Comm_free(half, error)
    print '(i0,3(1x,l1))', rank, half == MPI_COMM_NULL, n == MPI_COMM_NULL, group == MPI_GROUP_NULL
  end subroutine

  subroutine topologies
    integer :: cart, graph, dims(2), coords(2), source, target, from(1), to(1), in, out
    logical :: periods(2), weighted
    dims = 0
    call MPI_Dims_create(size, 2, dims, error)
    call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.true., .false.], .false., cart, error)
    call MPI_Cart_get(cart, 2, dims, periods, coords, error)
    call MPI_Cart_shift(cart, 1, 1, source, target, error)
    print '(i0,4(1x,i0),4(1x,l1))', rank, dims, coords, periods, source == MPI_PROC_NULL, &
      target == MPI_PROC_NULL
    call MPI_Comm_free(cart, error)
    call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [left], MPI_UNWEIGHTED, 1, [right], &
                                        MPI_UNWEIGHTED, MPI_INFO_NULL, .false., graph, error)
    call MPI_Dist_graph_neighbors_count(graph, in, out, weighted, error)
    from = -1
    call MPI_Neighbor_allgather(rank, 1, MPI_INTEGER, from, 1, MPI_INTEGER, graph, error)
    call MPI_Dist_graph_neighbors(graph, 1, from, MPI_UNWEIGHTED, 1, to, MPI_UNWEIGHTED, error)
    print '(i0,a,4(1x,i0),1x,l1)', rank, ' neighbours', in, out, from, to, weighted
    call MPI_Comm_free(graph, error)
  end subroutine

  subroutine datatypes
    integer :: type, row, n, matrix(3, 4), line(4), types(1), combiner, na, nt, ni
    integer(MPI_ADDRESS_KIND) :: lower, extent, here(2), none(1)
    double precision :: x(2)
    character(4) :: word
    matrix = reshape([(100 * rank + n, n = 1, 12)], [3, 4])
    call MPI_Type_vector(4, 1, 3, MPI_INTEGER, row, error)
    call MPI_Type_commit(row, error)
    call MPI_Sendrecv(matrix(2, 1), 1, row, right, 1, line, 4, MPI_INTEGER, left, 1, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
    print '(i0,a,4(1x,i0))', rank, ' row', line
    x = [rank / 3d0, -1d0]
    word = 'abcd'
    call MPI_Get_address(x(1), here(1), error)
    call MPI_Get_address(word, here(2), error)
    call MPI_Type_create_struct(2, [1, 4], here, [MPI_DOUBLE_PRECISION, MPI_CHARACTER], type, error)
    call MPI_Type_commit(type, error)
    call MPI_Type_size(type, n, error)
    call MPI_Type_get_envelope(type, ni, na, nt, combiner, error)
    call MPI_Sendrecv_replace(MPI_BOTTOM, 1, type, right, 2, left, 2, MPI_COMM_WORLD, &
                              MPI_STATUS_IGNORE, error)
    print '(i0,1x,es24.16,1x,a,5(1x,i0),1x,l1)', rank, x(1), word, n, ni, na, nt, &
      MPI_ADDRESS_KIND, combiner == MPI_COMBINER_STRUCT
    call MPI_Type_get_contents(row, 3, 0, 1, line, none, types, error)
    print '(i0,3(1x,i0),1x,l1)', rank, line(1:3), types(1) == MPI_INTEGER
    call MPI_Type_create_resized(row, 0_MPI_ADDRESS_KIND, 4_MPI_ADDRESS_KIND, n, error)
    call MPI_Type_get_extent(n, lower, extent, error)
    print '(i0,a,2(1x,i0))', rank, ' extent', lower, extent
    call MPI_Type_free(n, error)
    call MPI_Type_free(type, error)
    call MPI_Type_free(row, error)
    print '(i0,1x,l1)', rank, row == MPI_DATATYPE_NULL
  end subroutine

  subroutine attributes
    integer :: key, copy
    integer(MPI_ADDRESS_KIND) :: value
    logical :: flag
    call MPI_Comm_create_keyval(copy_double, delete_loud, key, 1000_MPI_ADDRESS_KIND, error)
    call MPI_Comm_set_attr(MPI_COMM_WORLD, key, int(rank, MPI_ADDRESS_KIND), error)
    call MPI_Comm_dup(MPI_COMM_WORLD, copy, error)
    call MPI_Comm_get_attr(copy, key, value, flag, error)
    print '(i0,a,i0,1x,l1)', rank, ' attribute ', value, flag
    call MPI_Comm_free(copy, error)
    call MPI_Comm_delete_attr(MPI_COMM_WORLD, key, error)
    call MPI_Comm_get_attr(MPI_COMM_WORLD, key, value, flag, error)
    print '(i0,1x,l1)', rank, flag
    call MPI_Comm_free_keyval(key, error)
    call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, key, &
                                0_MPI_ADDRESS_KIND, error)
    call MPI_Comm_set_attr(MPI_COMM_WORLD, key, -7_MPI_ADDRESS_KIND, error)
    call MPI_Comm_dup(MPI_COMM_WORLD, copy, error)
    call MPI_Comm_get_attr(copy, key, value, flag, error)
    print '(i0,a,i0,1x,l1)', rank, ' attribute ', value, flag
    call MPI_Comm_free(copy, error)
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, error)
    print '(i0,a,l1,1x,l1)', rank, ' tags ', flag, value >= 32767
  end subroutine

  subroutine strings
    character(MPI_MAX_OBJECT_NAME) :: name
    character(MPI_MAX_ERROR_STRING) :: what
    character(10) :: value
    integer :: info, n, length
    logical :: flag
    call MPI_Comm_get_name(MPI_COMM_WORLD, name, length, error)
    print '(i0,1x,2a,1x,i0)', rank, trim(name), '.', length
    call MPI_Comm_set_name(MPI_COMM_WORLD, '  all of us  ', error)
    call MPI_Comm_get_name(MPI_COMM_WORLD, name, length, error)
    print '(i0,1x,l1)', rank, index(name, 'all of us') > 0 .and. name(length + 1:) == ' '
    call MPI_Info_create(info, error)
    call MPI_Info_set(info, 'colour  ', 'dark green', error)
    call MPI_Info_set(info, 'size', '12', error)
    call MPI_Info_get_nkeys(info, n, error)
    call MPI_Info_get(info, 'colour', 10, value, flag, error)
    print '(i0,1x,i0,1x,2a,1x,l1)', rank, n, value, '.', flag
    call MPI_Info_get(info, 'size', 10, value, flag, error)
    print '(i0,1x,2a,1x,l1)', rank, value, '.', flag
    call MPI_Info_get(info, 'weight', 10, value, flag, error)
    print '(i0,1x,2a,1x,l1)', rank, value, '.', flag
    call MPI_Info_free(info, error)
    call MPI_Error_string(MPI_ERR_RANK, what, length, error)
    print '(i0,1x,l1)', rank, length > 0 .and. what(length + 1:) == ' '
    call MPI_Get_processor_name(name, length, error)
    print '(i0,1x,2(1x,l1))', rank, length > 0, MPI_Wtime() >= 0d0
    call MPI_Initialized(flag, error)
    print '(i0,1x,l1)', rank, flag
  end subroutine
end program

! With the header of Fortran 77, and an interface that nobody checks.
subroutine old_style(rank, size)
  implicit none
  include 'mpif.h'
  integer :: rank, size, error, sum
  call MPI_REDUCE(rank + 1, sum, 1, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, error)
  if (rank == 0) print '(i0,1x,l1)', rank, sum == size * (size + 1) / 2
  call PMPI_BARRIER(MPI_COMM_WORLD, error)
end subroutine
