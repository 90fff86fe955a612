// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that the dynamic linker loads libgomp for.

#include <omp.h>

int main(void)
{
	return omp_get_num_threads() != 1;
}
