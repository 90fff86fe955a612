// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers of events, and complaints.

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tool.h"

enum { COMPLAINTS = 40, COMPLAINT_LENGTH = 200, NOTES = 64 };

static const char *const no_kinds[KINDS] = { "all" };
static const char *const thread_kinds[KINDS] = { [1] = "initial", "worker", "other", "unknown" };
static const char *const parallel_kinds[KINDS] = { "parallel", "league" };
static const char *const implicit_kinds[KINDS] = { "implicit", "initial" };
static const char *const task_flags[KINDS] = {
	[27] = "undeferred", "untied", "final", "mergeable", "merged"
};
static const char *const task_kinds[KINDS] = { "explicit", "taskwait", "target", "initial" };
static const char *const status_kinds[KINDS] = { [1] = "complete", "yield",
						 "cancel",	   "detach",
						 "early_fulfill",  "late_fulfill",
						 "switch",	   "taskwait_complete" };
static const char *const work_kinds[KINDS] = { [1] = "loop",   "sections",    "single_executor",
					       "single_other", "workshare",   "distribute",
					       "taskloop",     "scope",	      [10] = "loop_static",
					       "loop_dynamic", "loop_guided", "loop_other" };
static const char *const dispatch_kinds[KINDS] = {
	[1] = "iteration", "section", "loop_chunk", "taskloop_chunk", "distribute_chunk"
};
static const char *const sync_kinds[KINDS] = { [1] = "barrier",
					       "barrier_implicit",
					       "barrier_explicit",
					       "barrier_implementation",
					       "taskwait",
					       "taskgroup",
					       "reduction",
					       "barrier_implicit_workshare",
					       "barrier_implicit_parallel",
					       "barrier_teams" };
static const char *const mutex_kinds[KINDS] = { [1] = "lock",	  "test_lock", "nest_lock",
						"test_nest_lock", "critical",  "atomic",
						"ordered" };
static const char *const dependence_kinds[KINDS] = { [1] = "in",	"out",
						     "inout",		"mutexinoutset",
						     "source",		"sink",
						     "inoutset",	[34] = "out_all_memory",
						     "inout_all_memory" };
static const char *const cancel_kinds[KINDS] = {
	[0x11] = "parallel_activated",	"sections_activated",	      [0x14] = "loop_activated",
	[0x18] = "taskgroup_activated", [0x21] = "parallel_detected", "sections_detected",
	[0x24] = "loop_detected",	[0x28] = "taskgroup_detected"
};

static const struct {
	const char *name;
	const char *const *kinds;
} events[EVENT_COUNT] = {
	[EVENT_THREAD_BEGIN] = { "thread_begin", thread_kinds },
	[EVENT_THREAD_END] = { "thread_end", thread_kinds },
	[EVENT_PARALLEL_BEGIN] = { "parallel_begin", parallel_kinds },
	[EVENT_PARALLEL_END] = { "parallel_end", parallel_kinds },
	[EVENT_IMPLICIT_BEGIN] = { "implicit_begin", implicit_kinds },
	[EVENT_IMPLICIT_END] = { "implicit_end", implicit_kinds },
	[EVENT_TASK_CREATE] = { "task_create", task_kinds },
	[EVENT_TASK_FLAG] = { "task_flag", task_flags },
	[EVENT_TASK_BEGIN] = { "task_begin", task_kinds },
	[EVENT_SCHEDULE] = { "schedule", status_kinds },
	[EVENT_DEPENDENCES] = { "dependences", dependence_kinds },
	[EVENT_DEPENDENCE] = { "task_dependence", no_kinds },
	[EVENT_WORK_BEGIN] = { "work_begin", work_kinds },
	[EVENT_WORK_END] = { "work_end", work_kinds },
	[EVENT_DISPATCH] = { "dispatch", dispatch_kinds },
	[EVENT_MASKED_BEGIN] = { "masked_begin", no_kinds },
	[EVENT_MASKED_END] = { "masked_end", no_kinds },
	[EVENT_SYNC_BEGIN] = { "sync_begin", sync_kinds },
	[EVENT_SYNC_END] = { "sync_end", sync_kinds },
	[EVENT_WAIT_BEGIN] = { "wait_begin", sync_kinds },
	[EVENT_WAIT_END] = { "wait_end", sync_kinds },
	[EVENT_REDUCTION_BEGIN] = { "reduction_begin", sync_kinds },
	[EVENT_REDUCTION_END] = { "reduction_end", sync_kinds },
	[EVENT_LOCK_INIT] = { "lock_init", mutex_kinds },
	[EVENT_LOCK_DESTROY] = { "lock_destroy", mutex_kinds },
	[EVENT_ACQUIRE] = { "acquire", mutex_kinds },
	[EVENT_ACQUIRED] = { "acquired", mutex_kinds },
	[EVENT_RELEASED] = { "released", mutex_kinds },
	[EVENT_NEST_BEGIN] = { "nest_begin", no_kinds },
	[EVENT_NEST_END] = { "nest_end", no_kinds },
	[EVENT_CANCEL] = { "cancel", cancel_kinds },
	[EVENT_FLUSH] = { "flush", no_kinds },
	[EVENT_CONTROL] = { "control", no_kinds },
	[EVENT_ERROR] = { "error", no_kinds },
	[EVENT_FRAMES] = { "frames", no_kinds },
	[EVENT_NO_CODE] = { "no_code", NULL },
};

