// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bytes of a trace.

#include <string.h>

#include "base/error.h"
#include "base/regular_file.h"
#include "trace/room.h"

struct ompdbg_error *source_open(struct source *source, const char *path)
{
	struct stat status;

	source->file = open_regular_file(path);
	if (source->file < 0 && (errno == EINVAL || errno == EISDIR))
		return ompdbg_error_create(OMPDBG_BAD_INPUT, "%s: not a regular file", path);
	if (source->file < 0 || fstat(source->file, &status) != 0)
		return ompdbg_error_create(OMPDBG_FAILED, "%s: %s", path, strerror(errno));
	source->size = (uint64_t)status.st_size;
	return NULL;
}

void source_close(struct source *source)
{
	if (source->file >= 0)
		close(source->file);
	source->file = -1;
}

bool source_read(const struct source *source, uint64_t offset, void *buffer, size_t size)
{
	if (offset > source->size || size > source->size - offset)
		return false;
	while (size > 0) {
		ssize_t done = pread(source->file, buffer, size, (off_t)offset);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return false;
		buffer = (char *)buffer + done;
		offset += (uint64_t)done;
		size -= (size_t)done;
	}
	return true;
}
