// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each construct, in a program of its own: `constructs NAME`; without a name all names are listed.
// After a construct with a barrier dwell() is called where the region would end: barrier_dropped().

#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "counts.h"

enum { THREADS = 3, ROUNDS = 20, LENGTH = 24 };

static int sink;

static void use(int value)
{
	__atomic_add_fetch(&sink, value, __ATOMIC_RELAXED);
}

// ---- Regions ---------------------------------------------------------------------------------

static void parallel(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		COUNT(parallel);
#pragma omp parallel
		count_implicit();
	}
}

static void parallel_sizes(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		COUNT(parallel);
#pragma omp parallel num_threads(1 + i % 4)
		count_implicit();
	}
}

static void serialized(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		COUNT(parallel);
#pragma omp parallel if (i % 2)
		{
			count_implicit();
			COUNT(barrier);
#pragma omp barrier
			dwell();
		}
	}
}

static void nested(void)
{
	omp_set_max_active_levels(3);
	for (int i = 0; i < ROUNDS / 4; i++) {
		COUNT(parallel);
#pragma omp parallel num_threads(2)
		{
			count_implicit();
			COUNT(parallel);
#pragma omp parallel num_threads(2)
			{
				count_implicit();
				COUNT(parallel);
#pragma omp parallel num_threads(2)
				count_implicit();
			}
		}
	}
}

static void nested_inactive(void)
{
	omp_set_max_active_levels(1);
	for (int i = 0; i < ROUNDS; i++) {
		COUNT(parallel);
#pragma omp parallel num_threads(2)
		{
			count_implicit();
			COUNT(parallel);
#pragma omp parallel num_threads(2)
			{
				count_implicit();
				COUNT(barrier);
#pragma omp barrier
				dwell();
			}
		}
	}
}

static void teams(void)
{
	for (int i = 0; i < ROUNDS / 4; i++) {
		COUNT(league);
#pragma omp teams num_teams(2) thread_limit(2)
		{
			count_team();
			COUNT(parallel);
#pragma omp parallel num_threads(2)
			count_implicit();
		}
	}
}

static void distribute(void)
{
	COUNT(league);
#pragma omp teams num_teams(2) thread_limit(2)
	{
		count_team();
		COUNT(distribute);
#pragma omp distribute
		for (int i = 0; i < LENGTH; i++)
			use(i);
	}
}

// ---- Barriers --------------------------------------------------------------------------------

static void barriers(void)
{
	COUNT(parallel);
#pragma omp parallel
	{
		count_implicit();
		for (int i = 0; i < ROUNDS; i++) {
			COUNT(barrier);
#pragma omp barrier
			dwell();
		}
	}
}

// Compilers make the call to the runtime the last jump of the outlined function.
static void barrier_last(void)
{
	COUNT(parallel);
#pragma omp parallel
	{
		count_implicit();
		COUNT(barrier);
#pragma omp barrier
	}
}

// GCC drops the barrier of a construct that nothing follows in its region: the region's own is next.
static void barrier_dropped(void)
{
	COUNT(parallel);
#pragma omp parallel
	{
		count_implicit();
		COUNT(loop_dynamic);
		COUNT(barrier_dropped);
#pragma omp for schedule(dynamic)
		for (int i = 0; i < LENGTH; i++)
			COUNT(chunk);
	}
}

// ---- Worksharing -----------------------------------------------------------------------------

static void loop_static(void)
{
	COUNT(parallel);
#pragma omp parallel
	{
		count_implicit();
		for (int round = 0; round < ROUNDS; round++) {
			COUNT(loop_static);
			COUNT(barrier_static);
#pragma omp for schedule(static)
			for (int i = 0; i < LENGTH; i++)
				use(i);
			COUNT(loop_static);
#pragma omp for schedule(static, 2) nowait
			for (int i = 0; i < LENGTH; i++)
				use(i);
		}
	}
}

