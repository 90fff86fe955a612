// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface of "OMPT: An OpenMP Tools Application Programming Interface for Performance Analysis",
// revised May 31, 2016 (known as TR2): what a tool of that time was written to. libompt-fronts.so
// implements it, but for the tracing of devices (chapter 6). Section numbers are the document's.
//
// Where the document contradicts itself, docs/ompt-fronts.md says which of the two is here. The types
// of the routines have the routine's name with _t; the document has none.
//
// Not to be included together with ompt_2013.h or omp-tools.h: they have the same names.

#ifndef OMPDBG_OMPT_TR2_H
#define OMPDBG_OMPT_TR2_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- Data (4, A.3) ---------------------------------------------------------------------------

typedef uint64_t ompt_id_t;

/** A tool's data of a thread, a region or a task: 0 at first, then what the tool puts there. */
typedef union ompt_data_u {
	ompt_id_t value;
	void *ptr;
} ompt_data_t;

typedef ompt_data_t ompt_thread_data_t;
typedef ompt_data_t ompt_task_data_t;
typedef ompt_data_t ompt_parallel_data_t;
typedef ompt_data_t ompt_target_data_t;
typedef uint64_t ompt_target_id_t;
typedef uint64_t ompt_wait_id_t;
typedef void ompt_target_device_t;
typedef uint64_t ompt_target_time_t;
typedef void ompt_target_buffer_t;
typedef uint64_t ompt_target_buffer_cursor_t;

#define ompt_hwid_none (-1)
#define ompt_dev_task_none (~0ULL)
#define ompt_time_none (~0ULL)
#define ompt_thread_data_none \
	{                     \
		.value = 0    \
	}
#define ompt_parallel_data_none ompt_thread_data_none
#define ompt_task_data_none ompt_thread_data_none
#define ompt_target_id_none 0
#define ompt_mutex_kind_unknown 0

/** Where a task's frames end on the stack (4.6). */
typedef struct ompt_frame_s {
	void *exit_frame;
	void *enter_frame;
} ompt_frame_t;

/** States of a thread (2, A.1). */
typedef enum omp_state_e {
	omp_state_idle = 0x00,
	omp_state_work_serial = 0x10,
	omp_state_work_parallel = 0x11,
	omp_state_work_reduction = 0x12,
	omp_state_overhead = 0x20,
	omp_state_wait_barrier = 0x40,
	omp_state_wait_barrier_implicit = 0x41,
	omp_state_wait_barrier_explicit = 0x42,
	omp_state_wait_taskwait = 0x50,
	omp_state_wait_taskgroup = 0x51,
	omp_state_wait_mutex = 0x60,
	omp_state_wait_lock = 0x61,
	omp_state_wait_critical = 0x62,
	omp_state_wait_atomic = 0x63,
	omp_state_wait_ordered = 0x64,
	omp_state_wait_target = 0x70,
	omp_state_wait_target_data = 0x71,
	omp_state_wait_target_update = 0x72,
	omp_state_undefined = 0x80,
} omp_state_t;

/** Events (3, A.2). */
typedef enum ompt_event_e {
	// Mandatory (3.1)
	ompt_event_thread_begin = 1,
	ompt_event_thread_end = 2,
	ompt_event_parallel_begin = 3,
	ompt_event_parallel_end = 4,
	ompt_event_task_create = 5,
	ompt_event_task_schedule = 6,
	ompt_event_implicit_task = 7,
	ompt_event_target = 8,
	ompt_event_target_data = 9,
	ompt_event_target_submit = 10,
	ompt_event_control = 11,
	ompt_event_runtime_shutdown = 12,
	// For blame shifting (3.2.1)
	ompt_event_idle = 13,
	ompt_event_sync_region_wait = 14,
	ompt_event_mutex_release = 15,
	// For instrumentation (3.2.2)
	ompt_event_task_dependences = 16,
	ompt_event_task_dependence_pair = 17,
	ompt_event_worksharing = 18,
	ompt_event_master = 19,
	ompt_event_target_data_map = 20,
	ompt_event_sync_region = 21,
	ompt_event_init_lock = 22,
	ompt_event_destroy_lock = 23,
	ompt_event_mutex_acquire = 24,
	ompt_event_mutex_acquired = 25,
	ompt_event_nested_lock = 26,
	ompt_event_flush = 27,
} ompt_event_t;

