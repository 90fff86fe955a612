// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layer between a runtime and its tool. The runtime sends the callbacks with two endpoints (EMI) to
// the layer, which follows constructs and operations of each thread, and calls the tool's callbacks,
// of either kind. A tool that has both kinds of an event gets the one with endpoints, as with LLVM's
// runtime.

#include <stdlib.h>
#include <string.h>

#include "device.h"

struct device_runtime device_runtime;

static ompt_callback_t tool[DEVICE_EVENTS]; // its callbacks of the events that the layer gets
static ompt_set_result_t results[DEVICE_EVENTS];
static struct device *devices;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; // of devices that come and go

static __thread struct device_region *current_region;
static __thread struct device_operation *current_operation;

#define TOOL(event) ((event##_t)__atomic_load_n(&tool[event], __ATOMIC_ACQUIRE))

static ompt_id_t new_id(void)
{
	static ompt_id_t last = ompt_id_none;

	return __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
}

ompt_id_t device_region_id(const struct device_region *region)
{
	return region->data && region->data->value ? region->data->value : region->id;
}

ompt_id_t device_operation_id(const struct device_operation *operation)
{
	return operation->host_op_id && *operation->host_op_id ? *operation->host_op_id :
								 operation->id;
}

// ---- Devices ---------------------------------------------------------------------------------

const struct device_provider *const device_providers[] = { &device_host_provider, NULL };

/** Return the provider of a type of device, or null. */
static const struct device_provider *provider_of(const char *type)
{
	size_t i = 0;

	while (device_providers[i] && !device_providers[i]->accepts(type))
		i++;
	return device_providers[i];
}

static struct device *first_device(void)
{
	return __atomic_load_n(&devices, __ATOMIC_ACQUIRE);
}

struct device *device_check(const ompt_device_t *handle)
{
	struct device *device = first_device();

	while (device && device != handle)
		device = device->next;
	return device && !__atomic_load_n(&device->finalized, __ATOMIC_ACQUIRE) ? device : NULL;
}

struct device *device_by_number(int number)
{
	struct device *device = first_device();

	while (device &&
	       (device->number != number || __atomic_load_n(&device->finalized, __ATOMIC_ACQUIRE)))
		device = device->next;
	return device;
}

static void initialize_device(int number, const char *type, ompt_device_t *handle,
			      ompt_function_lookup_t lookup, const char *documentation)
{
	ompt_callback_device_initialize_t callback = TOOL(ompt_callback_device_initialize);
	const struct device_provider *provider = provider_of(type);
	struct device *device = provider ? calloc(1, sizeof(*device)) : NULL;

	if (device) {
		device->provider = provider;
		device->number = number;
		device->type = strdup(type); // the runtime's may be gone later
		device_init_trace(device);
		pthread_mutex_lock(&mutex);
		device->next = devices;
		__atomic_store_n(&devices, device, __ATOMIC_RELEASE);
		pthread_mutex_unlock(&mutex);
		handle = device;
		lookup = device_lookup;
		documentation = provider->documentation;
	}
	if (callback)
		callback(number, type, handle, lookup, documentation);
}

static void finalize_device(int number)
{
	ompt_callback_device_finalize_t callback = TOOL(ompt_callback_device_finalize);
	struct device *device = device_by_number(number);

	if (device) {
		device_stop_trace(device);
		__atomic_store_n(&device->finalized, true, __ATOMIC_RELEASE);
	}
	if (callback)
		callback(number);
}

void device_layer_end(void)
{
	for (struct device *device = first_device(); device; device = device->next)
		device_stop_trace(device);
	for (int i = 0; i < DEVICE_EVENTS; i++)
		__atomic_store_n(&tool[i], NULL, __ATOMIC_RELEASE);
}

/** Make a child of fork whole: nobody carries records there. */
static void after_fork(void)
{
	pthread_mutex_init(&mutex, NULL);
	for (struct device *device = first_device(); device; device = device->next)
		device_init_trace(device);
}

// ---- Events ----------------------------------------------------------------------------------

static void target_event(ompt_target_t kind, ompt_scope_endpoint_t endpoint, int device_num,
			 ompt_data_t *task_data, ompt_data_t *target_task_data,
			 ompt_data_t *target_data, const void *code)
{
	ompt_callback_target_emi_t emi = TOOL(ompt_callback_target_emi);
	ompt_callback_target_t plain = TOOL(ompt_callback_target);
	struct device_region *region = current_region;
	ompt_id_t task_id = task_data ? task_data->value : ompt_id_none;

	if (endpoint == ompt_scope_begin) {
		region = calloc(1, sizeof(*region));
		if (!region)
			abort();
		region->outer = current_region;
		region->device = device_by_number(device_num);
		region->device_num = device_num;
		region->kind = kind;
		region->id = new_id();
		region->data = target_data;
		current_region = region;
	}
	if (!region)
		return; // began before there was a layer
	if (endpoint == ompt_scope_end && region->device)
		region->device->provider->region(region->device, region, endpoint, task_id, code);
	if (emi)
		emi(kind, endpoint, device_num, task_data, target_task_data, target_data, code);
	else if (plain)
		plain(kind, endpoint, device_num, task_data, device_region_id(region), code);
	if (endpoint == ompt_scope_begin && region->device)
		region->device->provider->region(region->device, region, endpoint, task_id, code);
	if (endpoint == ompt_scope_end) {
		current_region = region->outer;
		free(region);
	}
}

