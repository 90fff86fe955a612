// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that is its own collector, and knows what each answer must be. Its argument is 1 if the
// runtime reports reductions. It prints what is wrong, and at its end how many states it has seen.

#define _GNU_SOURCE

#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "omp_collector.h"

static int (*api)(void *message);
static bool failed;
static bool seen[THR_LAST_STATE];

#define CHECK(condition)                                                   \
	do {                                                               \
		if (!(condition)) {                                        \
			printf("line %d: " #condition "\n", __LINE__);     \
			__atomic_store_n(&failed, true, __ATOMIC_RELAXED); \
		}                                                          \
	} while (0)

/** An answer. */
struct answer {
	int error, size;
	uint64_t value, wait_id;
};

/** Do a request with room for any answer. */
static struct answer ask(int request)
{
	struct {
		int size, request, error, returned;
		char memory[12];
		int end;
	} message = { .size = 28, .request = request, .error = -1 };
	struct answer answer = { 0 };

	if (api(&message))
		message.error = -2;
	answer.error = message.error;
	answer.size = message.returned;
	if (request == OMP_REQ_STATE) {
		memcpy(&answer.value, message.memory, sizeof(int));
		memcpy(&answer.wait_id, message.memory + sizeof(int), sizeof(uint64_t));
		if (answer.value < THR_LAST_STATE)
			__atomic_store_n(&seen[answer.value], true, __ATOMIC_RELAXED);
	} else {
		memcpy(&answer.value, message.memory, sizeof(uint64_t));
	}
	return answer;
}

static int state_now(void)
{
	return (int)ask(OMP_REQ_STATE).value;
}

/** Register a callback; return the error. */
static int register_event(int request, int event, void (*callback)(OMP_COLLECTORAPI_EVENT))
{
	struct {
		int size, request, error, returned, event;
		char callback[sizeof(void *)];
		int end;
	} message = { .size = 28, .request = request, .error = -1, .event = event };

	memcpy(message.callback, &callback, sizeof(callback));
	CHECK(!api(&message));
	return message.error;
}

static int events[64];
static int fork_state;
static uint64_t fork_region, fork_parent;
static struct answer wait_state;

static void on_event(OMP_COLLECTORAPI_EVENT event)
{
	if (event == OMP_EVENT_FORK) {
		fork_state = state_now();
		fork_region = ask(OMP_REQ_CURRENT_PRID).value;
		fork_parent = ask(OMP_REQ_PARENT_PRID).value;
	}
	if (event == OMP_EVENT_THR_BEGIN_LKWT)
		wait_state = ask(OMP_REQ_STATE);
	__atomic_add_fetch(&events[event], 1, __ATOMIC_RELEASE);
}

static int count(int event)
{
	return __atomic_load_n(&events[event], __ATOMIC_ACQUIRE);
}

// ---- Signal handlers -------------------------------------------------------------------------

static struct answer signal_state, signal_region;
static int handled;

static void on_signal(int signal)
{
	(void)signal;
	signal_state = ask(OMP_REQ_STATE);
	signal_region = ask(OMP_REQ_CURRENT_PRID);
	__atomic_store_n(&handled, 1, __ATOMIC_RELEASE);
}

/** Let a thread ask from a signal handler. */
static void interrupt_thread(pthread_t thread)
{
	__atomic_store_n(&handled, 0, __ATOMIC_RELEASE);
	pthread_kill(thread, SIGUSR1);
	while (!__atomic_load_n(&handled, __ATOMIC_ACQUIRE))
		usleep(100);
}

// ---- The parts -------------------------------------------------------------------------------

static pthread_t worker;
static uint64_t worker_region;

/** Ask in a region: in its primary thread, in the other one, and in a nested region. */
static void regions(void)
{
	uint64_t outer = 0, inner = 0;
	int stop = 0;

	CHECK(state_now() == THR_SERIAL_STATE);
	CHECK(ask(OMP_REQ_CURRENT_PRID).value == 0);
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 0) {
		outer = ask(OMP_REQ_CURRENT_PRID).value;
		CHECK(state_now() == THR_WORK_STATE);
		CHECK(ask(OMP_REQ_STATE).size == sizeof(int));
		CHECK(outer == fork_region && fork_parent == 0);
		CHECK(fork_state == THR_OVHD_STATE);
		CHECK(ask(OMP_REQ_PARENT_PRID).error == OMP_ERRCODE_OK);
		CHECK(ask(OMP_REQ_PARENT_PRID).value == 0);
#pragma omp parallel num_threads(1)
		inner = ask(OMP_REQ_CURRENT_PRID).value;
		CHECK(inner != outer && inner == fork_region && fork_parent == outer);
#pragma omp parallel num_threads(1)
		CHECK(ask(OMP_REQ_PARENT_PRID).value == outer);
		CHECK(ask(OMP_REQ_CURRENT_PRID).value == outer);
		while (!__atomic_load_n(&worker_region, __ATOMIC_ACQUIRE))
			usleep(100);
		CHECK(worker_region == outer);
		interrupt_thread(worker);
		CHECK(signal_state.value == THR_WORK_STATE);
		CHECK(signal_region.value == outer);
		__atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
	} else {
		worker = pthread_self();
		CHECK(ask(OMP_REQ_PARENT_PRID).error == OMP_ERRCODE_THREAD_ERR);
		__atomic_store_n(&worker_region, ask(OMP_REQ_CURRENT_PRID).value, __ATOMIC_RELEASE);
		while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE))
			;
	}
	CHECK(state_now() == THR_SERIAL_STATE);
	// The worker waits for the next region, or is about to.
	interrupt_thread(worker);
	CHECK(signal_state.value == THR_IDLE_STATE);
	CHECK(signal_region.value == 0);
}

