! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Writes to where there is nothing, in a region of two threads.
program crash
  implicit none
  integer, pointer :: values(:)
  integer :: index

  nullify(values)
  !$omp parallel do num_threads(2)
  do index = 1, 4
    values(1) = index
  end do
end program
