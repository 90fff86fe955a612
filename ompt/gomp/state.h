// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the library knows of threads, regions and tasks, and how functions of libgomp are observed.

#ifndef OMPT_GOMP_STATE_H
#define OMPT_GOMP_STATE_H

#include "abi.h"
#include "ompt/gomp.h"
#include "ompt/omp-tools.h"

#define EXPORT __attribute__((visibility("default")))

// What is not EXPORT is reached without a look into the table of symbols.
#pragma GCC visibility push(hidden)
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

// ---- Entry points ----------------------------------------------------------------------------

/** A pointer for each function that is observed. */
struct entry_points {
#define OBSERVED(name) __typeof__ (&(name))(name);
#include "entry_points.def"
};

/** Functions of libgomp. */
extern struct entry_points gomp_real;
/** Targets of a program's calls that are not observed: at first they start the tool, then they are
 *  libgomp's own; or they ask first whose libgomp the caller uses. */
extern struct entry_points gomp_now;
/** Which calls are observed. */
extern enum gomp_observes {
	OBSERVES_NONE,
	OBSERVES_ALL,
	OBSERVES_SOME, // of those who use the libgomp that is observed; there may be another
} gomp_observes;

/** Functions of libgomp that are asked, not observed. Null if this release has none. */
extern struct gomp_queries {
	int (*omp_get_num_threads)(void);
	int (*omp_get_thread_num)(void);
	int (*omp_get_max_threads)(void);
	int (*omp_get_level)(void);
	int (*omp_get_team_num)(void);
	int (*omp_get_num_teams)(void);
	int (*omp_get_cancellation)(void);
	int (*omp_get_num_procs)(void);
	int (*omp_get_num_places)(void);
	int (*omp_get_place_num_procs)(int place);
	void (*omp_get_place_proc_ids)(int place, int *ids);
	int (*omp_get_place_num)(void);
	int (*omp_get_partition_num_places)(void);
	void (*omp_get_partition_place_nums)(int *places);
	int (*omp_get_num_devices)(void);
	int (*omp_get_default_device)(void);
	int (*omp_get_initial_device)(void);
	void (*omp_get_schedule)(int *kind, int *chunk);
	double (*omp_get_wtime)(void);
	void *(*omp_get_mapped_ptr)(const void *address, int device);
	int (*omp_control_tool)(int command, int modifier, void *arg);
	int32_t (*omp_control_tool_)(const int32_t *command, const int32_t *modifier);
} gomp_ask;

#define INLINED static inline __attribute__((always_inline))

// Function NAME of libgomp: what programs call, and what observes it. The latter is a part of the
// former, so that on stacks each call has a frame of the function that the program called. What is
// not observed is passed on by jumps, so that the return address is the program's everywhere.
#define ENTRY(type, name, params, args)                                     \
	INLINED type observe_##name params;                                 \
	EXPORT type name params                                             \
	{                                                                   \
		const struct entry_points *to;                              \
                                                                            \
		if (UNLIKELY(gomp_observes != OBSERVES_ALL)) {              \
			if (gomp_observes == OBSERVES_NONE)                 \
				return gomp_now.name args;                  \
			to = gomp_route(RETURN_ADDRESS);                    \
			if (to)                                             \
				return to->name args;                       \
		}                                                           \
		return observe_##name args;                                 \
	}                                                                   \
	type start_##name params                                            \
	{                                                                   \
		if (gomp_start(RETURN_ADDRESS))                             \
			return name args;                                   \
		return gomp_real.name args;                                 \
	}                                                                   \
	type route_##name params                                            \
	{                                                                   \
		const struct entry_points *to = gomp_route(RETURN_ADDRESS); \
                                                                            \
		return (to ? to->name : gomp_real.name)args;                \
	}                                                                   \
	INLINED type observe_##name params

#define OBSERVED(name)                 \
	__typeof__(name) start_##name; \
	__typeof__(name) route_##name;
#include "entry_points.def"

/** Start the tool if that has not been tried yet. Return whether gomp_now is to be used: not
 *  by what is called while the tool starts. */
bool gomp_start(const void *caller);
/** Return whether a tool has started, and not ended. */
bool gomp_has_tool(void);
/** Find the libgomp that a caller uses, and fill gomp_real and gomp_ask. Return whether it is
 *  libgomp. */
bool gomp_find_real(const void *caller);
/** Return whether another part of the program may use another libgomp. */
bool gomp_is_local(void);
/** Return the functions of the libgomp that a caller uses, or null if that is the observed one. */
struct entry_points *gomp_route(const void *caller);
/** Write the names of functions of libgomp that are not in the table. */
void gomp_name_unknown(void (*say)(const char *line));

