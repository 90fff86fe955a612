! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Arguments that are not there, outside of parallel regions and in one.

module shop
contains
	subroutine serve(count, extra, list)
		integer, intent(in) :: count
		integer, optional, intent(in) :: extra
		real, optional, intent(in) :: list(:)
		integer, allocatable :: room(:)
		integer :: sum

		sum = count
		if (present(extra)) sum = sum + extra
		if (present(list)) sum = sum + size(list)
		call inspect(sum)
		if (sum < 0) allocate(room(sum))
	end subroutine
end module

program optional
	use shop

	call serve(1)
	!$omp parallel num_threads(1)
	call serve(2)
	!$omp end parallel
end program

subroutine inspect(sum)
	integer :: sum

	sum = sum + 1
end subroutine
