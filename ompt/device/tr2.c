// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chapter 6 of OMPT's TR2 (2016), for tools of that time: other names, other answers, and records of
// another form, over the same traces. The types here have the form of those in ompt_tr2.h, whose names
// are those of OpenMP 5.2.

#include <string.h>

#include "device.h"

#define TR2_TIME_NONE UINT64_MAX
#define TR2_HWID_NONE UINT64_MAX
#define TR2_EVENTS 28

/** Events of TR2 that OpenMP 5.1 has as well. */
enum {
	TR2_ALL = 0,
	TR2_TARGET_DATA = 9,
	TR2_TARGET_SUBMIT = 10,
	TR2_TARGET_DATA_MAP = 20,
};

/** Answers to settings of a trace (table 2). */
enum {
	TR2_ERROR,
	TR2_NOT_TRACED,
	TR2_NEVER,
	TR2_SOMETIMES,
	TR2_ALWAYS,
};

struct tr2_record {
	int type;
	uint64_t time;
	ompt_data_t *thread_data;
	uint64_t target_id;
	union {
		struct {
			uint64_t host_op_id;
			int optype;
			void *host_addr, *device_addr;
			size_t bytes;
			uint64_t end_time;
		} data;
		struct {
			uint64_t host_op_id;
			uint32_t granted_num_teams;
			uint64_t end_time;
		} kernel;
		uint64_t others[8]; // records of other events are as long
	};
};

struct tr2_abstract {
	int rclass;
	const char *type;
	uint64_t start_time, end_time, hwid;
};

static uint64_t tr2_time(ompt_device_time_t time)
{
	return time == ompt_time_none ? TR2_TIME_NONE : time;
}

static int tr2_result(ompt_set_result_t result)
{
	static const int results[] = {
		[ompt_set_error] = TR2_ERROR,
		[ompt_set_never] = TR2_NEVER,
		[ompt_set_impossible] = TR2_NOT_TRACED,
		[ompt_set_sometimes] = TR2_SOMETIMES,
		[ompt_set_sometimes_paired] = TR2_SOMETIMES,
		[ompt_set_always] = TR2_ALWAYS,
	};

	return results[result];
}

// An entry point of OpenMP 5.1.
#define ENTRY_POINT(name) ((name##_t)device_lookup(#name))

/** Find a device by its number, once it has been used. */
static bool get_device_info(int32_t device_id, const char **type, ompt_device_t **device,
			    ompt_function_lookup_t *lookup, const char **documentation)
{
	struct device *found = device_by_number(device_id);

	if (!found)
		return false;
	*type = found->type;
	*device = found;
	*lookup = device_tr2_lookup;
	*documentation = found->provider->documentation;
	return true;
}

static uint64_t get_time(ompt_device_t *device)
{
	return tr2_time(ENTRY_POINT(ompt_get_device_time)(device));
}

static double translate_time(ompt_device_t *device, uint64_t time)
{
	return ENTRY_POINT(ompt_translate_time)(device,
						time == TR2_TIME_NONE ? ompt_time_none : time);
}

/** Set what is traced: operations and kernels. TR2 has no record for a construct. */
static int set_trace_ompt(ompt_device_t *device, bool enable, unsigned event)
{
	ompt_set_trace_ompt_t set = ENTRY_POINT(ompt_set_trace_ompt);
	ompt_set_result_t result = set(device, 0, ompt_callback_target_map);

	if (result == ompt_set_error || event >= TR2_EVENTS)
		return TR2_ERROR;
	if (event == TR2_ALL || event == TR2_TARGET_DATA)
		result = set(device, enable, ompt_callback_target_data_op);
	if (event == TR2_ALL || event == TR2_TARGET_SUBMIT)
		result = set(device, enable, ompt_callback_target_submit);
	switch (event) {
	case TR2_TARGET_DATA:
	case TR2_TARGET_SUBMIT:
	case TR2_TARGET_DATA_MAP:
		return tr2_result(result);
	case TR2_ALL:
		return result >= ompt_set_sometimes ? TR2_SOMETIMES : tr2_result(result);
	default:
		return TR2_NOT_TRACED;
	}
}

static int set_trace_native(ompt_device_t *device, bool enable, uint32_t flags)
{
	return tr2_result(ENTRY_POINT(ompt_set_trace_native)(device, enable, (int)flags));
}

/** Check whether TR2 has a word for the record at a cursor: it has none for associations. */
static bool is_sayable(ompt_buffer_t *buffer, ompt_buffer_cursor_t cursor)
{
	const ompt_record_ompt_t *record = device_get_record_ompt(buffer, cursor);

	return !record || record->type != ompt_callback_target_data_op ||
	       (record->record.target_data_op.optype != ompt_target_data_associate &&
		record->record.target_data_op.optype != ompt_target_data_disassociate);
}

static bool advance_buffer_cursor(ompt_buffer_t *buffer, size_t size, uint64_t current,
				  uint64_t *next)
{
	do {
		if (!next || !device_buffer_next(buffer, size, current, &current))
			return false;
	} while (!is_sayable(buffer, current));
	*next = current;
	return true;
}

