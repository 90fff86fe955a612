! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! A thread waits for a lock in an allocatable array of a module; another is at the end of the region.

module cells
  use omp_lib
  implicit none
  integer(omp_lock_kind), allocatable :: locks(:)
contains
  subroutine take(i)
    integer, intent(in) :: i
    call omp_set_lock(locks(i))
    call omp_set_lock(locks(i))
  end subroutine take
end module cells

program spaces
  use cells
  implicit none
  integer :: i
  allocate (locks(9))
  do i = 1, 9
    call omp_init_lock(locks(i))
  end do
  !$omp parallel num_threads(2)
  if (omp_get_thread_num() == 1) call take(4)
  !$omp end parallel
end program spaces