// ---- Enumerations (A.3) ----------------------------------------------------------------------

typedef enum ompt_thread_type_e {
	ompt_thread_initial = 1,
	ompt_thread_worker = 2,
	ompt_thread_other = 3,
	ompt_thread_unknown = 4,
} ompt_thread_type_t;

typedef enum ompt_scope_endpoint_e {
	ompt_scope_begin = 1,
	ompt_scope_end = 2,
} ompt_scope_endpoint_t;

typedef enum ompt_sync_region_kind_e {
	ompt_sync_region_barrier = 1,
	ompt_sync_region_taskwait = 2,
	ompt_sync_region_taskgroup = 3,
} ompt_sync_region_kind_t;

typedef enum ompt_target_data_op_e {
	ompt_target_data_alloc = 1,
	ompt_target_data_transfer_to_dev = 2,
	ompt_target_data_transfer_from_dev = 3,
	ompt_target_data_delete = 4,
} ompt_target_data_op_t;

typedef enum ompt_worksharing_type_e {
	ompt_worksharing_loop = 1,
	ompt_worksharing_sections = 2,
	ompt_worksharing_single_executor = 3,
	ompt_worksharing_single_other = 4,
	ompt_worksharing_workshare = 5,
	ompt_worksharing_distribute = 6,
} ompt_worksharing_type_t;

typedef enum ompt_mutex_kind_e {
	ompt_mutex = 0x10,
	ompt_mutex_lock = 0x11,
	ompt_mutex_nest_lock = 0x12,
	ompt_mutex_critical = 0x13,
	ompt_mutex_atomic = 0x14,
	ompt_mutex_ordered = 0x20,
} ompt_mutex_kind_t;

typedef enum ompt_native_mon_flags_e {
	ompt_native_data_motion_explicit = 1,
	ompt_native_data_motion_implicit = 2,
	ompt_native_kernel_invocation = 4,
	ompt_native_kernel_execution = 8,
	ompt_native_driver = 16,
	ompt_native_runtime = 32,
	ompt_native_overhead = 64,
	ompt_native_idleness = 128,
} ompt_native_mon_flags_t;

typedef enum ompt_task_type_e {
	ompt_task_initial = 1,
	ompt_task_implicit = 2,
	ompt_task_explicit = 3,
	ompt_task_target = 4,
	ompt_task_degenerate = 5,
} ompt_task_type_t;

typedef enum ompt_target_type_e {
	ompt_task_target_region = 1, // the document's ompt_task_target is above as well
	ompt_task_target_enter_data = 2,
	ompt_task_target_exit_data = 3,
	ompt_task_target_update = 4,
} ompt_target_type_t;

typedef enum ompt_invoker_e {
	ompt_invoker_program = 1,
	ompt_invoker_runtime = 2,
} ompt_invoker_t;

typedef enum ompt_target_map_flag_e {
	ompt_target_map_flag_to = 1,
	ompt_target_map_flag_from = 2,
	ompt_target_map_flag_alloc = 4,
	ompt_target_map_flag_release = 8,
	ompt_target_map_flag_delete = 16,
} ompt_target_map_flag_t;

typedef enum ompt_task_dependence_flag_e {
	ompt_task_dependence_type_out = 1,
	ompt_task_dependence_type_in = 2,
	ompt_task_dependence_type_inout = 3,
} ompt_task_dependence_flag_t;

typedef struct ompt_task_dependence_s {
	void *variable_addr;
	uint32_t dependence_flags;
} ompt_task_dependence_t;

// ---- Callbacks (A.4) -------------------------------------------------------------------------

