// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints what a program can see of the runtime and of its own process, in a fixed order: the same
// whether a tool listens or not. Ends with the status that its argument tells, within a region if
// there are two.

#define _GNU_SOURCE

#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST = 8, LINE = 400 };

static char lines[MOST][LINE];

#ifdef OLD_LIBGOMP // it has this since GCC 11
#define omp_get_supported_active_levels() 0
#endif

// What the runtime answers here.
static void answers(char *line)
{
	omp_sched_t schedule;
	int chunk;

	omp_get_schedule(&schedule, &chunk);
	snprintf(
		line, LINE,
		"%d/%d max %d level %d active %d ancestor %d size %d in %d final %d dynamic %d levels "
		"%d of %d limit %d team %d/%d bind %d places %d place %d schedule %#x,%d cancel %d",
		omp_get_thread_num(), omp_get_num_threads(), omp_get_max_threads(), omp_get_level(),
		omp_get_active_level(), omp_get_ancestor_thread_num(omp_get_level()),
		omp_get_team_size(omp_get_level()), omp_in_parallel(), omp_in_final(),
		omp_get_dynamic(), omp_get_max_active_levels(), omp_get_supported_active_levels(),
		omp_get_thread_limit(), omp_get_team_num(), omp_get_num_teams(),
		(int)omp_get_proc_bind(), omp_get_num_places(), omp_get_place_num(),
		(unsigned int)schedule, chunk, omp_get_cancellation());
}

static void print(const char *where, int count)
{
	for (int i = 0; i < count; i++)
		printf("%s: %s\n", where, lines[i]);
}

// What the system says of the thread.
static void self(char *line)
{
	char name[17] = "";
	sigset_t mask;
	unsigned long blocked = 0;
	struct rlimit stack;
	pthread_attr_t attributes;
	size_t size = 0;

	prctl(PR_GET_NAME, name);
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	for (int signal = 1; signal < 64; signal++)
		blocked |= (unsigned long)(sigismember(&mask, signal) == 1) << signal;
	getrlimit(RLIMIT_STACK, &stack);
	pthread_getattr_np(pthread_self(), &attributes);
	pthread_attr_getstacksize(&attributes, &size);
	pthread_attr_destroy(&attributes);
	snprintf(line, LINE, "name %s blocked %#lx stack %zu policy %d", name, blocked,
		 omp_get_thread_num() ? size : 0, sched_getscheduler(0));
}

static void show_errno(void)
{
	omp_lock_t lock;
	int sum = 0;

	omp_init_lock(&lock);
	errno = 71;
#pragma omp parallel num_threads(2) reduction(+ : sum)
	{
		errno = 72 + omp_get_thread_num();
		omp_set_lock(&lock);
		omp_unset_lock(&lock);
#pragma omp critical
		sum++;
#pragma omp barrier
#pragma omp single
		{
#pragma omp task
			sum += 0;
#pragma omp taskwait
		}
#pragma omp for schedule(dynamic)
		for (int i = 0; i < 5; i++)
			sum++;
		if (omp_get_thread_num() == 0)
			printf("errno %d\n", errno);
	}
	printf("errno %d sum %d\n", errno, sum);
	omp_destroy_lock(&lock);
}

static void show_regions(void)
{
	answers(lines[0]);
	self(lines[1]);
	print("start", 2);
#pragma omp parallel num_threads(3)
	answers(lines[omp_get_thread_num()]);
	print("region", 3);
#pragma omp parallel num_threads(3)
	self(lines[omp_get_thread_num()]);
	print("threads", 3);
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
	{
		int outer = omp_get_thread_num();
#pragma omp parallel num_threads(2)
		answers(lines[2 * outer + omp_get_thread_num()]);
	}
	print("nested", 4);
#pragma omp parallel num_threads(2)
#pragma omp master
	{
#pragma omp task if (0)
		{
			answers(lines[0]);
		}
#pragma omp task final(1) if (0)
		{
			answers(lines[1]);
		}
	}
	print("tasks", 2);
#pragma omp teams num_teams(2) thread_limit(2)
	{
		if (omp_get_team_num() == 0)
			answers(lines[0]);
	}
	print("teams", 1);
	omp_set_num_threads(2);
	omp_set_schedule(omp_sched_guided, 7);
	answers(lines[0]);
#pragma omp parallel
	answers(lines[1 + omp_get_thread_num()]);
	print("set", 3);
}

// In further regions of the same threads: LLVM's runtime keeps what a tool says of the first one's
// implicit tasks.
static void show_dependent_tasks(void)
{
	int sum = 0;

	for (int round = 0; round < 5; round++) {
#pragma omp parallel num_threads(2) reduction(+ : sum)
		{
			int value = 0;

#pragma omp task depend(out : value) shared(value)
			value++;
#pragma omp task if (0) depend(inout : value) shared(value)
			value++;
			sum += value;
		}
	}
	printf("dependent tasks %d\n", sum);
}

static void show_environment(void)
{
	extern char **environ;

	for (char **variable = environ; *variable; variable++)
		if (strncmp(*variable, "OMP_", 4) == 0 && strncmp(*variable, "OMP_TOOL", 8) != 0)
			printf("%s\n", *variable);
}

// A child has the same, also of a process that has threads.
static void show_fork(void)
{
	pid_t child;
	int status;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		int sum = 0;

#pragma omp parallel for num_threads(2) schedule(dynamic) reduction(+ : sum)
		for (int i = 0; i < 10; i++)
			sum += i;
		printf("child %d\n", sum);
		fflush(stdout);
		_exit(sum);
	}
	waitpid(child, &status, 0);
	printf("child ended with %d\n", WEXITSTATUS(status));
}

int main(int count, char **arguments)
{
	int status = count > 1 ? atoi(arguments[1]) : 0;

	show_environment();
	// Before the runtime has threads: LLVM's does not stand it later.
	show_fork();
	show_regions();
	show_errno();
	show_dependent_tasks();
	fflush(stdout);
	if (count > 2) {
#pragma omp parallel num_threads(2)
		{
#pragma omp barrier
			if (omp_get_thread_num() == 0)
				exit(status);
			for (;;)
				pause();
		}
	}
	return status;
}
