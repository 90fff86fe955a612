// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ranks.h"

#include <stddef.h>
#include <stdlib.h>

#include "terminal.h"

struct rank find_rank(const char *(*variable_of)(void *context, const char *name), void *context)
{
	// Where the second is not set, nor is the first meant: a batch script of Slurm has a
	// SLURM_PROCID, too.
	static const struct {
		const char *rank, *size;
	} variables[] = {
		{ "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE" },
		{ "PMI_RANK", "PMI_SIZE" },
		{ "SLURM_PROCID", "SLURM_STEP_NUM_TASKS" },
		{ "FLUX_TASK_RANK", "FLUX_JOB_SIZE" },
		{ "PMIX_RANK", NULL },
	};

	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
		const char *value = variable_of(context, variables[i].rank);
		const char *size = variables[i].size ? variable_of(context, variables[i].size) : "";
		if (value && *value && size)
			return (struct rank){ variables[i].rank, value, number_in(size) };
	}
	return (struct rank){ .of = -1 };
}

static const char *own_variable(void *context, const char *name)
{
	(void)context;
	return getenv(name);
}

struct rank own_rank(void)
{
	return find_rank(own_variable, NULL);
}