static void loop_dynamic(void)
{
	COUNT(parallel);
#pragma omp parallel
	{
		count_implicit();
		for (int round = 0; round < ROUNDS; round++) {
			COUNT(loop_dynamic);
			COUNT(barrier_loop);
#pragma omp for schedule(dynamic)
			for (int i = 0; i < LENGTH; i++) {
				COUNT(chunk);
				dwell();
			}
			COUNT(loop_dynamic);
#pragma omp for schedule(dynamic, 4) nowait
			for (int i = 0; i < LENGTH; i++) {
				if (i % 4 == 0)
					COUNT(chunk);
			}
			COUNT(loop_dynamic);
			COUNT(barrier_loop);
#pragma omp for schedule(monotonic : dynamic, 3)
			for (int i = 0; i < LENGTH; i++) {
				if (i % 3 == 0)
					COUNT(chunk);
			}
		}
	}
}

// Loops that count in other types have entry points of their own.
static void loop_long(void)
{
	COUNT(parallel);
#pragma omp parallel
	{
		count_implicit();
		COUNT(loop_dynamic);
		COUNT(barrier_loop);
#pragma omp for schedule(dynamic)
		for (unsigned long long i = 0; i < LENGTH; i++) {
			COUNT(chunk);
			dwell();
		}
		COUNT(loop_dynamic);
		COUNT(barrier_loop);
#pragma omp for schedule(dynamic, 5)
		for (long i = LENGTH; i > 0; i--) {
			if ((LENGTH - i) % 5 == 0)
				COUNT(chunk);
		}
		dwell();
	}
}

static void loop_guided(void)
{
	COUNT(parallel);
#pragma omp parallel
	{
		count_implicit();
		for (int round = 0; round < ROUNDS; round++) {
			COUNT(loop_guided);
			COUNT(barrier_loop);
#pragma omp for schedule(guided)
			for (int i = 0; i < LENGTH; i++)
				dwell();
		}
	}
}

static void loop_runtime(void)
{
	omp_set_schedule(omp_sched_dynamic, 1);
	COUNT(parallel);
#pragma omp parallel
	{
		count_implicit();
		for (int round = 0; round < ROUNDS; round++) {
			COUNT(loop_runtime);
			COUNT(barrier_loop);
#pragma omp for schedule(runtime)
			for (int i = 0; i < LENGTH; i++) {
				COUNT(chunk);
				dwell();
			}
		}
	}
}

// Fewer iterations than threads: some get none.
static void loop_short(void)
{
	for (int round = 0; round < ROUNDS; round++) {
		COUNT(parallel);
#pragma omp parallel
		{
			count_implicit();
			COUNT(loop_dynamic);
			COUNT(barrier_loop);
#pragma omp for schedule(dynamic)
			for (int i = 0; i < 1; i++)
				COUNT(chunk);
			COUNT(loop_empty);
			COUNT(barrier_loop);
#pragma omp for schedule(dynamic)
			for (int i = 0; i < sink - sink; i++)
				COUNT(chunk);
			dwell();
		}
	}
}

static void combined(void)
{
	for (int round = 0; round < ROUNDS; round++) {
		COUNT(parallel);
		ADD(implicit, THREADS);
		ADD(loop_dynamic, THREADS);
#pragma omp parallel for schedule(dynamic)
		for (int i = 0; i < LENGTH; i++) {
			COUNT(chunk);
			dwell();
		}
		COUNT(parallel);
		ADD(implicit, THREADS);
		ADD(loop_guided, THREADS);
#pragma omp parallel for schedule(guided)
		for (int i = 0; i < LENGTH; i++)
			dwell();
		COUNT(parallel);
		ADD(implicit, THREADS);
		ADD(loop_static, THREADS);
#pragma omp parallel for
		for (int i = 0; i < LENGTH; i++)
			dwell();
	}
	ADD(worker, THREADS - 1);
}

static void combined_sections(void)
{
	for (int round = 0; round < ROUNDS; round++) {
		COUNT(parallel);
		ADD(implicit, THREADS);
		ADD(sections, THREADS);
#pragma omp parallel sections
		{
#pragma omp section
			COUNT(section);
#pragma omp section
			COUNT(section);
		}
	}
	ADD(worker, THREADS - 1);
}

