// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uses /proc/PID/mem for little, of which it takes two thirds of the time, and process_vm_readv() for
// much; or the other one where a sandbox forbids one of them.

#include "direct.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { SMALL = 8192 };

/** Append a mapping, or extend the last one if they touch. */
static bool append(struct direct *direct, size_t *room, uint64_t start, uint64_t end, bool is_code)
{
	struct direct_extent *last = direct->count ? &direct->extents[direct->count - 1] : NULL;

	if (last && last->end == start && last->is_code == is_code) {
		last->end = end;
		return true;
	}
	if (!direct->extents || direct->count == *room) {
		size_t more = *room ? 2 * *room : 64;
		struct direct_extent *extents = realloc(direct->extents, more * sizeof(*extents));

		if (!extents)
			return false;
		direct->extents = extents;
		*room = more;
	}
	direct->extents[direct->count++] = (struct direct_extent){ start, end, is_code };
	return true;
}

static bool read_mappings(struct direct *direct, FILE *file)
{
	char *line = NULL;
	size_t line_room = 0, room = 0;
	bool ok = true;

	while (ok && getline(&line, &line_room, file) > 0) {
		uint64_t start, end;
		char permissions[5];

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &start, &end, permissions) != 3)
			continue;
		if (permissions[0] == 'r')
			ok = append(direct, &room, start, end, permissions[2] == 'x');
	}
	free(line);
	return ok && !ferror(file);
}

bool direct_init(struct direct *direct, pid_t pid)
{
	char path[32];

	memset(direct, 0, sizeof(*direct));
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	FILE *file = fopen(path, "re");
	if (!file)
		return false;
	bool ok = read_mappings(direct, file) && direct->count;
	fclose(file);
	direct->pid = pid;
	if (!ok)
		direct_deinit(direct);
	return ok;
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

const struct direct_extent *direct_find(struct direct *direct, uint64_t address)
{
	size_t low = 0, high = direct->count;

	if (!high)
		return NULL;
	const struct direct_extent *last = &direct->extents[direct->last];
	if (address >= last->start && address < last->end)
		return last;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct direct_extent *extent = &direct->extents[middle];

		if (address < extent->start) {
			high = middle;
		} else if (address >= extent->end) {
			low = middle + 1;
		} else {
			direct->last = middle;
			return extent;
		}
	}
	return NULL;
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
