! Prints from Fortran and from C in turn, and dies.
program says
  interface
    subroutine start() bind(c)
    end subroutine
    subroutine die() bind(c)
    end subroutine
    subroutine say(line) bind(c)
      use iso_c_binding, only: c_int
      integer(c_int), value :: line
    end subroutine
  end interface
  integer :: i
  call start()
  do i = 1, 3
    call say(i)
    print '(a, i2, a, f4.1)', 'Fortran', i, ' and ', real(i)
  end do
  call die()
end program