typedef void (*ompt_callback_t)(void); // any; also of ompt_event_runtime_shutdown
typedef void (*ompt_interface_fn_t)(void);
typedef ompt_interface_fn_t (*ompt_function_lookup_t)(const char *entry_point);

typedef void (*ompt_thread_begin_callback_t)(ompt_thread_type_t thread_type,
					     ompt_thread_data_t *thread_data);
typedef void (*ompt_thread_end_callback_t)(ompt_thread_data_t *thread_data);
typedef void (*ompt_idle_callback_t)(ompt_scope_endpoint_t endpoint);
typedef void (*ompt_parallel_begin_callback_t)(ompt_task_data_t *parent_task_data,
					       const ompt_frame_t *parent_frame,
					       ompt_parallel_data_t *parallel_data,
					       uint32_t requested_team_size, ompt_invoker_t invoker,
					       const void *codeptr_ra);
typedef void (*ompt_parallel_end_callback_t)(ompt_parallel_data_t *parallel_data,
					     ompt_task_data_t *task_data, ompt_invoker_t invoker,
					     const void *codeptr_ra);
typedef void (*ompt_task_create_callback_t)(ompt_task_data_t *parent_task_data,
					    const ompt_frame_t *parent_frame,
					    ompt_task_data_t *new_task_data, ompt_task_type_t type,
					    const void *codeptr_ra);
typedef void (*ompt_task_dependences_callback_t)(ompt_task_data_t *task_data,
						 const ompt_task_dependence_t *deps, int ndeps);
typedef void (*ompt_task_dependence_callback_t)(ompt_task_data_t *src_task_data,
						ompt_task_data_t *sink_task_data);
typedef void (*ompt_task_schedule_callback_t)(ompt_task_data_t *prior_task_data,
					      bool prior_completed,
					      ompt_task_data_t *next_task_data);
typedef void (*ompt_scoped_implicit_callback_t)(ompt_scope_endpoint_t endpoint,
						ompt_parallel_data_t *parallel_data,
						ompt_task_data_t *task_data);
typedef void (*ompt_scoped_sync_region_callback_t)(ompt_sync_region_kind_t kind,
						   ompt_scope_endpoint_t endpoint,
						   ompt_parallel_data_t *parallel_data,
						   ompt_task_data_t *task_data,
						   const void *codeptr_ra);
typedef void (*ompt_lock_init_callback_t)(bool is_nest_lock, ompt_wait_id_t wait_id, uint32_t hint,
					  uint32_t kind, const void *codeptr_ra);
typedef void (*ompt_lock_destroy_callback_t)(bool is_nest_lock, ompt_wait_id_t wait_id,
					     const void *codeptr_ra);
typedef void (*ompt_mutex_acquire_callback_t)(ompt_mutex_kind_t kind, uint32_t hint, uint32_t impl,
					      ompt_wait_id_t wait_id, const void *codeptr_ra);
typedef void (*ompt_mutex_callback_t)(ompt_mutex_kind_t kind, ompt_wait_id_t wait_id,
				      const void *codeptr_ra);
typedef void (*ompt_scoped_nested_lock_callback_t)(ompt_scope_endpoint_t endpoint,
						   ompt_wait_id_t wait_id, const void *codeptr_ra);
typedef void (*ompt_scoped_master_callback_t)(ompt_scope_endpoint_t endpoint,
					      ompt_parallel_data_t *parallel_data,
					      ompt_task_data_t *task_data, const void *codeptr_ra);
typedef void (*ompt_scoped_worksharing_callback_t)(ompt_worksharing_type_t wstype,
						   ompt_scope_endpoint_t endpoint,
						   ompt_parallel_data_t *parallel_data,
						   ompt_task_data_t *task_data,
						   const void *codeptr_ra);
typedef void (*ompt_scoped_target_callback_t)(int32_t device_id, ompt_target_type_t kind,
					      ompt_task_data_t *task_data,
					      ompt_scope_endpoint_t endpoint,
					      ompt_target_id_t target_id, const void *codeptr_ra);
