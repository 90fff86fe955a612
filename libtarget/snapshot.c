// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A copy of a stopped process's memory, made so that it can go on at once. What is mapped from
// files that are known, and was not changed in memory, is read from these later. If the rest is too
// much, nothing is copied, and the process stays stopped while it is looked at.

#include "internal.h"
#include "proc.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/user.h>
#include <unistd.h>

#include "base/text.h"

enum {
	MAX_COPY = 64 << 20,
	MAX_PAGES = 1 << 21, // that are asked for: 8 GiB of addresses
	ENTRIES = 4096,	     // of the page map, read at once
	STACK_POINTER = offsetof(struct user_regs_struct, rsp) / WORD,
};

// Documentation/admin-guide/mm/pagemap.rst
static const uint64_t in_memory = UINT64_C(1) << 63, swapped = UINT64_C(1) << 62,
		      of_file = UINT64_C(1) << 61;

/** Which pages of a mapping to copy. */
enum wanted {
	WANT_NONE,
	WANT_CHANGED, // those that are no longer the file's
	WANT_TOUCHED, // the others are zeros
	WANT_ALL,
	WANT_DEVICE, // who knows what it does if it is read
};

static enum wanted wanted_of(const struct target *target, const struct proc_mapping *mapping)
{
	bool is_shared = mapping->permissions[3] == 's';

	if (mapping->permissions[0] != 'r' || starts_with(mapping->name, "[vvar") ||
	    starts_with(mapping->name, "[vsyscall"))
		return WANT_NONE;
	if (starts_with(mapping->name, "/dev/") && !starts_with(mapping->name, "/dev/shm/") &&
	    !starts_with(mapping->name, "/dev/zero"))
		return WANT_DEVICE;
	if (mapping->name[0] == '/') {
		bool is_safe = mapping->permissions[1] != 'w' && !is_shared &&
			       files_has(target, mapping->start, mapping->end);
		return is_safe ? WANT_CHANGED : WANT_ALL;
	}
	bool is_plain = !mapping->name[0] || starts_with(mapping->name, "[heap]") ||
			starts_with(mapping->name, "[stack") ||
			starts_with(mapping->name, "[anon:");
	return is_plain && !is_shared ? WANT_TOUCHED : WANT_ALL;
}

static bool is_wanted(enum wanted wanted, uint64_t entry)
{
	if (wanted == WANT_ALL || entry & swapped)
		return true;
	return entry & in_memory && (wanted == WANT_TOUCHED || !(entry & of_file));
}

// ---- What to copy ----------------------------------------------------------------------------

/** Add a page, or @p size bytes of zeros, which are not counted. */
static void add(struct snapshot *snapshot, uint64_t start, uint64_t size, bool is_zero)
{
	struct area *last =
		snapshot->count > snapshot->mapping ? &snapshot->areas[snapshot->count - 1] : NULL;

	if (!is_zero)
		snapshot->size += size;
	if (last && last->end == start && last->is_zero == is_zero) {
		last->end += size;
		return;
	}
	struct area *area = GROW(snapshot->areas, snapshot->count);
	*area = (struct area){ .start = start, .end = start + size, .is_zero = is_zero };
}

static bool add_pages(struct snapshot *snapshot, uint64_t start, const uint64_t *entries,
		      size_t count, enum wanted wanted)
{
	for (size_t i = 0; i < count; i++) {
		bool is_copied = is_wanted(wanted, entries[i]);

		if (is_copied || wanted == WANT_TOUCHED)
			add(snapshot, start + i * PAGE, PAGE, !is_copied);
	}
	return snapshot->size <= MAX_COPY;
}

/** A look for what to copy. */
struct search {
	struct target *target;
	int page_map;
	size_t asked; // pages
};

static bool add_mapping(void *context, const struct proc_mapping *mapping)
{
	struct search *search = context;
	struct snapshot *snapshot = &search->target->snapshot;
	enum wanted wanted = wanted_of(search->target, mapping);
	uint64_t entries[ENTRIES], size = mapping->end - mapping->start, pages = size / PAGE,
				   done = 0;

	snapshot->mapping = snapshot->count;
	if (wanted == WANT_NONE || wanted == WANT_DEVICE)
		return wanted == WANT_NONE;
	if (wanted == WANT_ALL) {
		if (size <= MAX_COPY)
			add(snapshot, mapping->start, size, false);
		return size <= MAX_COPY && snapshot->size <= MAX_COPY;
	}
	search->asked += pages;
	while (search->asked <= MAX_PAGES && done < pages) {
		size_t count = pages - done < ENTRIES ? pages - done : ENTRIES;
		uint64_t start = mapping->start + done * PAGE;
		ssize_t bytes = (ssize_t)(count * sizeof(*entries));

		if (pread(search->page_map, entries, (size_t)bytes,
			  (off_t)(start / PAGE * sizeof(*entries))) != bytes ||
		    !add_pages(snapshot, start, entries, count, wanted))
			return false;
		done += count;
	}
	return done == pages;
}

static bool find_areas(struct target *target)
{
	struct search search = { .target = target };
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/pagemap", (int)target->direct.pid);
	search.page_map = open(path, O_RDONLY | O_CLOEXEC);
	if (search.page_map < 0)
		return false;
	bool ok = proc_mappings(target->direct.pid, add_mapping, &search);
	close(search.page_map);
	return ok;
}

static const struct area *area_at(const struct snapshot *snapshot, uint64_t address)
{
	return RANGE_AT(snapshot->areas, snapshot->count, address);
}

/** Check that threads have memory where they push and pop: else the page map is unreliable. */
static bool has_stacks(const struct target *target)
{
	for (size_t i = 0; i < target->num_threads; i++) {
		const struct thread *thread = &target->threads[i];
		const struct area *area =
			thread->has_registers ?
				area_at(&target->snapshot, thread->registers[STACK_POINTER]) :
				NULL;

		if (!area || area->is_zero)
			return false;
	}
	return true;
}

// ---- The copy --------------------------------------------------------------------------------

/** Copy an area, without what can't be read. */
static void copy_area(struct target *target, struct area *area, char *bytes)
{
	size_t size = area->end - area->start;

	area->bytes = bytes;
	area->end = area->start + direct_read(&target->direct, area->start, bytes, size);
}

bool snapshot_take(struct target *target)
{
	struct snapshot *snapshot = &target->snapshot;
	uint64_t done = 0;

	if (find_areas(target) && has_stacks(target)) {
		void *room = mmap(NULL, snapshot->size, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
		if (room != MAP_FAILED)
			snapshot->bytes = room;
	}
	if (!snapshot->bytes) {
		free(snapshot->areas);
		*snapshot = (struct snapshot){ 0 };
		return false;
	}
	for (size_t i = 0; i < snapshot->count; i++) {
		struct area *area = &snapshot->areas[i];
		uint64_t size = area->end - area->start;

		if (area->is_zero)
			continue;
		copy_area(target, area, snapshot->bytes + done);
		done += size;
	}
	return true;
}

void snapshot_deinit(struct snapshot *snapshot)
{
	if (snapshot->bytes)
		munmap(snapshot->bytes, snapshot->size);
	free(snapshot->areas);
}

size_t snapshot_read(const struct snapshot *snapshot, uint64_t address, void *buffer, size_t size)
{
	const struct area *area = area_at(snapshot, address);

	if (!area)
		return 0;
	if (size > area->end - address)
		size = area->end - address;
	if (area->is_zero)
		memset(buffer, 0, size);
	else
		memcpy(buffer, area->bytes + (address - area->start), size);
	return size;
}
