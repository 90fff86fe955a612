// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two threads wait for locks in objects of classes that another unit describes.

#include "guards.h"

static void __attribute__((noinline)) enter(mesh::Owner *owner, int number)
{
	omp_set_lock(&owner->guards[number].lock);
}

int main()
{
	mesh::Owner owner;

#pragma omp parallel num_threads(2)
	enter(&owner, omp_get_thread_num());
	return 0;
}
