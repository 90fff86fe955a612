// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many threads that come, record and go: tasks that others run, locks that others release. Built with
// ThreadSanitizer, which then watches the recorder.

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "fake_runtime.h"
#include "include/ompt/recorder.h"

#define THREADS 12
#define GENERATIONS 40
#define ROUNDS 60
#define QUEUE 16

extern struct record_root ompdbg_record;

struct queue {
	pthread_mutex_t mutex;
	ompt_data_t *tasks[QUEUE];
	int number;
};

static struct queue queue = { .mutex = PTHREAD_MUTEX_INITIALIZER };
static pthread_mutex_t real_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t handed_over; // a lock that is held, and is somebody else's to release; 0: none

/** Create a task, for whoever takes it. */
static void create_task(ompt_data_t *current)
{
	ompt_data_t *task = calloc(1, sizeof(*task));

	if (!task)
		abort();
	omp.task_create(current, NULL, task, ompt_task_explicit, 0, CODE(1));
	pthread_mutex_lock(&queue.mutex);
	if (queue.number < QUEUE) {
		queue.tasks[queue.number++] = task;
		task = NULL;
	}
	pthread_mutex_unlock(&queue.mutex);
	if (task) {
		omp.task_schedule(current, ompt_task_switch, task);
		omp.task_schedule(task, ompt_task_complete, current);
		free(task);
	}
}

/** Run a task that some thread created. */
static void run_task(ompt_data_t *current)
{
	ompt_data_t *task = NULL;

	pthread_mutex_lock(&queue.mutex);
	if (queue.number > 0)
		task = queue.tasks[--queue.number];
	pthread_mutex_unlock(&queue.mutex);
	if (!task)
		return;
	omp.task_schedule(current, ompt_task_switch, task);
	omp.task_schedule(task, ompt_task_complete, current);
	free(task);
}

/** Take a lock, and release it or the one that another thread left. */
static void use_lock(uint64_t lock)
{
	uint64_t release = lock;

	omp.acquire(ompt_mutex_lock, 0, 0, lock, CODE(2));
	omp.acquired(ompt_mutex_lock, lock, CODE(2));
	pthread_mutex_lock(&real_lock);
	if (handed_over != 0 || lock % 3 == 0) {
		release = handed_over;
		handed_over = lock;
	}
	pthread_mutex_unlock(&real_lock);
	if (release)
		omp.released(ompt_mutex_lock, release, CODE(3));
}

/** Do what a thread of a team does. */
static void *work(void *number)
{
	uint64_t base = ((uint64_t)(uintptr_t)number + 1) << 32;
	ompt_data_t parallel = { 0 }, implicit = { 0 };

	omp.thread_begin(ompt_thread_worker, &(ompt_data_t){ 0 });
	for (uint64_t i = 0; i < ROUNDS; i++) {
		omp.parallel_begin(NULL, NULL, &parallel, 1, 0, CODE(4));
		omp.implicit_task(ompt_scope_begin, &parallel, &implicit, 1, 0, ompt_task_implicit);
		create_task(&implicit);
		if (i % 2)
			create_task(&implicit);
		use_lock(base + i);
		omp.wait(ompt_sync_region_barrier_explicit, ompt_scope_begin, NULL, NULL, CODE(5));
		run_task(&implicit);
		omp.wait(ompt_sync_region_barrier_explicit, ompt_scope_end, NULL, NULL, CODE(5));
		omp.implicit_task(ompt_scope_end, NULL, &implicit, 1, 0, ompt_task_implicit);
		omp.parallel_end(&parallel, NULL, 0, CODE(4));
	}
	omp.thread_end(NULL);
	return NULL;
}

/** Count the holds that are left. */
static int count_holds(void)
{
	const struct record_thread *thread;
	int number = 0;

	for (thread = (const void *)(uintptr_t)ompdbg_record.threads; thread;
	     thread = (const void *)(uintptr_t)thread->next) {
		const struct record_hold *holds = (const void *)(uintptr_t)thread->holds;

		for (uint32_t i = 0; i < thread->num_holds; i++)
			number += holds[i].kind != 0;
	}
	return number;
}

/** Count the tasks that live. */
static int count_tasks(void)
{
	const struct record_tasks *block;
	int number = 0;

	for (block = (const void *)(uintptr_t)ompdbg_record.tasks; block;
	     block = (const void *)(uintptr_t)block->next) {
		const struct record_task *tasks = (const void *)(block + 1);

		for (uint32_t i = 0; i < block->capacity; i++)
			number += tasks[i].id != 0;
	}
	return number;
}

/** Return 1, with a message, if a number is not what it has to be. */
static int check(const char *what, uint64_t found, uint64_t least, uint64_t most)
{
	if (found >= least && found <= most)
		return 0;
	fprintf(stderr, "%s: %llu\n", what, (unsigned long long)found);
	return 1;
}

int main(void)
{
	pthread_t threads[THREADS];
	int bad = 0;

	setenv("OMPDBG_RECORD", "ring=4K", 1);
	unsetenv("OMP_TOOL_LIBRARIES");
	unsetenv("OMP_TOOL");
	start_fake_runtime();
	for (int generation = 0; generation < GENERATIONS; generation++) {
		for (uintptr_t i = 0; i < THREADS; i++)
			if (pthread_create(&threads[i], NULL, work,
					   (void *)(THREADS * (uintptr_t)generation + i)))
				return 1;
		for (int i = 0; i < THREADS; i++)
			pthread_join(threads[i], NULL);
	}
	bad |= check("threads", ompdbg_record.threads_seen, THREADS * GENERATIONS,
		     THREADS * GENERATIONS);
	// At most one of them ends with a lock held.
	bad |= check("blocks", ompdbg_record.num_threads, 1, THREADS + 1);
	bad |= check("threads without a block", ompdbg_record.threads_dropped, 0, 0);
	bad |= check("holds", (uint64_t)count_holds(), handed_over != 0, handed_over != 0);
	bad |= check("tasks", (uint64_t)count_tasks(), (uint64_t)queue.number,
		     (uint64_t)queue.number);
	return bad;
}