/** Pass a buffer on, from the first record that TR2 has a word for. */
static void complete(int number, ompt_buffer_t *buffer, size_t bytes, ompt_buffer_cursor_t begin,
		     int buffer_owned)
{
	struct device *device = device_by_number(number);

	(void)buffer_owned; // always
	if (begin && !is_sayable(buffer, begin) &&
	    !advance_buffer_cursor(buffer, bytes, begin, &begin))
		begin = 0;
	if (device)
		device->tr2_complete(number, buffer, bytes, begin);
}

static bool start_trace(ompt_device_t *handle, ompt_callback_buffer_request_t request,
			device_tr2_complete_fn *tr2_complete,
			void (*get_info)(uint64_t *, uint64_t *))
{
	struct device *device = device_check(handle);

	(void)get_info; // the device knows these numbers itself
	if (!device || !request || !tr2_complete)
		return false;
	device->tr2_complete = tr2_complete;
	return device_start_trace(device, request, complete);
}

static bool pause_trace(ompt_device_t *device, bool begin_pause)
{
	return device_pause_trace(device, begin_pause);
}

static bool stop_trace(ompt_device_t *device)
{
	return device_stop_trace(device);
}

/** Fill a record of an operation. */
static void fill_data(struct tr2_record *record, const ompt_record_target_data_op_t *op)
{
	int optype =
		op->optype < ompt_target_data_alloc_async ?
			(int)op->optype :
			(int)(op->optype - ompt_target_data_alloc_async) + ompt_target_data_alloc;
	bool from_device = optype == ompt_target_data_transfer_from_device ||
			   optype == ompt_target_data_delete;

	record->type = TR2_TARGET_DATA;
	record->data.host_op_id = op->host_op_id;
	record->data.optype = optype;
	record->data.host_addr = from_device ? op->dest_addr : op->src_addr;
	record->data.device_addr = from_device ? op->src_addr : op->dest_addr;
	record->data.bytes = op->bytes;
	record->data.end_time = tr2_time(op->end_time);
}

static struct tr2_record *get_record_ompt(ompt_buffer_t *buffer, uint64_t current)
{
	static __thread ompt_data_t thread;
	static __thread struct tr2_record result;
	const ompt_record_ompt_t *record = device_get_record_ompt(buffer, current);

	if (!record)
		return NULL;
	thread.value = record->thread_id;
	result = (struct tr2_record){ .time = tr2_time(record->time),
				      .thread_data = &thread,
				      .target_id = record->target_id };
	if (record->type == ompt_callback_target_data_op) {
		fill_data(&result, &record->record.target_data_op);
	} else {
		result.type = TR2_TARGET_SUBMIT;
		result.kernel.host_op_id = record->record.target_kernel.host_op_id;
		result.kernel.granted_num_teams = record->record.target_kernel.granted_num_teams;
		result.kernel.end_time = tr2_time(record->record.target_kernel.end_time);
	}
	return &result;
}

static struct tr2_abstract *get_record_native_abstract(void *native)
{
	static __thread struct tr2_abstract result;
	const ompt_record_abstract_t *abstract = device_get_record_abstract(native);

	if (!abstract)
		return NULL;
	result = (struct tr2_abstract){
		.rclass = abstract->rclass,
		.type = abstract->type,
		.start_time = tr2_time(abstract->start_time),
		.end_time = tr2_time(abstract->end_time),
		.hwid = abstract->hwid == ompt_hwid_none ? TR2_HWID_NONE : abstract->hwid,
	};
	return &result;
}

ompt_interface_fn_t device_tr2_lookup(const char *name)
{
	static const struct {
		const char *name;
		ompt_interface_fn_t function;
	} functions[] = {
		{ "ompt_target_get_device_info", (ompt_interface_fn_t)get_device_info },
		{ "ompt_target_get_time", (ompt_interface_fn_t)get_time },
		{ "ompt_target_translate_time", (ompt_interface_fn_t)translate_time },
		{ "ompt_target_set_trace_ompt", (ompt_interface_fn_t)set_trace_ompt },
		{ "ompt_target_set_trace_native", (ompt_interface_fn_t)set_trace_native },
		{ "ompt_target_start_trace", (ompt_interface_fn_t)start_trace },
		{ "ompt_target_pause_trace", (ompt_interface_fn_t)pause_trace },
		{ "ompt_target_stop_trace", (ompt_interface_fn_t)stop_trace },
		{ "ompt_target_advance_buffer_cursor", (ompt_interface_fn_t)advance_buffer_cursor },
		{ "ompt_target_buffer_get_record_type",
		  (ompt_interface_fn_t)device_get_record_type },
		{ "ompt_target_buffer_get_record_ompt", (ompt_interface_fn_t)get_record_ompt },
		{ "ompt_target_buffer_get_record_native",
		  (ompt_interface_fn_t)device_get_record_native },
		{ "ompt_target_buffer_get_record_native_abstract",
		  (ompt_interface_fn_t)get_record_native_abstract },
	};

	for (size_t i = 0; name && i < sizeof(functions) / sizeof(functions[0]); i++)
		if (!strcmp(name, functions[i].name))
			return functions[i].function;
	return NULL;
}
