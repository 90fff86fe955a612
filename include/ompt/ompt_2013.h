// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface of "OMPT: OpenMP Tools Application Programming Interfaces for Performance Analysis" of
// May 10, 2013: what a tool of that time was written to. libompt-fronts.so implements it. Section
// numbers are the document's.
//
// The document leaves to a draft report which events there are, their numbers and signatures, and
// the numbers of states. Those here are the ones of the authors' own runtime of the same month, which
// they published as "OMPT support for Intel's OpenMP runtime" (May 30, 2013).
//
// Not to be included together with ompt_tr2.h or omp-tools.h: they have the same names.

#ifndef OMPDBG_OMPT_2013_H
#define OMPDBG_OMPT_2013_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- Data (4) --------------------------------------------------------------------------------

/** A tool's data of a thread or a task (4.1). Exit events come only for what has another value than 0. */
typedef union ompt_data_u {
	uint64_t value;
	void *ptr;
} ompt_data_t;

typedef uint64_t ompt_parallel_id_t; // never used twice; 0: outside of regions (4.2)
typedef uint64_t ompt_wait_id_t;     // what a thread waits for: the address of a lock (4.3)

/** Where a task leaves the runtime, and where it comes back to it (4.4). */
typedef struct ompt_frame_s {
	void *exit_runtime_frame;
	void *reenter_runtime_frame;
} ompt_frame_t;

/** States of a thread (2). */
typedef enum ompt_state_e {
	ompt_state_work_serial = 0x00,
	ompt_state_work_parallel = 0x01,
	ompt_state_work_reduction = 0x02,
	ompt_state_idle = 0x10,
	ompt_state_overhead = 0x20,
	ompt_state_wait_barrier = 0x40,
	ompt_state_wait_taskwait = 0x41,
	ompt_state_wait_taskgroup = 0x42,
	ompt_state_wait_lock = 0x50,
	ompt_state_wait_nest_lock = 0x51,
	ompt_state_wait_critical = 0x52,
	ompt_state_wait_atomic = 0x53,
	ompt_state_wait_ordered = 0x54,
	ompt_state_wait_single = 0x55,
	ompt_state_undefined = 0x60,
	ompt_state_first = 0x61, // where an enumeration begins
	ompt_state_last = 0x62,	 // where it ends
} ompt_state_t;

// ---- Events (3) ------------------------------------------------------------------------------

typedef enum ompt_event_e {
	// Mandatory (3.1)
	ompt_event_parallel_create = 1,
	ompt_event_parallel_exit = 2,
	ompt_event_task_create = 3,
	ompt_event_task_exit = 4,
	ompt_event_thread_create = 5,
	ompt_event_thread_exit = 6,
	ompt_event_control = 7,
	ompt_event_runtime_shutdown = 8,
	// For blame shifting (3.2.1)
	ompt_event_idle_begin = 9,
	ompt_event_idle_end = 10,
	ompt_event_wait_barrier_begin = 11,
	ompt_event_wait_barrier_end = 12,
	ompt_event_wait_taskwait_begin = 13,
	ompt_event_wait_taskwait_end = 14,
	ompt_event_wait_taskgroup_begin = 15,
	ompt_event_wait_taskgroup_end = 16,
	ompt_event_release_lock = 17,
	ompt_event_release_nest_lock_last = 18,
	ompt_event_release_critical = 19,
	ompt_event_release_atomic = 20,
	ompt_event_release_ordered = 21,
	// For traces (3.2.2)
	ompt_event_implicit_task_create = 22,
	ompt_event_implicit_task_exit = 23,
	ompt_event_task_switch = 24,
	ompt_event_loop_begin = 25,
	ompt_event_loop_end = 26,
	ompt_event_section_begin = 27,
	ompt_event_section_end = 28,
	ompt_event_single_in_block_begin = 29,
	ompt_event_single_in_block_end = 30,
	ompt_event_single_others_begin = 31,
	ompt_event_single_others_end = 32,
	ompt_event_master_begin = 33,
	ompt_event_master_end = 34,
	ompt_event_barrier_begin = 35,
	ompt_event_barrier_end = 36,
	ompt_event_taskwait_begin = 37,
	ompt_event_taskwait_end = 38,
	ompt_event_taskgroup_begin = 39,
	ompt_event_taskgroup_end = 40,
	ompt_event_release_nest_lock_prev = 41,
	ompt_event_wait_lock = 42,
	ompt_event_wait_nest_lock = 43,
	ompt_event_wait_critical = 44,
	ompt_event_wait_atomic = 45,
	ompt_event_wait_ordered = 46,
	ompt_event_acquired_lock = 47,
	ompt_event_acquired_nest_lock_first = 48,
	ompt_event_acquired_nest_lock_next = 49,
	ompt_event_acquired_critical = 50,
	ompt_event_acquired_atomic = 51,
	ompt_event_acquired_ordered = 52,
	ompt_event_init_lock = 53,
	ompt_event_init_nest_lock = 54,
	ompt_event_destroy_lock = 55,
	ompt_event_destroy_nest_lock = 56,
	ompt_event_flush = 57,
} ompt_event_t;

