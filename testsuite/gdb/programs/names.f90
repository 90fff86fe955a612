! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Locks in variables of Fortran: each thread but the first waits for the one that its line names.

module shop
  use omp_lib
  implicit none
  type till
    integer :: number
    integer(omp_lock_kind) :: lock
  end type till
  type(till) :: tills(0:3)
  integer(omp_lock_kind) :: grid(3, 5)
  integer(omp_lock_kind) :: single
end module shop

program main
  use shop
  use iso_c_binding
  implicit none
  interface
    subroutine state_reached(others) bind(c)
      import :: c_int
      integer(c_int), value :: others
    end subroutine state_reached
  end interface
  integer(omp_lock_kind), save :: mine(6)

  call omp_init_lock(tills(2)%lock)
  call omp_set_lock(tills(2)%lock)
  call omp_init_lock(grid(2, 4))
  call omp_set_lock(grid(2, 4))
  call omp_init_lock(single)
  call omp_set_lock(single)
  call omp_init_lock(mine(5))
  call omp_set_lock(mine(5))
  !$omp parallel num_threads(5)
  select case (omp_get_thread_num())
  case (0)
    call state_reached(4_c_int)
  case (1)
    call omp_set_lock(tills(2)%lock) ! lock shop::tills(2)%lock
  case (2)
    call omp_set_lock(grid(2, 4)) ! lock shop::grid(2,4)
  case (3)
    call omp_set_lock(single) ! lock shop::single
  case (4)
    call omp_set_lock(mine(5)) ! lock mine(5)
  end select
  !$omp end parallel
end program main
