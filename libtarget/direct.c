// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uses /proc/PID/mem for little, of which it takes two thirds of the time, and process_vm_readv() for
// much; or the other one where a sandbox forbids one of them.

#include "internal.h"
#include "proc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { SMALL = 8192 };

/** Append what can be read, or extend the last extent if they touch. */
static bool add_extent(void *context, const struct proc_mapping *mapping)
{
	struct direct *direct = context;
	struct direct_extent *last = direct->count ? &direct->extents[direct->count - 1] : NULL;
	bool is_code = mapping->permissions[2] == 'x';

	if (mapping->permissions[0] != 'r')
		return true;
	if (last && last->end == mapping->start && last->is_code == is_code) {
		last->end = mapping->end;
		return true;
	}
	struct direct_extent *added = GROW(direct->extents, direct->count);
	*added = (struct direct_extent){ mapping->start, mapping->end, is_code };
	return true;
}

bool direct_init(struct direct *direct, pid_t pid)
{
	memset(direct, 0, sizeof(*direct));
	direct->pid = pid;
	if (proc_mappings(pid, add_extent, direct) && direct->count)
		return true;
	direct_deinit(direct);
	return false;
}

void direct_close_file(struct direct *direct)
{
	if (direct->memory)
		close(direct->memory - 1);
	direct->memory = 0;
}

void direct_deinit(struct direct *direct)
{
	direct_close_file(direct);
	free(direct->extents);
	memset(direct, 0, sizeof(*direct));
}

const struct direct_extent *direct_find(const struct direct *direct, uint64_t address)
{
	return RANGE_AT(direct->extents, direct->count, address);
}

static bool has_file(struct direct *direct)
{
	if (!direct->memory && !direct->has_no_file) {
		char path[32];

		snprintf(path, sizeof(path), "/proc/%d/mem", (int)direct->pid);
		direct->memory = open(path, O_RDONLY | O_CLOEXEC) + 1;
		direct->has_no_file = !direct->memory;
	}
	return direct->memory;
}

size_t direct_read(struct direct *direct, uint64_t address, void *buffer, size_t size)
{
	if (!direct->pid)
		return 0;
	if (!direct->refused && (size > SMALL || !has_file(direct))) {
		struct iovec here = { .iov_base = buffer, .iov_len = size };
		struct iovec there = { .iov_base = (void *)(uintptr_t)address, .iov_len = size };
		ssize_t got = process_vm_readv(direct->pid, &here, 1, &there, 1, 0);

		if (got >= 0)
			return (size_t)got;
		if (errno != EPERM && errno != ENOSYS)
			return 0;
		direct->refused = true;
	}
	ssize_t got = has_file(direct) ? pread(direct->memory - 1, buffer, size, (off_t)address) :
					 -1;
	return got > 0 ? (size_t)got : 0;
}

size_t direct_read_pages(struct direct *direct, const uint64_t *addresses, size_t count,
			 uint8_t *bytes)
{
	struct iovec here[DIRECT_PAGES], there[DIRECT_PAGES];

	if (direct->refused || count > DIRECT_PAGES)
		return 0;
	for (size_t i = 0; i < count; i++) {
		here[i] = (struct iovec){ bytes + i * DIRECT_PAGE, DIRECT_PAGE };
		there[i] = (struct iovec){ (void *)(uintptr_t)addresses[i], DIRECT_PAGE };
	}
	ssize_t got = process_vm_readv(direct->pid, here, count, there, count, 0);
	return got > 0 ? (size_t)got / DIRECT_PAGE : 0;
}
