// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Start and end of the old tool, its callbacks, and the program's commands to it.

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fronts.h"
#include "ompt/test_locks.h"

const struct front *fronts_current;
ompt_callback_t fronts_callbacks[EVENTS];
struct runtime fronts_runtime;

static const struct front *wanted; // that of the tool which was found
static pid_t started_in;
static ompt_set_result_t results[EVENTS]; // of setting the runtime's callbacks

// What makes a tool one of 2013, or of TR2.
extern int ompt_initialize(void) __attribute__((weak));
typedef void (*initializer_t)(ompt_function_lookup_t, const char *, unsigned int);
extern initializer_t ompt_tool(void) __attribute__((weak));
extern initializer_t fronts_tr2_initializer;

// ---- Callbacks -------------------------------------------------------------------------------

enum answer fronts_set_callback(const struct front *front, int number, ompt_callback_t callback)
{
	const struct event *event;
	ompt_set_result_t result;

	if (number < 1 || number >= front->num_events || !front->events[number].exists)
		return NO_EVENT;
	if (fronts_current != front)
		return NO_CALLBACK;
	event = &front->events[number];
	result = event->source ? results[event->source] : ompt_set_always;
	if (result < ompt_set_sometimes || (event->limit == NOT_KMP && !fronts_runtime.is_gomp))
		return NO_CALLBACK;
	fronts_callbacks[number] = callback;
	return result == ompt_set_always && event->limit != LATE ? ALWAYS : SOMETIMES;
}

int fronts_get_callback(const struct front *front, int number, ompt_callback_t *ret)
{
	if (fronts_current != front || number < 1 || number >= front->num_events ||
	    !fronts_callbacks[number])
		return 0;
	*ret = fronts_callbacks[number];
	return 1;
}

// ---- Start and end ---------------------------------------------------------------------------

static void say(const char *text)
{
	fprintf(stderr, "libompt-fronts: %s\n", text);
}

/** Find the runtime's entry points; false: one is missing. */
static bool find_entry_points(ompt_function_lookup_t lookup)
{
	struct runtime *runtime = &fronts_runtime;

	runtime->lookup = lookup;
#define FIND(name) runtime->name = (__typeof__(runtime->name))lookup("ompt_" #name)
	FIND(set_callback);
	FIND(enumerate_states);
	FIND(enumerate_mutex_impls);
	FIND(get_thread_data);
	FIND(get_state);
	FIND(get_parallel_info);
	FIND(get_task_info);
	FIND(get_target_info);
	FIND(get_num_devices);
#undef FIND
#define FIND(name) runtime->name = (__typeof__(runtime->name))lookup("ompdbg_" #name)
	FIND(get_parallel_function);
	FIND(get_task_function);
#undef FIND
	return runtime->set_callback && runtime->enumerate_states &&
	       runtime->enumerate_mutex_impls && runtime->get_thread_data && runtime->get_state &&
	       runtime->get_parallel_info && runtime->get_task_info;
}

/** Pass a command of omp_control_tool on. */
static int on_control(uint64_t command, uint64_t modifier, void *arg, const void *code)
{
	fronts_current->control(command, modifier, code);
	return 0;
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
	if (!find_entry_points(lookup)) {
		say("the runtime lacks OMPT of OpenMP 5.0 (no tool starts)");
		return 0;
	}
	memset(fronts_callbacks, 0, sizeof(fronts_callbacks));
	fronts_thread = (struct thread){ 0 };
	fronts_prepare_states();
	find_lock_tests();
	fronts_current = wanted;
	for (int i = 0; i < wanted->num_handlers; i++)
		results[wanted->handlers[i].event] = fronts_runtime.set_callback(
			wanted->handlers[i].event, wanted->handlers[i].function);
	fronts_runtime.set_callback(ompt_callback_control_tool, (ompt_callback_t)on_control);
	if (wanted->start())
		return 1;
	fronts_current = NULL;
	return 0;
}

static void finalize(ompt_data_t *data)
{
	const struct front *front = fronts_current;

	if (front && fronts_callbacks[front->shutdown])
		fronts_callbacks[front->shutdown]();
	fronts_current = NULL;
}

/** Check whether two functions are in the same object. */
static bool are_together(const void *one, const void *other)
{
	Dl_info info, other_info;

	return dladdr(one, &info) && dladdr(other, &other_info) &&
	       info.dli_fbase == other_info.dli_fbase;
}

/** Find the old tool. Tools for OMPT 5, too, may have a function ompt_initialize; `next` starts those. */
static bool find_tool(const void *next)
{
	wanted = NULL;
	if (ompt_tool) {
		fronts_tr2_initializer = ompt_tool();
		wanted = fronts_tr2_initializer ? &front_tr2 : NULL;
	} else if (ompt_initialize && !(next && are_together((void *)ompt_initialize, next))) {
		wanted = &front_2013;
	}
	return wanted;
}

PUBLIC ompt_start_tool_result_t *ompt_start_tool(unsigned int version, const char *runtime)
{
	static ompt_start_tool_result_t result = { initialize, finalize, { 0 } };
	ompt_start_tool_result_t *(*next)(unsigned int, const char *), *other;

	if (fronts_current && started_in == getpid()) {
		say("a second OpenMP runtime in the process (not observed)");
		return NULL;
	}
	*(void **)&next = dlsym(RTLD_NEXT, "ompt_start_tool");
	if (find_tool((void *)next)) {
		started_in = getpid();
		fronts_runtime.is_gomp = strstr(runtime, "gomp") != NULL;
		snprintf(fronts_runtime.name, sizeof(fronts_runtime.name), "%s", runtime);
		return &result;
	}
	other = next ? next(version, runtime) : NULL;
	if (!other && !ompt_tool)
		say("no ompt_tool or ompt_initialize (preload the tool)");
	return other;
}

/** Warn of a libgomp that nobody observes. */
__attribute__((constructor)) static void at_load(void)
{
	if ((ompt_tool || ompt_initialize) && dlsym(RTLD_DEFAULT, "GOMP_parallel") &&
	    !dlsym(RTLD_DEFAULT, "ompdbg_gomp_ompt") && !dlsym(RTLD_DEFAULT, "__kmpc_fork_call"))
		say("this program uses libgomp (preload libompt-gomp.so as well)");
}

// ---- Commands of the program -----------------------------------------------------------------

/** Pass a command on to the tool; let the runtime start first. */
static void pass_control(uint64_t command, uint64_t modifier, const void *code)
{
	int (*start)(void);

	if (!fronts_current) {
		*(void **)&start = dlsym(RTLD_DEFAULT, "omp_get_max_threads");
		if (start)
			start();
	}
	if (fronts_current)
		fronts_current->control(command, modifier, code);
}

PUBLIC void ompt_control(uint64_t command, uint64_t modifier);
PUBLIC void ompt_control(uint64_t command, uint64_t modifier)
{
	pass_control(command, modifier, __builtin_return_address(0));
}

PUBLIC void ompt_control_(const uint64_t *command, const uint64_t *modifier);
PUBLIC void ompt_control_(const uint64_t *command, const uint64_t *modifier)
{
	pass_control(*command, *modifier, __builtin_return_address(0));
}
