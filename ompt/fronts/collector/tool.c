// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tool's start, as OpenMP 5.2 says (19.2). The program's own tools go first.

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "collector.h"

#define PUBLIC __attribute__((visibility("default")))

bool collector_is_ready;

void start_runtime(void)
{
	typedef void lock_function(void *lock);
	lock_function *init, *destroy;
	uint64_t lock[8]; // larger than any runtime's

	// libompt-gomp.so defines the latter two, but has no use for them without a runtime.
	if (__atomic_load_n(&collector_is_ready, __ATOMIC_ACQUIRE) ||
	    !dlsym(RTLD_DEFAULT, "omp_get_max_threads"))
		return;
	init = (lock_function *)dlsym(RTLD_DEFAULT, "omp_init_lock");
	destroy = (lock_function *)dlsym(RTLD_DEFAULT, "omp_destroy_lock");
	if (!init || !destroy)
		return;
	init(lock);
	destroy(lock);
}

static int initialize(ompt_function_lookup_t lookup, int initial_device, ompt_data_t *tool_data)
{
	if (!set_callbacks(lookup))
		return 0;
	__atomic_store_n(&collector_is_ready, true, __ATOMIC_RELEASE);
	return 1;
}

static void finalize(ompt_data_t *tool_data)
{
}

static ompt_start_tool_result_t result = { initialize, finalize, { 0 } };

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
		return other;
	if ((libraries && *libraries) || (enabled && !strcmp(enabled, "disabled")))
		return NULL;
	return &result;
}
