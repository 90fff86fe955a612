// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool that traces every device, as OpenMP 5.1 describes it, checks what it gets, and counts it.
//
// DEVICE_TOOL is a list of words: `emi` or `plain` for target callbacks of that kind; `small` for buffers
// with place for one record, `refuse` to give only two of these; `native` for native records, too; `late`
// to start no trace until the program says so (omp_control_tool), and to obey it afterwards.

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "omp-tools.h"

#define MAX_DEVICES 16
#define MAX_IDS 200000
#define SMALL 192
#define LARGE 8192
#define TOOL_ID 1000000000 // the tool's own numbers of constructs and operations are above

/** The entry points of a device. */
static struct {
#define ENTRY_POINTS                  \
	E(ompt_get_device_num_procs)  \
	E(ompt_get_device_time)       \
	E(ompt_translate_time)        \
	E(ompt_set_trace_ompt)        \
	E(ompt_set_trace_native)      \
	E(ompt_start_trace)           \
	E(ompt_pause_trace)           \
	E(ompt_flush_trace)           \
	E(ompt_stop_trace)            \
	E(ompt_advance_buffer_cursor) \
	E(ompt_get_record_type)       \
	E(ompt_get_record_ompt)       \
	E(ompt_get_record_native)     \
	E(ompt_get_record_abstract)
#define E(name) name##_t name;
	ENTRY_POINTS
#undef E
} device;

static ompt_device_t *devices[MAX_DEVICES];
static ompt_get_target_info_t get_target_info;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static FILE *out;
static bool wants_emi, wants_plain, small, refuse, native, late;
static int requested, completed;

// What callbacks said.
static uint64_t target_ids[MAX_IDS], op_ids[MAX_IDS];
static int num_targets, num_ops;
static uint64_t next_own = TOOL_ID;

/** Counts, by name. */
static struct {
	const char *name;
	uint64_t number;
} counts[64];

static void count(const char *name, uint64_t number)
{
	int i = 0;

	while (counts[i].name && strcmp(counts[i].name, name) != 0)
		i++;
	counts[i].name = name;
	counts[i].number += number;
}

__attribute__((format(printf, 1, 2))) static void complain(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fputs("complaint ", out);
	vfprintf(out, format, args);
	fputc('\n', out);
	va_end(args);
}