typedef void (*ompt_target_data_callback_t)(ompt_target_id_t target_id, ompt_target_id_t host_op_id,
					    ompt_target_data_op_t optype, void *host_addr,
					    void *device_addr, size_t bytes);
typedef void (*ompt_target_data_map_callback_t)(ompt_target_id_t target_id, uint32_t nitems,
						void **host_addr, void **device_addr, size_t *bytes,
						uint32_t *mapping_flags);
typedef void (*ompt_target_submit_callback_t)(ompt_target_id_t target_id,
					      ompt_target_id_t host_op_id,
					      uint32_t requested_num_teams,
					      uint32_t granted_num_teams);
typedef void (*ompt_control_callback_t)(uint64_t command, uint64_t modifier,
					const void *codeptr_ra);
typedef void (*ompt_flush_callback_t)(ompt_thread_data_t *thread_data, const void *codeptr_ra);

typedef void (*ompt_target_buffer_request_callback_t)(int32_t device_id,
						      ompt_target_buffer_t **buffer, size_t *bytes);
typedef void (*ompt_target_buffer_complete_callback_t)(int32_t device_id,
						       const ompt_target_buffer_t *buffer,
						       size_t bytes,
						       ompt_target_buffer_cursor_t begin);
typedef void (*ompt_get_target_info_inquiry_t)(ompt_target_id_t *target_id,
					       ompt_target_id_t *host_op_id);

// ---- Start (7, A.7) --------------------------------------------------------------------------

typedef void (*ompt_initialize_fn_t)(ompt_function_lookup_t lookup, const char *runtime_version,
				     unsigned int ompt_version);

/** Defined by the tool: return its initializer; null: the tool does not start. */
extern ompt_initialize_fn_t ompt_tool(void);

/** Pass a command of the program on to the tool (8). Fortran calls it with two integers of 8 bytes. */
extern void ompt_control(uint64_t command, uint64_t modifier);

// ---- Routines, by the lookup that an initializer gets (5, 7.2, A.5) --------------------------

// Register a callback, within the initializer. Return 0: no such event; 1: events without a
// callback; 2: no such event ever; 3: called when convenient; 4: always called.
typedef int (*ompt_set_callback_t)(ompt_event_t event, ompt_callback_t callback);
typedef int (*ompt_get_callback_t)(ompt_event_t event, ompt_callback_t *callback);
typedef bool (*ompt_enumerate_states_t)(omp_state_t current_state, omp_state_t *next_state,
					const char **next_state_name);
typedef bool (*ompt_enumerate_mutex_kinds_t)(uint32_t current_kind, uint32_t *next_kind,
					     const char **next_kind_name);
typedef ompt_thread_data_t *(*ompt_get_thread_data_t)(void);
typedef omp_state_t (*ompt_get_state_t)(ompt_wait_id_t *wait_id);
typedef bool (*ompt_get_parallel_info_t)(int ancestor_level, ompt_parallel_data_t **parallel_data,
					 int *team_size);
typedef bool (*ompt_get_task_info_t)(int ancestor_level, ompt_task_type_t *type,
				     ompt_task_data_t **task_data, ompt_frame_t **task_frame,
				     ompt_parallel_data_t **par_data);
typedef bool (*ompt_get_target_info_t)(ompt_target_id_t *target_id, ompt_target_id_t *host_op_id);
typedef int (*ompt_get_num_devices_t)(void);
typedef bool (*ompt_target_get_device_info_t)(int32_t device_id, const char **type,
					      ompt_target_device_t **device,
					      ompt_function_lookup_t *lookup,
					      const char **documentation);
typedef int (*ompt_target_get_device_id_t)(void);

// ---- Records of a device's trace (A.6) -------------------------------------------------------

typedef enum ompt_record_type_e {
	ompt_record_ompt = 1,
	ompt_record_native = 2,
	ompt_record_invalid = 3,
} ompt_record_type_t;

typedef enum ompt_record_native_class_e {
	ompt_record_native_class_info = 1,
	ompt_record_native_class_event = 2,
} ompt_record_native_class_t;

