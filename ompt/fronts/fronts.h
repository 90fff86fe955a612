// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tools written to the OMPT of 2013, or to TR2 of 2016, on a runtime with OMPT 5.x. This library is a tool
// to the runtime, and a runtime to the old tool. The two documents are two fronts: each has callbacks
// of its own for the runtime's events, which call those of the old tool.
//
// A tool's data of threads and tasks, and of regions in TR2, are those that the runtime keeps. Their
// types are the same in all three interfaces, and the two pointers of an old frame are where the new
// ones are.

#ifndef OMPT_FRONTS_FRONTS_H
#define OMPT_FRONTS_FRONTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "include/ompt/omp-tools.h"

#define PUBLIC __attribute__((visibility("default")))
#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/** How often an old event comes. */
enum answer {
	NO_EVENT,    // the document has none of that number
	NO_CALLBACK, // it may happen, but no callback comes
	SOMETIMES,
	ALWAYS,
	ANSWERS
};

/** Limit of an event: it comes less often than the one that it is made of. */
enum limit {
	NO_LIMIT,
	LATE,	 // when the runtime says so, not when it happens
	NOT_KMP, // never on LLVM's runtime
};

#define ompt_callback_none 0 // the source of this library's own events

/** An event of a document, by its number. */
struct event {
	int source; // ompt_callbacks_t
	enum limit limit;
	bool exists;
};

/** A callback for the runtime. */
struct handler {
	ompt_callbacks_t event;
	ompt_callback_t function;
};

#define HANDLER(event, function)                                   \
	{                                                          \
		ompt_callback_##event, (ompt_callback_t)(function) \
	}

/** One of the two documents. */
struct front {
	const struct event *events;
	int num_events;
	const struct handler *handlers;
	int num_handlers;
	bool (*start)(void); // the old tool; false: it declines
	void (*control)(uint64_t command, uint64_t modifier, const void *code);
	int shutdown; // number of the event
};

/** The old tool's interface, while it runs; null before and after. */
extern const struct front *fronts_current;
extern const struct front front_2013, front_tr2;

/** Callbacks of the old tool, by its events' numbers. */
enum { EVENTS = 64 };
extern ompt_callback_t fronts_callbacks[EVENTS];

/** Call the old tool's callback of an event, which has arguments of these types, if there is one. */
#define TELL(event, types, ...)                                             \
	do {                                                                \
		void(*call) types = (void(*) types)fronts_callbacks[event]; \
		if (call)                                                   \
			call(__VA_ARGS__);                                  \
	} while (0)

/** Entry points of the runtime, and its name. Those from get_num_devices on may be missing. */
struct runtime {
	ompt_function_lookup_t lookup;
	ompt_set_callback_t set_callback;
	ompt_enumerate_states_t enumerate_states;
	ompt_enumerate_mutex_impls_t enumerate_mutex_impls;
	ompt_get_thread_data_t get_thread_data;
	ompt_get_state_t get_state;
	ompt_get_parallel_info_t get_parallel_info;
	ompt_get_task_info_t get_task_info;
	ompt_get_target_info_t get_target_info;
	ompt_get_num_devices_t get_num_devices;
	// Only libompt-gomp.so has these: the function that a compiler made of a region or a task.
	void *(*get_parallel_function)(int level);
	void *(*get_task_function)(int level);
	bool is_gomp;
	char name[128];
};
extern struct runtime fronts_runtime;

/** Set the old tool's callback of an event; return how often it will come. */
enum answer fronts_set_callback(const struct front *front, int event, ompt_callback_t callback);
/** Find the old tool's callback of an event. @return 0: there is none. */
int fronts_get_callback(const struct front *front, int event, ompt_callback_t *ret);

// ---- What the old interfaces ask, and the new one does not keep ------------------------------

/** A thread's part of it. Small: static TLS is scarce where this library is loaded late. */
struct thread {
	bool is_worker;
	bool is_idle;
	uint32_t depth;		      // of parallel regions
	ompt_data_t outside;	      // of what is not in regions[]
	ompt_data_t regions[32];      // data of each, as they were when the task began
	const ompt_data_t *ignored;   // a task that the old interfaces have no word for
	const ompt_data_t *discarded; // one that ends before it begins
	struct held {
		ompt_wait_id_t lock;
		const ompt_data_t *task;
	} * held; // nest locks
	uint32_t num_held, max_held;
	struct {
		void *exit, *enter;
	} frames[16]; // that TR2 tools have asked for, by level
};
extern __thread struct thread fronts_thread;

/** Note that a thread begins; return whether it is idle from now on. */
bool fronts_thread_begin(ompt_thread_t type);
/** Note that a thread enters, or leaves, an implicit task; return whether that changes its idleness. */
bool fronts_enter_region(const ompt_data_t *parallel_data);
bool fronts_leave_region(void);
/** Return the data of the thread's innermost region, as they were when its task began. */
ompt_data_t *fronts_region(void);

/** Return the data of the region around a level of the current task's; null: outside of all. */
ompt_data_t *fronts_parallel_data(int level, int *team_size);
/** Check for the data of a region around the thread, other than that around the whole program. LLVM's
 *  runtime makes up an address for a task that is interrupted while its region begins or ends. */
bool fronts_is_around(const ompt_data_t *parallel_data);
/** Ask for a task, as ompt_get_task_info does; LLVM's runtime takes any number for a level. */
bool fronts_task_info(int level, int *flags, ompt_data_t **data, ompt_frame_t **frame,
		      ompt_data_t **parallel_data);
/** Return the data and the frame of the current task. */
ompt_data_t *fronts_task(ompt_frame_t **frame);

/** Check whether the current task holds a nest lock. */
bool fronts_holds(ompt_wait_id_t lock);
/** Note a mutex that the current task has got, or given back. */
void fronts_acquired(ompt_mutex_t kind, ompt_wait_id_t lock);
void fronts_released(ompt_mutex_t kind, ompt_wait_id_t lock);
/** Check whether a mutex is a nest lock. */
bool fronts_is_nest(ompt_mutex_t kind);

/** How a task is left: what the old interfaces make of ompt_task_status_t. */
enum leaving {
	LEAVES_NOTHING, // no event of theirs
	SUSPENDS,
	COMPLETES,
	COMPLETES_ELSEWHERE, // not on a thread that runs it
};
enum leaving fronts_leaving(const ompt_data_t *prior, ompt_task_status_t status);
/** Note a task that is created or cancelled; return whether the old interfaces have a word for it. */
bool fronts_is_task(const ompt_data_t *data, int flags);
void fronts_cancelled(ompt_data_t *task_data, int flags, const void *code);

// ---- States ----------------------------------------------------------------------------------

/** A state in the three interfaces. */
struct state {
	int number; // ompt_state_t
	int old_2013, old_tr2;
	const char *name_2013, *name_tr2;
};

/** Find out which states the runtime has. */
void fronts_prepare_states(void);
/** Return the old numbers of a state. */
const struct state *fronts_state(int number);
/** Return what follows a state in an enumeration, or the first one; null: nothing. `offset` says which
 *  of the old numbers. */
const struct state *fronts_next_state(int current, bool first, size_t offset);

#endif
