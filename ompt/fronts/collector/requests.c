// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Requests of a collector. Those that change something are done one after another; events read what
// they change without a lock.

#include <pthread.h>
#include <string.h>

#include "collector.h"

#define PUBLIC __attribute__((visibility("default")))

/** An entry of a message. */
struct entry {
	int size;
	int request;
	int error;
	int returned;
	char memory[];
};

event_callback *collector_callbacks[EVENTS];
bool collector_paused;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static bool started;

/** Let a child of fork begin with a mutex that nobody holds. */
static void after_fork(void)
{
	pthread_mutex_init(&mutex, NULL);
}

/** Prepare for children of fork. */
__attribute__((constructor)) static void at_load(void)
{
	pthread_atfork(NULL, NULL, after_fork);
}

/** Answer with some bytes; if there is no room for them, with their number. */
static int answer(struct entry *entry, int room, const void *bytes, int size)
{
	entry->returned = size;
	if (room < size)
		return OMP_ERRCODE_MEM_TOO_SMALL;
	memcpy(entry->memory, bytes, (size_t)size);
	return OMP_ERRCODE_OK;
}

/** Answer with the id of a task. OpenUH has ids of four bytes. */
static int answer_task(struct entry *entry, int room, uint64_t id)
{
	int number = (int)id;

	if (room < (int)sizeof(id) && id <= INT32_MAX)
		return answer(entry, room, &number, sizeof(number));
	return answer(entry, room, &id, sizeof(id));
}

/** Check whether a worker waits for its next region. The runtime says so late: until then, the worker is in
 *  an implicit task of a region that has ended. */
static bool is_idle(const struct thread *thread)
{
	const struct task *task = thread->task;

	if (!thread->is_worker)
		return false;
	return !task || (task == thread->implicit && task->region &&
			 __atomic_load_n(&task->region->ended, __ATOMIC_RELAXED));
}

/** Return the region that a thread is in, or null. */
static const struct region *region_of(const struct thread *thread)
{
	return thread->implicit && !is_idle(thread) ? thread->implicit->region : NULL;
}

static int answer_state(struct entry *entry, int room)
{
	const struct thread *thread = &this_thread;
	const struct task *task = thread->task;
	int state = THR_SERIAL_STATE;
	char memory[sizeof(int) + sizeof(uint64_t)];
	bool waits;

	if (is_idle(thread))
		state = THR_IDLE_STATE;
	else if (task)
		state = (int)task->state;
	if (state == THR_WORK_STATE && !thread->telling && is_overhead())
		state = THR_OVHD_STATE;
	waits = state == THR_IBAR_STATE || state == THR_EBAR_STATE ||
		(state >= THR_LKWT_STATE && state <= THR_ATWT_STATE);
	memcpy(memory, &state, sizeof(state));
	if (waits)
		memcpy(memory + sizeof(state), &task->wait_id, sizeof(task->wait_id));
	return answer(entry, room, memory, waits ? sizeof(memory) : sizeof(state));
}

static int answer_region(struct entry *entry, int room)
{
	const struct thread *thread = &this_thread;
	const struct region *region = thread->forking ? thread->forking : region_of(thread);
	uint64_t id = region ? region->id : 0;

	return answer(entry, room, &id, sizeof(id));
}

static int answer_parent_region(struct entry *entry, int room)
{
	const struct thread *thread = &this_thread;
	const struct region *region = thread->forking;
	uint64_t id = 0;

	if (!region) {
		if (!thread->implicit || is_idle(thread) || thread->implicit->index > 0)
			return OMP_ERRCODE_THREAD_ERR;
		region = region_of(thread);
	}
	if (region)
		id = region->parent;
	return answer(entry, room, &id, sizeof(id));
}

static int answer_task_id(struct entry *entry, int room, bool parent)
{
	const struct thread *thread = &this_thread;
	const struct task *task = thread->about ? thread->about : thread->task;

	if (!task || (!thread->about && is_idle(thread)))
		return OMP_ERRCODE_THREAD_ERR;
	return answer_task(entry, room, parent ? task->parent : task->id);
}

