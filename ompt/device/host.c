// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The provider for devices that are the host itself: what GCC's libgomp runs there, and the devices
// that LLVM's libomptarget makes of it. Both run kernels, and copy, in the thread that asks for it and
// while it waits, so that what the host sees of an operation is the operation.

#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "device.h"

#define NATIVE_KINDS                                                           \
	(ompt_native_data_motion_explicit | ompt_native_data_motion_implicit | \
	 ompt_native_kernel_execution | ompt_native_runtime)

static bool accepts(const char *type)
{
	return type && (!strcmp(type, "host") || !strcmp(type, "generic-64bit"));
}

static int num_procs(void)
{
	cpu_set_t processors;

	if (!sched_getaffinity(0, sizeof(processors), &processors))
		return CPU_COUNT(&processors);
	return (int)sysconf(_SC_NPROCESSORS_ONLN); // more than the set can hold
}

/** Return the device's time: nanoseconds of the monotonic clock. */
static ompt_device_time_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (ompt_device_time_t)time.tv_sec * 1000000000 + (ompt_device_time_t)time.tv_nsec;
}

/** Compare the two clocks now: their distance may change, and runtimes differ in their own. */
static double translate(ompt_device_time_t time)
{
	ompt_device_time_t before, after;
	double host;

	if (time == ompt_time_none || !device_runtime.wtime)
		return 0;
	before = now();
	host = device_runtime.wtime();
	after = now();
	return host - 1e-9 * (double)(int64_t)(before + (after - before) / 2 - time);
}

static ompt_id_t thread_id(void)
{
	static __thread ompt_id_t id;

	if (!id)
		id = (ompt_id_t)syscall(SYS_gettid);
	return id;
}

/** Return the kind of event that a record is of: as the tool has asked for it; 0: it has not. */
static ompt_callbacks_t wanted(const struct device *device, ompt_callbacks_t event)
{
	ompt_callbacks_t emi = event + (ompt_callback_target_emi - ompt_callback_target);

	if (device_wants(device, event))
		return event;
	return device_wants(device, emi) ? emi : 0;
}

static void record_region(struct device *device, const struct device_region *region,
			  ompt_scope_endpoint_t endpoint, ompt_id_t task_id, const void *code)
{
	struct device_record record = { .type = ompt_record_ompt };

	record.ompt.type = wanted(device, ompt_callback_target);
	if (!record.ompt.type)
		return;
	record.ompt.time = now();
	record.ompt.thread_id = thread_id();
	record.ompt.target_id = device_region_id(region);
	record.ompt.record.target = (ompt_record_target_t){
		.kind = region->kind,
		.endpoint = endpoint,
		.device_num = region->device_num,
		.task_id = task_id,
		.target_id = record.ompt.target_id,
		.codeptr_ra = code,
	};
	device_record(device, &record);
}

/** Check whether an operation goes on after the call that asks for it has returned. */
static bool is_async(const struct device_operation *operation)
{
	return operation->event == ompt_callback_target_data_op &&
	       operation->optype >= ompt_target_data_alloc_async;
}

static void record_ompt(struct device *device, const struct device_region *region,
			const struct device_operation *operation, ompt_device_time_t end)
{
	struct device_record record = { .type = ompt_record_ompt };

	record.ompt.type = wanted(device, operation->event);
	if (!record.ompt.type)
		return;
	record.ompt.time = operation->begin;
	record.ompt.thread_id = thread_id();
	record.ompt.target_id = region ? device_region_id(region) : ompt_id_none;
	if (operation->event == ompt_callback_target_submit)
		record.ompt.record.target_kernel = (ompt_record_target_kernel_t){
			.host_op_id = device_operation_id(operation),
			.requested_num_teams = operation->requested_num_teams,
			.granted_num_teams = operation->granted_num_teams,
			.end_time = end,
		};
	else
		record.ompt.record.target_data_op = (ompt_record_target_data_op_t){
			.host_op_id = device_operation_id(operation),
			.optype = operation->optype,
			.src_addr = operation->src,
			.src_device_num = operation->src_device_num,
			.dest_addr = operation->dest,
			.dest_device_num = operation->dest_device_num,
			.bytes = operation->bytes,
			.end_time = end,
			.codeptr_ra = operation->code,
		};
	device_record(device, &record);
}

