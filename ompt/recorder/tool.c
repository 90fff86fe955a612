// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tool's start, as OpenMP 5.2 says (19.2). The program's own tools go first.

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recorder.h"
#include "spill.h"

#define PUBLIC __attribute__((visibility("default")))

PUBLIC struct record_root ompdbg_record;
struct recorder recorder;

/** Fill the root: from now on there is something to read. */
static void fill_root(void)
{
	struct record_root *root = &ompdbg_record;

	root->version = RECORD_VERSION;
	root->root_size = sizeof(struct record_root);
	root->thread_size = sizeof(struct record_thread);
	root->event_size = sizeof(struct record_event);
	root->hold_size = sizeof(struct record_hold);
	root->level_size = sizeof(struct record_level);
	root->task_size = sizeof(struct record_task);
	root->ring_events = (uint32_t)(recorder.ring_bytes / sizeof(struct record_event));
	root->max_holds = MAX_HOLDS;
	root->max_levels = MAX_LEVELS;
	root->pid = (uint64_t)getpid();
	ordered();
	memcpy(root->magic, RECORD_MAGIC, sizeof(root->magic));
}

/** Start, once for each runtime of the process. */
static int initialize(ompt_function_lookup_t lookup, int initial_device, ompt_data_t *tool_data)
{
	ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");

	if (!set)
		return 0;
	if (!ompdbg_record.magic[0]) {
		read_options(getenv("OMPDBG_RECORD"));
		if (!prepare_threads())
			return 0;
		recorder.num_task_ids = 1;
		start_clock();
		fill_root();
		spill_begin(getenv("OMPDBG_TRACE"));
	}
	regions_set_callbacks(set);
	tasks_set_callbacks(set);
	mutexes_set_callbacks(set);
	if (spill_is_wanted())
		phases_set_callbacks(lookup);
	return 1;
}

/** End: what was recorded stays, and events of other threads may still come. */
static void finalize(ompt_data_t *tool_data)
{
	spill_flush();
}

static ompt_start_tool_result_t result = { initialize, finalize, { 0 } };

/** Give way to another tool, or to the wish for none. A trace that was asked for is missed then. */
static ompt_start_tool_result_t *give_way(ompt_start_tool_result_t *other, const char *why)
{
	const char *path = getenv("OMPDBG_TRACE");

	if (path && *path)
		dprintf(STDERR_FILENO, "ompdbg: %s: no trace is written: %s\n", path, why);
	return other;
}

PUBLIC ompt_start_tool_result_t *ompt_start_tool(unsigned int omp_version,
						 const char *runtime_version)
{
	ompt_start_tool_result_t *(*next)(unsigned int, const char *);
	ompt_start_tool_result_t *other = NULL;
	const char *libraries = getenv("OMP_TOOL_LIBRARIES");
	const char *enabled = getenv("OMP_TOOL");

	*(void **)&next = dlsym(RTLD_NEXT, "ompt_start_tool");
	if (next)
		other = next(omp_version, runtime_version);
	if (other)
		return give_way(other, "the program has a tool");
	if (libraries && *libraries)
		return give_way(NULL, "OMP_TOOL_LIBRARIES is set");
	if (enabled && !strcmp(enabled, "disabled"))
		return give_way(NULL, "OMP_TOOL is disabled");
	ompdbg_record.runtime |=
		runtime_version && strstr(runtime_version, "gomp") ? RECORD_LIBGOMP : RECORD_OTHER;
	return &result;
}
