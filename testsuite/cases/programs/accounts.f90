! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Transfers between accounts; both are locked meanwhile.
module bank
  use omp_lib
  implicit none
  integer, parameter :: accounts = 8
  integer(omp_lock_kind) :: account_lock(accounts)
  integer :: balance(accounts) = 1000
  integer :: begun = 0

contains

  subroutine note_in_journal()
    integer :: now

    !$omp atomic
    begun = begun + 1
    do
      !$omp atomic read
      now = begun
      if (now >= 2) exit
    end do
  end subroutine

  subroutine transfer(from, to, amount)
    integer, intent(in) :: from, to, amount

    call omp_set_lock(account_lock(from))
    call note_in_journal()
    call omp_set_lock(account_lock(to))
    balance(from) = balance(from) - amount
    balance(to) = balance(to) + amount
    call omp_unset_lock(account_lock(to))
    call omp_unset_lock(account_lock(from))
  end subroutine

end module

program day
  use bank
  implicit none
  integer :: i

  do i = 1, accounts
    call omp_init_lock(account_lock(i))
  end do
  !$omp parallel sections num_threads(4)
  !$omp section
  call transfer(3, 6, 100)
  !$omp section
  call transfer(6, 3, 40)
  !$omp end parallel sections
  print *, balance
end program