/** Begin an operation. */
static struct device_operation *begin_operation(ompt_callbacks_t event, ompt_id_t *host_op_id)
{
	struct device_operation *operation = calloc(1, sizeof(*operation));

	if (!operation)
		abort();
	if (host_op_id)
		*host_op_id = ompt_id_none; // a runtime may leave the one before
	operation->outer = current_operation;
	operation->event = event;
	operation->id = new_id();
	operation->host_op_id = host_op_id;
	current_operation = operation;
	return operation;
}

/** Return the operation of a kind that this thread ends, or null. */
static struct device_operation *ended_operation(ompt_callbacks_t event)
{
	return current_operation && current_operation->event == event ? current_operation : NULL;
}

static void end_operation(struct device_operation *operation)
{
	current_operation = operation->outer;
	free(operation);
}

/** Return the device that an operation works on. */
static struct device *device_of_operation(const struct device_operation *operation)
{
	if (current_region)
		return current_region->device;
	switch (operation->optype) {
	case ompt_target_data_transfer_from_device:
	case ompt_target_data_transfer_from_device_async:
	case ompt_target_data_delete:
	case ompt_target_data_delete_async:
		return device_by_number(operation->src_device_num);
	default:
		return device_by_number(operation->dest_device_num);
	}
}

/** Return whether an operation allocates: then its result is known only at the end. */
static bool allocates(ompt_target_data_op_t optype)
{
	return optype == ompt_target_data_alloc || optype == ompt_target_data_alloc_async;
}

static void begin_data_op(struct device_operation *operation)
{
	struct device *device = device_of_operation(operation);

	if (device)
		operation->begin = device->provider->time();
}

/** Record a data operation that has ended, unless nothing could be allocated. */
static void record_data_op(struct device_operation *operation)
{
	struct device *device = device_of_operation(operation);

	if (device && operation->begin && (operation->dest || !allocates(operation->optype)))
		device->provider->operation(device, current_region, operation);
}

static void data_op_event(ompt_scope_endpoint_t endpoint, ompt_data_t *target_task_data,
			  ompt_data_t *target_data, ompt_id_t *host_op_id,
			  ompt_target_data_op_t optype, void *src, int src_device_num, void *dest,
			  int dest_device_num, size_t bytes, const void *code)
{
	ompt_callback_target_data_op_emi_t emi = TOOL(ompt_callback_target_data_op_emi);
	ompt_callback_target_data_op_t plain = TOOL(ompt_callback_target_data_op);
	bool begins = endpoint != ompt_scope_end, ends = endpoint != ompt_scope_begin;
	struct device_operation *operation =
		begins ? begin_operation(ompt_callback_target_data_op, host_op_id) :
			 ended_operation(ompt_callback_target_data_op);

	if (!operation)
		return; // began before there was a layer
	operation->optype = optype;
	operation->src = src;
	operation->src_device_num = src_device_num;
	operation->dest = dest;
	operation->dest_device_num = dest_device_num;
	operation->bytes = bytes;
	operation->code = code;
	if (begins)
		begin_data_op(operation);
	if (emi)
		emi(endpoint, target_task_data, target_data, host_op_id, optype, src,
		    src_device_num, dest, dest_device_num, bytes, code);
	else if (plain && (allocates(optype) ? ends && dest : begins))
		plain(current_region ? device_region_id(current_region) : ompt_id_none,
		      device_operation_id(operation), optype, src, src_device_num, dest,
		      dest_device_num, bytes, code);
	if (ends) {
		record_data_op(operation);
		end_operation(operation);
	}
}

static void submit_event(ompt_scope_endpoint_t endpoint, ompt_data_t *target_data,
			 ompt_id_t *host_op_id, unsigned requested)
{
	ompt_callback_target_submit_emi_t emi = TOOL(ompt_callback_target_submit_emi);
	ompt_callback_target_submit_t plain = TOOL(ompt_callback_target_submit);
	struct device *device = current_region ? current_region->device : NULL;
	struct device_operation *operation =
		endpoint == ompt_scope_begin ?
			begin_operation(ompt_callback_target_submit, host_op_id) :
			ended_operation(ompt_callback_target_submit);

	if (!operation)
		return; // began before there was a layer
	operation->requested_num_teams = requested;
	if (endpoint == ompt_scope_begin) {
		if (emi)
			emi(endpoint, target_data, host_op_id, requested);
		else if (plain)
			plain(current_region ? device_region_id(current_region) : ompt_id_none,
			      operation->id, requested);
		if (device)
			operation->begin = device->provider->time();
		return;
	}
	if (requested == 1)
		operation->granted_num_teams = 1;
	else if (device_runtime.granted_num_teams)
		operation->granted_num_teams = (unsigned)device_runtime.granted_num_teams();
	if (device && operation->begin)
		device->provider->operation(device, current_region, operation);
	if (emi)
		emi(endpoint, target_data, host_op_id, requested);
	end_operation(operation);
}