static void sections(void)
{
	COUNT(parallel);
#pragma omp parallel
	{
		count_implicit();
		for (int round = 0; round < ROUNDS; round++) {
			COUNT(sections);
			COUNT(barrier_sections);
#pragma omp sections
			{
#pragma omp section
				COUNT(section);
#pragma omp section
				COUNT(section);
#pragma omp section
				COUNT(section);
			}
			COUNT(sections);
#pragma omp sections nowait
			{
#pragma omp section
				COUNT(section);
			}
		}
	}
}

static void single(void)
{
	COUNT(parallel);
#pragma omp parallel
	{
		int value = 0;

		count_implicit();
		for (int round = 0; round < ROUNDS; round++) {
			COUNT(single);
			COUNT(barrier_single);
#pragma omp single
			COUNT(single_run);
			COUNT(single);
#pragma omp single nowait
			COUNT(single_run);
			COUNT(single);
			COUNT(barrier_copy);
#pragma omp single copyprivate(value)
			{
				COUNT(single_run);
				COUNT(copy_run);
				value = round;
			}
			if (value != round)
				abort();
		}
	}
}

static void masked(void)
{
	COUNT(parallel);
#pragma omp parallel
	{
		count_implicit();
		for (int round = 0; round < ROUNDS; round++) {
#pragma omp master
			COUNT(masked);
		}
	}
}

static void ordered(void)
{
	COUNT(parallel);
#pragma omp parallel
	{
		count_implicit();
		COUNT(loop_ordered);
		COUNT(barrier_loop);
#pragma omp for ordered schedule(static, 1)
		for (int i = 0; i < LENGTH; i++) {
			dwell();
#pragma omp ordered
			COUNT(ordered);
		}
		COUNT(loop_dynamic);
		COUNT(barrier_loop);
#pragma omp for ordered schedule(dynamic)
		for (int i = 0; i < LENGTH; i++) {
			COUNT(chunk);
			dwell();
#pragma omp ordered
			COUNT(ordered);
		}
		dwell();
	}
}

static void reduction(void)
{
	int sum = 0;

	COUNT(parallel);
#pragma omp parallel
	{
		count_implicit();
		COUNT(reduction);
		COUNT(loop_static);
		COUNT(barrier_static);
#pragma omp for reduction(+ : sum)
		for (int i = 0; i < LENGTH; i++)
			sum += i;
		dwell();
	}
	use(sum);
	COUNT(parallel);
#pragma omp parallel reduction(+ : sum)
	{
		count_implicit();
		sum++;
	}
	use(sum);
}

// Loops with a static schedule that need the runtime for what their threads share.
static void loop_shared(void)
{
	int sum = 0, prefix = 0, prefixes[LENGTH];

	COUNT(parallel);
#pragma omp parallel
	{
		count_implicit();
#ifndef __clang__ // which copes with neither
		COUNT(loop_memory);
		ADD(barrier_scan, 3);
		COUNT(barrier_loop);
#pragma omp for reduction(inscan, + : prefix)
		for (int i = 0; i < LENGTH; i++) {
			prefix += i;
#pragma omp scan inclusive(prefix)
			prefixes[i] = prefix;
		}
		dwell();
		COUNT(loop_memory);
		ADD(barrier_loop, 2);
#pragma omp for schedule(static) reduction(task, + : sum)
		for (int i = 0; i < LENGTH; i++) {
			COUNT(task);
#pragma omp task in_reduction(+ : sum)
			{
				COUNT(task_run);
				sum += i;
			}
		}
#endif
		dwell();
	}
	use(sum + prefixes[0]);
}

// ---- Tasks -----------------------------------------------------------------------------------

static void tasks(void)
{
	COUNT(parallel);
#pragma omp parallel
	{
		count_implicit();
		COUNT(single);
		COUNT(barrier_single);
#pragma omp single
		{
			COUNT(single_run);
			for (int i = 0; i < ROUNDS * 5; i++) {
				COUNT(task);
#pragma omp task firstprivate(i)
				{
					COUNT(task_run);
					use(i);
					dwell();
				}
			}
			COUNT(taskwait);
#pragma omp taskwait
		}
		dwell();
	}
}

