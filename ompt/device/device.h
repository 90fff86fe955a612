// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device tracing interface of OpenMP 5.1 (section 4.6.2), between a runtime that sends target
// callbacks and a tool. The layer (layer.c) stands between the two, follows constructs and operations
// of each thread, and gives the tool the lookup function of each device that a provider knows. A trace
// (trace.c) carries records into the tool's buffers.

#ifndef OMPT_DEVICE_DEVICE_H
#define OMPT_DEVICE_DEVICE_H

#include <pthread.h>
#include <stdbool.h>

#include "ompt/device.h"
#include "ompt/omp-tools.h"

#define DEVICE_EVENTS 38 // numbers of ompt_callbacks_t are less

/** Functions of the runtime that the layer calls. */
struct device_runtime {
	ompt_function_lookup_t lookup;
	ompt_set_callback_t set_callback;
	double (*wtime)(void);
	int (*granted_num_teams)(void); // of the kernel that this thread just ran; null: not known
};
extern struct device_runtime device_runtime;

/** A construct for a device, while a thread is in it. */
struct device_region {
	struct device_region *outer;
	struct device *device; // null: no provider knows it
	int device_num;
	ompt_target_t kind;
	ompt_id_t id;
	ompt_data_t *data; // the tool's
};

/** A data operation, or the execution of a kernel, while a thread is in it. */
struct device_operation {
	struct device_operation *outer;
	ompt_callbacks_t event; // ompt_callback_target_data_op or ompt_callback_target_submit
	ompt_id_t id;
	ompt_id_t *host_op_id; // the tool's
	ompt_device_time_t begin;
	ompt_target_data_op_t optype;
	void *src, *dest;
	int src_device_num, dest_device_num;
	size_t bytes;
	unsigned requested_num_teams, granted_num_teams;
	const void *code;
};

/** Return the number of a construct, or of an operation, in records: the tool's own, if it has one. */
ompt_id_t device_region_id(const struct device_region *region);
ompt_id_t device_operation_id(const struct device_operation *operation);

// ---- Providers -------------------------------------------------------------------------------

/** How a kind of device is known, read and recorded. */
struct device_provider {
	const char *documentation; // for tools
	/** Check whether a device of this type is one of the provider's. */
	bool (*accepts)(const char *type);
	int (*num_procs)(void);
	ompt_device_time_t (*time)(void);
	/** Return the host's time, as omp_get_wtime has it. */
	double (*translate)(ompt_device_time_t time);
	int native; // kinds of native records that there are: ompt_native_mon_flag_t
	/** Record what the host saw: a construct that begins or ends, and an operation that has ended. */
	void (*region)(struct device *device, const struct device_region *region,
		       ompt_scope_endpoint_t endpoint, ompt_id_t task_id, const void *code);
	void (*operation)(struct device *device, const struct device_region *region,
			  const struct device_operation *operation);
	/** Record that the trace was started, paused or resumed. */
	void (*note)(struct device *device, enum device_activity_kind kind);
	/** Describe a native record. Return whether it is one. */
	bool (*abstract)(const void *native, ompt_record_abstract_t *abstract);
};

extern const struct device_provider device_host_provider;
extern const struct device_provider *const device_providers[]; // null is behind the last

// ---- Traces ----------------------------------------------------------------------------------

/** A record, in a buffer of the tool's. */
struct device_record {
	uint32_t type;	      // ompt_record_t
	ompt_id_t host_op_id; // of a native record
	union {
		ompt_record_ompt_t ompt;
		struct device_activity native;
	};
};

/** The begin of a buffer: the end of its records, for who has a cursor but not the size. */
struct device_buffer_head {
	uint64_t magic;
	uint64_t end; // offset
};

#define DEVICE_QUEUE 1024 // records that wait for the tool's buffers

/** A tool's function for buffers, as TR2 has it. */
typedef void device_tr2_complete_fn(int32_t device_id, const ompt_buffer_t *buffer, size_t bytes,
				    uint64_t begin);

