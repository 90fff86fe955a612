! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Constructs for devices in Fortran, and routines.
program fortran
  use omp_lib
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    subroutine count_target() bind(c)
    end subroutine
    subroutine count_enter() bind(c)
    end subroutine
    subroutine count_exit() bind(c)
    end subroutine
    subroutine count_update() bind(c)
    end subroutine
    subroutine count_kernel(requested, granted) bind(c)
      import c_int
      integer(c_int), value :: requested, granted
    end subroutine
    subroutine count_alloc(bytes) bind(c)
      import c_size_t
      integer(c_size_t), value :: bytes
    end subroutine
    subroutine count_free() bind(c)
    end subroutine
    subroutine count_to(bytes) bind(c)
      import c_size_t
      integer(c_size_t), value :: bytes
    end subroutine
    subroutine check(condition, line) bind(c)
      import c_int
      integer(c_int), value :: condition, line
    end subroutine
    subroutine write_counts() bind(c)
    end subroutine
  end interface
  integer, target :: a(200)
  integer :: i, total
  type(c_ptr) :: there
  if (command_argument_count() == 0) then
    print '(a)', 'arrays'
    stop
  end if
  total = 0
  call count_enter()
  !$omp target data map(tofrom: a)
  call count_target()
  call count_kernel(0, 1)
  !$omp target teams distribute parallel do
  do i = 1, 200
    a(i) = i
  end do
  call count_update()
  !$omp target update from(a)
  call count_target()
  call count_kernel(1, 1)
  !$omp target map(tofrom: total)
  do i = 1, 200
    total = total + a(i)
  end do
  !$omp end target
  call count_exit()
  !$omp end target data
  call check(merge(1, 0, total == 20100), 77)
  there = omp_target_alloc(800_c_size_t, omp_get_initial_device())
  call count_alloc(800_c_size_t)
  call check(omp_target_memcpy(there, c_loc(a), 800_c_size_t, 0_c_size_t, 0_c_size_t, &
    omp_get_initial_device(), omp_get_initial_device()) + 1, 81)
  call count_to(800_c_size_t)
  call omp_target_free(there, omp_get_initial_device())
  call count_free()
  call write_counts()
end program
