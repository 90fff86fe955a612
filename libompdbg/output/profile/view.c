// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places, names and the order of rows, which all outputs of a profile have.

#include "output/profile/view.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "diagnose/words.h"
#include "output/history_words.h"
#include "output/text/text.h"
#include "stack/stack.h"

// ---- Places ------------------------------------------------------------------------------------

uint64_t profile_place(struct profile_view *view, uint64_t code, uint64_t time)
{
	struct arena *arena = &view->process->arena;
	const struct trace_module *module = code ? trace_module_at(view->trace, code - 1, time) :
						   NULL;

	if (!module)
		return code; // no file can be told to have been there
	if (runtime_of_object(module->path) || is_interposer_object(module->path))
		return 0; // no place of the user's, as call_location() has it
	const struct location *location = construct_location(view->process, code);
	if (!location || !location->function || !location->file || !location->line)
		return code;
	const char *key =
		arena_printf(arena, "%s:%d:%s", location->file, location->line, location->function);
	void **place = string_table_put(&view->places, arena, key);
	if (!*place)
		*place = (void *)(uintptr_t)code;
	return (uint64_t)(uintptr_t)*place;
}

/** Find the file that code belonged to; "": none is known, or there were several in turn. */
static const char *module_of(const struct profile_view *view, uint64_t code)
{
	size_t count;
	const struct trace_module *modules = trace_modules(view->trace, &count);
	const char *found = "";

	for (size_t i = 0; i < count; i++) {
		for (size_t k = 0; k < modules[i].num_ranges; k++) {
			if (code < modules[i].ranges[k].start || code >= modules[i].ranges[k].end)
				continue;
			if (*found && strcmp(found, modules[i].path) != 0)
				return "";
			found = modules[i].path;
		}
	}
	return found;
}

const struct location *profile_location(const struct profile_view *view, uint64_t code)
{
	const struct location *location = code ? construct_location(view->process, code) : NULL;

	if (!code || (location && location->function))
		return location;
	struct location *bare = ARENA_NEW(&view->process->arena, struct location);
	bare->address = code;
	bare->object = module_of(view, code - 1);
	bare->title = arena_printf(&view->process->arena, "%#lx in %s", (unsigned long)code,
				   base_name(bare->object));
	return bare;
}

const char *profile_title(const struct profile_view *view, uint32_t number)
{
	const struct profile_construct *construct = &view->profile->constructs[number];
	struct arena *arena = &view->process->arena;
	const struct location *location = profile_location(view, construct->code);

	if (construct->kind == PROFILE_PROGRAM)
		return "outside of parallel regions";
	if (!location)
		return "unknown place";
	if (location->function && location->line)
		return place_text(arena, location);
	if (location->function)
		return arena_printf(arena, "%s at %#lx", location->function,
				    (unsigned long)location->address);
	return location->title;
}

const char *profile_lock_name(const struct profile_view *view, const struct profile_lock *lock)
{
	uint64_t near =
		lock->num_places ? view->profile->constructs[lock->places[0].construct].code : 0;

	return mutex_name(view->process, lock->object, lock->kind == PROFILE_CRITICAL, near);
}

// ---- Names -------------------------------------------------------------------------------------

const char *profile_kind_name(enum profile_kind kind)
{
	static const char *const names[PROFILE_KINDS] = {
		[PROFILE_PROGRAM] = "program",	   [PROFILE_REGION] = "region",
		[PROFILE_TASK] = "task",	   [PROFILE_LOOP] = "loop",
		[PROFILE_SECTIONS] = "sections",   [PROFILE_SINGLE] = "single",
		[PROFILE_WORKSHARE] = "workshare", [PROFILE_DISTRIBUTE] = "distribute",
		[PROFILE_TASKLOOP] = "taskloop",   [PROFILE_SCOPE] = "scope",
		[PROFILE_BARRIER] = "barrier",	   [PROFILE_TASKWAIT] = "taskwait",
		[PROFILE_TASKGROUP] = "taskgroup", [PROFILE_REDUCTION] = "reduction",
		[PROFILE_LOCK] = "lock",	   [PROFILE_NEST_LOCK] = "nest lock",
		[PROFILE_CRITICAL] = "critical",   [PROFILE_ATOMIC] = "atomic",
		[PROFILE_ORDERED] = "ordered",	   [PROFILE_MUTEX] = "mutex",
	};

	return names[kind];
}

const char *profile_lane_name(enum profile_lane lane)
{
	static const char *const names[NUM_LANES] = {
		[LANE_WORK] = "work",	    [LANE_BARRIER] = "barrier_wait",
		[LANE_TASK] = "task_wait",  [LANE_LOCK] = "lock_wait",
		[LANE_RUNTIME] = "runtime", [LANE_IDLE] = "idle",
	};

	return names[lane];
}

const char *task_time_name(enum task_time time)
{
	static const char *const names[NUM_TASK_TIMES] = {
		[TIME_CREATION] = "creation",	  [TIME_POOL] = "pool",
		[TIME_EXECUTION] = "execution",	  [TIME_SUSPENSION] = "suspension",
		[TIME_COMPLETION] = "completion", [TIME_LIFE] = "life",
	};

	return names[time];
}

