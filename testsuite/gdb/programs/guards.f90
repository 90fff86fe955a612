! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Usage: guards dummy|shape|module|changes
!
! Locks that are elements of arrays: two threads wait for each other's. Their numbers are passed by
! reference. "changes": the number of the lock that is held has become that of the other.
module guards
  use omp_lib
  implicit none
  integer(omp_lock_kind) :: locks(4)
  integer :: met = 0
contains
  subroutine meet()
    integer :: now
    !$omp atomic
    met = met + 1
    do
      !$omp atomic read
      now = met
      if (now >= 2) exit
    end do
  end subroutine

  subroutine dummy(own, one, two)
    integer(omp_lock_kind), intent(inout) :: own(:)
    integer, intent(in) :: one, two
    call omp_set_lock(own(one))
    call meet()
    call omp_set_lock(own(two))
    call omp_unset_lock(own(two))
    call omp_unset_lock(own(one))
  end subroutine

  subroutine shape(own, one, two)
    integer(omp_lock_kind), intent(inout) :: own(4)
    integer, intent(in) :: one, two
    call omp_set_lock(own(one))
    call meet()
    call omp_set_lock(own(two))
    call omp_unset_lock(own(two))
    call omp_unset_lock(own(one))
  end subroutine

  subroutine of_module(one, two)
    integer, intent(in) :: one, two
    call omp_set_lock(locks(one))
    call meet()
    call omp_set_lock(locks(two))
    call omp_unset_lock(locks(two))
    call omp_unset_lock(locks(one))
  end subroutine

  subroutine changes(one, two)
    integer, intent(inout) :: one
    integer, intent(in) :: two
    integer :: first
    first = one
    call omp_set_lock(locks(one))
    call meet()
    one = two
    call omp_set_lock(locks(two))
    call omp_unset_lock(locks(two))
    call omp_unset_lock(locks(first))
  end subroutine
end module

program main
  use guards
  use iso_c_binding
  implicit none
  interface
    subroutine state_reached(others) bind(c)
      import :: c_int
      integer(c_int), value :: others
    end subroutine
  end interface
  character(8) :: kind
  integer :: number, one, two
  call get_command_argument(1, kind)
  do number = 1, 4
    call omp_init_lock(locks(number))
  end do
  !$omp parallel num_threads(3) private(one, two)
  one = omp_get_thread_num()
  two = 3 - one
  if (one == 0) then
    call state_reached(2_c_int)
  else if (kind == 'dummy') then
    call dummy(locks, one, two)
  else if (kind == 'shape') then
    call shape(locks, one, two)
  else if (kind == 'module') then
    call of_module(one, two)
  else
    call changes(one, two)
  end if
  !$omp end parallel
end program
