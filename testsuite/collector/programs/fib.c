// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The experiment of "Profiling of OpenMP tasks": two tasks for each call of Fibonacci, without a
// cut-off. Each task asks the collector interface, if there is one, which task it is and which task
// created it, and finds that its caller is the latter.

#define _GNU_SOURCE

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "omp_collector.h"

static int (*api)(void *message);

/** Ask for the id of the current task, or of its parent. */
static uint64_t ask(int request)
{
	struct {
		int size, request, error, returned;
		char id[8];
		int end;
	} message = { .size = 24, .request = request };
	uint64_t id;

	if (api && (api(&message) || message.error || message.returned != 8))
		abort();
	memcpy(&id, message.id, sizeof(id));
	return id;
}

static int fib(int n);

/** Do a call of Fibonacci in a task of its own. */
static int in_task(int n, uint64_t caller)
{
	if (ask(OMP_REQ_TASK_PID) != caller)
		abort();
	return fib(n);
}

static int fib(int n)
{
	uint64_t id = ask(OMP_REQ_TASK_ID);
	int x, y;

	if (n < 2)
		return n;
#pragma omp task shared(x)
	x = in_task(n - 1, id);
#pragma omp task shared(y)
	y = in_task(n - 2, id);
#pragma omp taskwait
	if (ask(OMP_REQ_TASK_ID) != id)
		abort();
	return x + y;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 10, result = 0;

	api = (int (*)(void *))dlsym(RTLD_DEFAULT, OMP_COLLECTOR_API);
#pragma omp parallel num_threads(2)
#pragma omp single
	result = fib(n);
	printf("%d\n", result);
	return 0;
}
