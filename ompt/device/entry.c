// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry points of the device tracing interface, as a tool looks them up for a device.

#include <string.h>

#include "device.h"

static int get_device_num_procs(ompt_device_t *handle)
{
	const struct device *device = device_check(handle);

	return device ? device->provider->num_procs() : 0;
}

static ompt_device_time_t get_device_time(ompt_device_t *handle)
{
	const struct device *device = device_check(handle);

	return device ? device->provider->time() : ompt_time_none;
}

static double translate_time(ompt_device_t *handle, ompt_device_time_t time)
{
	const struct device *device = device_check(handle);

	return device ? device->provider->translate(time) : 0;
}

/** Return what a tool is promised for an event in a trace. What is not recorded may still occur on the
 *  device, but for maps, which neither runtime tells. */
static ompt_set_result_t trace_result(ompt_callbacks_t event)
{
	switch (event) {
	case ompt_callback_target:
	case ompt_callback_target_emi:
	case ompt_callback_target_data_op:
	case ompt_callback_target_data_op_emi:
	case ompt_callback_target_submit:
	case ompt_callback_target_submit_emi:
		return device_event_result(event);
	case ompt_callback_target_map:
	case ompt_callback_target_map_emi:
		return ompt_set_never;
	default:
		return ompt_set_impossible;
	}
}

/** Return whether a result means that something is recorded. */
static bool is_recorded(ompt_set_result_t result)
{
	return result >= ompt_set_sometimes;
}

static ompt_set_result_t set_trace_ompt(ompt_device_t *handle, unsigned enable, unsigned event)
{
	struct device *device = device_check(handle);
	uint64_t bits = 0;

	if (!device || event >= DEVICE_EVENTS)
		return ompt_set_error;
	for (unsigned i = 1; i < DEVICE_EVENTS; i++)
		if ((event == i || !event) && is_recorded(trace_result(i)))
			bits |= UINT64_C(1) << i;
	if (enable)
		__atomic_or_fetch(&device->events, bits, __ATOMIC_RELAXED);
	else
		__atomic_and_fetch(&device->events, ~bits, __ATOMIC_RELAXED);
	return event ? trace_result(event) : bits ? ompt_set_sometimes : ompt_set_never;
}

static ompt_set_result_t set_trace_native(ompt_device_t *handle, int enable, int flags)
{
	struct device *device = device_check(handle);
	int known = 2 * ompt_native_idleness - 1, possible;

	if (!device || !flags || (flags & ~known))
		return ompt_set_error;
	possible = flags & device->provider->native;
	if (!is_recorded(device_event_result(ompt_callback_target_data_op)))
		possible = 0;
	if (enable)
		__atomic_or_fetch(&device->native, possible, __ATOMIC_RELAXED);
	else
		__atomic_and_fetch(&device->native, ~possible, __ATOMIC_RELAXED);
	if (possible == flags)
		return device_event_result(ompt_callback_target_data_op);
	return possible ? ompt_set_sometimes : ompt_set_never;
}

ompt_record_abstract_t *device_get_record_abstract(void *native_record)
{
	static __thread ompt_record_abstract_t record;

	for (size_t i = 0; native_record && device_providers[i]; i++)
		if (device_providers[i]->abstract(native_record, &record))
			return &record;
	return NULL;
}

ompt_interface_fn_t device_lookup(const char *name)
{
	static const struct {
		const char *name;
		ompt_interface_fn_t function;
	} functions[] = {
		{ "ompt_get_device_num_procs", (ompt_interface_fn_t)get_device_num_procs },
		{ "ompt_get_device_time", (ompt_interface_fn_t)get_device_time },
		{ "ompt_translate_time", (ompt_interface_fn_t)translate_time },
		{ "ompt_set_trace_ompt", (ompt_interface_fn_t)set_trace_ompt },
		{ "ompt_set_trace_native", (ompt_interface_fn_t)set_trace_native },
		{ "ompt_start_trace", (ompt_interface_fn_t)device_start_trace },
		{ "ompt_pause_trace", (ompt_interface_fn_t)device_pause_trace },
		{ "ompt_flush_trace", (ompt_interface_fn_t)device_flush_trace },
		{ "ompt_stop_trace", (ompt_interface_fn_t)device_stop_trace },
		{ "ompt_advance_buffer_cursor", (ompt_interface_fn_t)device_advance_buffer_cursor },
		{ "ompt_get_record_type", (ompt_interface_fn_t)device_get_record_type },
		{ "ompt_get_record_ompt", (ompt_interface_fn_t)device_get_record_ompt },
		{ "ompt_get_record_native", (ompt_interface_fn_t)device_get_record_native },
		{ "ompt_get_record_abstract", (ompt_interface_fn_t)device_get_record_abstract },
	};

	for (size_t i = 0; name && i < sizeof(functions) / sizeof(functions[0]); i++)
		if (!strcmp(name, functions[i].name))
			return functions[i].function;
	return NULL;
}