typedef void (*ompt_callback_t)(void); // any; also of ompt_event_runtime_shutdown

// Events thread_*, idle_* and flush.
typedef void (*ompt_thread_callback_t)(ompt_data_t *thread_data);
// Events parallel_create and parallel_exit.
typedef void (*ompt_new_parallel_callback_t)(ompt_data_t *parent_task_data,
					     ompt_frame_t *parent_task_frame,
					     ompt_parallel_id_t parallel_id);
// Whatever a task does in its region: implicit tasks, shared work, barriers and other waits,
// release_nest_lock_prev and acquired_nest_lock_next.
typedef void (*ompt_parallel_callback_t)(ompt_data_t *task_data, ompt_parallel_id_t parallel_id);
// Event task_create.
typedef void (*ompt_new_task_callback_t)(ompt_data_t *parent_task_data,
					 ompt_frame_t *parent_task_frame,
					 ompt_data_t *new_task_data);
// Event task_exit.
typedef void (*ompt_task_callback_t)(ompt_data_t *task_data);
// Event task_switch.
typedef void (*ompt_task_switch_callback_t)(ompt_data_t *suspended_task_data,
					    ompt_data_t *resumed_task_data);
// Locks, critical sections, atomic updates and ordered regions.
typedef void (*ompt_wait_callback_t)(ompt_wait_id_t wait_id);
// Event control.
typedef void (*ompt_control_callback_t)(uint64_t command, uint64_t modifier);

// ---- Routines --------------------------------------------------------------------------------

/** Defined by the tool (7.1.1): register callbacks and return 1; 0: the tool does not start. */
extern int ompt_initialize(void);

/** Register a callback, within ompt_initialize (7.1.2). Return 0: events without a callback; 1: no
 *  such event; 2: called when convenient; 3: always called. */
extern int ompt_set_callback(ompt_event_t event, ompt_callback_t callback);
/** Return 1 and the callback of an event, or 0: there is none. */
extern int ompt_get_callback(ompt_event_t event, ompt_callback_t *callback);

extern int ompt_enumerate_state(int current_state, int *next_state, const char **next_state_name);
extern ompt_data_t *ompt_get_thread_data(void);
extern ompt_state_t ompt_get_state(ompt_wait_id_t *wait_id);
extern ompt_parallel_id_t ompt_get_parallel_id(int ancestor_level);
extern void *ompt_get_parallel_function(int ancestor_level);
extern ompt_data_t *ompt_get_task_data(int ancestor_level);
extern ompt_frame_t *ompt_get_task_frame(int ancestor_level);
extern void *ompt_get_task_function(int ancestor_level);
extern int ompt_get_ompt_version(void);

/** Fill a buffer with the runtime's name. Return how many characters did not fit. Fortran calls it
 *  with the same arguments. */
extern int ompt_get_runtime_version(char *buffer, int length);
/** Pass a command of the program on to the tool. Fortran calls it with two integers of 8 bytes. */
extern void ompt_control(uint64_t command, uint64_t modifier);

#ifdef __cplusplus
}
#endif

#endif
