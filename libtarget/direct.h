// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the memory of a process of this machine without its debugger, which hides the breakpoints that
// it has put into code.

#ifndef OMPDBG_DIRECT_H
#define OMPDBG_DIRECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum { DIRECT_PAGE = 4096, DIRECT_PAGES = 64 }; // bytes; pages in one call, at most

struct direct_extent {
	uint64_t start, end;
	bool is_code;
};

/** All zero is closed. */
struct direct {
	pid_t pid;		       // 0 if closed
	int memory;		       // file descriptor of /proc/PID/mem + 1, 0 if not open
	bool has_no_file;	       // it cannot be opened
	bool refused;		       // process_vm_readv() is not permitted
	struct direct_extent *extents; // readable memory, ascending
	size_t count;
};

/** Learn the mappings of @p pid. @return false if that is not possible. */
bool direct_init(struct direct *direct, pid_t pid);

void direct_deinit(struct direct *direct);

/**
 * Forget the open file, when the process may have run meanwhile: the file shows the memory that the process
 * had when it was opened, and exec() gives it another one.
 */
void direct_close_file(struct direct *direct);

/** Return the extent that holds @p address; NULL if it was in no readable mapping. */
const struct direct_extent *direct_find(const struct direct *direct, uint64_t address);

/** Read memory without a check against extents. @return bytes from the start of the range, or 0. */
size_t direct_read(struct direct *direct, uint64_t address, void *buffer, size_t size);

/** Read pages of DIRECT_PAGE bytes by one call. @return how many, the first ones, were read. */
size_t direct_read_pages(struct direct *direct, const uint64_t *addresses, size_t count,
			 uint8_t *bytes);

#endif