const char *profile_runtime(const struct profile_view *view)
{
	static const char *const names[] = { NULL, "libgomp", "libomp", "libgomp, libomp" };

	return names[trace_info(view->trace)->runtime & (RECORD_LIBGOMP | RECORD_OTHER)];
}

const char *profile_end_name(const struct profile_view *view)
{
	return trace_info(view->trace)->end == TRACE_EXIT ? "exit" : NULL;
}

const char *const *profile_notes(const struct profile_view *view, size_t *count)
{
	const struct trace_info *info = trace_info(view->trace);
	const struct profile *profile = view->profile;
	struct arena *arena = &view->process->arena;
	const char **notes = ARENA_ARRAY(arena, const char *, view->num_notes + 8);
	size_t n = 0;

	if (info->note)
		notes[n++] = info->note;
	if (info->lost_events)
		notes[n++] = arena_printf(arena, "%s lost: figures are too low",
					  counted_text(arena, info->lost_events, "event"));
	if (info->lost_threads)
		notes[n++] = arena_printf(arena, "%s not recorded",
					  counted_text(arena, info->lost_threads, "thread"));
	if (info->lost_tasks + profile->unknown_tasks)
		notes[n++] = arena_printf(
			arena, "of %s, events are missing",
			counted_text(arena, info->lost_tasks + profile->unknown_tasks, "task"));
	if (profile->tasks && !(info->observes & TRACE_OBSERVES_CREATION))
		notes[n++] = "this runtime does not tell when the creation of a task begins and "
			     "ends, nor when a task is removed";
	if (profile->other_locks)
		notes[n++] = arena_printf(arena, "%s of further locks not counted",
					  counted_text(arena, profile->other_locks, "use"));
	for (size_t i = 0; i < view->num_notes; i++)
		notes[n++] = view->notes[i];
	*count = n;
	return notes;
}

// ---- Order -------------------------------------------------------------------------------------

/** A row, and the time by which rows are sorted. */
struct ranked {
	uint32_t construct;
	uint64_t time;
};

/** Return the time by which a table is sorted. @return false: the construct is not in it. */
static bool time_of(const struct profile_construct *construct, enum profile_table table,
		    uint64_t *ret)
{
	switch (table) {
	case TABLE_TASKS:
		*ret = construct->tasks ? construct->tasks->times[TIME_EXECUTION].sum : 0;
		return construct->tasks && construct->tasks->instances;
	case TABLE_REGIONS:
		*ret = construct->regions ? construct->regions->time.sum : 0;
		return construct->regions;
	case TABLE_WAITS:
		*ret = construct->waits ? construct->waits->wait.sum : 0;
		return construct->waits && construct->waits->count;
	default:
		*ret = construct->loops ? construct->loops->iterations : 0;
		return construct->loops;
	}
}

static int compare(const void *a, const void *b)
{
	const struct ranked *left = a, *right = b;

	if (left->time != right->time)
		return left->time > right->time ? -1 : 1;
	return left->construct < right->construct ? -1 : left->construct > right->construct;
}

const uint32_t *profile_sorted(const struct profile_view *view, enum profile_table table,
			       size_t *count)
{
	const struct profile *profile = view->profile;
	struct arena *arena = &view->process->arena;
	struct ranked *rows = ARENA_ARRAY(arena, struct ranked, profile->num_constructs);
	uint32_t *result = ARENA_ARRAY(arena, uint32_t, profile->num_constructs);
	size_t n = 0;

	for (uint32_t i = 0; i < profile->num_constructs; i++) {
		rows[n].construct = i;
		if (time_of(&profile->constructs[i], table, &rows[n].time))
			n++;
	}
	if (n)
		qsort(rows, n, sizeof(*rows), compare);
	for (size_t i = 0; i < n; i++)
		result[i] = rows[i].construct;
	*count = n;
	return result;
}

static int compare_locks(const void *a, const void *b)
{
	const struct profile_lock *left = *(const struct profile_lock *const *)a;
	const struct profile_lock *right = *(const struct profile_lock *const *)b;

	if (left->wait.sum != right->wait.sum)
		return left->wait.sum > right->wait.sum ? -1 : 1;
	if (left->count != right->count)
		return left->count > right->count ? -1 : 1;
	return left->object < right->object ? -1 : left->object > right->object;
}

const struct profile_lock *const *profile_sorted_locks(const struct profile_view *view)
{
	const struct profile *profile = view->profile;

	if (profile->num_locks)
		qsort(profile->locks, profile->num_locks, sizeof(struct profile_lock *),
		      compare_locks);
	return (const struct profile_lock *const *)profile->locks;
}

static int compare_parts(const void *a, const void *b)
{
	const struct path_part *left = a, *right = b;

	return left->time < right->time ? 1 : left->time > right->time ? -1 : 0;
}

const struct path_part *profile_sorted_path(const struct profile_view *view, size_t *count)
{
	const struct path *path = view->profile->path;
	struct path_part *parts;

	*count = path ? path->num_parts : 0;
	parts = ARENA_ARRAY(&view->process->arena, struct path_part, *count);
	if (*count) {
		memcpy(parts, path->parts, *count * sizeof(*parts));
		qsort(parts, *count, sizeof(*parts), compare_parts);
	}
	return parts;
}
