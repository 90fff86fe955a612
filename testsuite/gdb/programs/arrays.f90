! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Arrays that descriptors tell of, those with bounds that were computed, and strings, in a region and
! around it. Stops in inspect(), which an internal procedure calls.
module shop
  implicit none
  interface
    subroutine inspect() bind(C)
    end subroutine
  end interface
contains
  subroutine smooth(count, shape, title)
    integer, intent(in) :: count
    character(len=*), intent(in) :: title
    real(8), intent(inout) :: shape(:, :)
    integer, target :: line(6), table(3, 4)
    integer, allocatable :: list(:), grid(:, :), none(:)
    integer, pointer :: back(:), part(:, :), nowhere(:)
    real(8) :: field(count, count + 1)
    character(len=8) :: label
    integer :: i
    nullify(nowhere)
    label = title
    allocate(list(0:count), grid(2, -1:count))
    line = (/ 1, 2, 3, 4, 5, 6 /)
    table = reshape((/ (i, i = 1, 12) /), (/ 3, 4 /))
    back => line(6:1:-2)
    part => table(1:3:2, 2:4)
    list = 7
    grid = 5
    grid(2, 0) = 6
    field = 1.5d0
    field(2, 3) = 2.5d0
    !$omp parallel num_threads(2) shared(grid, back, part, field, shape, list, none)
    !$omp master
    list(1) = 8
    grid(1, 1) = list(0) + back(1) + part(1, 1) + int(field(1, 1)) + int(shape(1, 2))
    call inner(3)
    if (allocated(none)) back(1) = grid(1, 1)
    part(1, 2) = list(2)
    field(1, 2) = grid(1, 2)
    shape(1, 1) = 3
    !$omp end master
    !$omp end parallel
    print *, label, title, list, grid, back, part, field, associated(nowhere), shape(1, 1)
  contains
    subroutine inner(factor)
      integer, intent(in) :: factor
      list(2) = factor
      call inspect()
      list(3) = factor
    end subroutine
  end subroutine
end module

program driver
  use shop
  implicit none
  real(8) :: shape(4, 6)
  shape = 0.5d0
  shape(1, 2) = 9
  shape(3, 2) = 8
  call smooth(3, shape(1:3:2, 2:6:2), 'shop''s')
end program
