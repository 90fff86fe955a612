// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#define _GNU_SOURCE

#include "here.h"

#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

long here_blocks;

bool here_falls_due(long *countdown)
{
	return *countdown && --*countdown == 0;
}

void *here_alloc(size_t size, long *countdown)
{
	void *memory = here_falls_due(countdown) ? NULL : malloc(size);

	if (!memory)
		return NULL;
	here_blocks++;
	return memset(memory, 0xa5, size); // no library may count on zeroes
}

void here_free(void *memory)
{
	here_blocks--;
	free(memory);
}

bool here_read(uint64_t address, void *buffer, size_t size)
{
	struct iovec to = { buffer, size }, from = { (void *)(uintptr_t)address, size };

	return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)size;
}