typedef struct ompt_record_native_abstract_s {
	ompt_record_native_class_t rclass;
	const char *type;
	ompt_target_time_t start_time;
	ompt_target_time_t end_time;
	uint64_t hwid;
} ompt_record_native_abstract_t;

typedef struct ompt_record_thread_begin_s {
	ompt_thread_type_t thread_type;
} ompt_record_thread_begin_t;

typedef struct ompt_record_idle_s {
	ompt_scope_endpoint_t endpoint;
} ompt_record_idle_t;

typedef struct ompt_record_parallel_begin_s {
	ompt_task_data_t *parent_task_data;
	const ompt_frame_t *parent_frame;
	ompt_parallel_data_t *parallel_data;
	uint32_t requested_team_size;
	ompt_invoker_t invoker;
	const void *codeptr_ra;
} ompt_record_parallel_begin_t;

typedef struct ompt_record_parallel_end_s {
	ompt_parallel_data_t *parallel_data;
	ompt_task_data_t *task_data;
	ompt_invoker_t invoker;
	const void *codeptr_ra;
} ompt_record_parallel_end_t;

typedef struct ompt_record_task_create_s {
	ompt_task_data_t *parent_task_data;
	const ompt_frame_t *parent_frame;
	ompt_task_data_t *new_task_data;
	ompt_task_type_t type;
	const void *codeptr_ra;
} ompt_record_task_create_t;

typedef struct ompt_record_task_dependence_s {
	ompt_task_data_t *src_task_data;
	ompt_task_data_t *sink_task_data;
} ompt_record_task_dependence_t;

typedef struct ompt_record_task_schedule_s {
	ompt_task_data_t *prior_task_data;
	bool prior_completed;
	ompt_task_data_t *next_task_data;
} ompt_record_task_schedule_t;

typedef struct ompt_record_scoped_implicit_s {
	ompt_scope_endpoint_t endpoint;
	ompt_parallel_data_t *parallel_data;
	ompt_task_data_t *task_data;
} ompt_record_scoped_implicit_t;

typedef struct ompt_record_scoped_sync_region_s {
	ompt_sync_region_kind_t kind;
	ompt_scope_endpoint_t endpoint;
	ompt_parallel_data_t *parallel_data;
	ompt_task_data_t *task_data;
	const void *codeptr_ra;
} ompt_record_scoped_sync_region_t;

typedef struct ompt_record_lock_init_s {
	bool is_nest_lock;
	ompt_wait_id_t wait_id;
	uint32_t hint;
	uint32_t kind;
	const void *codeptr_ra;
} ompt_record_lock_init_t;

typedef struct ompt_record_lock_destroy_s {
	bool is_nest_lock;
	ompt_wait_id_t wait_id;
	const void *codeptr_ra;
} ompt_record_lock_destroy_t;

typedef struct ompt_record_mutex_acquire_s {
	ompt_mutex_kind_t kind;
	uint32_t hint;
	uint32_t impl;
	ompt_wait_id_t wait_id;
	const void *codeptr_ra;
} ompt_record_mutex_acquire_t;

typedef struct ompt_record_mutex_s {
	ompt_mutex_kind_t kind;
	ompt_wait_id_t wait_id;
	const void *codeptr_ra;
} ompt_record_mutex_t;

typedef struct ompt_record_scoped_nested_lock_s {
	ompt_scope_endpoint_t endpoint;
	ompt_wait_id_t wait_id;
	const void *codeptr_ra;
} ompt_record_scoped_nested_lock_t;

typedef struct ompt_record_target_data_s {
	ompt_target_id_t host_op_id;
	ompt_target_data_op_t optype;
	void *host_addr;
	void *device_addr;
	size_t bytes;
	ompt_target_time_t end_time;
} ompt_record_target_data_t;

typedef struct ompt_record_target_kernel_s {
	ompt_target_id_t host_op_id;
	uint32_t granted_num_teams;
	ompt_target_time_t end_time;
} ompt_record_target_kernel_t;

