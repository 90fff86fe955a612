// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One construct after the other, to step through. Usage: constructs THREADS
//
// AT marks the line before a construct, the first line of its body and the line after it. Where
// threads share work, the others wait until thread 0 is in the body, so that it has a part of it.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int threads = 4;
static long sum;
static volatile int entered;

static void others_wait(int construct)
{
	if (omp_get_thread_num() != 0)
		while (entered < construct)
			usleep(1000);
}

static __attribute__((noinline)) void add(long value)
{
#pragma omp atomic
	sum += value;
}

static void plain(int n)
{
	add(n); // AT: plain-before
#pragma omp parallel num_threads(threads)
	{
		add(omp_get_thread_num()); // AT: plain-first
		add(n);
	}
	add(1); // AT: plain-after
}

static void loop(int n)
{
	add(n); // AT: loop-before
#pragma omp parallel for num_threads(threads)
	for (int i = 0; i < n; i++)
		add(i); // AT: loop-first
	add(1);		// AT: loop-after
}

static void guided(int n)
{
	add(n); // AT: guided-before
#pragma omp parallel for num_threads(threads) schedule(guided)
	for (int i = 0; i < n; i++)
		add(i); // AT: guided-some
	add(1);		// AT: guided-after
}

static void parts(int n)
{
	add(n); // AT: parts-before
#pragma omp parallel sections num_threads(threads)
	{
#pragma omp section
		add(1); // AT: parts-some
#pragma omp section
		add(2);
	}
	add(1); // AT: parts-after
}

static void shared_out(int n)
{
#pragma omp parallel num_threads(threads)
	{
		add(1); // AT: inner_loop-before
#pragma omp for
		for (int i = 0; i < n; i++)
			add(i); // AT: inner_loop-first
		add(2);		// AT: inner_loop-after
		others_wait(1);
		add(3); // AT: one-before
#pragma omp single
		{
			entered = 1; // AT: one-first
			add(4);
		}
		add(5); // AT: one-after
		others_wait(2);
		add(6); // AT: sections-before
#pragma omp sections
		{
#pragma omp section
			entered = 2; // AT: sections-first
#pragma omp section
			add(7);
		}
		add(8); // AT: sections-after
		add(9); // AT: critical-before
#pragma omp critical(door)
		__atomic_fetch_add(&sum, 10, __ATOMIC_RELAXED); // AT: critical-first
		add(11);					// AT: critical-after
		others_wait(3);
		add(12); // AT: chunks-before
#pragma omp for schedule(dynamic)
		for (int i = 0; i < n; i++) {
			entered = 3; // AT: chunks-first
			add(i);
		}
		add(13); // AT: chunks-after
#pragma omp for ordered
		for (int i = 0; i < n; i++) {
			add(14); // AT: ordered-before
#pragma omp ordered
			__atomic_fetch_add(&sum, i, __ATOMIC_RELAXED); // AT: ordered-first
			add(15);				       // AT: ordered-after
		}
	}
}

static __attribute__((noinline)) void orphan(int n)
{
	add(n); // AT: orphan-before
#pragma omp for
	for (int i = 0; i < n; i++)
		add(i); // AT: orphan-first
	add(1);		// AT: orphan-after
}

static __attribute__((noinline)) void orphaned_task(int n)
{
	add(n); // AT: orphaned_task-before
#pragma omp task
	add(n + 1); // AT: orphaned_task-first
	add(2);	    // AT: orphaned_task-later
}

static void orphans(int n)
{
#pragma omp parallel num_threads(threads)
	{
		orphan(n);
#pragma omp master
		orphaned_task(n);
	}
}

static void nested(int n)
{
#pragma omp parallel num_threads(2)
	{
		add(n); // AT: nested-before
#pragma omp parallel num_threads(threads)
		{
			add(n + 1); // AT: nested-first
		}
		add(n + 2); // AT: nested-after
	}
}

static void task(int n)
{
#pragma omp parallel num_threads(threads)
#pragma omp master
	{
		add(n); // AT: task-before
#pragma omp task firstprivate(n)
		{
			add(n + 1); // AT: task-first
			add(n + 2);
		}
		add(1); // AT: task-later
#pragma omp taskwait
		add(2);
	}
}

static void taskloop(int n)
{
#pragma omp parallel num_threads(threads)
#pragma omp master
	{
		add(2); // AT: taskloop-before
#pragma omp taskloop grainsize(2)
		for (int i = 0; i < n; i++)
			add(i); // AT: taskloop-first
		add(3);		// AT: taskloop-later
		add(4);
	}
}

static void undeferred(void)
{
#pragma omp parallel num_threads(threads)
#pragma omp master
	{
		add(4); // AT: undeferred-before
#pragma omp task if (0)
		add(5); // AT: undeferred-first
		add(6); // AT: undeferred-after
	}
}

// The others are busy: the thread that generates the task executes it where it waits for it.
static void waited(int n)
{
#pragma omp parallel num_threads(threads)
	{
		others_wait(4);
#pragma omp master
		{
			add(n); // AT: waited-before
#pragma omp task
			{
				add(7); // AT: waited-first
				entered = 4;
			}
			add(8); // AT: waited-later
#pragma omp taskwait
			add(9);
		}
	}
}

int main(int argc, char **argv)
{
	if (argc > 1)
		threads = atoi(argv[1]);
	omp_set_max_active_levels(2);
	plain(3);
	loop(2 * threads);
	guided(4 * threads);
	parts(4);
	shared_out(2 * threads);
	orphans(2 * threads);
	nested(2);
	task(8);
	taskloop(8);
	undeferred();
	waited(3);
	printf("sum %ld\n", sum);
	return 0;
}
