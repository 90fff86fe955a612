// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints what the recorder was set to, and what found room; run by settings.py.

#include <omp.h>

#include "own_record.h"

#define THREADS 4
#define TASKS 5000

int main(void)
{
	const struct record_root *root = dlsym(RTLD_DEFAULT, "ompdbg_record");
	uint64_t dropped = 0;
	int recorded = 0;

#pragma omp parallel num_threads(THREADS)
	{
#pragma omp barrier // the threads' blocks come first
#pragma omp single
		for (int i = 0; i < TASKS; i++) {
#pragma omp task
			recorded += 0;
		}
#pragma omp barrier
#pragma omp critical
		{
			const struct record_thread *thread =
				root && root->magic[0] ? find_own_thread() : NULL;

			if (thread) {
				recorded++;
				dropped += thread->dropped_tasks;
			}
		}
	}
	if (!root || !root->magic[0]) {
		printf("off\n");
		return 0;
	}
	printf("events %u recorded %d dropped %llu tasks %s runtime %u\n", root->ring_events,
	       recorded, (unsigned long long)root->threads_dropped,
	       dropped ? "dropped" : "recorded", root->runtime);
	return 0;
}
