// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of a region ends with a jump to omp_set_lock(): the call on the stack is the one that opened the
// region. The file "address" has the address of the lock.

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	omp_lock_t *lock = malloc(sizeof(*lock));
	FILE *file = fopen("address", "w");

	omp_init_lock(lock);
	fprintf(file, "%p", (void *)lock);
	fclose(file);
	omp_set_lock(lock);
#pragma omp parallel num_threads(2)
	omp_set_lock(lock);
	return 0;
}