typedef struct ompt_record_scoped_master_s {
	ompt_scope_endpoint_t endpoint;
	ompt_parallel_data_t *parallel_data;
	ompt_task_data_t *task_data;
	const void *codeptr_ra;
} ompt_record_scoped_master_t;

typedef struct ompt_record_scoped_worksharing_s {
	ompt_worksharing_type_t wstype;
	ompt_scope_endpoint_t endpoint;
	ompt_parallel_data_t *parallel_data;
	ompt_task_data_t *task_data;
	const void *codeptr_ra;
} ompt_record_scoped_worksharing_t;

typedef struct ompt_record_flush_s {
	void *codeptr_ra;
} ompt_record_flush_t;

/** A record in a trace. */
typedef struct ompt_record_ompt_s {
	ompt_event_t type;
	ompt_target_time_t time;
	ompt_thread_data_t *thread_data;
	ompt_target_id_t target_id;
	union {
		ompt_record_thread_begin_t thread_begin;
		ompt_record_idle_t idle;
		ompt_record_parallel_begin_t parallel_begin;
		ompt_record_parallel_end_t parallel_end;
		ompt_record_task_create_t task_create;
		ompt_record_task_dependence_t task_dep;
		ompt_record_task_schedule_t task_sched;
		ompt_record_scoped_implicit_t implicit;
		ompt_record_scoped_sync_region_t sync_region;
		ompt_record_target_data_t data;
		ompt_record_target_kernel_t kernel;
		ompt_record_lock_init_t lock_init;
		ompt_record_lock_destroy_t lock_destroy;
		ompt_record_mutex_acquire_t mutex_acquire;
		ompt_record_mutex_t mutex;
		ompt_record_scoped_nested_lock_t nested_lock;
		ompt_record_scoped_master_t master;
		ompt_record_scoped_worksharing_t worksharing;
		ompt_record_flush_t flush;
	} record;
} ompt_record_ompt_t;

// ---- Routines, by a device's lookup (5.7, 6) -------------------------------------------------

// Settings of a trace return 0: an error; 1: events without a record; 2: no such event ever; 3:
// recorded when convenient; 4: always recorded.
typedef ompt_target_time_t (*ompt_target_get_time_t)(ompt_target_device_t *device);
typedef double (*ompt_target_translate_time_t)(ompt_target_device_t *device,
					       ompt_target_time_t time);
typedef int (*ompt_target_set_trace_ompt_t)(ompt_target_device_t *device, bool enable,
					    ompt_event_t etype);
typedef int (*ompt_target_set_trace_native_t)(ompt_target_device_t *device, bool enable,
					      uint32_t flags);
typedef bool (*ompt_target_start_trace_t)(ompt_target_device_t *device,
					  ompt_target_buffer_request_callback_t request,
					  ompt_target_buffer_complete_callback_t complete,
					  ompt_get_target_info_inquiry_t get_info);
typedef bool (*ompt_target_pause_trace_t)(ompt_target_device_t *device, bool begin_pause);
typedef bool (*ompt_target_stop_trace_t)(ompt_target_device_t *device);
typedef bool (*ompt_target_advance_buffer_cursor_t)(ompt_target_buffer_t *buffer, size_t size,
						    ompt_target_buffer_cursor_t current,
						    ompt_target_buffer_cursor_t *next);
typedef ompt_record_type_t (*ompt_target_buffer_get_record_type_t)(
	ompt_target_buffer_t *buffer, ompt_target_buffer_cursor_t current);
typedef ompt_record_ompt_t *(*ompt_target_buffer_get_record_ompt_t)(
	ompt_target_buffer_t *buffer, ompt_target_buffer_cursor_t current);
typedef void *(*ompt_target_buffer_get_record_native_t)(ompt_target_buffer_t *buffer,
							ompt_target_buffer_cursor_t current,
							ompt_target_id_t *host_op_id);
typedef ompt_record_native_abstract_t *(*ompt_target_buffer_get_record_native_abstract_t)(
	void *native_record);

#ifdef __cplusplus
}
#endif

#endif