#define GOMP_MUTEX_FUTEX 1 // how libgomp makes any mutex, for a tool

#define RETURN_ADDRESS gomp_code(__builtin_return_address(0))
#define FRAME_ADDRESS __builtin_frame_address(0)

/** Return where in the program's code this thread's task is: just behind the start of its function. */
const void *gomp_code_of_task(void);

// From the linker: where this library begins, and where its code ends.
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));

/** Return a return address in the program. If the program's function ends with the call, compilers
 *  make it a jump, and then the address is in the function here that called the program's. */
static inline const void *gomp_code(const void *address)
{
	return LIKELY((uintptr_t)address < (uintptr_t)__ehdr_start) ||
			       (uintptr_t)address >= (uintptr_t)etext ?
		       address :
		       gomp_code_of_task();
}

// ---- Threads, regions and tasks --------------------------------------------------------------

struct region;

#define FRAME_FLAGS (ompt_frame_runtime | ompt_frame_framepointer)

/** A task. That of an explicit one is in libgomp's memory of the task, in front of the program's
 *  data; what only a task that has begun has is not set before. */
struct task {
	uint64_t front[3]; // what libgomp writes, or reads, where a task's data begin
	gomp_body_fn *fn;  // of the program; null for implicit tasks
	ompt_data_t data;
	ompt_frame_t frame;
	struct task *parent; // what its thread runs below it, or what encountered its region
	struct region *region;
	const void *code;     // where an explicit task was made, if that is reported late
	uint32_t header_size; // from here to the program's data
	uint32_t size;	      // of the program's data
	int flags;	      // ompt_task_flag_t
	int thread_num;	      // of an implicit task
	uint16_t traits;      // enum task_trait
	bool fulfilled;
	bool body_done;
	union {
		uintptr_t event; // of a detachable task
		uint64_t step;	 // of a taskloop
	};
	struct task *next_detached;
};

enum task_trait {
	TASK_LOOP = 1, // of a taskloop: has bounds in front
	TASK_CANCELLABLE =
		2, // libgomp would discard it, had the program's copy function been passed
	TASK_DETACHABLE = 4,
	TASK_TOLD_LATE = 8, // the tool hears of it when it begins, not before
	TASK_CANCELLED = 16,
	TASK_LOOP_DOWN = 32,
	TASK_LOOP_SIGNED = 64,
};

/** Work that the threads of a team share: what a thread must remember of it until its end. */
struct work {
	int kind; // ompt_work_t; 0: none
	uint64_t count;
	const void *code;
};

/** The part of a loop that a chunk is counted by. */
struct loop {
	uint64_t step;
	bool down, is_signed;
	unsigned levels; // of a doacross loop
};

/** An implicit or initial task, and what its thread does in it. */
struct implicit {
	struct task task;
	struct work work;   // loop or sections
	struct work single; // its end is not seen: see end_single
	struct loop loop;
	unsigned index;
	bool at_end; // of a worker: it has come to the region's end, and the tool does not know more
};

/** A parallel region, on the stack of the thread that encountered it; or what a thread is in
 *  outside of any. */
struct region {
	uint64_t front; // what GOMP_parallel_reductions reads where the data begin
	gomp_body_fn *fn;
	void *data;
	ompt_data_t parallel_data;
	struct task *encountering;
	const void *code;
	unsigned size;
	int flags;
	struct work work; // of a combined construct
	struct loop loop;
	struct thread *owner;
	struct implicit primary;
};

/** A thread. */
struct thread {
	ompt_data_t data;
	struct task *task;	   // that it runs
	struct implicit *implicit; // the innermost
	uint64_t wait_id;
	int state;
	int type;		  // ompt_thread_t; 0: not begun
	int num_teams;		  // of the kernel that it runs
	ompt_data_t *target_data; // of the construct for a device that it is in; null: none
	uint64_t next_id, end_id;
	char *stack_limit;  // null: not asked yet
	unsigned last_team; // size of its latest region, if it waits for more
	unsigned bodies;    // of explicit tasks that it has begun
	struct implicit base;
	struct region
		outside; // of a thread that is none of libgomp's: its implicit parallel region
};

extern __thread struct thread gomp_thread;

/** Callbacks of the tool, by their numbers; null: none. */
#define CALLBACKS 38
extern ompt_callback_t gomp_callbacks[CALLBACKS];

