! Clocks of Fortran: each measures a sleep of 2 s.
program clocks
  use mpi
  implicit none
  integer(8) :: ticks(2), rate
  integer :: rank, error, dates(8, 2)
  real(8) :: used(2)

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call read_all(1)
  call sleep(2)
  call read_all(2)
  print '(i0, 3(1x, a, 1x, i0))', rank, &
    'system_clock', nint(1d6 * dble(ticks(2) - ticks(1)) / dble(rate)), &
    'cpu_time', nint(1d6 * (used(2) - used(1))), &
    'date_and_time', modulo(of_day(dates(:, 2)) - of_day(dates(:, 1)), 86400000)
  call MPI_Finalize(error)

contains

  subroutine read_all(i)
    integer, intent(in) :: i
    call system_clock(ticks(i), rate)
    call cpu_time(used(i))
    call date_and_time(values=dates(:, i))
  end subroutine

  integer function of_day(date)  ! [ms]
    integer, intent(in) :: date(8)
    of_day = ((date(5) * 60 + date(6)) * 60 + date(7)) * 1000 + date(8)
  end function
end program
