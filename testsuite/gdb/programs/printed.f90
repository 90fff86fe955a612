! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Values of each thread of a team: that of thread 2 is another one. Stops in fixture_ready().
module heat
  implicit none
  integer :: steps = 9
  type cell
    real(8) :: rho
    integer :: id
  end type
  interface
    subroutine state_reached(others) bind(C)
      integer, value :: others
    end subroutine
    subroutine state_park() bind(C)
    end subroutine
  end interface
contains
  subroutine work(number, grid, count)
    integer, intent(in) :: number, count
    real(8), intent(in) :: grid(:, :)
    real(8) :: line(0:5), mine
    integer, allocatable :: items(:)
    type(cell) :: cells(3)
    integer :: i
    mine = 12.5d0
    if (number == 2) mine = -1.5d0
    allocate(items(count))
    items = (/ (10 * number + i, i = 1, count) /)
    line = (/ (0.25d0 * i, i = 0, 5) /)
    cells(2)%rho = mine
    cells(2)%id = number
    if (number == 0) call state_reached(3)
    call state_park()
    print *, items, line, cells(2)%rho, grid(1, 2), mine, i
  end subroutine
end module

program driver
  use heat
  use omp_lib
  implicit none
  real(8) :: grid(2, 3)
  grid = 0.5d0
  grid(2, 3) = 8
  !$omp parallel num_threads(4) shared(grid)
  call work(omp_get_thread_num(), grid, 4)
  !$omp end parallel
  print *, steps
end program
