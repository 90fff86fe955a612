// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plug-in with a parallel region.

int count;

void work(void)
{
#pragma omp parallel num_threads(2)
#pragma omp atomic
	count++;
}