static void tasks_of_all(void)
{
	COUNT(parallel);
#pragma omp parallel
	{
		count_implicit();
		for (int i = 0; i < ROUNDS; i++) {
			COUNT(task);
#pragma omp task
			{
				COUNT(task_run);
				dwell();
				COUNT(task);
#pragma omp task
				COUNT(task_run);
			}
			COUNT(barrier);
#pragma omp barrier
		}
	}
}

// An alignment and a size that a header in front of the data must respect.
struct large {
	char bytes[200] __attribute__((aligned(64)));
};

static void task_data(void)
{
	struct large large;

	memset(&large, 1, sizeof(large));
	COUNT(parallel);
#pragma omp parallel
	{
		count_implicit();
		for (int i = 0; i < ROUNDS; i++) {
			COUNT(task);
#pragma omp task firstprivate(large, i)
			{
				COUNT(task_run);
				if ((uintptr_t)&large % 64 || large.bytes[199] != 1)
					abort();
				use(i);
			}
#ifndef __clang__ // which copies no array of variable length
			char vla[i + 1];
			memset(vla, i, sizeof(vla));
			COUNT(task);
#pragma omp task firstprivate(vla)
			{
				COUNT(task_run);
				if (vla[i] != i)
					abort();
			}
#endif
			COUNT(taskwait);
#pragma omp taskwait
		}
	}
}

static void task_kinds(void)
{
	COUNT(parallel);
#pragma omp parallel
	{
		count_implicit();
		for (int i = 0; i < ROUNDS; i++) {
			COUNT(task);
			COUNT(undeferred);
#pragma omp task if (0)
			{
				COUNT(task_run);
				dwell();
			}
			COUNT(task);
			COUNT(untied);
#pragma omp task untied
			{
				COUNT(task_run);
				dwell();
			}
			COUNT(task);
			COUNT(final);
#pragma omp task final(1)
			{
				COUNT(task_run);
				COUNT(task);
				COUNT(undeferred);
				COUNT(final);
#pragma omp task
				COUNT(task_run);
			}
			COUNT(task);
#pragma omp task priority(3)
			COUNT(task_run);
			COUNT(taskwait);
#pragma omp taskwait
		}
	}
}

// Outside of any region: one thread.
static void tasks_alone(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		COUNT(task);
		COUNT(undeferred);
#pragma omp task
		{
			COUNT(task_run);
			COUNT(taskwait);
#pragma omp taskwait
		}
		COUNT(taskwait);
#pragma omp taskwait
	}
}

static void taskgroups(void)
{
	COUNT(parallel);
#pragma omp parallel
	{
		count_implicit();
		for (int i = 0; i < ROUNDS; i++) {
			COUNT(taskgroup);
#pragma omp taskgroup
			{
				COUNT(task);
#pragma omp task
				{
					COUNT(task_run);
					COUNT(task);
#pragma omp task
					COUNT(task_run);
				}
			}
		}
	}
}

static void taskyields(void)
{
	COUNT(parallel);
#pragma omp parallel
	{
		count_implicit();
		for (int i = 0; i < ROUNDS; i++) {
			COUNT(task);
#pragma omp task
			{
				COUNT(task_run);
#pragma omp taskyield
				dwell();
			}
		}
	}
}

static void taskloops(void)
{
	COUNT(parallel);
#pragma omp parallel
	{
		count_implicit();
		COUNT(single);
		COUNT(barrier_single);
#pragma omp single
		{
			COUNT(single_run);
			COUNT(taskloop);
			COUNT(taskloop_group);
			ADD(taskloop_task, LENGTH);
#pragma omp taskloop grainsize(1)
			for (int i = 0; i < LENGTH; i++)
				COUNT(task_run);
			COUNT(taskloop);
			ADD(taskloop_task, 4);
#pragma omp taskloop num_tasks(4) nogroup
			for (int i = 0; i < LENGTH; i++) {
				if (i % (LENGTH / 4) == 0)
					COUNT(task_run);
			}
			COUNT(taskloop);
			COUNT(taskloop_group);
			ADD(taskloop_task, 6);
#pragma omp taskloop num_tasks(6)
			for (unsigned long long i = 0; i < LENGTH; i++) {
				if (i % (LENGTH / 6) == 0)
					COUNT(task_run);
			}
		}
		dwell();
	}
}

