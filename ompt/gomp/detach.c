// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Detachable tasks, found by the event that libgomp makes for each. An event may be fulfilled by any
// thread, before or after the task's body ends, and the task's memory ends with the later of both.

#include <pthread.h>

#include "task.h"

enum { BUCKETS = 256 };

static struct bucket {
	pthread_mutex_t mutex;
	struct task *first;
} buckets[BUCKETS] = { [0 ... BUCKETS - 1] = { .mutex = PTHREAD_MUTEX_INITIALIZER } };

static struct bucket *bucket_of(uintptr_t event)
{
	return &buckets[(event >> 4) * 0x9e3779b97f4a7c15u >> 56];
}

void gomp_add_detachable(struct task *task)
{
	struct bucket *bucket;

	task->event = (uintptr_t)task->front[0];
	bucket = bucket_of(task->event);
	pthread_mutex_lock(&bucket->mutex);
	task->next_detached = bucket->first;
	bucket->first = task;
	pthread_mutex_unlock(&bucket->mutex);
}

bool gomp_body_done(struct task *task, struct task *next)
{
	ompt_callback_task_schedule_t schedule = CALLBACK(ompt_callback_task_schedule);
	struct bucket *bucket = bucket_of(task->event);
	bool fulfilled;

	// The tool hears of it before it hears that the event is fulfilled.
	pthread_mutex_lock(&bucket->mutex);
	fulfilled = task->fulfilled;
	if (!fulfilled && schedule)
		schedule(&task->data, ompt_task_detach, &next->data);
	task->body_done = true;
	pthread_mutex_unlock(&bucket->mutex);
	return fulfilled;
}

/** Take the task of an event out of its bucket, which is locked. Return it, or null. */
static struct task *take(struct bucket *bucket, uintptr_t event)
{
	for (struct task **at = &bucket->first; *at; at = &(*at)->next_detached) {
		struct task *task = *at;

		if (task->event != event)
			continue;
		*at = task->next_detached;
		task->fulfilled = true;
		return task;
	}
	return NULL;
}

void gomp_drop_detachable(struct task *task)
{
	struct bucket *bucket = bucket_of(task->event);
	struct task *taken;

	pthread_mutex_lock(&bucket->mutex);
	taken = take(bucket, task->event);
	pthread_mutex_unlock(&bucket->mutex);
	if (taken)
		gomp_real.omp_fulfill_event(task->event);
}

/** Tell the tool that an event is fulfilled. The task stays in its place while it does. */
static void fulfill(uintptr_t event)
{
	ompt_callback_task_schedule_t schedule = CALLBACK(ompt_callback_task_schedule);
	struct bucket *bucket = bucket_of(event);
	struct task *task;

	pthread_mutex_lock(&bucket->mutex);
	task = take(bucket, event);
	if (task && schedule)
		schedule(&task->data,
			 task->body_done ? ompt_task_late_fulfill : ompt_task_early_fulfill, NULL);
	pthread_mutex_unlock(&bucket->mutex);
}

void gomp_detach_after_fork(void)
{
	for (int i = 0; i < BUCKETS; i++)
		pthread_mutex_init(&buckets[i].mutex, NULL);
}

#define FULFILL(name)                                  \
	ENTRY(void, name, (uintptr_t event), (event))  \
	{                                              \
		struct thread *thread = this_thread(); \
                                                       \
		enter_frame(thread, FRAME_ADDRESS);    \
		fulfill(event);                        \
		gomp_real.name(event);                 \
		leave_frame(thread);                   \
	}

FULFILL(omp_fulfill_event)
FULFILL(omp_fulfill_event_)