// ---- What the tool asks ----------------------------------------------------------------------

/** Events that the layer gets from the runtime in the tool's place, and as which. */
static const struct {
	ompt_callbacks_t event, from;
	ompt_callback_t callback;
} events[] = {
	{ ompt_callback_target, ompt_callback_target_emi, (ompt_callback_t)target_event },
	{ ompt_callback_target_emi, ompt_callback_target_emi, (ompt_callback_t)target_event },
	{ ompt_callback_target_data_op, ompt_callback_target_data_op_emi,
	  (ompt_callback_t)data_op_event },
	{ ompt_callback_target_data_op_emi, ompt_callback_target_data_op_emi,
	  (ompt_callback_t)data_op_event },
	{ ompt_callback_target_submit, ompt_callback_target_submit_emi,
	  (ompt_callback_t)submit_event },
	{ ompt_callback_target_submit_emi, ompt_callback_target_submit_emi,
	  (ompt_callback_t)submit_event },
	{ ompt_callback_device_initialize, ompt_callback_device_initialize,
	  (ompt_callback_t)initialize_device },
	{ ompt_callback_device_finalize, ompt_callback_device_finalize,
	  (ompt_callback_t)finalize_device },
};

#define NUM_EVENTS (sizeof(events) / sizeof(events[0]))

/** Return the place of an event in the list, or NUM_EVENTS. */
static size_t find_event(ompt_callbacks_t event)
{
	size_t i = 0;

	while (i < NUM_EVENTS && events[i].event != event)
		i++;
	return i;
}

ompt_set_result_t device_event_result(ompt_callbacks_t event)
{
	return results[event];
}

static ompt_set_result_t set_callback(ompt_callbacks_t event, ompt_callback_t callback)
{
	if (find_event(event) == NUM_EVENTS)
		return device_runtime.set_callback(event, callback);
	__atomic_store_n(&tool[event], callback, __ATOMIC_RELEASE);
	return results[event];
}

static int get_callback(ompt_callbacks_t event, ompt_callback_t *callback)
{
	ompt_get_callback_t get;
	ompt_callback_t set;

	if (find_event(event) == NUM_EVENTS) {
		get = (ompt_get_callback_t)device_runtime.lookup("ompt_get_callback");
		return get ? get(event, callback) : 0;
	}
	set = __atomic_load_n(&tool[event], __ATOMIC_ACQUIRE);
	if (!set)
		return 0;
	*callback = set;
	return 1;
}

static int get_target_info(uint64_t *device_num, ompt_id_t *target_id, ompt_id_t *host_op_id)
{
	if (!current_region)
		return 0;
	if (device_num)
		*device_num = (uint64_t)current_region->device_num;
	if (target_id)
		*target_id = device_region_id(current_region);
	if (host_op_id)
		*host_op_id = current_operation ? device_operation_id(current_operation) :
						  ompt_id_none;
	return 1;
}

// Routines of TR2, which libompt-fronts.so asks for.
#define TR2_PREFIX "ompt_target_"

static ompt_interface_fn_t lookup(const char *name)
{
	if (!strcmp(name, "ompt_set_callback"))
		return (ompt_interface_fn_t)set_callback;
	if (!strcmp(name, "ompt_get_callback"))
		return (ompt_interface_fn_t)get_callback;
	if (!strcmp(name, "ompt_get_target_info"))
		return (ompt_interface_fn_t)get_target_info;
	if (!strncmp(name, TR2_PREFIX, strlen(TR2_PREFIX)))
		return device_tr2_lookup(name);
	return device_runtime.lookup(name);
}

ompt_function_lookup_t device_layer(const struct device_runtime *runtime)
{
	device_runtime = *runtime;
	device_runtime.set_callback = (ompt_set_callback_t)runtime->lookup("ompt_set_callback");
	if (!device_runtime.set_callback)
		return runtime->lookup;
	pthread_atfork(NULL, NULL, after_fork);
	// At once and all: LLVM's libomptarget asks for callbacks only when it starts, and a tool may
	// start a trace later.
	for (size_t i = 0; i < NUM_EVENTS; i++)
		results[events[i].event] =
			device_runtime.set_callback(events[i].from, events[i].callback);
	return lookup;
}