static void dependences(void)
{
	int x = 0, y = 0;

	COUNT(parallel);
#pragma omp parallel
	{
		count_implicit();
		COUNT(single);
		COUNT(barrier_single);
#pragma omp single
		{
			COUNT(single_run);
			for (int i = 0; i < ROUNDS; i++) {
				COUNT(task);
				COUNT(depend_out);
#pragma omp task depend(out : x) shared(x)
				{
					COUNT(task_run);
					dwell();
					x++;
				}
				COUNT(task);
				COUNT(depend_in);
				COUNT(depend_inout);
#pragma omp task depend(in : x) depend(inout : y) shared(x, y)
				{
					COUNT(task_run);
					y += x;
				}
			}
			COUNT(taskwait);
#pragma omp taskwait
		}
		dwell();
	}
	use(y);
}

static void taskwait_depend(void)
{
	int x = 0;

	COUNT(parallel);
#pragma omp parallel
	{
		count_implicit();
		COUNT(single);
		COUNT(barrier_single);
#pragma omp single
		{
			COUNT(single_run);
			for (int i = 0; i < ROUNDS; i++) {
				COUNT(task);
				COUNT(depend_out);
#pragma omp task depend(out : x) shared(x)
				{
					COUNT(task_run);
					dwell();
					x++;
				}
				COUNT(taskwait_depend);
				COUNT(depend_in);
#pragma omp taskwait depend(in : x)
			}
		}
		dwell();
	}
}

#ifndef OLD_LIBGOMP // it has events since GCC 11
static void detached(void)
{
	COUNT(parallel);
#pragma omp parallel
	{
		count_implicit();
		COUNT(single);
		COUNT(barrier_single);
#pragma omp single
		{
			COUNT(single_run);
			for (int i = 0; i < ROUNDS; i++) {
				omp_event_handle_t event;

				COUNT(task);
				COUNT(detached);
#pragma omp task detach(event)
				COUNT(task_run);
				COUNT(task);
#pragma omp task firstprivate(event)
				{
					COUNT(task_run);
					dwell();
					omp_fulfill_event(event);
				}
			}
		}
		dwell();
	}
}
#endif

// ---- Mutual exclusion ------------------------------------------------------------------------

#ifndef __clang__ // libgomp has no locks with hints
#define omp_init_lock_with_hint(lock, hint) omp_init_lock(lock)
#define omp_init_nest_lock_with_hint(lock, hint) omp_init_nest_lock(lock)
#endif

static void locks(void)
{
	omp_lock_t lock, other;

	ADD(lock_init, 2);
	omp_init_lock(&lock);
	omp_init_lock_with_hint(&other, omp_sync_hint_contended);
	COUNT(parallel);
#pragma omp parallel
	{
		count_implicit();
		for (int i = 0; i < ROUNDS * 5; i++) {
			COUNT(lock);
			COUNT(lock_set);
			omp_set_lock(&lock);
			dwell();
			omp_unset_lock(&lock);
			COUNT(test);
			if (omp_test_lock(&other)) {
				COUNT(lock_set);
				dwell();
				omp_unset_lock(&other);
			} else {
				COUNT(test_failed);
			}
		}
	}
	ADD(lock_destroy, 2);
	omp_destroy_lock(&lock);
	omp_destroy_lock(&other);
}