static uint64_t counts[EVENT_COUNT][KINDS];
static char complaints[COMPLAINTS][COMPLAINT_LENGTH];
static uint64_t complaint_count;
static char notes[NOTES][COMPLAINT_LENGTH];
static unsigned int note_count;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static FILE *out;

const char *event_name(enum event event)
{
	return events[event].name;
}

const char *kind_name(enum event event, unsigned int kind)
{
	if (kind >= KINDS)
		return NULL;
	if (event == EVENT_NO_CODE)
		return kind < EVENT_COUNT ? events[kind].name : NULL;
	return events[event].kinds[kind];
}

void count_many(enum event event, unsigned int kind, uint64_t number)
{
	if (kind >= KINDS || !kind_name(event, kind))
		complain("%s: there is no kind %#x", event_name(event), kind);
	else
		__atomic_add_fetch(&counts[event][kind], number, __ATOMIC_RELAXED);
}

void count(enum event event, unsigned int kind)
{
	count_many(event, kind, 1);
}

void complain(const char *format, ...)
{
	uint64_t which = __atomic_fetch_add(&complaint_count, 1, __ATOMIC_RELAXED);
	va_list arguments;

	if (which >= COMPLAINTS)
		return;
	va_start(arguments, format);
	vsnprintf(complaints[which], COMPLAINT_LENGTH, format, arguments);
	va_end(arguments);
}

void note(const char *format, ...)
{
	va_list arguments;

	pthread_mutex_lock(&mutex);
	va_start(arguments, format);
	if (note_count < NOTES)
		vsnprintf(notes[note_count++], COMPLAINT_LENGTH, format, arguments);
	va_end(arguments);
	pthread_mutex_unlock(&mutex);
}

void report_open(void)
{
	const char *path = getenv("OMPT_CHECKER_OUT");

	out = path ? fopen(path, "we") : NULL;
}

// Only once, and whole: other threads may still send events.
void report_write(void)
{
	uint64_t found = __atomic_load_n(&complaint_count, __ATOMIC_RELAXED);

	if (!out)
		return;
	for (unsigned int event = 0; event < EVENT_COUNT; event++) {
		for (unsigned int kind = 0; kind < KINDS; kind++) {
			uint64_t number = __atomic_load_n(&counts[event][kind], __ATOMIC_RELAXED);

			if (number)
				fprintf(out, "%s.%s %llu\n", event_name((enum event)event),
					kind_name((enum event)event, kind),
					(unsigned long long)number);
		}
	}
	for (unsigned int i = 0; i < note_count; i++)
		fprintf(out, "note %s\n", notes[i]);
	for (uint64_t i = 0; i < found && i < COMPLAINTS; i++)
		fprintf(out, "complaint %s\n", complaints[i]);
	fprintf(out, "complaints %llu\n", (unsigned long long)found);
	fclose(out);
	out = NULL;
}
