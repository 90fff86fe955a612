// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device layer as a library of its own, preloaded: for runtimes with target callbacks but without
// traces, as LLVM's. The runtime takes it for the tool; it looks for the tool itself, as OpenMP 5.2 says
// (19.2).

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"

#define PUBLIC __attribute__((visibility("default")))

typedef ompt_start_tool_result_t *start_tool_fn(unsigned int omp_version, const char *runtime);

static ompt_start_tool_result_t *tool;

/** Ask each library in a list, with colons between, for a tool. */
static ompt_start_tool_result_t *find_in_libraries(const char *list, unsigned int omp_version,
						   const char *runtime_version)
{
	char *names = strdup(list), *rest = names, *name;
	ompt_start_tool_result_t *found = NULL;

	while (names && !found && (name = strsep(&rest, ":"))) {
		void *handle = *name ? dlopen(name, RTLD_LAZY) : NULL;
		start_tool_fn *start = handle ? (start_tool_fn *)dlsym(handle, "ompt_start_tool") :
						NULL;

		if (start)
			found = start(omp_version, runtime_version);
		if (handle && !found)
			dlclose(handle);
	}
	free(names);
	return found;
}

static int initialize(ompt_function_lookup_t lookup, int initial_device, ompt_data_t *tool_data)
{
	struct device_runtime runtime = {
		.lookup = lookup,
		.wtime = (double (*)(void))dlsym(RTLD_DEFAULT, "omp_get_wtime"),
	};

	(void)tool_data;
	return tool->initialize(device_layer(&runtime), initial_device, &tool->tool_data);
}

static void finalize(ompt_data_t *tool_data)
{
	(void)tool_data;
	device_layer_end();
	if (tool->finalize)
		tool->finalize(&tool->tool_data);
}

PUBLIC ompt_start_tool_result_t *ompt_start_tool(unsigned int omp_version,
						 const char *runtime_version)
{
	static ompt_start_tool_result_t result = { initialize, finalize, { 0 } };
	start_tool_fn *next = (start_tool_fn *)dlsym(RTLD_NEXT, "ompt_start_tool");
	const char *libraries = getenv("OMP_TOOL_LIBRARIES");
	ompt_start_tool_result_t *found = next ? next(omp_version, runtime_version) : NULL;

	if (!found && libraries)
		found = find_in_libraries(libraries, omp_version, runtime_version);
	// A second runtime of the process has its tool without the layer, which knows one.
	if (!found || tool)
		return found;
	tool = found;
	return &result;
}
