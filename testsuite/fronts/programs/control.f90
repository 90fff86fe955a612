! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Commands of a Fortran program, and its question for the runtime's name.

program control
  use iso_fortran_env, only: int64
  implicit none
  interface
    subroutine ompt_control(command, modifier)
      import int64
      integer(int64) :: command, modifier
    end subroutine
    integer function ompt_get_runtime_version(buffer, length)
      character(*) :: buffer
      integer :: length
    end function
  end interface
  character(200) :: name
  character(6) :: short
  integer :: missing

  call ompt_control(2_int64, 5000000000_int64)
  !$omp parallel num_threads(2)
  call ompt_control(64_int64, 3_int64)
  !$omp end parallel
  missing = ompt_get_runtime_version(name, 200)
  print '(a)', trim(name)
  missing = missing + len_trim(name) - ompt_get_runtime_version(short, 6)
  print '(a, 1x, i0)', short, missing
end program
