! What programs give to MPI through the module mpi_f08, beside messages: functions, keys, statuses,
! addresses. Lines begin with the rank.
module callbacks
  use mpi_f08
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: me = -1
contains
  subroutine copy_double(comm, key, extra, in, out, flag, error)
    type(MPI_Comm) :: comm
    integer :: key, error
    integer(MPI_ADDRESS_KIND) :: extra, in, out
    logical :: flag
    out = 2 * in + extra
    flag = .true.
    error = MPI_SUCCESS
  end subroutine

  subroutine delete_loud(comm, key, value, extra, error)
    type(MPI_Comm) :: comm
    integer :: key, error
    integer(MPI_ADDRESS_KIND) :: value, extra
    print '(i0,a,i0,a,i0)', me, ' deletes ', value, ' of ', extra
    error = MPI_SUCCESS
  end subroutine

  subroutine copy_type(type, key, extra, in, out, flag, error)
    type(MPI_Datatype) :: type
    integer :: key, error
    integer(MPI_ADDRESS_KIND) :: extra, in, out
    logical :: flag
    out = in + extra
    flag = .true.
    error = MPI_SUCCESS
  end subroutine

  subroutine delete_type(type, key, value, extra, error)
    type(MPI_Datatype) :: type
    integer :: key, error
    integer(MPI_ADDRESS_KIND) :: value, extra
    error = MPI_SUCCESS
  end subroutine

  subroutine note_error(comm, code)
    type(MPI_Comm) :: comm
    integer :: code, kind
    call MPI_Error_class(code, kind)
    print '(i0,a,l1)', me, ' handles an error of rank ', kind == MPI_ERR_RANK
  end subroutine

  subroutine widest(in, inout, length, type)
    type(c_ptr), value :: in, inout
    integer :: length
    type(MPI_Datatype) :: type
    integer, pointer :: a(:), b(:)
    call c_f_pointer(in, a, [length])
    call c_f_pointer(inout, b, [length])
    b = max(a, b) + 10
  end subroutine

  subroutine query(extra, status, error)
    integer(MPI_ADDRESS_KIND) :: extra
    type(MPI_Status) :: status
    integer :: error
    call MPI_Status_set_elements(status, MPI_INTEGER, int(extra))
    call MPI_Status_set_cancelled(status, .false.)
    status%MPI_SOURCE = 3
    status%MPI_TAG = 5
    error = MPI_SUCCESS
  end subroutine

  subroutine free_it(extra, error)
    integer(MPI_ADDRESS_KIND) :: extra
    integer :: error
    print '(i0,a,i0)', me, ' frees ', extra
    error = MPI_SUCCESS
  end subroutine

  subroutine cancel(extra, complete, error)
    integer(MPI_ADDRESS_KIND) :: extra
    logical :: complete
    integer :: error
    print '(i0,a,l1)', me, ' cancels ', complete
    error = MPI_SUCCESS
  end subroutine
end module

program modern_callbacks
  use mpi_f08
  use callbacks
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: ranks
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, me)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  call attributes
  call functions
  call generalized
  call addresses
  call strings
  call MPI_Finalize()