#define CHECK(condition)                                               \
	do {                                                           \
		if (!(condition))                                      \
			complain("line %d: %s", __LINE__, #condition); \
	} while (0)

static bool contains(const uint64_t *list, int number, uint64_t id)
{
	for (int i = number - 1; i >= 0; i--)
		if (list[i] == id)
			return true;
	return false;
}

// ---- Records ---------------------------------------------------------------------------------

static uint64_t recorded_ops[MAX_IDS];
static int num_recorded_ops;

static void check_op_id(ompt_id_t id, bool again)
{
	CHECK(id != ompt_id_none);
	if ((wants_emi || wants_plain) && num_ops < MAX_IDS)
		CHECK(contains(op_ids, num_ops, id));
	if (again)
		return;
	CHECK(!contains(recorded_ops, num_recorded_ops, id));
	if (num_recorded_ops < MAX_IDS)
		recorded_ops[num_recorded_ops++] = id;
}

static void check_target_id(ompt_id_t id)
{
	if (id != ompt_id_none && (wants_emi || wants_plain))
		CHECK(contains(target_ids, num_targets, id));
}

static void look_at_data_op(int number, const ompt_record_ompt_t *record)
{
	const ompt_record_target_data_op_t *op = &record->record.target_data_op;

	check_op_id(op->host_op_id, false);
	if (op->optype < ompt_target_data_alloc_async)
		CHECK(op->end_time >= record->time);
	else
		CHECK(op->end_time == ompt_time_none);
	CHECK(op->codeptr_ra);
	switch (op->optype) {
	case ompt_target_data_alloc:
		CHECK(op->dest_device_num == number);
		CHECK(op->dest_addr);
		count("allocs", 1);
		count("alloc_bytes", op->bytes);
		break;
	case ompt_target_data_transfer_to_device:
	case ompt_target_data_transfer_to_device_async:
		CHECK(op->dest_device_num == number);
		CHECK(op->src_addr && op->dest_addr);
		count("to", 1);
		count("to_bytes", op->bytes);
		break;
	case ompt_target_data_transfer_from_device:
	case ompt_target_data_transfer_from_device_async:
		CHECK(op->src_device_num == number);
		CHECK(op->src_addr && op->dest_addr);
		count("from", 1);
		count("from_bytes", op->bytes);
		break;
	case ompt_target_data_delete:
		CHECK(op->src_device_num == number);
		CHECK(op->src_addr);
		count("deletes", 1);
		break;
	case ompt_target_data_associate:
		count("associates", 1);
		break;
	case ompt_target_data_disassociate:
		count("disassociates", 1);
		break;
	default:
		complain("data operation %d", (int)op->optype);
	}
}

static void look_at_target(int number, const ompt_record_ompt_t *record)
{
	static const char *const names[] = { "?",	"targets", "enter_datas", "exit_datas",
					     "updates", "?",	   "?",		  "?",
					     "?",	"targets", "enter_datas", "exit_datas",
					     "updates" };
	const ompt_record_target_t *target = &record->record.target;

	CHECK(target->device_num == number);
	CHECK(target->target_id == record->target_id);
	CHECK(target->target_id != ompt_id_none);
	CHECK(target->codeptr_ra);
	CHECK(target->kind > 0 && target->kind <= ompt_target_update_nowait);
	CHECK(target->endpoint == ompt_scope_begin || target->endpoint == ompt_scope_end);
	count(target->endpoint == ompt_scope_begin ? names[target->kind] : "target_ends", 1);
}

static void look_at_ompt(int number, const ompt_record_ompt_t *record)
{
	CHECK(record->time != ompt_time_none);
	CHECK(record->time <= device.ompt_get_device_time(devices[number]));
	CHECK(record->thread_id != ompt_id_none);
	check_target_id(record->target_id);
	switch (record->type) {
	case ompt_callback_target:
	case ompt_callback_target_emi:
		look_at_target(number, record);
		break;
	case ompt_callback_target_data_op:
	case ompt_callback_target_data_op_emi:
		look_at_data_op(number, record);
		break;
	case ompt_callback_target_submit:
	case ompt_callback_target_submit_emi:
		CHECK(record->target_id != ompt_id_none);
		check_op_id(record->record.target_kernel.host_op_id, false);
		CHECK(record->record.target_kernel.end_time >= record->time);
		count("kernels", 1);
		count("requested_teams", record->record.target_kernel.requested_num_teams);
		count("granted_teams", record->record.target_kernel.granted_num_teams);
		break;
	default:
		complain("record of the type %d", (int)record->type);
	}
}

static void look_at_native(void *record, ompt_id_t host_op_id)
{
	const struct device_activity *activity = record;
	const ompt_record_abstract_t *abstract = device.ompt_get_record_abstract(record);

	if (!abstract) {
		complain("native record without an abstract");
		return;
	}
	CHECK(abstract->type && *abstract->type);
	CHECK(abstract->start_time != ompt_time_none);
	CHECK(abstract->end_time == ompt_time_none || abstract->end_time >= abstract->start_time);
	CHECK(abstract->hwid != ompt_hwid_none);
	CHECK(activity->host_op_id == host_op_id);
	CHECK(abstract->start_time == activity->start_time);
	if (abstract->rclass == ompt_record_native_info) {
		count("infos", 1);
		return;
	}
	CHECK(abstract->rclass == ompt_record_native_event);
	check_op_id(host_op_id, true);
	if (!strcmp(abstract->type, "kernel"))
		count("native_kernels", 1);
	else if (strstr(abstract->type, "transfer"))
		count("native_bytes", activity->bytes);
	else
		count("native_others", 1);
}

static void look_at_buffer(int number, ompt_buffer_t *buffer, size_t bytes,
			   ompt_buffer_cursor_t cursor)
{
	ompt_buffer_cursor_t next;
	ompt_id_t host_op_id = 0;
	int records = 0, more = 1;

	while (more) {
		ompt_record_t type = device.ompt_get_record_type(buffer, cursor);
		void *record;

		if (type == ompt_record_ompt) {
			record = device.ompt_get_record_ompt(buffer, cursor);
			CHECK(!device.ompt_get_record_native(buffer, cursor, &host_op_id));
			look_at_ompt(number, record);
		} else if (type == ompt_record_native) {
			record = device.ompt_get_record_native(buffer, cursor, &host_op_id);
			CHECK(!device.ompt_get_record_ompt(buffer, cursor));
			look_at_native(record, host_op_id);
		} else {
			complain("invalid record at the cursor");
			break;
		}
		records++;
		more = device.ompt_advance_buffer_cursor(devices[number], buffer, bytes, cursor,
							 &next);
		if (more)
			CHECK(next != cursor);
		if (more)
			cursor = next;
	}
	count("records", (uint64_t)records);
	if (small)
		CHECK(records == 1);
	CHECK(device.ompt_get_record_type(buffer, cursor + bytes) == ompt_record_invalid);
	CHECK(device.ompt_get_record_type(buffer, cursor + 1) == ompt_record_invalid);
	CHECK(!device.ompt_get_record_ompt(buffer, cursor + bytes));
	CHECK(!device.ompt_get_record_native(buffer, cursor + bytes, &host_op_id));
	CHECK(!device.ompt_advance_buffer_cursor(devices[number], buffer, bytes, cursor + bytes,
						 &next));
	CHECK(!device.ompt_advance_buffer_cursor(devices[number], buffer, bytes, cursor, &next));
}

// ---- Buffers ---------------------------------------------------------------------------------

static void on_request(int device_num, ompt_buffer_t **buffer, size_t *bytes)
{
	pthread_mutex_lock(&mutex);
	CHECK(device_num >= 0 && device_num < MAX_DEVICES && devices[device_num]);
	*bytes = refuse && requested == 2 ? 0 : small ? SMALL : LARGE;
	*buffer = *bytes ? malloc(*bytes) : NULL;
	requested += *bytes != 0;
	pthread_mutex_unlock(&mutex);
}

static void on_complete(int device_num, ompt_buffer_t *buffer, size_t bytes,
			ompt_buffer_cursor_t begin, int buffer_owned)
{
	pthread_mutex_lock(&mutex);
	CHECK(bytes == (small ? SMALL : LARGE));
	// Neither command is possible here: it would wait for itself.
	CHECK(!device.ompt_flush_trace(devices[device_num]));
	CHECK(!device.ompt_stop_trace(devices[device_num]));
	look_at_buffer(device_num, buffer, bytes, begin);
	completed += buffer_owned;
	if (buffer_owned)
		free(buffer);
	pthread_mutex_unlock(&mutex);
}

// ---- Devices ---------------------------------------------------------------------------------

static void use_wrongly(ompt_device_t *handle)
{
	ompt_device_t *wrong[] = { NULL, &device };
	ompt_buffer_cursor_t next;
	ompt_id_t id;
	uint64_t nothing[32] = { 0 };

	for (int i = 0; i < 2; i++) {
		CHECK(device.ompt_get_device_num_procs(wrong[i]) == 0);
		CHECK(device.ompt_get_device_time(wrong[i]) == ompt_time_none);
		CHECK(device.ompt_translate_time(wrong[i], 1) == 0);
		CHECK(device.ompt_set_trace_ompt(wrong[i], 1, 0) == ompt_set_error);
		CHECK(device.ompt_set_trace_native(wrong[i], 1, 1) == ompt_set_error);
		CHECK(!device.ompt_start_trace(wrong[i], on_request, on_complete));
		CHECK(!device.ompt_pause_trace(wrong[i], 1));
		CHECK(!device.ompt_flush_trace(wrong[i]));
		CHECK(!device.ompt_stop_trace(wrong[i]));
		CHECK(!device.ompt_advance_buffer_cursor(wrong[i], nothing, sizeof(nothing), 0,
							 &next));
	}
	CHECK(device.ompt_translate_time(handle, ompt_time_none) == 0);
	CHECK(device.ompt_set_trace_ompt(handle, 1, 9999) == ompt_set_error);
	CHECK(device.ompt_set_trace_native(handle, 1, 0) == ompt_set_error);
	CHECK(device.ompt_set_trace_native(handle, 1, 0x100) == ompt_set_error);
	CHECK(!device.ompt_start_trace(handle, NULL, on_complete));
	CHECK(!device.ompt_start_trace(handle, on_request, NULL));
	CHECK(!device.ompt_pause_trace(handle, 1)); // has not started
	CHECK(!device.ompt_flush_trace(handle));
	CHECK(!device.ompt_stop_trace(handle));
	CHECK(!device.ompt_advance_buffer_cursor(handle, NULL, 0, 0, &next));
	CHECK(!device.ompt_advance_buffer_cursor(handle, nothing, sizeof(nothing), 0, &next));
	CHECK(device.ompt_get_record_type(NULL, 0) == ompt_record_invalid);
	CHECK(device.ompt_get_record_type(nothing, 0) == ompt_record_invalid);
	CHECK(device.ompt_get_record_type(nothing, 16) == ompt_record_invalid);
	CHECK(!device.ompt_get_record_ompt(NULL, 0));
	CHECK(!device.ompt_get_record_native(nothing, 16, &id));
	CHECK(!device.ompt_get_record_abstract(NULL));
	CHECK(!device.ompt_get_record_abstract(nothing));
}

/** Check what is promised: events of the host device are recorded as callbacks are called. */
static void set_trace(ompt_device_t *handle, bool on)
{
	static const ompt_callbacks_t recorded[] = {
		ompt_callback_target,	      ompt_callback_target_emi,
		ompt_callback_target_data_op, ompt_callback_target_data_op_emi,
		ompt_callback_target_submit,  ompt_callback_target_submit_emi,
	};
	int possible = ompt_native_data_motion_explicit | ompt_native_data_motion_implicit |
		       ompt_native_kernel_execution | ompt_native_runtime;

	for (int i = 0; i < 6; i++)
		CHECK(device.ompt_set_trace_ompt(handle, on, recorded[i]) >= ompt_set_sometimes);
	CHECK(device.ompt_set_trace_ompt(handle, on, ompt_callback_target_map) == ompt_set_never);
	CHECK(device.ompt_set_trace_ompt(handle, on, ompt_callback_parallel_begin) ==
	      ompt_set_impossible);
	CHECK(device.ompt_set_trace_ompt(handle, on, 0) == ompt_set_sometimes);
	CHECK(device.ompt_set_trace_native(handle, on && native, ompt_native_idleness) ==
	      ompt_set_never);
	CHECK(device.ompt_set_trace_native(handle, on && native, possible | ompt_native_driver) ==
	      ompt_set_sometimes);
	CHECK(device.ompt_set_trace_native(handle, on && native, possible) >=
	      ompt_set_sometimes_paired);
}

/** Write the answer for each event, and for each kind of native record. */
static void write_answers(ompt_device_t *handle)
{
	for (int event = 1; event <= ompt_callback_error; event++)
		fprintf(out, "answer_%d %d\n", event,
			(int)device.ompt_set_trace_ompt(handle, 0, (unsigned)event));
	for (int flag = 1; flag <= ompt_native_idleness; flag *= 2)
		fprintf(out, "answer_native_%d %d\n", flag,
			(int)device.ompt_set_trace_native(handle, 0, flag));
}

static void check_time(ompt_device_t *handle)
{
	double (*wtime)(void) = (double (*)(void))dlsym(RTLD_DEFAULT, "omp_get_wtime");
	ompt_device_time_t first = device.ompt_get_device_time(handle), then;
	double before = wtime(), translated, after;

	then = device.ompt_get_device_time(handle);
	translated = device.ompt_translate_time(handle, then);
	after = wtime();
	CHECK(first != ompt_time_none && first <= then);
	// A clock that someone sets meanwhile is not this.
	CHECK(translated > before - 1 && translated < after + 1);
}

static void on_initialize(int device_num, const char *type, ompt_device_t *handle,
			  ompt_function_lookup_t lookup, const char *documentation)
{
	CHECK(device_num >= 0 && device_num < MAX_DEVICES && !devices[device_num]);
	CHECK(type && *type && documentation && *documentation && handle && lookup);
	devices[device_num] = handle;
	count("devices", 1);
#define E(name)                                \
	device.name = (name##_t)lookup(#name); \
	CHECK(device.name);
	ENTRY_POINTS
#undef E
	CHECK(!lookup("ompt_no_such_entry_point"));
	CHECK(device.ompt_get_device_num_procs(handle) > 0);
	use_wrongly(handle);
	check_time(handle);
	if (counts[0].number == 1)
		write_answers(handle);
	set_trace(handle, true);
	set_trace(handle, false);
	set_trace(handle, true);
	if (late)
		return;
	CHECK(device.ompt_start_trace(handle, on_request, on_complete));
	CHECK(!device.ompt_start_trace(handle, on_request, on_complete));
	CHECK(device.ompt_pause_trace(handle, 1));
	CHECK(device.ompt_pause_trace(handle, 1));
	CHECK(device.ompt_pause_trace(handle, 0));
	CHECK(device.ompt_pause_trace(handle, 0));
}

static void on_finalize(int device_num)
{
	CHECK(devices[device_num]);
	count("device_ends", 1);
	CHECK(requested == completed);
	// The device is gone.
	CHECK(!device.ompt_flush_trace(devices[device_num]));
	devices[device_num] = NULL;
}

/** What programs order: 1 to start, 2 to pause, 3 to flush, 4 to stop, 5 to resume. */
static int on_control(uint64_t command, uint64_t modifier, void *arg, const void *code)
{
	(void)arg;
	(void)code;
	if (!devices[modifier])
		return 0;
	switch (command) {
	case 1:
		return device.ompt_start_trace(devices[modifier], on_request, on_complete);
	case 2:
		return device.ompt_pause_trace(devices[modifier], 1);
	case 3:
		return device.ompt_flush_trace(devices[modifier]);
	case 4:
		return device.ompt_stop_trace(devices[modifier]);
	case 5:
		return device.ompt_pause_trace(devices[modifier], 0);
	default:
		return 0;
	}
}

// ---- Callbacks -------------------------------------------------------------------------------

/** Note a number; the calls are counted as well, to compare them with the records. */
static void note(uint64_t *list, int *number, uint64_t id)
{
	pthread_mutex_lock(&mutex);
	CHECK(id != ompt_id_none);
	if (*number < MAX_IDS)
		list[(*number)++] = id;
	pthread_mutex_unlock(&mutex);
}

static void said(const char *name, uint64_t number)
{
	pthread_mutex_lock(&mutex);
	count(name, number);
	pthread_mutex_unlock(&mutex);
}

static uint64_t own_id(void)
{
	return __atomic_add_fetch(&next_own, 1, __ATOMIC_RELAXED);
}

static void check_target_info(ompt_id_t target_id, ompt_id_t host_op_id)
{
	ompt_id_t target = 1, op = 1;
	uint64_t number;
	int answer = get_target_info(&number, &target, &op);

	pthread_mutex_lock(&mutex);
	CHECK(answer == (target_id != ompt_id_none));
	if (answer)
		CHECK(target == target_id && op == host_op_id);
	pthread_mutex_unlock(&mutex);
}

static __thread uint64_t in_target; // its number, in EMI callbacks

static void on_target(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device_num,
		      ompt_data_t *task_data, ompt_id_t target_id, const void *code)
{
	(void)kind;
	(void)device_num;
	(void)task_data;
	(void)code;
	if (endpoint == ompt_scope_begin)
		note(target_ids, &num_targets, target_id);
	said(endpoint == ompt_scope_begin ? "said_targets" : "said_target_ends", 1);
	check_target_info(target_id, ompt_id_none);
}

static void on_target_emi(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device_num,
			  ompt_data_t *task_data, ompt_data_t *target_task_data,
			  ompt_data_t *target_data, const void *code)
{
	(void)target_task_data;
	if (endpoint == ompt_scope_begin) {
		pthread_mutex_lock(&mutex);
		CHECK(!target_data->value);
		pthread_mutex_unlock(&mutex);
		target_data->value = own_id();
		in_target = target_data->value;
	} else {
		pthread_mutex_lock(&mutex);
		CHECK(target_data->value == in_target);
		pthread_mutex_unlock(&mutex);
	}
	on_target(kind, endpoint, device_num, task_data, target_data->value, code);
	if (endpoint == ompt_scope_end)
		in_target = 0;
}

static void on_data_op(ompt_id_t target_id, ompt_id_t host_op_id, ompt_target_data_op_t optype,
		       void *src, int src_device_num, void *dest, int dest_device_num, size_t bytes,
		       const void *code)
{
	(void)src;
	(void)src_device_num;
	(void)dest_device_num;
	(void)bytes;
	(void)code;
	note(op_ids, &num_ops, host_op_id);
	if (optype == ompt_target_data_alloc)
		CHECK(dest);
	said("said_data_ops", 1);
	check_target_info(target_id, host_op_id);
}

static void on_data_op_emi(ompt_scope_endpoint_t endpoint, ompt_data_t *target_task_data,
			   ompt_data_t *target_data, ompt_id_t *host_op_id,
			   ompt_target_data_op_t optype, void *src, int src_device_num, void *dest,
			   int dest_device_num, size_t bytes, const void *code)
{
	(void)target_task_data;
	(void)optype;
	(void)src;
	(void)src_device_num;
	(void)dest;
	(void)dest_device_num;
	(void)bytes;
	(void)code;
	pthread_mutex_lock(&mutex);
	CHECK(target_data->value == in_target);
	CHECK(endpoint == ompt_scope_begin ? !*host_op_id : *host_op_id);
	pthread_mutex_unlock(&mutex);
	if (endpoint != ompt_scope_begin)
		return;
	*host_op_id = own_id();
	note(op_ids, &num_ops, *host_op_id);
	said("said_data_ops", 1);
	check_target_info(target_data->value, *host_op_id);
}

static void on_submit(ompt_id_t target_id, ompt_id_t host_op_id, unsigned requested_num_teams)
{
	note(op_ids, &num_ops, host_op_id);
	said("said_kernels", 1);
	said("said_requested_teams", requested_num_teams);
	check_target_info(target_id, host_op_id);
}

static void on_submit_emi(ompt_scope_endpoint_t endpoint, ompt_data_t *target_data,
			  ompt_id_t *host_op_id, unsigned requested_num_teams)
{
	if (endpoint == ompt_scope_begin) {
		*host_op_id = own_id();
		on_submit(target_data->value, *host_op_id, requested_num_teams);
	} else {
		said("said_kernel_ends", 1);
	}
}

// ---- Start and end ---------------------------------------------------------------------------

static bool has_word(const char *words, const char *word)
{
	return words && strstr(words, word);
}

static int initialize(ompt_function_lookup_t lookup, int initial_device_num, ompt_data_t *tool_data)
{
	ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
	ompt_get_callback_t get = (ompt_get_callback_t)lookup("ompt_get_callback");
	const char *words = getenv("DEVICE_TOOL");
	ompt_callback_t found = NULL;

	(void)initial_device_num;
	(void)tool_data;
	out = fopen(getenv("OMPT_CHECKER_OUT"), "w");
	if (!out)
		abort();
	get_target_info = (ompt_get_target_info_t)lookup("ompt_get_target_info");
	wants_emi = has_word(words, "emi");
	wants_plain = has_word(words, "plain");
	refuse = has_word(words, "refuse");
	small = refuse || has_word(words, "small");
	native = has_word(words, "native");
	late = has_word(words, "late");
	fprintf(out, "answer_initialize %d\n",
		set(ompt_callback_device_initialize, (ompt_callback_t)on_initialize));
	set(ompt_callback_device_finalize, (ompt_callback_t)on_finalize);
	set(ompt_callback_control_tool, (ompt_callback_t)on_control);
	if (wants_emi) {
		set(ompt_callback_target_emi, (ompt_callback_t)on_target_emi);
		set(ompt_callback_target_data_op_emi, (ompt_callback_t)on_data_op_emi);
		set(ompt_callback_target_submit_emi, (ompt_callback_t)on_submit_emi);
		CHECK(get(ompt_callback_target_emi, &found));
		CHECK(found == (ompt_callback_t)on_target_emi);
		CHECK(!get(ompt_callback_target, &found));
	}
	if (wants_plain) {
		set(ompt_callback_target, (ompt_callback_t)on_target);
		set(ompt_callback_target_data_op, (ompt_callback_t)on_data_op);
		set(ompt_callback_target_submit, (ompt_callback_t)on_submit);
	}
	return 1;
}

static void finalize(ompt_data_t *tool_data)
{
	(void)tool_data;
	CHECK(requested == completed);
	for (int i = 0; counts[i].name; i++)
		fprintf(out, "%s %llu\n", counts[i].name, (unsigned long long)counts[i].number);
	fprintf(out, "finalized 1\n");
	fclose(out);
}

__attribute__((visibility("default"))) ompt_start_tool_result_t *
ompt_start_tool(unsigned int omp_version, const char *runtime_version)
{
	static ompt_start_tool_result_t result = { initialize, finalize, { 0 } };

	(void)omp_version;
	(void)runtime_version;
	return &result;
}