/** Register a callback, or null. */
static int set_callback(const struct entry *entry, int room, bool is_null)
{
	event_callback *callback = NULL;
	int event;

	if (room < (int)sizeof(event) + (is_null ? 0 : (int)sizeof(callback)))
		return OMP_ERRCODE_ERROR;
	memcpy(&event, entry->memory, sizeof(event));
	if (event < OMP_EVENT_FORK || event >= EVENTS)
		return OMP_ERRCODE_UNKNOWN;
	if (!is_null) {
		if (!is_supported(event))
			return OMP_ERRCODE_UNSUPPORTED;
		memcpy(&callback, entry->memory + sizeof(event), sizeof(callback));
	}
	__atomic_store_n(&collector_callbacks[event], callback, __ATOMIC_RELEASE);
	return OMP_ERRCODE_OK;
}

static int start(void)
{
	if (started)
		return OMP_ERRCODE_SEQUENCE_ERR;
	if (!__atomic_load_n(&collector_is_ready, __ATOMIC_ACQUIRE))
		return OMP_ERRCODE_UNSUPPORTED;
	__atomic_store_n(&started, true, __ATOMIC_RELAXED);
	return OMP_ERRCODE_OK;
}

static int stop(void)
{
	for (int event = 0; event < EVENTS; event++)
		__atomic_store_n(&collector_callbacks[event], NULL, __ATOMIC_RELAXED);
	__atomic_store_n(&collector_paused, false, __ATOMIC_RELAXED);
	__atomic_store_n(&started, false, __ATOMIC_RELAXED);
	return OMP_ERRCODE_OK;
}

/** Do a request that changes something. */
static int change(const struct entry *entry, int room)
{
	if (entry->request == OMP_REQ_START)
		return start();
	if (!started)
		return OMP_ERRCODE_SEQUENCE_ERR;
	switch (entry->request) {
	case OMP_REQ_REGISTER:
	case OMP_REQ_UNREGISTER:
		return set_callback(entry, room, entry->request == OMP_REQ_UNREGISTER);
	case OMP_REQ_STOP:
		return stop();
	default:
		__atomic_store_n(&collector_paused, entry->request == OMP_REQ_PAUSE,
				 __ATOMIC_RELAXED);
		return OMP_ERRCODE_OK;
	}
}

/** Do a request that asks for something. */
static int ask(struct entry *entry, int room)
{
	if (!__atomic_load_n(&started, __ATOMIC_RELAXED))
		return OMP_ERRCODE_SEQUENCE_ERR;
	switch (entry->request) {
	case OMP_REQ_STATE:
		return answer_state(entry, room);
	case OMP_REQ_CURRENT_PRID:
		return answer_region(entry, room);
	case OMP_REQ_PARENT_PRID:
		return answer_parent_region(entry, room);
	default:
		return answer_task_id(entry, room, entry->request == OMP_REQ_TASK_PID);
	}
}

/** Do a request; return the error code. */
static int do_request(struct entry *entry, int room)
{
	int error;

	switch (entry->request) {
	case OMP_REQ_STATE:
	case OMP_REQ_CURRENT_PRID:
	case OMP_REQ_PARENT_PRID:
	case OMP_REQ_TASK_ID:
	case OMP_REQ_TASK_PID:
		return ask(entry, room);
	case OMP_REQ_START:
		start_runtime();
		break;
	case OMP_REQ_REGISTER:
	case OMP_REQ_UNREGISTER:
	case OMP_REQ_STOP:
	case OMP_REQ_PAUSE:
	case OMP_REQ_RESUME:
		break;
	default:
		return OMP_ERRCODE_UNKNOWN;
	}
	pthread_mutex_lock(&mutex);
	error = change(entry, room);
	pthread_mutex_unlock(&mutex);
	return error;
}

PUBLIC int __omp_collector_api(void *message)
{
	char *at = message;

	if (!message || (uintptr_t)message % _Alignof(struct entry))
		return -1;
	for (;;) {
		struct entry *entry = (struct entry *)(void *)at;

		if (!entry->size)
			return 0;
		if (entry->size < (int)sizeof(*entry) || entry->size % (int)sizeof(int))
			return -1;
		entry->returned = 0;
		entry->error = do_request(entry, entry->size - (int)sizeof(*entry));
		at += entry->size;
	}
}
