! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Arguments that are arrays: one is larger than GDB's max-value-size, and of one only the first
! element is needed, so that the array is optimized out.

module passing
contains
	subroutine keep(n, field)
		integer, intent(in) :: n
		real(8), intent(inout) :: field(n, n)
		real(8) :: first(4)

		first = field(1:4, 1)
		call drop(first)
		field(n, n) = field(1, 1)
	end subroutine

	subroutine drop(list)
		real(8), intent(in) :: list(4)
		integer :: first

		first = int(list(1))
		call inspect(first)
	end subroutine
end module

program passed
	use passing
	real(8) :: all(100, 100)

	!$omp parallel num_threads(1) private(all)
	all = 0
	call keep(size(all, 1), all)
	!$omp end parallel
end program

subroutine inspect(number)
	integer, intent(in) :: number
	integer, save :: sum = 0

	sum = sum + number
	!$omp flush
end subroutine