/** Ask in a thread that waits for a lock. */
static void waits(void)
{
	int before = count(OMP_EVENT_THR_BEGIN_LKWT);
	omp_lock_t lock;

	omp_init_lock(&lock);
	omp_set_lock(&lock);
	CHECK(count(OMP_EVENT_THR_BEGIN_LKWT) == before + 1);
	CHECK(count(OMP_EVENT_THR_END_LKWT) == before + 1);
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 0) {
		while (count(OMP_EVENT_THR_BEGIN_LKWT) == before + 1)
			usleep(100);
		interrupt_thread(worker);
		CHECK(signal_state.value == THR_LKWT_STATE);
		CHECK(signal_state.size == sizeof(int) + sizeof(uint64_t));
		CHECK(signal_state.wait_id && signal_state.wait_id == wait_state.wait_id);
		omp_unset_lock(&lock);
	} else {
		omp_set_lock(&lock);
		omp_unset_lock(&lock);
	}
	CHECK(count(OMP_EVENT_THR_END_LKWT) == before + 2);
	omp_destroy_lock(&lock);
}

/** Ask in tasks. */
static void tasks(void)
{
	uint64_t initial = ask(OMP_REQ_TASK_ID).value;

	CHECK(initial && ask(OMP_REQ_TASK_PID).value == 0);
#pragma omp parallel num_threads(2)
#pragma omp single
	{
		uint64_t implicit = ask(OMP_REQ_TASK_ID).value;

		CHECK(implicit != initial && ask(OMP_REQ_TASK_PID).value == initial);
#pragma omp task shared(implicit)
		{
			uint64_t outer = ask(OMP_REQ_TASK_ID).value;

			CHECK(ask(OMP_REQ_TASK_PID).value == implicit);
			CHECK(state_now() == THR_WORK_STATE);
#pragma omp task shared(outer) if (0)
			CHECK(ask(OMP_REQ_TASK_PID).value == outer);
			CHECK(ask(OMP_REQ_TASK_ID).value == outer);
		}
	}
	CHECK(ask(OMP_REQ_TASK_ID).value == initial);
}

static int combined_in = -1;

static int combine(int a, int b)
{
	__atomic_store_n(&combined_in, state_now(), __ATOMIC_RELAXED);
	return a + b;
}

#pragma omp declare reduction(sum:int \
			      : omp_out = combine(omp_out, omp_in)) initializer(omp_priv = 0)

