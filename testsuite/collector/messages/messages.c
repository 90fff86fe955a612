// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages: what each request answers, in and out of sequence, with any size of memory; and a hundred
// thousand random and damaged ones, against a model of the interface.

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "include/ompt/omp_collector.h"
#include "testsuite/recorder/fake_runtime.h"

enum { ROUNDS = 100000, AREA = 512, MAX_ENTRIES = 8, HEADER = 4, EVENTS = 36 };

// Events that no runtime reports.
static const bool unsupported[EVENTS] = {
	[OMP_EVENT_THR_BEGIN_IDLE] = true,	 [OMP_EVENT_THR_BEGIN_CREATE_TASK] = true,
	[OMP_EVENT_THR_BEGIN_SCHD_TASK] = true,	 [OMP_EVENT_THR_END_SCHD_TASK] = true,
	[OMP_EVENT_THR_BEGIN_STEAL_TASK] = true, [OMP_EVENT_THR_END_STEAL_TASK] = true,
	[OMP_EVENT_THR_FETCHED_TASK] = true,
};

static int calls;

static void on_event(OMP_COLLECTORAPI_EVENT event)
{
	(void)event;
	calls++;
}

/** State that the interface should be in. */
static struct {
	bool started, paused, registered[EVENTS];
} model;

/** Do one request in the model. Return its error, and the size of its answer. */
static int expect(int request, int room, const int *memory, int *returned)
{
	int event = room >= (int)sizeof(int) ? memory[0] : 0, needed;

	*returned = 0;
	if (request < OMP_REQ_START || request >= OMP_REQ_LAST)
		return OMP_ERRCODE_UNKNOWN;
	if (request == OMP_REQ_START ? model.started : !model.started)
		return OMP_ERRCODE_SEQUENCE_ERR;
	switch (request) {
	case OMP_REQ_START:
		model.started = true;
		return OMP_ERRCODE_OK;
	case OMP_REQ_STOP:
		memset(&model, 0, sizeof(model));
		return OMP_ERRCODE_OK;
	case OMP_REQ_PAUSE:
	case OMP_REQ_RESUME:
		model.paused = request == OMP_REQ_PAUSE;
		return OMP_ERRCODE_OK;
	case OMP_REQ_REGISTER:
	case OMP_REQ_UNREGISTER:
		if (room < (request == OMP_REQ_REGISTER ? 12 : 4))
			return OMP_ERRCODE_ERROR;
		if (event < 1 || event >= EVENTS)
			return OMP_ERRCODE_UNKNOWN;
		if (request == OMP_REQ_REGISTER && unsupported[event])
			return OMP_ERRCODE_UNSUPPORTED;
		model.registered[event] = request == OMP_REQ_REGISTER;
		return OMP_ERRCODE_OK;
	case OMP_REQ_CURRENT_PRID:
	case OMP_REQ_PARENT_PRID:
		needed = sizeof(uint64_t);
		break;
	case OMP_REQ_STATE:
		needed = sizeof(int); // the thread waits for nothing
		break;
	default:
		needed = room < (int)sizeof(uint64_t) ? sizeof(int) : sizeof(uint64_t);
	}
	*returned = needed;
	return room < needed ? OMP_ERRCODE_MEM_TOO_SMALL : OMP_ERRCODE_OK;
}

/** Pass a message on, and check every answer and every byte that must stay. */
static void check_message(int *area)
{
	static int before[AREA];
	int *at = area, result = 0;

	memcpy(before, area, sizeof(before));
	result = __omp_collector_api(area);
	for (const int *old = before; *old; old += *old / 4, at = area + (old - before)) {
		int room, returned, written;

		if (*old < HEADER * 4 || *old % 4) {
			assert_int_equal(result, -1);
			result = 0;
			break;
		}
		room = *old - HEADER * 4;
		assert_int_equal(at[2], expect(old[1], room, old + HEADER, &returned));
		assert_int_equal(at[3], returned);
		written = at[2] ? 0 : returned;
		assert_memory_equal(at, old, 2 * sizeof(int));
		assert_memory_equal((char *)(at + HEADER) + written,
				    (const char *)(old + HEADER) + written, room - written);
	}
	assert_int_equal(result, 0);
	at = area + (at - area);
	assert_memory_equal(at, before + (at - area), sizeof(before) - (at - area) * sizeof(int));
}

