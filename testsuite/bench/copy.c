// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies memory of another process and forgets it: the least that reading it can take. Built and
// loaded by inside.py into GDB, which the kernel allows to read its inferiors.

#define _GNU_SOURCE

#include <stdint.h>
#include <stdlib.h>
#include <sys/uio.h>

/** Copies @p size bytes at @p address in pieces. @return bytes copied. */
uint64_t copy_out(int pid, uint64_t address, uint64_t size, uint64_t piece)
{
	uint64_t done = 0;
	void *buffer = malloc(piece);

	while (buffer && done < size) {
		uint64_t length = size - done < piece ? size - done : piece;
		struct iovec here = { .iov_base = buffer, .iov_len = length };
		struct iovec there = { .iov_base = (void *)(uintptr_t)(address + done),
				       .iov_len = length };

		if (process_vm_readv(pid, &here, 1, &there, 1, 0) != (ssize_t)length)
			break;
		done += length;
	}
	free(buffer);
	return done;
}
