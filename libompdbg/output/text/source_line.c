// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "output/text/source_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/** Check that a source file is not newer than what was compiled of it. */
static bool is_compiled(struct process *process, const struct location *location, const char *path)
{
	struct ompdbg_object object;
	struct stat source, program;

	return is_ok(SERVICE(process, object_at, location->code, &object)) && object.opened &&
	       stat(path, &source) == 0 && S_ISREG(source.st_mode) &&
	       stat(object.opened, &program) == 0 && source.st_mtime <= program.st_mtime;
}

const char *source_line(struct process *process, const struct location *location)
{
	const char *path, *found = NULL;
	char *line = NULL;
	size_t size = 0;

	if (!location || !location->file || !location->line ||
	    !is_ok(SERVICE(process, source_path, location->code, location->file, &path)) ||
	    !is_compiled(process, location, path))
		return NULL;
	FILE *file = fopen(path, "re");
	if (!file)
		return NULL;
	for (int i = 0; i < location->line && getline(&line, &size, file) >= 0; i++) {
		if (i + 1 == location->line)
			found = arena_strndup(&process->arena, line, strcspn(line, "\r\n"));
	}
	fclose(file);
	free(line);
	return found;
}
