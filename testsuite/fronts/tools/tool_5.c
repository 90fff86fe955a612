// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool for OMPT 5 whose initializer has the name that is the mark of a tool of 2013.

#include <omp-tools.h>
#include <stdio.h>

int ompt_initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data);
int ompt_initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *data)
{
	(void)device;
	(void)data;
	return lookup("ompt_get_unique_id") != NULL;
}

static void finalize(ompt_data_t *data)
{
	(void)data;
	puts("finalized");
	fflush(stdout);
}

ompt_start_tool_result_t *ompt_start_tool(unsigned int version, const char *runtime)
{
	static ompt_start_tool_result_t result = { ompt_initialize, finalize, { 0 } };

	(void)version;
	(void)runtime;
	return &result;
}
