// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recorder's memory: anonymous, so that it is in core files, within the budget, never given back.

#include <errno.h>
#include <sys/mman.h>

#include "recorder.h"

/** Map memory; return null if the budget has no room or the system has none. */
void *map_memory(uint64_t size)
{
	int saved_errno = errno;
	void *memory = NULL;

	if (__atomic_add_fetch(&recorder.used, size, __ATOMIC_RELAXED) <= recorder.budget)
		memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			      0);
	if (memory == MAP_FAILED)
		memory = NULL;
	if (memory)
		madvise(memory, size, MADV_DODUMP);
	else
		__atomic_sub_fetch(&recorder.used, size, __ATOMIC_RELAXED);
	errno = saved_errno;
	return memory;
}
