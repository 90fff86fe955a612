! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! As variables.c: a module procedure and an internal one; arrays whose bounds are computed.
module shop
  use iso_c_binding
  implicit none
  interface
    subroutine inspect() bind(C)
    end subroutine
    subroutine saw_integer(construct, name, kind, number) bind(C)
      import
      character(kind=c_char), intent(in) :: construct(*), name(*), kind(*)
      integer(c_long), value :: number
    end subroutine
    subroutine saw_real(construct, name, kind, number) bind(C)
      import
      character(kind=c_char), intent(in) :: construct(*), name(*), kind(*)
      real(c_double), value :: number
    end subroutine
    subroutine saw_integers(construct, name, kind, numbers, count) bind(C)
      import
      character(kind=c_char), intent(in) :: construct(*), name(*), kind(*)
      integer(c_int), intent(in) :: numbers(*)
      integer(c_int), value :: count
    end subroutine
    subroutine saw_reals(construct, name, kind, numbers, count) bind(C)
      import
      character(kind=c_char), intent(in) :: construct(*), name(*), kind(*)
      real(c_double), intent(in) :: numbers(*)
      integer(c_int), value :: count
    end subroutine
  end interface
contains
  subroutine smooth(shape, size)
    integer, intent(in) :: size
    real(8), intent(inout) :: shape(:)
    real(8) :: work(size), total
    integer :: mine, copies, fixed(2)
    integer, allocatable :: list(:)
    copies = 4
    total = 100
    fixed = (/ 3, 2 /)
    allocate(list(3))
    list = (/ 7, 8, 9 /)
    work = 1.5d0
    work(2) = 6.5d0
    !$omp parallel num_threads(1) private(mine) firstprivate(copies) reduction(+:total)
    mine = 40
    copies = copies + 1
    total = total + 2
    call note("parallel region of shop::smooth", mine, copies)
    call saw_real("parallel region of shop::smooth"//c_null_char, "total"//c_null_char, &
                  "real(kind=8)"//c_null_char, total)
    !$omp task if(.false.) firstprivate(copies, mine) shared(work, shape, list, fixed)
    copies = copies * 3
    call note("task of shop::smooth", mine, copies)
    call inner(copies)
    work(3) = mine + copies
    shape(1) = shape(1) + mine + copies + list(1) + fixed(1)
    !$omp end task
    shape(2) = total
    !$omp end parallel
  contains
    subroutine note(construct, mine, copies)
      character(len=*), intent(in) :: construct
      integer, intent(in) :: mine, copies
      character(len=len(construct) + 1) :: place
      place = construct//c_null_char
      call saw_reals(place, "work"//c_null_char, "real(kind=8) (3)"//c_null_char, work, size)
      call saw_reals(place, "shape"//c_null_char, "real(kind=8) (4)"//c_null_char, shape, 4)
      call saw_integers(place, "fixed"//c_null_char, "integer(kind=4) (2)"//c_null_char, fixed, 2)
      call saw_integer(place, "mine"//c_null_char, "integer(kind=4)"//c_null_char, &
                       int(mine, c_long))
      call saw_integer(place, "copies"//c_null_char, "integer(kind=4)"//c_null_char, &
                       int(copies, c_long))
      call saw_integers(place, "list"//c_null_char, ""//c_null_char, list, 3)
    end subroutine
    subroutine inner(factor)
      integer, intent(in) :: factor
      character(len=*), parameter :: place = "parallel region of smooth::inner"//c_null_char
      integer :: within
      within = factor * 2
      !$omp parallel num_threads(1) firstprivate(within)
      within = within + size
      call saw_integer(place, "within"//c_null_char, "integer(kind=4)"//c_null_char, &
                       int(within, c_long))
      call saw_integer(place, "factor"//c_null_char, "integer(kind=4)"//c_null_char, &
                       int(factor, c_long))
      call saw_integer(place, "size"//c_null_char, "integer(kind=4)"//c_null_char, &
                       int(size, c_long))
      call saw_reals(place, "work"//c_null_char, "real(kind=8) (3)"//c_null_char, work, size)
      call inspect()
      work(1) = within + factor
      !$omp end parallel
    end subroutine
  end subroutine
end module

program driver
  use shop
  implicit none
  real(8) :: field(6)
  field = 0.25d0
  call smooth(field(1:4), 3)
  print *, field(2)
end program
