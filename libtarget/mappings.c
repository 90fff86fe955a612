// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which files the target has mapped, and where.

#include "internal.h"

#include <stdlib.h>
#include <string.h>

enum {
	MAX_FILES = 1 << 14,
	MAX_MAPPINGS = 1 << 20,
};

/** Find a mapping's file: the last files first, for mappings of one file follow one another. */
static ssize_t file_of(struct target *target, const char *path)
{
	enum { SEARCHED = 64 };
	size_t first = target->num_files > SEARCHED ? target->num_files - SEARCHED : 0;

	for (size_t i = target->num_files; i > first; i--) {
		if (strcmp(target->files[i - 1].path, path) == 0)
			return (ssize_t)i - 1;
	}
	if (target->num_files >= MAX_FILES)
		return NO_FILE;
	struct mapped_file *file = GROW(target->files, target->num_files);
	file->descriptor = -1;
	file->path = strdup(path);
	return (ssize_t)target->num_files - 1;
}

void mapping_add(struct target *target, uint64_t start, uint64_t end, uint64_t offset,
		 const char *path)
{
	ssize_t index = file_of(target, path);

	if (target->num_mappings >= MAX_MAPPINGS)
		return;
	if (index != NO_FILE) {
		struct target_file *told = &target->files[index].told;

		if (!told->end || start < told->start)
			told->start = start;
		if (end > told->end)
			told->end = end;
	}
	// They come by address; a damaged core file's that do not are left out.
	if (target->num_mappings && target->mappings[target->num_mappings - 1].end > start)
		return;
	struct mapping *mapping = GROW(target->mappings, target->num_mappings);
	*mapping = (struct mapping){ start, end, offset, index };
}

const struct mapping *mapping_find(const struct target *target, uint64_t address)
{
	return RANGE_AT(target->mappings, target->num_mappings, address);
}

void executable_add(struct target *target, uint64_t start, uint64_t end)
{
	if (target->num_executables < MAX_MAPPINGS)
		*GROW(target->executables, target->num_executables) =
			(struct executable){ start, end };
}

bool executable_at(const struct target *target, uint64_t address)
{
	for (size_t i = 0; i < target->num_executables; i++) {
		if (address >= target->executables[i].start && address < target->executables[i].end)
			return true;
	}
	return !target->num_executables;
}