/** A device that the runtime has initialized. It is never freed: tools keep its address. */
struct device {
	struct device *next;
	const struct device_provider *provider;
	int number;
	char *type;
	bool finalized;
	uint64_t events; // bits of ompt_callbacks_t that are recorded
	int native;	 // ompt_native_mon_flag_t that are recorded

	// The trace, under the mutex.
	pthread_mutex_t mutex;
	pthread_cond_t wake;  // the thread that carries records
	pthread_cond_t moved; // who waits for it
	pthread_t carrier;
	bool started, paused, stopping;
	bool refused; // the tool had no buffer: nothing is recorded until it starts again
	uint64_t flush_asked, flush_done; // numbers of requests, of all traces
	uint64_t head, tail;		  // numbers of records in the queue
	ompt_callback_buffer_request_t request;
	ompt_callback_buffer_complete_t complete;
	device_tr2_complete_fn *tr2_complete;
	struct device_record *queue;
	// The carrier's own.
	char *buffer;
	size_t buffer_size;
};

/** Return the device that a tool names, or null. */
struct device *device_check(const ompt_device_t *device);
/** Return the device with a number, or null. */
struct device *device_by_number(int number);
/** Prepare a device's trace: of a new device, or in a child of fork, which has no carrier. */
void device_init_trace(struct device *device);
/** Check whether records of an event, or native ones, are wanted. */
bool device_wants(const struct device *device, ompt_callbacks_t event);
bool device_wants_native(const struct device *device, int flag);
/** Put a record into a device's trace. */
void device_record(struct device *device, const struct device_record *record);

int device_start_trace(ompt_device_t *device, ompt_callback_buffer_request_t request,
		       ompt_callback_buffer_complete_t complete);
int device_pause_trace(ompt_device_t *device, int begin_pause);
int device_flush_trace(ompt_device_t *device);
int device_stop_trace(ompt_device_t *device);

/** Return the place for the next record in a buffer of the tool's; null: full, or too small. */
struct device_record *device_buffer_add(char *buffer, size_t size);
/** Prepare a buffer. */
void device_buffer_init(char *buffer, size_t size);
/** Return the cursor of a buffer's first record, or 0. */
ompt_buffer_cursor_t device_buffer_begin(const char *buffer, size_t size);
/** Find the record after one. Return whether there is one. */
bool device_buffer_next(ompt_buffer_t *buffer, size_t size, ompt_buffer_cursor_t current,
			ompt_buffer_cursor_t *next);
int device_advance_buffer_cursor(ompt_device_t *device, ompt_buffer_t *buffer, size_t size,
				 ompt_buffer_cursor_t current, ompt_buffer_cursor_t *next);
ompt_record_t device_get_record_type(ompt_buffer_t *buffer, ompt_buffer_cursor_t current);
ompt_record_ompt_t *device_get_record_ompt(ompt_buffer_t *buffer, ompt_buffer_cursor_t current);
void *device_get_record_native(ompt_buffer_t *buffer, ompt_buffer_cursor_t current,
			       ompt_id_t *host_op_id);
ompt_record_abstract_t *device_get_record_abstract(void *native_record);

// ---- The layer -------------------------------------------------------------------------------

/** Stand between a runtime and its tool. Return the lookup function for the tool. */
ompt_function_lookup_t device_layer(const struct device_runtime *runtime);
/** Deliver all that was recorded: before the tool is finalized. */
void device_layer_end(void);
/** Return what ompt_set_callback answers for events of a kind. */
ompt_set_result_t device_event_result(ompt_callbacks_t event);
/** Look up an entry point of the tracing interface. */
ompt_interface_fn_t device_lookup(const char *name);
/** Look up a routine of TR2: chapter 6, and ompt_target_get_device_info. */
ompt_interface_fn_t device_tr2_lookup(const char *name);

#endif