/** Check whether events come, and only then. */
static void check_event(ompt_data_t *task)
{
	bool comes = model.started && !model.paused;
	ompt_data_t region = { 0 };

	calls = 0;
	omp.parallel_begin(task, NULL, &region, 1, ompt_parallel_team, NULL);
	assert_int_equal(calls, comes && model.registered[OMP_EVENT_FORK]);
	calls = 0;
	omp.parallel_end(&region, task, ompt_parallel_team, NULL);
	assert_int_equal(calls, comes && model.registered[OMP_EVENT_JOIN]);
	omp.acquire(ompt_mutex_critical, 0, 0, 1, NULL);
	assert_int_equal(calls, comes * (model.registered[OMP_EVENT_JOIN] +
					 model.registered[OMP_EVENT_THR_BEGIN_CTWT]));
	omp.acquired(ompt_mutex_critical, 1, NULL);
}

static uint64_t random_state = 1;

/** Return a random number below a limit. */
static int below(int limit)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (int)((random_state >> 33) % (uint64_t)limit);
}

/** Write a random message. Only registrations must be whole: they are believed. */
static void make_message(int *area)
{
	void (*callback)(OMP_COLLECTORAPI_EVENT) = on_event;
	int *at = area;

	for (int i = 0; i < AREA; i++)
		area[i] = below(3) ? 0 : below(1000);
	for (int i = below(MAX_ENTRIES); i >= 0; i--) {
		int words = HEADER + below(6);

		at[0] = words * 4;
		at[1] = below(10) ? below(OMP_REQ_LAST + 1) : below(1000) - 500;
		at[2] = at[3] = -1;
		at[HEADER] = below(10) ? 1 + below(EVENTS) : below(5000) - 100;
		memcpy(at + HEADER + 1, &callback, sizeof(callback));
		at += words;
	}
	at[0] = 0;
}

/** Damage the sizes of a message; the area holds what it then tells. */
static void damage(int *area)
{
	void (*callback)(OMP_COLLECTORAPI_EVENT) = on_event;

	for (int *at = area; *at; at += *at / 4) {
		if (below(4) == 0)
			*at = below(2) ? below(80) : -below(1 << 30);
		if (*at > (area + AREA - 16 - at) * 4)
			*at = 0;
		if (*at < HEADER * 4 || *at % 4)
			return;
		memcpy(at + HEADER + 1, &callback, sizeof(callback));
	}
}

static void random_messages(void **state)
{
	static int area[AREA];
	ompt_data_t task = { 0 };

	(void)state;
	omp.implicit_task(ompt_scope_begin, NULL, &task, 1, 1, ompt_task_initial);
	for (int round = 0; round < ROUNDS; round++) {
		make_message(area);
		if (round % 2)
			damage(area);
		check_message(area);
		check_event(&task);
	}
	omp.implicit_task(ompt_scope_end, NULL, &task, 0, 1, ompt_task_initial);
}

static void not_messages(void **state)
{
	int message[] = { 16, 1000, -1, -1, 0, 0 };

	(void)state;
	assert_int_equal(__omp_collector_api(NULL), -1);
	assert_int_equal(__omp_collector_api((char *)message + 2), -1);
	assert_int_equal(message[2], -1);
	assert_int_equal(__omp_collector_api(message + 4), 0);
	assert_int_equal(__omp_collector_api(message), 0);
	assert_int_equal(message[2], OMP_ERRCODE_UNKNOWN);
}

/** Ask in a thread that is in no task. */
static void no_task(void **state)
{
	int message[] = { 16,
			  OMP_REQ_START,
			  -1,
			  -1,
			  20,
			  OMP_REQ_STATE,
			  -1,
			  -1,
			  0,
			  24,
			  OMP_REQ_CURRENT_PRID,
			  -1,
			  -1,
			  1,
			  1,
			  24,
			  OMP_REQ_PARENT_PRID,
			  -1,
			  -1,
			  1,
			  1,
			  24,
			  OMP_REQ_TASK_ID,
			  -1,
			  -1,
			  1,
			  1,
			  16,
			  OMP_REQ_STOP,
			  -1,
			  -1,
			  0 };

	(void)state;
	assert_int_equal(__omp_collector_api(message), 0);
	assert_int_equal(message[2], OMP_ERRCODE_OK);
	assert_int_equal(message[8], THR_SERIAL_STATE);
	assert_int_equal(message[13] | message[14], 0);
	assert_int_equal(message[17], OMP_ERRCODE_THREAD_ERR);
	assert_int_equal(message[23], OMP_ERRCODE_THREAD_ERR);
	assert_int_equal(message[29], OMP_ERRCODE_OK);
}

/** Before there is a runtime, there is nothing to start. */
static void no_runtime(void **state)
{
	int message[] = { 16, OMP_REQ_START, -1, -1, 0 };

	(void)state;
	assert_int_equal(__omp_collector_api(message), 0);
	assert_int_equal(message[2], OMP_ERRCODE_UNSUPPORTED);
	start_fake_runtime();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_runtime),
		cmocka_unit_test(not_messages),
		cmocka_unit_test(no_task),
		cmocka_unit_test(random_messages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