/** Return the tool's callback of an event, or null. */
#define CALLBACK(event) ((event##_t)__atomic_load_n(&gomp_callbacks[event], __ATOMIC_RELAXED))
#define CALLBACK_AS(event, type) ((type)__atomic_load_n(&gomp_callbacks[event], __ATOMIC_RELAXED))

/** The recorder's callback for the creation of tasks, or null. */
extern gomp_task_phase_t gomp_task_phase;

/** Check for a thread in a final task: it executes the tasks that it creates at once. Only explicit tasks
 *  are final. */
static inline bool is_in_final(const struct thread *thread)
{
	return thread->task->flags & ompt_task_final;
}

/** Return that callback after telling it that the thread begins to create tasks. @p at_once: the program
 *  has it execute them itself by an if clause. */
static inline gomp_task_phase_t begin_creation(const struct thread *thread, const void *code,
					       bool at_once)
{
	gomp_task_phase_t phase = __atomic_load_n(&gomp_task_phase, __ATOMIC_RELAXED);

	if (UNLIKELY(phase != NULL))
		phase(GOMP_TASK_CREATE_BEGIN, code, at_once || is_in_final(thread));
	return phase;
}

/** Let a thread begin: tell the tool, and give it a task. */
void gomp_thread_begin(struct thread *thread, ompt_thread_t type);
/** Tell the tool that a worker has left a region, if that is not done yet. */
void gomp_worker_end(struct thread *thread);
/** Tell the tool that the workers of a thread end, which wait for its next region. */
void gomp_end_workers(struct thread *thread);
/** Tell the tool that a thread ends. */
void gomp_thread_end_events(struct thread *thread);
/** Create the key that tells when threads end, and what a child of fork needs. */
void gomp_threads_init(void);
/** Make a child of fork whole: detachable tasks. */
void gomp_detach_after_fork(void);

/** Return this thread, which calls libgomp. */
static inline struct thread *this_thread(void)
{
	struct thread *thread = &gomp_thread;

	if (UNLIKELY(!thread->type))
		gomp_thread_begin(thread, ompt_thread_initial);
	return thread;
}

/** Note where a thread has come from the program into libgomp. */
static inline void enter_frame(struct thread *thread, void *frame)
{
	thread->task->frame.enter_frame.ptr = frame;
}

static inline void leave_frame(struct thread *thread)
{
	thread->task->frame.enter_frame.ptr = NULL;
}

/** Set a thread's state, and return the one before. */
static inline int set_state(struct thread *thread, int state)
{
	int before = thread->state;

	thread->state = state;
	return before;
}

/** Return a number that was never returned before. */
uint64_t gomp_unique_id(void);
/** Look an entry point of the tool interface up. */
ompt_interface_fn_t gomp_lookup(const char *name);
/** Return how many teams ran the kernel that this thread has just run. */
int gomp_granted_num_teams(void);
/** Tell the tool that the host is no device any more, if it was one. */
void gomp_finalize_host_device(void);
/** Stop the tool: no callback any more. */
void gomp_finalize(void);

// ---- Synchronisation -------------------------------------------------------------------------

/** Tell the tool that a thread leaves the barrier at the end of a region, and its implicit task. */
void gomp_leave_region(struct thread *thread, struct implicit *implicit, const void *code);
/** Begin, or end, a region that waits, or its wait. */
void gomp_sync(struct thread *thread, ompt_callbacks_t event, ompt_sync_region_t kind,
	       ompt_scope_endpoint_t endpoint, const void *code);
/** Tell the tool of shared work. */
void gomp_work_event(struct thread *thread, ompt_scope_endpoint_t endpoint, const struct work *work,
		     const void *code);
/** End the single region that a thread executes, if it does: at the first event that cannot be
 *  inside it. */
void gomp_end_single(struct thread *thread);

/** Begin a wait at a barrier and the like; return the state to go back to. */
static inline int begin_wait(struct thread *thread, ompt_sync_region_t kind, int state,
			     const void *code)
{
	gomp_sync(thread, ompt_callback_sync_region, kind, ompt_scope_begin, code);
	gomp_sync(thread, ompt_callback_sync_region_wait, kind, ompt_scope_begin, code);
	return set_state(thread, state);
}

static inline void end_wait(struct thread *thread, ompt_sync_region_t kind, int state,
			    const void *code)
{
	thread->state = state;
	gomp_sync(thread, ompt_callback_sync_region_wait, kind, ompt_scope_end, code);
	gomp_sync(thread, ompt_callback_sync_region, kind, ompt_scope_end, code);
}

#pragma GCC visibility pop

#endif
