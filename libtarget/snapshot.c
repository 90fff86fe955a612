// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A copy of a stopped process's memory, made so that it can go on at once. What is mapped from
// files that are known, and was not changed in memory, is read from these later. If the rest is too
// much, nothing is copied, and the process stays stopped while it is looked at.

#include "internal.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/user.h>
#include <unistd.h>

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

/** A line of /proc/PID/maps. */
struct line {
	uint64_t start, end;
	char permissions[5];
	const char *name; // "" if it has none
};

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

static enum wanted wanted_of(const struct target *target, const struct line *line)
{
	bool is_shared = line->permissions[3] == 's';

	if (line->permissions[0] != 'r' || begins(line->name, "[vvar") ||
	    begins(line->name, "[vsyscall"))
		return WANT_NONE;
	if (begins(line->name, "/dev/") && !begins(line->name, "/dev/shm/") &&
	    !begins(line->name, "/dev/zero"))
		return WANT_DEVICE;
	if (line->name[0] == '/') {
		bool is_safe = line->permissions[1] != 'w' && !is_shared &&
			       files_has(target, line->start, line->end);
		return is_safe ? WANT_CHANGED : WANT_ALL;
	}
	bool is_plain = !line->name[0] || begins(line->name, "[heap]") ||
			begins(line->name, "[stack") || begins(line->name, "[anon:");
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
static bool add(struct snapshot *snapshot, uint64_t start, uint64_t size, bool is_zero)
{
	struct area *last =
		snapshot->count > snapshot->mapping ? &snapshot->areas[snapshot->count - 1] : NULL;

	if (!is_zero)
		snapshot->size += size;
	if (last && last->end == start && last->is_zero == is_zero) {
		last->end += size;
		return true;
	}
	struct area *area = GROW(snapshot->areas, snapshot->count);
	if (area)
		*area = (struct area){ .start = start, .end = start + size, .is_zero = is_zero };
	return area != NULL;
}

static bool add_pages(struct snapshot *snapshot, uint64_t start, const uint64_t *entries,
		      size_t count, enum wanted wanted)
{
	for (size_t i = 0; i < count; i++) {
		bool is_copied = is_wanted(wanted, entries[i]);

		if ((is_copied || wanted == WANT_TOUCHED) &&
		    !add(snapshot, start + i * PAGE, PAGE, !is_copied))
			return false;
	}
	return snapshot->size <= MAX_COPY;
}

static bool add_mapping(struct target *target, int page_map, const struct line *line, size_t *asked)
{
	enum wanted wanted = wanted_of(target, line);
	uint64_t entries[ENTRIES], pages = (line->end - line->start) / PAGE, done = 0;

	target->snapshot.mapping = target->snapshot.count;
	if (wanted == WANT_NONE)
		return true;
	if (wanted == WANT_DEVICE)
		return false;
	if (wanted == WANT_ALL)
		return line->end - line->start <= MAX_COPY &&
		       add(&target->snapshot, line->start, line->end - line->start, false) &&
		       target->snapshot.size <= MAX_COPY;
	*asked += pages;
	while (*asked <= MAX_PAGES && done < pages) {
		size_t count = pages - done < ENTRIES ? pages - done : ENTRIES;
		uint64_t start = line->start + done * PAGE;
		ssize_t size = (ssize_t)(count * sizeof(*entries));

		if (pread(page_map, entries, (size_t)size,
			  (off_t)(start / PAGE * sizeof(*entries))) != size ||
		    !add_pages(&target->snapshot, start, entries, count, wanted))
			return false;
		done += count;
	}
	return done == pages;
}

static bool add_mappings(struct target *target, int page_map, FILE *mappings)
{
	char *text = NULL;
	size_t room = 0, asked = 0;
	bool ok = true;

	while (ok && getline(&text, &room, mappings) > 0) {
		struct line line;
		int name = 0;

		text[strcspn(text, "\n")] = '\0';
		ok = sscanf(text, "%" SCNx64 "-%" SCNx64 " %4s %*s %*s %*s %n", &line.start,
			    &line.end, line.permissions, &name) == 3 &&
		     name;
		line.name = text + name;
		ok = ok && add_mapping(target, page_map, &line, &asked);
	}
	ok = ok && !ferror(mappings);
	free(text);
	return ok;
}

static bool find_areas(struct target *target)
{
	char path[64];
	bool ok = false;

	snprintf(path, sizeof(path), "/proc/%d/pagemap", (int)target->direct.pid);
	int page_map = open(path, O_RDONLY | O_CLOEXEC);
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)target->direct.pid);
	FILE *mappings = fopen(path, "re");
	if (page_map >= 0 && mappings)
		ok = add_mappings(target, page_map, mappings);
	if (page_map >= 0)
		close(page_map);
	if (mappings)
		fclose(mappings);
	return ok;
}

static const struct area *area_at(const struct snapshot *snapshot, uint64_t address)
{
	size_t low = 0, high = snapshot->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (snapshot->areas[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < snapshot->count && snapshot->areas[low].start <= address ?
		       &snapshot->areas[low] :
		       NULL;
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
