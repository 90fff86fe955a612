// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that register, pause and ask, while others work and report events. Built with
// ThreadSanitizer, which then watches the collector.

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "include/ompt/omp_collector.h"
#include "testsuite/recorder/fake_runtime.h"

enum { WORKERS = 4, COLLECTORS = 4, ROUNDS = 20000, QUEUE = 16, EVENTS = 36 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static ompt_data_t *queue[QUEUE];
static int num_queued;
static uint64_t calls;
static bool strict; // nothing is registered: no event may come

static void fail(const char *what)
{
	fprintf(stderr, "%s\n", what);
	exit(1);
}

/** Do one request; return its error. */
static int request(int number, int event, void (*callback)(OMP_COLLECTORAPI_EVENT))
{
	int message[8] = { 28, number, -1, -1, event };

	memcpy(message + 5, &callback, sizeof(callback));
	if (__omp_collector_api(message) || message[2] < 0)
		fail("a message was not answered");
	return message[2];
}

static void on_even(OMP_COLLECTORAPI_EVENT event)
{
	if (event % 2 || __atomic_load_n(&strict, __ATOMIC_RELAXED))
		fail("a callback was called for another event");
	__atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
	request(OMP_REQ_TASK_ID, 0, NULL);
}

static void on_odd(OMP_COLLECTORAPI_EVENT event)
{
	if (event % 2 == 0 || __atomic_load_n(&strict, __ATOMIC_RELAXED))
		fail("a callback was called for another event");
	__atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
	request(OMP_REQ_STATE, 0, NULL);
}

/** Create a task, for whoever takes it, and run one that some thread created. */
static void work(ompt_data_t *current)
{
	ompt_data_t *task = calloc(1, sizeof(*task));

	if (!task)
		fail("no memory");
	omp.task_create(current, NULL, task, ompt_task_explicit, 0, NULL);
	pthread_mutex_lock(&mutex);
	if (num_queued < QUEUE) {
		queue[num_queued++] = task;
		task = NULL;
	} else {
		ompt_data_t *other = queue[0];

		queue[0] = task;
		task = other;
	}
	pthread_mutex_unlock(&mutex);
	if (!task)
		return;
	omp.task_schedule(current, ompt_task_switch, task);
	omp.acquire(ompt_mutex_lock, 0, 0, 1, NULL);
	omp.acquired(ompt_mutex_lock, 1, NULL);
	omp.task_schedule(task, ompt_task_complete, current);
	free(task);
}

static void *worker(void *region)
{
	ompt_data_t thread = { 0 }, task = { 0 };

	omp.thread_begin(ompt_thread_worker, &thread);
	for (int round = 0; round < ROUNDS; round++) {
		if (round % 100 == 0)
			omp.implicit_task(ompt_scope_begin, region, &task, WORKERS, 1,
					  ompt_task_implicit);
		work(&task);
		if (round % 100 == 99) {
			omp.wait(ompt_sync_region_barrier_implicit_parallel, ompt_scope_begin,
				 region, &task, NULL);
			omp.wait(ompt_sync_region_barrier_implicit_parallel, ompt_scope_end, NULL,
				 &task, NULL);
			omp.implicit_task(ompt_scope_end, NULL, &task, 0, 1, ompt_task_implicit);
		}
	}
	omp.thread_end(&thread);
	return NULL;
}

static void *collect(void *seed)
{
	unsigned int random = (unsigned int)(uintptr_t)seed;

	for (int round = 0; round < ROUNDS; round++) {
		int event = 1 + (int)(random >> 16) % (EVENTS - 1);
		int number = round % 8 ? OMP_REQ_REGISTER : round / 8 % OMP_REQ_LAST;

		random = random * 1103515245 + 12345;
		if (number == OMP_REQ_STOP && random >> 28)
			number = OMP_REQ_UNREGISTER;
		request(number, event, event % 2 ? on_odd : on_even);
		if (number == OMP_REQ_PAUSE)
			request(OMP_REQ_RESUME, 0, NULL);
		if (number == OMP_REQ_STOP)
			request(OMP_REQ_START, 0, NULL);
	}
	return NULL;
}

int main(void)
{
	ompt_data_t region = { 0 }, task = { 0 };
	pthread_t threads[WORKERS + COLLECTORS];

	start_fake_runtime();
	if (request(OMP_REQ_START, 0, NULL))
		fail("START fails");
	omp.implicit_task(ompt_scope_begin, NULL, &task, 1, 1, ompt_task_initial);
	omp.parallel_begin(&task, NULL, &region, WORKERS, ompt_parallel_team, NULL);
	for (int i = 0; i < WORKERS + COLLECTORS; i++)
		pthread_create(&threads[i], NULL, i < WORKERS ? worker : collect,
			       i < WORKERS ? (void *)&region : (void *)(uintptr_t)i);
	for (int i = 0; i < WORKERS + COLLECTORS; i++)
		pthread_join(threads[i], NULL);
	omp.parallel_end(&region, &task, ompt_parallel_team, NULL);
	if (!calls)
		fail("no event came");

	// The last session ends as if there had been one thread.
	request(OMP_REQ_STOP, 0, NULL);
	strict = true;
	if (request(OMP_REQ_STOP, 0, NULL) != OMP_ERRCODE_SEQUENCE_ERR ||
	    request(OMP_REQ_START, 0, NULL) != OMP_ERRCODE_OK)
		fail("START fails after STOP");
	omp.acquire(ompt_mutex_lock, 0, 0, 1, NULL);
	omp.acquired(ompt_mutex_lock, 1, NULL);
	strict = false;
	calls = 0;
	request(OMP_REQ_REGISTER, OMP_EVENT_THR_BEGIN_LKWT, on_odd);
	omp.acquire(ompt_mutex_lock, 0, 0, 1, NULL);
	omp.acquired(ompt_mutex_lock, 1, NULL);
	if (calls != 1)
		fail("an event was told more than once, or not at all");
	return 0;
}
