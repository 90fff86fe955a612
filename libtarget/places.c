// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where mapped files are to be found, also those that were deleted or replaced meanwhile.

#include "internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/regular_file.h"

static const char deleted[] = " (deleted)"; // the kernel writes it behind the name

enum { MAX_TRIED = 8 };

char *place_below_root(const struct target *target, const char *path)
{
	const char *root = target->places.sysroot ? target->places.sysroot : "";
	size_t length = strlen(root);
	char *place;

	// A core file that was made outside of it has the whole path.
	if (length && strncmp(path, root, length) == 0 && path[length] == '/')
		root = "";
	if (asprintf(&place, "%s%s", root, path) < 0)
		return NULL;
	return place;
}

bool place_cut_deleted(char *path)
{
	size_t length = strlen(path), size = sizeof(deleted) - 1;

	if (length <= size || strcmp(path + length - size, deleted) != 0)
		return false;
	path[length - size] = '\0';
	return true;
}

/** Open a file by one of its mappings; that is a privilege. */
static int open_by_mapping(const struct target *target, ssize_t index)
{
	int tried = 0, descriptor = -1;
	char path[96];

	for (size_t i = 0; descriptor < 0 && i < target->num_mappings && tried < MAX_TRIED; i++) {
		const struct mapping *mapping = &target->mappings[i];

		if (mapping->file != index)
			continue;
		snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64,
			 (int)target->direct.pid, mapping->start, mapping->end);
		descriptor = open_regular_file(path);
		tried++;
	}
	return descriptor;
}

int place_open_mapped(const struct target *target, ssize_t index)
{
	char path[64];

	if (!target->is_own_root)
		return -1;
	int descriptor = open_by_mapping(target, index);
	if (descriptor >= 0 || !target->files[index].told.is_program)
		return descriptor;
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)target->direct.pid);
	return open_regular_file(path);
}
