! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! The mass of a body, cell by cell; it is known, and checked.
program body
  use omp_lib
  implicit none
  integer, parameter :: cells = 1000, threads = 8
  real(8) :: density(cells), total
  integer :: i

  density = [(1.0d0 + mod(i, 3), i = 1, cells)]
  density(700) = density(700) / (1 - mod(700, 3))
  total = 0
  !$omp parallel num_threads(threads)
  call add(density, total)
  !$omp end parallel
  print *, total

contains

  subroutine add(density, total)
    real(8), intent(in) :: density(:)
    real(8), intent(inout) :: total
    real(8) :: mass
    integer :: first, last

    first = omp_get_thread_num() * (cells / threads) + 1
    last = first + cells / threads - 1
    mass = sum(density(first:last))
    !$omp atomic
    total = total + mass
    !$omp barrier
    !$omp master
    if (.not. abs(total - 2000.0d0) < 2.0d0) then
      print *, "mass is", total
      call abort()
    end if
    !$omp end master
    !$omp barrier
    print *, first, last, mass
  end subroutine

end program
