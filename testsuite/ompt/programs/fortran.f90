! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Constructs in Fortran, with what only Fortran has.
program constructs
  use omp_lib
  implicit none
  interface
    subroutine count_by_name(name)
      character(len=*), intent(in) :: name
    end subroutine
    subroutine count_implicit()
    end subroutine
  end interface
  integer, parameter :: threads = 3, rounds = 10, length = 12
  integer :: i, round, total, values(length)
  integer(omp_lock_kind) :: lock
  integer(omp_nest_lock_kind) :: nest

  total = 0
  values = 0
  call omp_set_num_threads(threads)
  call omp_set_dynamic(.false.)
  call count_by_name('lock_init')
  call omp_init_lock(lock)
  call count_by_name('nest_init')
  call omp_init_nest_lock(nest)

  do round = 1, rounds
    call count_by_name('parallel')
    !$omp parallel private(i)
    call count_implicit()

    call count_by_name('loop_dynamic')
    call count_by_name('barrier_loop')
    !$omp do schedule(dynamic, 2)
    do i = 1, length
      values(i) = values(i) + 1
    end do
    !$omp end do

    call count_by_name('loop_static')
    !$omp do schedule(static)
    do i = 1, length
      values(i) = values(i) + 1
    end do
    !$omp end do nowait

    call count_by_name('barrier')
    !$omp barrier

    call count_by_name('loop_ordered')
    call count_by_name('barrier_loop')
    !$omp do ordered schedule(static, 1)
    do i = 1, length
      !$omp ordered
      call count_by_name('ordered')
      !$omp end ordered
    end do
    !$omp end do

    call count_by_name('sections')
    call count_by_name('barrier_sections')
    !$omp sections
    !$omp section
    call count_by_name('section')
    !$omp section
    call count_by_name('section')
    !$omp end sections

    call count_by_name('critical')
    !$omp critical (total_of_all)
    total = total + 1
    !$omp end critical (total_of_all)

    call count_by_name('lock')
    call count_by_name('lock_set')
    call omp_set_lock(lock)
    total = total + 1
    call omp_unset_lock(lock)

    call count_by_name('nest')
    call count_by_name('nest_first')
    call omp_set_nest_lock(nest)
    call count_by_name('nest')
    call count_by_name('nest_again')
    call omp_set_nest_lock(nest)
    call omp_unset_nest_lock(nest)
    call omp_unset_nest_lock(nest)

    call count_by_name('single')
    call count_by_name('barrier_single')
    !$omp single
    call count_by_name('single_run')
    do i = 1, length
      call count_by_name('task')
      call count_by_name('depend_inout')
      !$omp task firstprivate(i) depend(inout: values(i))
      call count_by_name('task_run')
      values(i) = values(i) - 2
      !$omp end task
    end do
    call count_by_name('taskwait')
    !$omp taskwait
    call count_by_name('taskgroup')
    !$omp taskgroup
    call count_by_name('task')
    !$omp task
    call count_by_name('task_run')
    !$omp end task
    !$omp end taskgroup
    !$omp end single

    call count_by_name('barrier')
    !$omp barrier
    total = total
    !$omp end parallel
  end do

  if (any(values /= 0) .or. total /= 2 * threads * rounds) stop 1
  call count_by_name('lock_destroy')
  call omp_destroy_lock(lock)
  call count_by_name('nest_destroy')
  call omp_destroy_nest_lock(nest)
end program
