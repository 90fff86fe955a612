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

  type guard
    private
    integer(omp_lock_kind) :: handle
  contains
    procedure :: enter => enter_guard
    procedure :: leave => leave_guard
  end type guard

  type board
    integer :: number = 0
    type(cell) :: fields(3)
  end type board

  type, bind(c) :: shared_with_c
    integer(c_int) :: number
    integer(omp_lock_kind) :: lock
  end type shared_with_c

  type(guard), target :: door
  type(board), target :: boards(2)
  type(shared_with_c), target :: common_part
  integer(omp_lock_kind), target :: matrix(2, 3)

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
    subroutine set_count(count) bind(c)
      import :: c_int
      integer(c_int), value :: count
    end subroutine set_count
    subroutine meet(kind, address, number, owner) bind(c)
      import :: c_char, c_int, c_ptr
      character(kind=c_char), intent(in) :: kind(*)
      type(c_ptr), value :: address
      integer(c_int), value :: number, owner
    end subroutine meet
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

  subroutine enter_guard(this)
    class(guard), intent(inout) :: this
    call omp_set_lock(this%handle)
  end subroutine enter_guard

  subroutine leave_guard(this)
    class(guard), intent(inout) :: this
    call omp_unset_lock(this%handle)
  end subroutine leave_guard

  subroutine pass(which, is_owner)
    type(guard), intent(inout) :: which
    logical, intent(in) :: is_owner

    call which%enter()
    if (is_owner) call hold()
    work = work + 1
    call which%leave()
  end subroutine pass

  subroutine bound_procedure()
    call omp_init_lock(door%handle)
    call tell('lock', c_loc(door%handle), 'holding::door%handle')
    !$omp parallel num_threads(2)
    call pass(door, logical(holds_it()))
    !$omp end parallel
  end subroutine bound_procedure

  subroutine change_field(which, index, is_owner)
    type(board), intent(inout) :: which
    integer, intent(in) :: index
    logical, intent(in) :: is_owner

    call omp_set_lock(which%fields(index)%lock)
    which%number = which%number + 1
    if (is_owner) call hold()
    call omp_unset_lock(which%fields(index)%lock)
    work = work + 1
  end subroutine change_field

  subroutine nested_component()
    call omp_init_lock(boards(2)%fields(3)%lock)
    call tell('lock', c_loc(boards(2)%fields(3)%lock), 'holding::boards(2)%fields(3)%lock')
    !$omp parallel num_threads(2)
    call change_field(boards(2), 3, logical(holds_it()))
    !$omp end parallel
  end subroutine nested_component

  subroutine interoperable()
    call omp_init_lock(common_part%lock)
    call tell('lock', c_loc(common_part%lock), 'holding::common_part%lock')
    !$omp parallel num_threads(2)
    call change(common_part%lock, logical(holds_it()))
    !$omp end parallel
  end subroutine interoperable

  subroutine change_matrix(i, j, is_owner)
    integer, intent(in) :: i, j
    logical, intent(in) :: is_owner

    call omp_set_lock(matrix(i, j))
    if (is_owner) call hold()
    work = work + 1
    call omp_unset_lock(matrix(i, j))
  end subroutine change_matrix

  subroutine two_dimensions()
    call omp_init_lock(matrix(2, 3))
    call tell('lock', c_loc(matrix(2, 3)), 'holding::matrix(2,3)')
    !$omp parallel num_threads(2)
    call change_matrix(2, 3, logical(holds_it()))
    !$omp end parallel
  end subroutine two_dimensions

  subroutine cross(own, next)
    integer, intent(in) :: own, next

    call omp_set_lock(row(own))
    call meet('lock' // c_null_char, c_loc(row(next)), own - 1, next - 1)
    call omp_set_lock(row(next))
    work = work + 1
    call omp_unset_lock(row(next))
    call omp_unset_lock(row(own))
  end subroutine cross

  subroutine crossing_pair()
    integer :: own

    call set_count(2)
    call omp_init_lock(row(1))
    call omp_init_lock(row(2))
    !$omp parallel num_threads(2) private(own)
    own = omp_get_thread_num() + 1
    call cross(own, 3 - own)
    !$omp end parallel
  end subroutine crossing_pair

end module holding

program idioms
  use holding
  implicit none
  character(40) :: wanted
  character(20), parameter :: names(13) = [character(20) :: 'module_variable', 'array_element', &
    'component', 'pointer_component', 'allocatable_element', 'contained', 'nest', 'critical_named', &
    'bound_procedure', 'nested_component', 'interoperable', 'two_dimensions', 'crossing_pair']
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
  case ('bound_procedure')
    call bound_procedure()
  case ('nested_component')
    call nested_component()
  case ('interoperable')
    call interoperable()
  case ('two_dimensions')
    call two_dimensions()
  case ('crossing_pair')
    call crossing_pair()
  end select
end program idioms
