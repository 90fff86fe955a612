// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device layer under a runtime that does nothing but send events: from many threads, while others
// flush, pause, stop and start the trace. Built with ThreadSanitizer as well, which then watches it.

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device/device.h"

#define THREADS 8
#define ROUNDS 600
#define DEVICE 3
#define OTHER_DEVICE 4
#define CODE ((void *)0x1000)

#define CHECK(condition)                                               \
	do {                                                           \
		if (!(condition)) {                                    \
			printf("line %d: %s\n", __LINE__, #condition); \
			exit(1);                                       \
		}                                                      \
	} while (0)

// ---- The runtime -----------------------------------------------------------------------------

static ompt_callback_t callbacks[DEVICE_EVENTS];

static ompt_set_result_t runtime_set(ompt_callbacks_t event, ompt_callback_t callback)
{
	callbacks[event] = callback;
	return event == ompt_callback_device_finalize ? ompt_set_sometimes : ompt_set_always;
}

static int runtime_get(ompt_callbacks_t event, ompt_callback_t *callback)
{
	*callback = callbacks[event];
	return *callback != NULL;
}

static ompt_interface_fn_t runtime_lookup(const char *name)
{
	if (!strcmp(name, "ompt_set_callback"))
		return (ompt_interface_fn_t)runtime_set;
	if (!strcmp(name, "ompt_get_callback"))
		return (ompt_interface_fn_t)runtime_get;
	return NULL;
}

static ompt_interface_fn_t native_lookup(const char *name)
{
	(void)name;
	return NULL;
}

static double wtime(void)
{
	return 5;
}

#define SEND(event, ...) ((event##_t)callbacks[event])(__VA_ARGS__)

static void copy(ompt_data_t *data, ompt_target_data_op_t optype, int from, int to)
{
	ompt_id_t id = 77; // left by the operation before

	SEND(ompt_callback_target_data_op_emi, ompt_scope_begin, NULL, data, &id, optype, CODE,
	     from, CODE, to, 10, CODE);
	SEND(ompt_callback_target_data_op_emi, ompt_scope_end, NULL, data, &id, optype, CODE, from,
	     CODE, to, 10, CODE);
}

/** A construct with two copies and a kernel, on a device. */
static void construct(int device)
{
	ompt_data_t task = { 0 }, data = { 0 };
	ompt_id_t id = 0;

	SEND(ompt_callback_target_emi, ompt_target, ompt_scope_begin, device, &task, NULL, &data,
	     CODE);
	copy(&data, ompt_target_data_transfer_to_device, 0, device);
	SEND(ompt_callback_target_submit_emi, ompt_scope_begin, &data, &id, 4);
	SEND(ompt_callback_target_submit_emi, ompt_scope_end, &data, &id, 4);
	copy(&data, ompt_target_data_transfer_from_device, device, 0);
	SEND(ompt_callback_target_emi, ompt_target, ompt_scope_end, device, &task, NULL, &data,
	     CODE);
}

#define RECORDS 5 // of a construct

// ---- The tool --------------------------------------------------------------------------------

static ompt_device_t *traced, *not_traced;
static ompt_function_lookup_t lookup, not_ours;
static unsigned long records, bytes_copied, lent, returned;
static size_t buffer_size = 4096;
static bool slow;

static void on_initialize(int number, const char *type, ompt_device_t *device,
			  ompt_function_lookup_t device_lookup, const char *documentation)
{
	(void)documentation;
	if (number == DEVICE) {
		CHECK(!strcmp(type, "host"));
		traced = device;
		lookup = device_lookup;
	} else {
		not_traced = device;
		not_ours = device_lookup;
	}
}

static void on_request(int number, ompt_buffer_t **buffer, size_t *bytes)
{
	CHECK(number == DEVICE);
	lent++;
	*buffer = malloc(buffer_size);
	*bytes = buffer_size;
}

static void on_complete(int number, ompt_buffer_t *buffer, size_t bytes,
			ompt_buffer_cursor_t cursor, int owned)
{
	ompt_get_record_ompt_t get = (ompt_get_record_ompt_t)lookup("ompt_get_record_ompt");
	ompt_advance_buffer_cursor_t advance =
		(ompt_advance_buffer_cursor_t)lookup("ompt_advance_buffer_cursor");
	ompt_record_ompt_t *record = get(buffer, cursor);

	CHECK(number == DEVICE && owned == 1);
	returned++;
	if (slow)
		usleep(1000);
	while (record) {
		records++;
		if (record->type == ompt_callback_target_data_op)
			bytes_copied += record->record.target_data_op.bytes;
		record = advance(traced, buffer, bytes, cursor, &cursor) ? get(buffer, cursor) :
									   NULL;
	}
	free(buffer);
}

static int call(const char *name)
{
	return ((ompt_flush_trace_t)lookup(name))(traced);
}

static int start(void)
{
	return ((ompt_start_trace_t)lookup("ompt_start_trace"))(traced, on_request, on_complete);
}

static int pause_trace(int begin)
{
	return ((ompt_pause_trace_t)lookup("ompt_pause_trace"))(traced, begin);
}

// ---- The storm -------------------------------------------------------------------------------

static void *constructs(void *arg)
{
	for (int i = 0; i < ROUNDS; i++)
		construct(DEVICE);
	return arg;
}

static void *flushes(void *arg)
{
	for (int i = 0; i < 50; i++)
		CHECK(call("ompt_flush_trace") == 1);
	return arg;
}

static void *orders(void *arg)
{
	for (int i = 0; i < 50; i++) {
		pause_trace(1);
		call("ompt_flush_trace");
		pause_trace(0);
		call("ompt_stop_trace");
		start();
	}
	return arg;
}

/** Let all threads run, and others of one more kind. */
static void storm(void *(*other)(void *))
{
	pthread_t threads[THREADS + 2];

	for (int i = 0; i < THREADS + 2; i++)
		CHECK(!pthread_create(&threads[i], NULL, i < THREADS ? constructs : other, NULL));
	for (int i = 0; i < THREADS + 2; i++)
		pthread_join(threads[i], NULL);
}

/** Nothing is lost, whatever the buffers: all that was recorded is there after a flush. */
static void test_all_is_recorded(size_t size, bool is_slow)
{
	records = bytes_copied = 0;
	buffer_size = size;
	slow = is_slow;
	CHECK(start() == 1 && start() == 0);
	storm(flushes);
	CHECK(call("ompt_flush_trace") == 1);
	CHECK(records == (unsigned long)THREADS * ROUNDS * RECORDS);
	CHECK(bytes_copied == (unsigned long)THREADS * ROUNDS * 20);
	CHECK(call("ompt_stop_trace") == 1 && call("ompt_stop_trace") == 0);
	CHECK(records == (unsigned long)THREADS * ROUNDS * RECORDS);
	CHECK(lent == returned);
}

/** An end delivers everything, also while records are on their way, slowly, and none is left. */
static void test_stop_delivers(void)
{
	unsigned long number = DEVICE_QUEUE / 2; // the last of these sends the first ones off
	ompt_data_t none = { 0 };

	buffer_size = 8000;
	slow = true;
	for (int i = 0; i < 5; i++) {
		records = 0;
		CHECK(start() == 1);
		for (unsigned long k = 0; k < number; k++)
			copy(&none, ompt_target_data_transfer_to_device, 0, DEVICE);
		CHECK(call("ompt_stop_trace") == 1);
		CHECK(records == number && lent == returned);
	}
}

/** A child of fork has no trace until it starts one. */
static void test_fork(void)
{
	int status;
	pid_t child;

	records = 0;
	CHECK(start() == 1);
	construct(DEVICE);
	child = fork();
	if (!child) {
		construct(DEVICE);
		CHECK(call("ompt_flush_trace") == 0 && call("ompt_stop_trace") == 0);
		CHECK(records == 0);
		CHECK(start() == 1);
		construct(DEVICE);
		CHECK(call("ompt_stop_trace") == 1);
		CHECK(records == RECORDS);
		_exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status));
	CHECK(call("ompt_stop_trace") == 1);
	CHECK(records == RECORDS);
}

