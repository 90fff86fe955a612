// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool of TR2 that traces the device of each construct, as chapter 6 describes it, and counts.

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ompt_tr2.h"

#define BUFFER 4000
#define MAX_DEVICES 16

/** Routines of a device. */
static struct {
#define ROUTINES                                \
	R(ompt_target_get_time)                 \
	R(ompt_target_translate_time)           \
	R(ompt_target_set_trace_ompt)           \
	R(ompt_target_set_trace_native)         \
	R(ompt_target_start_trace)              \
	R(ompt_target_pause_trace)              \
	R(ompt_target_stop_trace)               \
	R(ompt_target_advance_buffer_cursor)    \
	R(ompt_target_buffer_get_record_type)   \
	R(ompt_target_buffer_get_record_ompt)   \
	R(ompt_target_buffer_get_record_native) \
	R(ompt_target_buffer_get_record_native_abstract)
#define R(name) name##_t name;
	ROUTINES
#undef R
} device;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static FILE *out;
static ompt_target_get_device_info_t get_device_info;
static ompt_get_target_info_t get_target_info;
static bool traced[MAX_DEVICES];
static int lent, returned;
static struct {
	unsigned long kernels, to_bytes, from_bytes, allocs, deletes, natives;
} counts;

#define CHECK(condition)                                                               \
	do {                                                                           \
		if (!(condition))                                                      \
			fprintf(out, "complaint line %d: %s\n", __LINE__, #condition); \
	} while (0)

static void on_request(int32_t device_id, ompt_target_buffer_t **buffer, size_t *bytes)
{
	pthread_mutex_lock(&mutex);
	CHECK(device_id >= 0 && device_id < MAX_DEVICES && traced[device_id]);
	*buffer = malloc(BUFFER);
	*bytes = BUFFER;
	lent++;
	pthread_mutex_unlock(&mutex);
}

static void look_at_data(const ompt_record_ompt_t *record)
{
	CHECK(record->record.data.end_time >= record->time);
	switch (record->record.data.optype) {
	case ompt_target_data_alloc:
		CHECK(record->record.data.device_addr);
		counts.allocs++;
		break;
	case ompt_target_data_transfer_to_dev:
		CHECK(record->record.data.host_addr && record->record.data.device_addr);
		counts.to_bytes += record->record.data.bytes;
		break;
	case ompt_target_data_transfer_from_dev:
		CHECK(record->record.data.host_addr && record->record.data.device_addr);
		counts.from_bytes += record->record.data.bytes;
		break;
	case ompt_target_data_delete:
		CHECK(record->record.data.device_addr);
		counts.deletes++;
		break;
	}
}

static void look_at(ompt_target_buffer_t *buffer, ompt_target_buffer_cursor_t cursor)
{
	const ompt_record_native_abstract_t *abstract;
	const ompt_record_ompt_t *record;
	ompt_target_id_t id = 0;
	void *native;

	switch (device.ompt_target_buffer_get_record_type(buffer, cursor)) {
	case ompt_record_ompt:
		record = device.ompt_target_buffer_get_record_ompt(buffer, cursor);
		CHECK(!device.ompt_target_buffer_get_record_native(buffer, cursor, &id));
		CHECK(record->time != ompt_time_none && record->thread_data->value);
		CHECK(record->type == ompt_event_target_data ||
		      record->type == ompt_event_target_submit);
		if (record->type == ompt_event_target_data) {
			look_at_data(record);
			break;
		}
		CHECK(record->target_id != ompt_target_id_none);
		CHECK(record->record.kernel.host_op_id != ompt_target_id_none);
		CHECK(record->record.kernel.end_time >= record->time);
		counts.kernels++;
		break;
	case ompt_record_native:
		native = device.ompt_target_buffer_get_record_native(buffer, cursor, &id);
		abstract = device.ompt_target_buffer_get_record_native_abstract(native);
		CHECK(!device.ompt_target_buffer_get_record_ompt(buffer, cursor));
		CHECK(abstract && *abstract->type && abstract->start_time <= abstract->end_time);
		CHECK(abstract->hwid != (uint64_t)ompt_hwid_none);
		counts.natives += abstract->rclass == ompt_record_native_class_event;
		break;
	default:
		CHECK(!"a record");
	}
}

static void on_complete(int32_t device_id, const ompt_target_buffer_t *lent_buffer, size_t bytes,
			ompt_target_buffer_cursor_t cursor)
{
	ompt_target_buffer_t *buffer = (ompt_target_buffer_t *)(uintptr_t)lent_buffer;
	bool more = true;

	pthread_mutex_lock(&mutex);
	CHECK(device_id >= 0 && bytes == BUFFER);
	while (more) {
		look_at(buffer, cursor);
		more = device.ompt_target_advance_buffer_cursor(buffer, bytes, cursor, &cursor);
	}
	returned++;
	free(buffer);
	pthread_mutex_unlock(&mutex);
}

/** Start a trace, after all that is wrong. */
static void trace(int32_t number)
{
	const char *type = NULL, *documentation = NULL;
	ompt_target_device_t *handle = NULL;
	ompt_function_lookup_t lookup = NULL;
	ompt_target_time_t time;

	CHECK(!get_device_info(99, &type, &handle, &lookup, &documentation));
	CHECK(get_device_info(number, &type, &handle, &lookup, &documentation));
	CHECK(type && *type && documentation && *documentation && handle && lookup);
	if (!lookup)
		return;
#define R(name)                                \
	device.name = (name##_t)lookup(#name); \
	CHECK(device.name);
	ROUTINES
#undef R
	CHECK(!lookup("ompt_target_no_such_routine"));
	time = device.ompt_target_get_time(handle);
	CHECK(time != ompt_time_none && device.ompt_target_get_time(NULL) == ompt_time_none);
	CHECK(device.ompt_target_translate_time(handle, time) > 0);
	CHECK(device.ompt_target_set_trace_ompt(NULL, true, 0) == 0);
	CHECK(device.ompt_target_set_trace_ompt(handle, true, 1000) == 0);
	CHECK(device.ompt_target_set_trace_ompt(handle, true, ompt_event_target) == 1);
	CHECK(device.ompt_target_set_trace_ompt(handle, true, ompt_event_target_data_map) == 2);
	CHECK(device.ompt_target_set_trace_ompt(handle, true, ompt_event_target_data) >= 3);
	CHECK(device.ompt_target_set_trace_ompt(handle, true, ompt_event_target_submit) >= 3);
	CHECK(device.ompt_target_set_trace_ompt(handle, true, 0) == 3);
	CHECK(device.ompt_target_set_trace_native(handle, true, 0) == 0);
	CHECK(device.ompt_target_set_trace_native(handle, true, ompt_native_idleness) == 2);
	CHECK(device.ompt_target_set_trace_native(handle, true, ompt_native_kernel_execution) >= 3);
	CHECK(!device.ompt_target_pause_trace(handle, true));
	CHECK(!device.ompt_target_stop_trace(handle));
	CHECK(!device.ompt_target_start_trace(handle, NULL, on_complete, NULL));
	CHECK(device.ompt_target_start_trace(handle, on_request, on_complete, NULL));
	CHECK(device.ompt_target_pause_trace(handle, true));
	CHECK(device.ompt_target_pause_trace(handle, false));
	traced[number] = true;
}

static void on_target(int32_t device_id, ompt_target_type_t kind, ompt_task_data_t *task_data,
		      ompt_scope_endpoint_t endpoint, ompt_target_id_t target_id, const void *code)
{
	ompt_target_id_t id = 0, op = 1;

	(void)kind;
	(void)task_data;
	(void)endpoint;
	(void)code;
	pthread_mutex_lock(&mutex);
	CHECK(get_target_info(&id, &op) && id == target_id && op == ompt_target_id_none);
	if (!traced[device_id])
		trace(device_id);
	pthread_mutex_unlock(&mutex);
}

static void on_shutdown(void)
{
	CHECK(lent == returned);
	fprintf(out, "kernels %lu\nto_bytes %lu\nfrom_bytes %lu\nallocs %lu\ndeletes %lu\n",
		counts.kernels, counts.to_bytes, counts.from_bytes, counts.allocs, counts.deletes);
	fprintf(out, "native_kernels %lu\nfinalized 1\n", counts.natives);
	fclose(out);
}

static void initialize(ompt_function_lookup_t lookup, const char *runtime, unsigned int version)
{
	ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");

	(void)runtime;
	(void)version;
	out = fopen(getenv("OMPT_CHECKER_OUT"), "w");
	if (!out)
		abort();
	get_device_info = (ompt_target_get_device_info_t)lookup("ompt_target_get_device_info");
	get_target_info = (ompt_get_target_info_t)lookup("ompt_get_target_info");
	CHECK(get_device_info && get_target_info);
	CHECK(set(ompt_event_target, (ompt_callback_t)on_target) >= 3);
	CHECK(set(ompt_event_runtime_shutdown, (ompt_callback_t)on_shutdown) == 4);
}

__attribute__((visibility("default"))) ompt_initialize_fn_t ompt_tool(void)
{
	return initialize;
}
