// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread of the program's opens a region, as the last thing that it does: the region's primary thread
// has no frame of the program's. It comes to the end of the region, another thread waits for a lock.

#include <omp.h>
#include <thread>
#include <unistd.h>

static omp_lock_t lock;

static void work()
{
#pragma omp parallel num_threads(3)
	if (omp_get_thread_num() == 2)
		omp_set_lock(&lock);
}

int main()
{
	alarm(3600);
	omp_init_lock(&lock);
	omp_set_lock(&lock);
	std::thread(work).join();
	return 0;
}
