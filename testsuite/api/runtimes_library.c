// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library of GCC's in a program of Clang's: a region of libgomp.

void in_region_of_gcc(int threads, void (*body)(void));

void in_region_of_gcc(int threads, void (*body)(void))
{
#pragma omp parallel num_threads(threads)
#pragma omp critical
	body();
}