static void nest_locks(void)
{
	omp_nest_lock_t lock, other;

	ADD(nest_init, 2);
	omp_init_nest_lock(&lock);
	omp_init_nest_lock_with_hint(&other, omp_sync_hint_none);
	COUNT(parallel);
#pragma omp parallel
	{
		count_implicit();
		for (int i = 0; i < ROUNDS; i++) {
			int depth;

			COUNT(nest);
			COUNT(nest_first);
			omp_set_nest_lock(&lock);
			COUNT(nest);
			COUNT(nest_again);
			omp_set_nest_lock(&lock);
			dwell();
			COUNT(nest_test);
			COUNT(nest_again);
			if (omp_test_nest_lock(&lock) != 3)
				abort();
			omp_unset_nest_lock(&lock);
			omp_unset_nest_lock(&lock);
			omp_unset_nest_lock(&lock);
			COUNT(nest_test);
			depth = omp_test_nest_lock(&other);
			if (depth == 1) {
				COUNT(nest_test_first);
				dwell();
				omp_unset_nest_lock(&other);
			} else if (depth == 0) {
				COUNT(nest_test_failed);
			} else {
				abort();
			}
		}
	}
	ADD(nest_destroy, 2);
	omp_destroy_nest_lock(&lock);
	omp_destroy_nest_lock(&other);
}

static void criticals(void)
{
	COUNT(parallel);
#pragma omp parallel
	{
		count_implicit();
		for (int i = 0; i < ROUNDS * 5; i++) {
			COUNT(critical);
#pragma omp critical
			dwell();
			COUNT(critical);
#pragma omp critical(first)
			{
				COUNT(critical);
#pragma omp critical(second)
				dwell();
			}
		}
	}
}

static void atomics(void)
{
	static long double wide;
	static int narrow;

	COUNT(parallel);
#pragma omp parallel
	{
		count_implicit();
		for (int i = 0; i < ROUNDS; i++) {
			COUNT(atomic);
#pragma omp atomic
			wide += 1;
#pragma omp atomic
			narrow++;
		}
	}
}

// ---- Cancellation ----------------------------------------------------------------------------

static void cancel_parallel(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		COUNT(parallel);
#pragma omp parallel
		{
			count_implicit();
			if (omp_get_thread_num() == 0) {
				COUNT(cancel_parallel);
#pragma omp cancel parallel
			}
			// No thread gets past it.
			COUNT(barrier);
			COUNT(barrier_cancelled);
#pragma omp barrier
			abort();
		}
	}
}

// LLVM's runtime fails or hangs where a loop with another schedule is cancelled.
#ifdef __clang__
#define CANCELLED schedule(static)
#define COUNT_CANCELLED() (COUNT(loop_static), COUNT(barrier_static))
#else
#define CANCELLED schedule(dynamic)
#define COUNT_CANCELLED() (COUNT(loop_dynamic), COUNT(barrier_loop))
#endif

static void cancel_loop(void)
{
	for (int round = 0; round < ROUNDS; round++) {
		COUNT(parallel);
#pragma omp parallel
		{
			count_implicit();
			COUNT_CANCELLED();
#pragma omp for CANCELLED
			for (int i = 0; i < LENGTH; i++) {
				COUNT(chunk);
				if (i == 3) {
					COUNT(cancel_loop);
#pragma omp cancel for
				}
				dwell();
			}
			dwell();
		}
	}
}

static void cancel_sections(void)
{
	for (int round = 0; round < ROUNDS; round++) {
		COUNT(parallel);
#pragma omp parallel
		{
			count_implicit();
			COUNT(sections);
			COUNT(barrier_sections);
#pragma omp sections
			{
#pragma omp section
				{
					COUNT(section);
					COUNT(cancel_sections);
#pragma omp cancel sections
				}
			}
			dwell();
		}
	}
}

static void cancel_taskgroup(void)
{
	for (int round = 0; round < ROUNDS; round++) {
		COUNT(parallel);
#pragma omp parallel
		{
			count_implicit();
			COUNT(taskgroup);
#pragma omp taskgroup
			{
				for (int i = 0; i < 4; i++) {
					COUNT(task);
#pragma omp task firstprivate(i)
					{
						COUNT(task_run);
						if (i == 1) {
							COUNT(cancel_taskgroup);
#pragma omp cancel taskgroup
						}
						dwell();
					}
				}
			}
		}
	}
}

