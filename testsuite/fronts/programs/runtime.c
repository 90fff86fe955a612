// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plays a runtime. Of its lookup function none of the names is known. With an argument it is the second
// one: there is a region first.

#include <omp-tools.h>
#include <stddef.h>

static ompt_interface_fn_t lookup(const char *name)
{
	(void)name;
	return NULL;
}

int main(int count, char **arguments)
{
	ompt_start_tool_result_t *result;
	int members = 0;

	(void)arguments;
	if (count > 1) {
#pragma omp parallel reduction(+ : members)
		members++;
	}
	result = ompt_start_tool(202111, "a runtime");
	if (count > 1)
		return result != NULL;
	return !result || result->initialize(lookup, 0, &result->tool_data);
}
