// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled once for the build folder, with absolute paths, and once for what is installed, with paths
// relative to the folder of the program.

#include "places.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"

static const char *resolve(struct arena *arena, const char *path)
{
	char program[PATH_MAX];

	if (*path == '/')
		return path;
	ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
	program[length < 0 ? 0 : length] = '\0';
	char *slash = strrchr(program, '/');
	if (slash)
		*slash = '\0';
	return arena_printf(arena, "%s/%s", program, path);
}

const char *libompd_path(struct arena *arena)
{
	return resolve(arena, OMPDBG_LIBOMPD);
}

const char *interposer_path(struct arena *arena)
{
	return resolve(arena, OMPDBG_INTERPOSER);
}

const char *recorder_path(struct arena *arena)
{
	return resolve(arena, OMPDBG_RECORDER);
}

const char *python_path(struct arena *arena)
{
	return resolve(arena, OMPDBG_PYTHON);
}