contains

  subroutine attributes
    integer :: key, typekey
    integer(MPI_ADDRESS_KIND) :: value, extra
    logical :: flag
    type(MPI_Comm) :: copy
    type(MPI_Datatype) :: type, other
    extra = 1000
    call MPI_Comm_create_keyval(copy_double, delete_loud, key, extra)
    call MPI_Comm_set_attr(MPI_COMM_WORLD, key, int(me, MPI_ADDRESS_KIND))
    call MPI_Comm_dup(MPI_COMM_WORLD, copy)
    call MPI_Comm_get_attr(copy, key, value, flag)
    print '(i0,a,i0,1x,l1)', me, ' attribute ', value, flag
    call MPI_Comm_free(copy)
    call MPI_Comm_delete_attr(MPI_COMM_WORLD, key)
    call MPI_Comm_get_attr(MPI_COMM_WORLD, key, value, flag)
    print '(i0,1x,l1)', me, flag
    call MPI_Comm_free_keyval(key)
    call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, key, extra)
    call MPI_Comm_set_attr(MPI_COMM_WORLD, key, -7_MPI_ADDRESS_KIND)
    call MPI_Comm_dup(MPI_COMM_WORLD, copy)
    call MPI_Comm_get_attr(copy, key, value, flag)
    print '(i0,a,i0,1x,l1)', me, ' attribute ', value, flag
    call MPI_Comm_free(copy)
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag)
    print '(i0,a,l1,1x,l1)', me, ' tags ', flag, value >= 32767
    call MPI_Type_create_keyval(copy_type, delete_type, typekey, extra)
    call MPI_Type_dup(MPI_INTEGER, type)
    call MPI_Type_set_attr(type, typekey, 5_MPI_ADDRESS_KIND)
    call MPI_Type_dup(type, other)
    call MPI_Type_get_attr(other, typekey, value, flag)
    print '(i0,a,i0,1x,l1)', me, ' of a type ', value, flag
    call MPI_Type_free(type)
    call MPI_Type_free(other)
  end subroutine

  subroutine functions
    type(MPI_Op) :: op
    type(MPI_Errhandler) :: handler
    type(MPI_Comm) :: comm
    integer :: x, code
    call MPI_Op_create(widest, .true., op)
    x = me
    call MPI_Allreduce(MPI_IN_PLACE, x, 1, MPI_INTEGER, op, MPI_COMM_WORLD)
    call MPI_Op_free(op)
    call MPI_Comm_dup(MPI_COMM_WORLD, comm)
    call MPI_Comm_create_errhandler(note_error, handler)
    call MPI_Comm_set_errhandler(comm, handler)
    call MPI_Send(me, 1, MPI_INTEGER, ranks, 0, comm, code)
    call MPI_Errhandler_free(handler)
    call MPI_Comm_free(comm)
    print '(i0,a,i0)', me, ' widest ', x
  end subroutine

  subroutine generalized
    type(MPI_Request) :: request
    type(MPI_Status) :: status
    integer(MPI_ADDRESS_KIND) :: extra
    integer :: n
    extra = 4
    call MPI_Grequest_start(query, free_it, cancel, extra, request)
    call MPI_Cancel(request)
    call MPI_Grequest_complete(request)
    call MPI_Wait(request, status)
    call MPI_Get_elements(status, MPI_INTEGER, n)
    print '(i0,3(1x,i0))', me, n, status%MPI_SOURCE, status%MPI_TAG
  end subroutine

  subroutine addresses
    type(c_ptr) :: memory, back
    integer, pointer :: x(:)
    integer :: bytes
    call MPI_Alloc_mem(4096_MPI_ADDRESS_KIND, MPI_INFO_NULL, memory)
    call c_f_pointer(memory, x, [1024])
    x = me
    call MPI_Buffer_attach(x, 4096)
    call MPI_Bsend(me, 1, MPI_INTEGER, modulo(me + 1, ranks), 4, MPI_COMM_WORLD)
    call MPI_Recv(bytes, 1, MPI_INTEGER, modulo(me - 1, ranks), 4, MPI_COMM_WORLD, &
                  MPI_STATUS_IGNORE)
    call MPI_Buffer_detach(back, bytes)
    print '(i0,a,i0,1x,l1)', me, ' back ', bytes, c_associated(memory, back)
    call MPI_Free_mem(x)
  end subroutine

  subroutine strings
    character(MPI_MAX_OBJECT_NAME) :: name
    character(20) :: value
    integer :: length
    logical :: flag
    type(MPI_Info) :: info
    call MPI_Comm_get_name(MPI_COMM_WORLD, name, length)
    call MPI_Info_create(info)
    call MPI_Info_set(info, 'shade', 'dark green')
    call MPI_Info_get(info, 'shade', 20, value, flag)
    print '(i0,1x,2a,1x,i0,1x,a,l1)', me, trim(name), '.', length, value, flag
    call MPI_Info_free(info)
  end subroutine
end program