/** Return which kind of monitoring an operation belongs to. */
static int native_flag(const struct device_region *region, const struct device_operation *operation)
{
	if (operation->event == ompt_callback_target_submit)
		return ompt_native_kernel_execution;
	switch (operation->optype) {
	case ompt_target_data_transfer_to_device:
	case ompt_target_data_transfer_from_device:
	case ompt_target_data_transfer_to_device_async:
	case ompt_target_data_transfer_from_device_async:
		break;
	default:
		return ompt_native_runtime;
	}
	// By routines and `target update`; or as clauses of other constructs ask for it.
	return !region || region->kind == ompt_target_update ||
			       region->kind == ompt_target_update_nowait ?
		       ompt_native_data_motion_explicit :
		       ompt_native_data_motion_implicit;
}

static void record_native(struct device *device, struct device_activity *activity)
{
	int processor = sched_getcpu();
	struct device_record record = { .type = ompt_record_native };

	activity->size = sizeof(*activity);
	activity->hwid = processor < 0 ? ompt_hwid_none : (ompt_hwid_t)processor + 1;
	activity->thread_id = thread_id();
	record.host_op_id = activity->host_op_id;
	record.native = *activity;
	device_record(device, &record);
}

static void record_operation(struct device *device, const struct device_region *region,
			     const struct device_operation *operation)
{
	ompt_device_time_t end = is_async(operation) ? ompt_time_none : now();
	struct device_activity activity = {
		.kind = operation->event == ompt_callback_target_submit ?
				DEVICE_KERNEL :
				(uint32_t)operation->optype,
		.start_time = operation->begin,
		.end_time = end,
		.target_id = region ? device_region_id(region) : ompt_id_none,
		.host_op_id = device_operation_id(operation),
		.src_addr = operation->src,
		.dest_addr = operation->dest,
		.src_device_num = operation->src_device_num,
		.dest_device_num = operation->dest_device_num,
		.bytes = operation->bytes,
		.requested_num_teams = operation->requested_num_teams,
		.granted_num_teams = operation->granted_num_teams,
	};

	record_ompt(device, region, operation, end);
	if (device_wants_native(device, native_flag(region, operation)))
		record_native(device, &activity);
}

static void note(struct device *device, enum device_activity_kind kind)
{
	ompt_device_time_t time = now();
	struct device_activity activity = { .kind = kind, .start_time = time, .end_time = time };

	if (device_wants_native(device, ompt_native_runtime))
		record_native(device, &activity);
}

static bool abstract(const void *native, ompt_record_abstract_t *abstract)
{
	static const struct {
		uint32_t kind;
		const char *name;
	} names[] = {
		{ ompt_target_data_alloc, "allocation" },
		{ ompt_target_data_transfer_to_device, "transfer to device" },
		{ ompt_target_data_transfer_from_device, "transfer from device" },
		{ ompt_target_data_delete, "deallocation" },
		{ ompt_target_data_associate, "association" },
		{ ompt_target_data_disassociate, "disassociation" },
		{ ompt_target_data_alloc_async, "asynchronous allocation" },
		{ ompt_target_data_transfer_to_device_async, "asynchronous transfer to device" },
		{ ompt_target_data_transfer_from_device_async,
		  "asynchronous transfer from device" },
		{ ompt_target_data_delete_async, "asynchronous deallocation" },
		{ DEVICE_KERNEL, "kernel" },
		{ DEVICE_TRACE_STARTED, "trace started" },
		{ DEVICE_TRACE_PAUSED, "trace paused" },
		{ DEVICE_TRACE_RESUMED, "trace resumed" },
	};
	const struct device_activity *activity = native;

	if (activity->size != sizeof(*activity))
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].kind == activity->kind) {
			*abstract = (ompt_record_abstract_t){
				.rclass = activity->kind > DEVICE_KERNEL ? ompt_record_native_info :
									   ompt_record_native_event,
				.type = names[i].name,
				.start_time = activity->start_time,
				.end_time = activity->end_time,
				.hwid = activity->hwid,
			};
			return true;
		}
	return false;
}

const struct device_provider device_host_provider = {
	.documentation =
		"The host as a device. Its time is that of CLOCK_MONOTONIC, in nanoseconds. "
		"Native records are of the type struct device_activity of ompdbg's header "
		"ompt/device.h; hwid is the number of a processor, plus 1. There are no "
		"other entry points than those of OpenMP 5.1, section 4.6.2.",
	.accepts = accepts,
	.num_procs = num_procs,
	.time = now,
	.translate = translate,
	.native = NATIVE_KINDS,
	.region = record_region,
	.operation = record_operation,
	.note = note,
	.abstract = abstract,
};