/** What a runtime should not do, or does rarely. */
static void test_odd_events(void)
{
	ompt_data_t data = { 0 };
	ompt_id_t id = 0;

	records = 0;
	CHECK(start() == 1);
	SEND(ompt_callback_target_emi, ompt_target, ompt_scope_end, DEVICE, NULL, NULL, &data,
	     CODE);
	SEND(ompt_callback_target_submit_emi, ompt_scope_end, &data, &id, 1);
	SEND(ompt_callback_target_data_op_emi, ompt_scope_end, NULL, &data, &id,
	     ompt_target_data_delete, CODE, DEVICE, NULL, -1, 0, CODE);
	CHECK(call("ompt_flush_trace") == 1 && records == 0);
	// Both endpoints at once; outside of a construct; and an allocation that fails.
	SEND(ompt_callback_target_data_op_emi, ompt_scope_beginend, NULL, &data, &id,
	     ompt_target_data_delete, CODE, DEVICE, NULL, -1, 0, CODE);
	SEND(ompt_callback_target_data_op_emi, ompt_scope_beginend, NULL, &data, &id,
	     ompt_target_data_alloc, NULL, 0, NULL, DEVICE, 100, CODE);
	construct(OTHER_DEVICE);
	construct(99);
	CHECK(call("ompt_stop_trace") == 1);
	CHECK(records == 1);
}

