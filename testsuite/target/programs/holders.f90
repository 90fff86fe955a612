! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Procedures that know a lock by an array with a descriptor, by one of a fixed size, and as a member.
! Each prints the address of its lock and aborts.
module holding
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env
  implicit none
  type cell
    real(8) :: value
    integer(8) :: lock
  end type cell
contains
  subroutine stop_at(where)
    integer(8), target, intent(inout) :: where
    write (output_unit, '(z16.16)') loc(where)
    flush (output_unit)
    call abort()
  end subroutine stop_at

  subroutine described(locks)
    integer(8), intent(inout) :: locks(:)
    call stop_at(locks(4))
    locks(1) = 1
  end subroutine described

  subroutine strided(others)
    integer(8), intent(inout) :: others(:)
    call stop_at(others(2))
    others(1) = 1
  end subroutine strided

  subroutine fixed(locks)
    integer(8), intent(inout) :: locks(0:3, 2)
    call stop_at(locks(1, 2))
    locks(1, 1) = 1
  end subroutine fixed

  subroutine member(one)
    type(cell), intent(inout) :: one
    call stop_at(one%lock)
    one%value = 1
  end subroutine member
end module holding

program holders
  use holding
  implicit none
  integer(8), allocatable :: locks(:)
  integer(8) :: some(0:3, 2)
  type(cell) :: one
  character(len=8) :: word
  allocate (locks(10))
  locks = 0
  some = 0
  one = cell(0, 0)
  call get_command_argument(1, word)
  select case (word)
  case ('0')
    call described(locks)
  case ('1')
    call strided(locks(1:9:2))
  case ('2')
    call fixed(some)
  case default
    call member(one)
  end select
  print *, locks, some, one
end program holders
