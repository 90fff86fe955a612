! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Diffusion on a line of rows, which the threads share in blocks of four.
module grid
  implicit none
  integer, parameter :: rows = 14, columns = 64, block = 4
  real(8) :: old(0:columns + 1, 0:rows + 1), new(0:columns + 1, 0:rows + 1)

contains

  subroutine relax(first, last)
    integer, intent(in) :: first, last
    integer :: row, column

    do row = first, last
      do column = 1, columns
        new(column, row) = 0.25d0 * (old(column - 1, row) + old(column + 1, row) &
          + old(column, row - 1) + old(column, row + 1))
      end do
    end do
  end subroutine

  subroutine sweep(me, steps)
    integer, intent(in) :: me, steps
    integer :: first, step

    first = me * block + 1
    do step = 1, steps
      if (first + block - 1 > rows) exit
      call relax(first, first + block - 1)
      !$omp barrier
      old(1:columns, first:first + block - 1) = new(1:columns, first:first + block - 1)
      !$omp barrier
    end do
  end subroutine

end module

program stencil
  use grid
  use omp_lib
  implicit none

  old = 0
  old(0, :) = 1
  new = old
  !$omp parallel num_threads(4)
  call sweep(omp_get_thread_num(), 100)
  !$omp end parallel
  print *, sum(old)
end program
