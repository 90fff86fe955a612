! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Procedures and variables of a module, of the main program, and in common. See test_services.py.

module heat
  implicit none
  type cell
    integer :: id
    integer(8) :: lock
    real(8) :: values(3)
  end type
  type(cell) :: cells(4, 3)
  integer(8) :: locks(0:5)
contains
  subroutine solve(number)
    integer, intent(in) :: number
    integer :: local
    local = number
    call smooth(local) ! LINE: solve
    print *, local
  contains
    subroutine smooth(steps)
      integer, intent(in) :: steps
      if (steps > 0) call stop_here(steps) ! LINE: smooth
      local = local + 1
    end subroutine
  end subroutine

  subroutine stop_here(number)
    integer, intent(in) :: number
    if (number < 100) call abort() ! LINE: stop
    print *, number
  end subroutine
end module

program services
  use heat
  implicit none
  integer, save :: kept(2, 3)
  integer :: shared(4), last
  common /both/ shared, last
  kept = 1
  cells%id = 1
  locks = 0
  call solve(kept(2, 3)) ! LINE: main
  print *, kept, cells%id, locks, shared, last
end program