/** Buffers that have no place for a record are returned, and there is no more to record. */
static void test_useless_buffers(void)
{
	static const size_t sizes[] = { 1, 15, 16, 100 };

	for (int i = 0; i < 4; i++) {
		unsigned long before = lent;

		buffer_size = sizes[i];
		records = 0;
		CHECK(start() == 1);
		construct(DEVICE);
		CHECK(call("ompt_flush_trace") == 1);
		construct(DEVICE);
		CHECK(call("ompt_flush_trace") == 1);
		CHECK(lent == before + 1 && returned == lent && !records);
		// Only an order to start changes that.
		buffer_size = 1000;
		CHECK(start() == 1);
		construct(DEVICE);
		CHECK(call("ompt_stop_trace") == 1);
		CHECK(records == RECORDS && returned == lent);
	}
}

int main(int argc, char **argv)
{
	struct device_runtime runtime = { .lookup = runtime_lookup, .wtime = wtime };
	ompt_function_lookup_t layer = device_layer(&runtime);
	ompt_set_callback_t set = (ompt_set_callback_t)layer("ompt_set_callback");

	CHECK(set(ompt_callback_device_initialize, (ompt_callback_t)on_initialize) ==
	      ompt_set_always);
	CHECK(set(ompt_callback_device_finalize, NULL) == ompt_set_sometimes);
	SEND(ompt_callback_device_initialize, DEVICE, "host", NULL, NULL, NULL);
	// One that no provider knows stays as it is.
	SEND(ompt_callback_device_initialize, OTHER_DEVICE, "toaster", CODE, native_lookup, NULL);
	CHECK(not_traced == CODE && not_ours == native_lookup && traced && lookup != native_lookup);
	CHECK(((ompt_set_trace_ompt_t)lookup("ompt_set_trace_ompt"))(traced, 1, 0) ==
	      ompt_set_sometimes);
	test_odd_events();
	test_useless_buffers();
	test_stop_delivers();
	test_all_is_recorded(4096, false);
	test_all_is_recorded(4096, true);
	test_all_is_recorded(160, false);
	buffer_size = 1000;
	slow = false;
	CHECK(start() == 1);
	storm(orders);
	call("ompt_stop_trace");
	CHECK(lent == returned);
	// ThreadSanitizer knows no threads in a child of fork.
	if (argc == 1)
		test_fork();
	else
		CHECK(!strcmp(argv[1], "threads"));
	CHECK(start() == 1);
	construct(DEVICE);
	records = 0;
	SEND(ompt_callback_device_finalize, DEVICE);
	CHECK(records == RECORDS);
	CHECK(call("ompt_stop_trace") == 0);
	device_layer_end();
	return 0;
}
