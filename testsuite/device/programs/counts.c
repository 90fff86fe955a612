// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "counts.h"

struct counts counts;

int shares_memory(void)
{
	return omp_get_num_devices() == 0;
}

static void add(unsigned long *count, unsigned long number)
{
	__atomic_fetch_add(count, number, __ATOMIC_RELAXED);
}

static void count_construct(unsigned long *count)
{
	add(count, 1);
	add(&counts.target_ends, 1);
}

void count_target(void)
{
	count_construct(&counts.targets);
}

void count_enter(void)
{
	count_construct(&counts.enter_datas);
}

void count_exit(void)
{
	count_construct(&counts.exit_datas);
}

void count_update(void)
{
	count_construct(&counts.updates);
}

void count_kernel(unsigned requested, unsigned granted_on_host)
{
	add(&counts.kernels, 1);
	add(&counts.requested_teams, requested);
	if (shares_memory())
		add(&counts.granted_teams, granted_on_host);
	else if (requested == 1)
		add(&counts.granted_teams, 1); // other numbers are not known
}

void count_alloc(size_t bytes)
{
	add(&counts.allocs, 1);
	add(&counts.alloc_bytes, bytes);
}

void count_free(void)
{
	add(&counts.deletes, 1);
}

void count_to(size_t bytes)
{
	add(&counts.to, 1);
	add(&counts.to_bytes, bytes);
}

void count_from(size_t bytes)
{
	add(&counts.from, 1);
	add(&counts.from_bytes, bytes);
}

void count_map(size_t bytes)
{
	if (!shares_memory())
		count_alloc(bytes);
}

void count_unmap(void)
{
	if (!shares_memory())
		count_free();
}

void count_map_to(size_t bytes)
{
	if (!shares_memory())
		count_to(bytes);
}

void count_map_from(size_t bytes)
{
	if (!shares_memory())
		count_from(bytes);
}

void check(int condition, int line)
{
	if (condition)
		return;
	printf("line %d: wrong\n", line);
	exit(1);
}

void write_counts(void)
{
	static const char *const names[] = {
		"targets",    "enter_datas",	 "exit_datas",	  "updates",	 "target_ends",
		"kernels",    "requested_teams", "granted_teams", "to",		 "to_bytes",
		"from",	      "from_bytes",	 "allocs",	  "alloc_bytes", "deletes",
		"associates", "disassociates",
	};
	const char *path = getenv("OMPT_PROGRAM_OUT");
	FILE *out = path ? fopen(path, "w") : NULL;
	const unsigned long *numbers = (const unsigned long *)&counts;

	if (!out)
		return;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (numbers[i])
			fprintf(out, "%s %lu\n", names[i], numbers[i]);
	fclose(out);
}

__attribute__((weak)) int omp_control_tool(int command, int modifier, void *arg);

int order(int command)
{
	// The device is the first; its number is also the host's where there is no other.
	return omp_control_tool ? omp_control_tool(command, 0, NULL) : -3;
}
