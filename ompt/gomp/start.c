// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Start and end of a tool, as section 19.2 of OpenMP 5.2 says: the tool in the program itself, then
// those of OMP_TOOL_LIBRARIES. It starts when this library is loaded, if libgomp is there as well;
// otherwise with the first call of an observed function.

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "device/device.h"
#include "state.h"

#define OPENMP_VERSION 202111
#define RUNTIME_VERSION "ompdbg's OMPT for GCC's libgomp"

ompt_callback_t gomp_callbacks[CALLBACKS];

static ompt_start_tool_result_t *tool; // that has started
static pthread_mutex_t start_mutex = PTHREAD_MUTEX_INITIALIZER;
static bool tried;
static __thread bool starting;
static FILE *verbose;

typedef ompt_start_tool_result_t *start_tool_fn(unsigned int omp_version, const char *runtime);

static void say(const char *line)
{
	if (verbose)
		fprintf(verbose, "libompt-gomp: %s\n", line);
}

static void say_of(const char *what, const char *subject)
{
	if (verbose)
		fprintf(verbose, "libompt-gomp: %s: %s\n", subject, what);
}

/** Open what OMP_TOOL_VERBOSE_INIT names: a stream, or a file. */
static void open_verbose(void)
{
	const char *where = getenv("OMP_TOOL_VERBOSE_INIT");

	if (!where || !*where || !strcasecmp(where, "disabled"))
		return;
	if (!strcasecmp(where, "stdout"))
		verbose = stdout;
	else if (!strcasecmp(where, "stderr"))
		verbose = stderr;
	else
		verbose = fopen(where, "ae");
}

static void close_verbose(void)
{
	if (verbose && verbose != stdout && verbose != stderr)
		fclose(verbose);
	else if (verbose)
		fflush(verbose);
	verbose = NULL;
}

/** Ask a tool whether it starts. */
static ompt_start_tool_result_t *ask_tool(start_tool_fn *start_tool, const char *where)
{
	ompt_start_tool_result_t *result = start_tool(OPENMP_VERSION, RUNTIME_VERSION);

	say_of(result ? "ompt_start_tool returned a tool" : "ompt_start_tool declined", where);
	return result;
}

/** Look for a tool in the libraries that a list separated by colons names. */
static ompt_start_tool_result_t *find_in_libraries(const char *list)
{
	char *names = strdup(list), *rest = names, *name;
	ompt_start_tool_result_t *result = NULL;

	while (names && !result && (name = strsep(&rest, ":"))) {
		start_tool_fn *start_tool;
		void *handle;

		if (!*name)
			continue;
		handle = dlopen(name, RTLD_LAZY);
		if (!handle) {
			say_of(dlerror(), name);
			continue;
		}
		start_tool = (start_tool_fn *)dlsym(handle, "ompt_start_tool");
		if (start_tool)
			result = ask_tool(start_tool, name);
		else
			say_of("has no ompt_start_tool", name);
		if (!result)
			dlclose(handle);
	}
	free(names);
	return result;
}

/** Find the tool, if there is to be one. */
static ompt_start_tool_result_t *find_tool(void)
{
	const char *setting = getenv("OMP_TOOL"), *libraries = getenv("OMP_TOOL_LIBRARIES");
	ompt_start_tool_result_t *result = NULL;
	start_tool_fn *start_tool;

	if (setting && !strcasecmp(setting, "disabled")) {
		say("OMP_TOOL is disabled");
		return NULL;
	}
	start_tool = (start_tool_fn *)dlsym(RTLD_DEFAULT, "ompt_start_tool");
	if (start_tool)
		result = ask_tool(start_tool, "the program");
	else
		say_of("has no ompt_start_tool", "the program");
	if (!result && libraries)
		result = find_in_libraries(libraries);
	return result;
}

/** Let all calls go straight to libgomp. */
static void pass_all(void)
{
#define OBSERVED(name)                                                                    \
	__atomic_store_n(&gomp_now.name, gomp_is_local() ? route_##name : gomp_real.name, \
			 __ATOMIC_RELAXED);
#include "entry_points.def"
	__atomic_store_n(&gomp_observes, OBSERVES_NONE, __ATOMIC_RELEASE);
}

/** Observe calls. Who still believes that the tool has not started comes here once more. */
static void observe_all(void)
{
	__atomic_store_n(&gomp_observes, gomp_is_local() ? OBSERVES_SOME : OBSERVES_ALL,
			 __ATOMIC_RELEASE);
}

/** Return what the tool looks entry points up with. */
static ompt_function_lookup_t tool_lookup(void)
{
	struct device_runtime runtime = {
		.lookup = gomp_lookup,
		.wtime = gomp_ask.omp_get_wtime,
		.granted_num_teams = gomp_granted_num_teams,
	};

	return device_layer(&runtime);
}

/** Find the runtime and the tool, and start it. */
static void start_tool(const void *caller)
{
	ompt_start_tool_result_t *found = NULL;

	open_verbose();
	if (gomp_find_real(caller)) {
		if (verbose)
			gomp_name_unknown(say);
		found = find_tool();
	} else {
		say("the runtime is not GCC's libgomp: nothing to do");
	}
	if (found) {
		gomp_threads_init();
		if (found->initialize(tool_lookup(), 0, &found->tool_data))
			tool = found;
		// Before what the tool needs is destroyed. The destructor below does it if that fails.
		if (tool)
			atexit(gomp_finalize);
		say(tool ? "the tool has started" : "the tool's initializer returned 0");
	}
	close_verbose();
	if (tool)
		observe_all();
	else
		pass_all();
}

bool gomp_start(const void *caller)
{
	if (starting)
		return false;
	pthread_mutex_lock(&start_mutex);
	if (!tried) {
		starting = true;
		start_tool(caller);
		starting = false;
		__atomic_store_n(&tried, true, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&start_mutex);
	return true;
}

bool gomp_has_tool(void)
{
	return __atomic_load_n(&tool, __ATOMIC_RELAXED);
}

void gomp_finalize(void)
{
	ompt_start_tool_result_t *ended = __atomic_exchange_n(&tool, NULL, __ATOMIC_ACQ_REL);

	if (!ended)
		return;
	pass_all();
	gomp_end_workers(&gomp_thread);
	gomp_finalize_host_device();
	device_layer_end();
	gomp_thread_end_events(&gomp_thread);
	__atomic_store_n(&gomp_task_phase, NULL, __ATOMIC_RELAXED);
	for (int i = 0; i < CALLBACKS; i++)
		__atomic_store_n(&gomp_callbacks[i], NULL, __ATOMIC_RELAXED);
	if (ended->finalize)
		ended->finalize(&ended->tool_data);
}

/** Start the tool at once in a program that was linked with libgomp. */
__attribute__((constructor)) static void at_load(void)
{
	if (dlsym(RTLD_NEXT, "GOMP_parallel") && gomp_start(NULL) && gomp_has_tool())
		this_thread();
}

/** End the tool with the program. */
__attribute__((destructor)) static void at_exit(void)
{
	gomp_finalize();
}