// ---- Threads of the program's own ------------------------------------------------------------

static void *own_thread(void *unused)
{
	if (unused)
		count_foreign();
	for (int i = 0; i < 4; i++) {
		COUNT(parallel);
#pragma omp parallel num_threads(2)
		{
			count_implicit();
			COUNT(critical);
#pragma omp critical
			dwell();
			COUNT(task);
#pragma omp task
			COUNT(task_run);
		}
	}
	return unused;
}

static void own_threads(void)
{
	pthread_t thread[3];

	for (int i = 0; i < 3; i++)
		if (pthread_create(&thread[i], NULL, own_thread, &sink) != 0)
			abort();
	own_thread(NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
}

// libgomp has no such function; the interposer has.
#ifndef __clang__
enum { omp_control_tool_pause = 2 };
int omp_control_tool(int command, int modifier, void *argument) __attribute__((weak));
#endif

static void control(void)
{
	uint64_t argument = 0;

	COUNT(parallel);
#pragma omp parallel
	count_implicit();
#ifndef __clang__
	if (!omp_control_tool)
		return;
#endif
	COUNT(control);
	// 17 and the argument are what the tool answers; -2 and 0: there is none.
	switch (omp_control_tool(omp_control_tool_pause, 5, &argument)) {
	case 17:
		if (argument != ((uint64_t)omp_control_tool_pause << 32 | 5))
			abort();
		break;
	case -2:
		break;
	default:
		abort();
	}
}

// Regions end with the program, whatever threads do.
static void exit_inside(void)
{
	COUNT(parallel);
#pragma omp parallel
	{
		count_implicit();
		COUNT(barrier);
#pragma omp barrier
#pragma omp master
		exit(0);
		for (;;)
			pause();
	}
}

static const struct {
	const char *name;
	void (*run)(void);
} programs[] = {
#define PROGRAM(name)       \
	{                   \
#name, name \
	}
	PROGRAM(parallel),
	PROGRAM(parallel_sizes),
	PROGRAM(serialized),
	PROGRAM(nested),
	PROGRAM(nested_inactive),
	PROGRAM(teams),
	PROGRAM(distribute),
	PROGRAM(barriers),
	PROGRAM(barrier_last),
	PROGRAM(barrier_dropped),
	PROGRAM(loop_static),
	PROGRAM(loop_dynamic),
	PROGRAM(loop_long),
	PROGRAM(loop_guided),
	PROGRAM(loop_runtime),
	PROGRAM(loop_short),
	PROGRAM(loop_shared),
	PROGRAM(combined),
	PROGRAM(combined_sections),
	PROGRAM(sections),
	PROGRAM(single),
	PROGRAM(masked),
	PROGRAM(ordered),
	PROGRAM(reduction),
	PROGRAM(tasks),
	PROGRAM(tasks_of_all),
	PROGRAM(task_data),
	PROGRAM(task_kinds),
	PROGRAM(tasks_alone),
	PROGRAM(taskgroups),
	PROGRAM(taskyields),
	PROGRAM(taskloops),
	PROGRAM(dependences),
	PROGRAM(taskwait_depend),

#ifndef OLD_LIBGOMP
	PROGRAM(detached),
#endif
	PROGRAM(locks),
	PROGRAM(nest_locks),
	PROGRAM(criticals),
	PROGRAM(atomics),
	PROGRAM(cancel_parallel),
	PROGRAM(cancel_loop),
	PROGRAM(cancel_sections),
	PROGRAM(cancel_taskgroup),
	PROGRAM(own_threads),
	PROGRAM(control),
	PROGRAM(exit_inside),
};

int main(int count, char **arguments)
{
	omp_set_num_threads(THREADS);
	omp_set_dynamic(0);
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++) {
		if (count < 2)
			puts(programs[i].name);
		else if (strcmp(arguments[1], programs[i].name) == 0)
			programs[i].run();
	}
	return 0;
}
