! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! How programs in Fortran hold locks.

module holding
  use iso_c_binding
  use omp_lib
  implicit none

  type cell
    real :: value = 0
    integer(omp_lock_kind) :: lock
  end type cell

  integer(omp_lock_kind), target :: gate, row(6)
  integer(omp_nest_lock_kind), target :: nested
  type(cell), target :: cells(5)
  type(cell), pointer :: chosen
  integer(omp_lock_kind), allocatable, target :: many(:)
  integer :: work = 0

  interface
    subroutine truth(kind, address, symbol) bind(c)
      import :: c_char, c_ptr
      character(kind=c_char), intent(in) :: kind(*)
      type(c_ptr), value :: address, symbol
    end subroutine truth
    logical(c_bool) function holds_it() bind(c)
      import :: c_bool
    end function holds_it
    subroutine hold() bind(c)
    end subroutine hold
    subroutine set_holder(number) bind(c)
      import :: c_int
      integer(c_int), value :: number
    end subroutine set_holder
  end interface

contains

  subroutine tell(kind, address, symbol)
    character(*), intent(in) :: kind, symbol
    type(c_ptr), intent(in) :: address
    character(kind=c_char), pointer :: kept(:), kept_kind(:)
    integer :: i

    allocate (kept(len(symbol) + 1), kept_kind(len(kind) + 1))
    do i = 1, len(symbol)
      kept(i) = symbol(i:i)
    end do
    kept(len(symbol) + 1) = c_null_char
    do i = 1, len(kind)
      kept_kind(i) = kind(i:i)
    end do
    kept_kind(len(kind) + 1) = c_null_char
    if (len(symbol) == 0) then
      call truth(kept_kind, address, c_null_ptr)
    else
      call truth(kept_kind, address, c_loc(kept))
    end if
  end subroutine tell

  subroutine change(lock, is_owner)
    integer(omp_lock_kind), intent(inout) :: lock
    logical, intent(in) :: is_owner

    call omp_set_lock(lock)
    if (is_owner) call hold()
    work = work + 1
    call omp_unset_lock(lock)
  end subroutine change

  subroutine module_variable()
    call omp_init_lock(gate)
    call tell('lock', c_loc(gate), 'holding::gate')
    !$omp parallel num_threads(2)
    if (holds_it()) then
      call omp_set_lock(gate)
      call hold()
      call omp_unset_lock(gate)
    else
      call omp_set_lock(gate)
      work = work + 1
      call omp_unset_lock(gate)
    end if
    !$omp end parallel
  end subroutine module_variable

  subroutine array_element()
    call omp_init_lock(row(3))
    call tell('lock', c_loc(row(3)), 'holding::row(3)')
    !$omp parallel num_threads(2)
    call change_row(3, logical(holds_it()))
    !$omp end parallel
  end subroutine array_element

  subroutine change_row(index, is_owner)
    integer, intent(in) :: index
    logical, intent(in) :: is_owner

    call omp_set_lock(row(index))
    if (is_owner) call hold()
    work = work + 1
    call omp_unset_lock(row(index))
  end subroutine change_row

  subroutine component()
    call omp_init_lock(cells(2)%lock)
    call tell('lock', c_loc(cells(2)%lock), 'holding::cells(2)%lock')
    !$omp parallel num_threads(2)
    call change(cells(2)%lock, logical(holds_it()))
    !$omp end parallel
  end subroutine component

  subroutine pointer_component()
    allocate (chosen)
    call omp_init_lock(chosen%lock)
    call tell('lock', c_loc(chosen%lock), '')
    !$omp parallel num_threads(2)
    if (holds_it()) then
      call omp_set_lock(chosen%lock)
      call hold()
      call omp_unset_lock(chosen%lock)
    else
      call omp_set_lock(chosen%lock)
    end if
    !$omp end parallel
  end subroutine pointer_component

  subroutine allocatable_element()
    allocate (many(8))
    call omp_init_lock(many(4))
    call tell('lock', c_loc(many(4)), '')
    !$omp parallel num_threads(2)
    call change(many(4), logical(holds_it()))
    !$omp end parallel
  end subroutine allocatable_element

  subroutine contained()
    integer(omp_lock_kind), target :: mine

    call omp_init_lock(mine)
    call tell('lock', c_loc(mine), '')
    !$omp parallel num_threads(2)
    call inner(logical(holds_it()))
    !$omp end parallel
  contains
    subroutine inner(is_owner)
      logical, intent(in) :: is_owner
      call omp_set_lock(mine)
      if (is_owner) call hold()
      work = work + 1
      call omp_unset_lock(mine)
    end subroutine inner
  end subroutine contained

  subroutine nest()
    call omp_init_nest_lock(nested)
    ! libgomp keeps the lock elsewhere, and its address here.
    call tell('nest_lock', transfer(nested, c_null_ptr), '')
    !$omp parallel num_threads(2)
    if (holds_it()) then
      call omp_set_nest_lock(nested)
      call omp_set_nest_lock(nested)
      call hold()
      call omp_unset_nest_lock(nested)
      call omp_unset_nest_lock(nested)
    else
      call omp_set_nest_lock(nested)
    end if
    !$omp end parallel
  end subroutine nest

  subroutine critical_named()
    call tell('critical', c_null_ptr, 'ledger')
    !$omp parallel num_threads(2)
    call enter(logical(holds_it()))
    !$omp end parallel
  end subroutine critical_named

  subroutine enter(is_owner)
    logical, intent(in) :: is_owner
    !$omp critical (ledger)
    if (is_owner) call hold()
    work = work + 1
    !$omp end critical (ledger)
  end subroutine enter

end module holding

program idioms
  use holding
  implicit none
  character(40) :: wanted
  character(20), parameter :: names(8) = [character(20) :: 'module_variable', 'array_element', &
    'component', 'pointer_component', 'allocatable_element', 'contained', 'nest', 'critical_named']
  integer :: i

  if (command_argument_count() == 0) then
    do i = 1, size(names)
      print '(a)', trim(names(i))
    end do
    stop
  end if
  call get_command_argument(1, wanted)
  do i = 1, size(names)
    if (names(i) == wanted) call set_holder(mod(i, 2))
  end do
  select case (wanted)
  case ('module_variable')
    call module_variable()
  case ('array_element')
    call array_element()
  case ('component')
    call component()
  case ('pointer_component')
    call pointer_component()
  case ('allocatable_element')
    call allocatable_element()
  case ('contained')
    call contained()
  case ('nest')
    call nest()
  case ('critical_named')
    call critical_named()
  end select
end program idioms