/** Ask while results of a reduction are combined. */
static void reductions(bool reported)
{
	int total = 0;

#pragma omp parallel num_threads(2) reduction(sum : total)
	total++;
	CHECK(total == 2);
	CHECK(combined_in == (reported ? THR_REDUC_STATE : THR_WORK_STATE));
}

static void *foreign(void *nothing)
{
	CHECK(state_now() == THR_SERIAL_STATE);
	CHECK(ask(OMP_REQ_CURRENT_PRID).value == 0);
	CHECK(ask(OMP_REQ_PARENT_PRID).error == OMP_ERRCODE_THREAD_ERR);
	CHECK(ask(OMP_REQ_TASK_ID).error == OMP_ERRCODE_THREAD_ERR);
	return nothing;
}

/** Do a region; return how many forks were reported. */
static int forks(void)
{
	int before = count(OMP_EVENT_FORK), threads = 0;

#pragma omp parallel num_threads(2) shared(threads)
	__atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED);
	CHECK(threads == 2);
	return count(OMP_EVENT_FORK) - before;
}

/** Pause, and end and begin sessions; from within a region, too. */
static void sessions(void)
{
	CHECK(forks() == 1);
	CHECK(ask(OMP_REQ_PAUSE).error == OMP_ERRCODE_OK);
	CHECK(forks() == 0);
	CHECK(register_event(OMP_REQ_UNREGISTER, OMP_EVENT_JOIN, NULL) == OMP_ERRCODE_OK);
	CHECK(ask(OMP_REQ_RESUME).error == OMP_ERRCODE_OK);
	CHECK(forks() == 1);
	CHECK(register_event(OMP_REQ_UNREGISTER, OMP_EVENT_FORK, NULL) == OMP_ERRCODE_OK);
	CHECK(forks() == 0);
#pragma omp parallel num_threads(2)
	{
		uint64_t region = ask(OMP_REQ_CURRENT_PRID).value;
		uint64_t task = ask(OMP_REQ_TASK_ID).value;

#pragma omp barrier
#pragma omp single
		{
			CHECK(ask(OMP_REQ_STOP).error == OMP_ERRCODE_OK);
			CHECK(ask(OMP_REQ_STATE).error == OMP_ERRCODE_SEQUENCE_ERR);
			CHECK(ask(OMP_REQ_STOP).error == OMP_ERRCODE_SEQUENCE_ERR);
			CHECK(ask(OMP_REQ_START).error == OMP_ERRCODE_OK);
			CHECK(ask(OMP_REQ_START).error == OMP_ERRCODE_SEQUENCE_ERR);
		}
		CHECK(region && ask(OMP_REQ_CURRENT_PRID).value == region);
		CHECK(task && ask(OMP_REQ_TASK_ID).value == task);
	}
	CHECK(forks() == 0);
	CHECK(register_event(OMP_REQ_REGISTER, OMP_EVENT_FORK, on_event) == OMP_ERRCODE_OK);
	CHECK(forks() == 1);
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	pthread_t thread;
	int states = 0;

	api = (int (*)(void *))dlsym(RTLD_DEFAULT, OMP_COLLECTOR_API);
	if (!api)
		return 2;
	sigaction(SIGUSR1, &action, NULL);
	omp_set_max_active_levels(2);
	CHECK(ask(OMP_REQ_STATE).error == OMP_ERRCODE_SEQUENCE_ERR);
	CHECK(ask(OMP_REQ_START).error == OMP_ERRCODE_OK);
	for (int event = OMP_EVENT_FORK; event <= OMP_EVENT_THR_END_FINISH_TASK; event++)
		register_event(OMP_REQ_REGISTER, event, on_event);
	CHECK(register_event(OMP_REQ_REGISTER, 36, on_event) == OMP_ERRCODE_UNKNOWN);
	regions();
	waits();
	tasks();
	reductions(argc > 1 && argv[1][0] == '1');
	pthread_create(&thread, NULL, foreign, NULL);
	pthread_join(thread, NULL);
	sessions();
	for (int state = 0; state < THR_LAST_STATE; state++)
		states += seen[state];
	printf("%d states\n", states);
	return failed;
}
