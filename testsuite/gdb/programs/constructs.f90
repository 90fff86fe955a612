! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Constructs in a named program, module procedures and internal procedures, to step through.
! Usage: constructs THREADS. See constructs.c.
module work
  use omp_lib
  implicit none
  integer :: threads = 4
  integer :: total = 0
contains
  subroutine add(value)
    integer, intent(in) :: value
    !$omp atomic
    total = total + value
  end subroutine add

  subroutine of_module(n)
    integer, intent(in) :: n
    call add(n) ! AT: module-before
    !$omp parallel num_threads(threads)
    call add(omp_get_thread_num()) ! AT: module-first
    call add(2)
    !$omp end parallel
    call add(3) ! AT: module-after
  end subroutine of_module

  subroutine loop(n)
    integer, intent(in) :: n
    integer :: i
    call add(n) ! AT: loop-before
    !$omp parallel do num_threads(threads)
    do i = 1, n
      call add(i) ! AT: loop-first
    end do
    !$omp end parallel do
    call add(1) ! AT: loop-after
  end subroutine loop

  subroutine tasks(n)
    integer, intent(in) :: n
    !$omp parallel num_threads(threads)
    !$omp master
    call add(n) ! AT: task-before
    !$omp task
    call add(n + 1) ! AT: task-first
    !$omp end task
    call add(1) ! AT: task-later
    !$omp taskwait
    call add(2)
    !$omp end master
    !$omp end parallel
  end subroutine tasks

  subroutine loop_of_tasks(n)
    integer, intent(in) :: n
    integer :: i
    !$omp parallel num_threads(threads)
    !$omp master
    call add(2) ! AT: taskloop-before
    !$omp taskloop grainsize(2)
    do i = 1, n
      call add(i) ! AT: taskloop-first
    end do
    !$omp end taskloop
    call add(3) ! AT: taskloop-later
    !$omp end master
    !$omp end parallel
  end subroutine loop_of_tasks
end module work

program steps
  use work
  implicit none
  character(len=8) :: word
  call get_command_argument(1, word)
  read (word, *) threads
  call of_module(2)
  call loop(2 * threads)
  call tasks(8)
  call loop_of_tasks(8)
  call internal(3)
  call add(1) ! AT: program-before
  !$omp parallel num_threads(threads)
  call add(2) ! AT: program-first
  !$omp end parallel
  call add(3) ! AT: program-after
  print '(a, i0)', 'sum ', total
contains
  subroutine internal(n)
    integer, intent(in) :: n
    call add(n) ! AT: internal-before
    !$omp parallel num_threads(threads)
    call add(n + 1) ! AT: internal-first
    !$omp end parallel
    call add(n + 2) ! AT: internal-after
  end subroutine internal
end program steps
