// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mapped_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/objects.h"
#include "base/text.h"
#include "proc.h"

// Seconds by which times of files and processes may differ.
enum { INACCURATE = 2 };

static const char *hexadecimal(struct arena *arena, const struct target_build_id *id)
{
	char *text = arena_alloc(arena, 2 * id->size + 1);

	for (size_t i = 0; i < id->size; i++)
		snprintf(text + 2 * i, 3, "%02x", id->bytes[i]);
	return text;
}

/** Tell which file is read, as the user calls it: of a process, as the process calls it. */
static const char *where_is(const struct target_file *file)
{
	const char *found = file->opened && *file->opened ? file->opened : file->path;
	size_t length = strlen(found), tail = strlen(file->path);

	if (starts_with(found, "/proc/") && length >= tail &&
	    strcmp(found + length - tail, file->path) == 0)
		return file->path;
	return found;
}

/** Tell why a file is not used; NULL if it is, or is no code. */
static const char *problem_of(struct arena *arena, const struct target_file *file)
{
	const char *where = where_is(file);
	bool is_opened = file->opened && *file->opened;

	if (file->state == TARGET_FILE_MISSING && file->in_memory.size)
		return arena_printf(arena, "%s (build id %s) is not there", where,
				    hexadecimal(arena, &file->in_memory));
	if (file->state == TARGET_FILE_MISSING)
		return arena_printf(arena, "%s is not there", where);
	if (file->state == TARGET_FILE_MISMATCHED && file->in_file.size && file->in_memory.size)
		return arena_printf(arena, "%s has build id %s, but %s was loaded", where,
				    hexadecimal(arena, &file->in_file),
				    hexadecimal(arena, &file->in_memory));
	if (file->state == TARGET_FILE_MISMATCHED ||
	    (file->state == TARGET_FILE_NO_OBJECT && file->is_program && is_opened))
		return arena_printf(
			arena, "%s is not the file that the program had, and is not used", where);
	return NULL;
}

// ---- Times -------------------------------------------------------------------------------------

/** Read when a process began, in seconds since the epoch; -1: unknown. */
static double process_start(pid_t pid)
{
	char line[4096];
	long long boot = -1;
	struct proc_stat stat;

	if (!proc_stat(pid, &stat))
		return -1;
	FILE *file = fopen("/proc/stat", "re");
	while (file && boot < 0 && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "btime %lld", &boot) != 1)
			boot = -1;
	}
	if (file)
		fclose(file);
	return boot < 0 ? -1 : (double)boot + (double)stat.began / (double)sysconf(_SC_CLK_TCK);
}

static double time_of(const char *path)
{
	struct stat status;

	if (stat(path, &status) != 0)
		return -1;
	return (double)status.st_mtim.tv_sec + (double)status.st_mtim.tv_nsec / 1e9;
}

/** Check whether a file that nothing vouches for was written after a time. */
static bool is_newer(const struct target_file *file, double since)
{
	const char *path = file->opened && *file->opened ? file->opened : file->path;

	return file->state == TARGET_FILE_UNVERIFIED && time_of(path) > since + INACCURATE;
}

// ---- All files ---------------------------------------------------------------------------------

static void note(struct looked *looked, const char *problem)
{
	*ARENA_APPEND(&looked->arena, looked->problems, looked->num_problems, looked->capacity) =
		problem;
}

void note_files(struct looked *looked)
{
	struct arena *arena = &looked->arena;
	size_t count = target_num_files(looked->target);
	const struct place *place = looked->place;
	double since = looked->pid    ? process_start(looked->pid) :
		       place->is_kept ? -1 :
					time_of(place->name);

	for (size_t i = 0; i < count; i++) {
		struct target_file file = target_file_at(looked->target, i);
		const char *problem = problem_of(arena, &file);
		if (problem)
			note(looked, problem);
	}
	// A process has its own files, but for the program that the user names; what it loads it may
	// have made itself.
	if (since < 0 || (looked->pid && !looked->place->program))
		return;
	for (size_t i = 0; i < count; i++) {
		struct target_file file = target_file_at(looked->target, i);
		if ((file.is_program || !looked->pid) && is_newer(&file, since))
			note(looked,
			     arena_printf(
				     arena,
				     "%s is newer than the %s: lines may be wrong (no build id)",
				     where_is(&file),
				     looked->pid      ? "process" :
				     looked->core < 0 ? "trace" :
							"core file"));
	}
}

void note_split(struct looked *looked)
{
	const struct target_split split = target_split(looked->target);
	const unsigned long count = split.num_missing;
	const char *units = count == 1 ? "unit" : "units";

	if (!count || !split.file || looked->has_split)
		return;
	looked->has_split = true;
	if (split.is_unread)
		note(looked, arena_printf(&looked->arena,
					  "%s: debug information of %lu %s not read (elfutils %s)",
					  split.file, count, units, split.reader));
	else
		note(looked, arena_printf(&looked->arena,
					  "%s: not found (debug information of %lu %s is missing)",
					  split.file, count, units));
}

const char *hidden_runtime(struct looked *looked)
{
	const char *name;

	for (size_t n = 0; (name = ompd_library_runtime(looked->library, n)); n++) {
		size_t length = strlen(name);

		for (size_t i = 0; i < target_num_files(looked->target); i++) {
			struct target_file file = target_file_at(looked->target, i);
			const char *base = base_name(file.path);
			if (strncmp(base, name, length) != 0 ||
			    !starts_with(base + length, ".so") ||
			    (base[length + 3] && base[length + 3] != '.'))
				continue;
			const char *what = problem_of(&looked->arena, &file) ?
						   "its file is missing" :
					   looked->pid ? "it is not loaded completely" :
							 "its variables are missing";
			return arena_printf(&looked->arena, "cannot examine %s: %s", base, what);
		}
	}
	return NULL;
}
