// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool (OMPT) that counts every event and checks that events are well-formed: each begins and ends
// where it may, with the data that it was given, and names tasks that live. At the end of the program
// it writes what it found into the file that OMPT_CHECKER_OUT names: a line for each kind of event
// with its number, and a line for each complaint.
//
//     OMPT_CHECKER=frames    also compare the frames of tasks with the stack, at every event
//     OMPT_CHECKER=plain     register nothing that the standard calls optional
#pragma once

#include <omp-tools.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/** What is counted, each by a kind of its own. */
enum event {
	EVENT_THREAD_BEGIN,
	EVENT_THREAD_END,
	EVENT_PARALLEL_BEGIN,
	EVENT_PARALLEL_END,
	EVENT_IMPLICIT_BEGIN,
	EVENT_IMPLICIT_END,
	EVENT_TASK_CREATE,
	EVENT_TASK_FLAG,
	EVENT_TASK_BEGIN,
	EVENT_SCHEDULE,
	EVENT_DEPENDENCES,
	EVENT_DEPENDENCE,
	EVENT_WORK_BEGIN,
	EVENT_WORK_END,
	EVENT_DISPATCH,
	EVENT_MASKED_BEGIN,
	EVENT_MASKED_END,
	EVENT_SYNC_BEGIN,
	EVENT_SYNC_END,
	EVENT_WAIT_BEGIN,
	EVENT_WAIT_END,
	EVENT_REDUCTION_BEGIN,
	EVENT_REDUCTION_END,
	EVENT_LOCK_INIT,
	EVENT_LOCK_DESTROY,
	EVENT_ACQUIRE,
	EVENT_ACQUIRED,
	EVENT_RELEASED,
	EVENT_NEST_BEGIN,
	EVENT_NEST_END,
	EVENT_CANCEL,
	EVENT_FLUSH,
	EVENT_CONTROL,
	EVENT_ERROR,
	EVENT_FRAMES,  // the frames were compared, and are right
	EVENT_NO_CODE, // an event without a code pointer; the kind is the event
	EVENT_COUNT
};

#define TASK_MAGIC 0x6b736174a5a5a5a5U
#define REGION_MAGIC 0x6e676572a5a5a5a5U

enum {
	KINDS = 64,  // of one event, at most
	SCOPES = 48, // of one task that are open at once
	HELD = 64,   // locks that one thread holds at once
};

/** A piece of code that began and has not ended. */
struct scope {
	enum event event; // the one that began it
	unsigned int kind;
	const void *region; // data of a parallel region, where there are some
};

enum task_state { TASK_CREATED, TASK_RUNNING, TASK_SUSPENDED, TASK_ENDED };

/** A task, from its creation on; it is kept when it has ended, so that later events are noticed. */
struct task {
	uint64_t magic;
	uint64_t id;
	int flags;
	int state; // enum task_state, atomic
	struct task *creator;
	struct task *outer; // of an implicit or initial task: the task that its thread ran before
	struct region *region;
	unsigned int index, team_size; // the latter of an implicit task
	unsigned int scope_count;
	struct scope scope[SCOPES];
};

/** A parallel or teams region, kept in the same way. */
struct region {
	uint64_t magic;
	int flags;
	bool ended;
	struct task *encountering;
	struct region *outer;
	unsigned int team_size;	  // atomic; 0: nobody began
	unsigned int begun, left; // implicit tasks; atomic
	uint64_t seen;		  // thread numbers below 64; atomic
};

/** A thread. */
struct thread {
	uint64_t magic;
	uint64_t number;
	int type;
	bool ended;
	struct task *task; // the current one; null: an idle worker
	ompt_wait_id_t awaited;
	ompt_mutex_t awaited_kind;
	unsigned int held_count;
	ompt_wait_id_t held[HELD];
};

extern __thread struct thread *this_thread;

// ---- Report ----------------------------------------------------------------------------------

void count(enum event event, unsigned int kind);
void count_many(enum event event, unsigned int kind, uint64_t number);
const char *event_name(enum event event);
/** Name of a kind of an event; null if there is no such kind. */
const char *kind_name(enum event event, unsigned int kind);
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/** A line in the report, as it is. */
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
void report_open(void);
void report_write(void);

// ---- Common to all events --------------------------------------------------------------------

/** Count an event and check the thread that it happens in; returns the thread. */
struct thread *enter(enum event event, unsigned int kind);
/** Check an event's code pointer. */
void check_code(enum event event, const void *code);
/** Return the thread's current task; complains if @p data are not its. */
struct task *check_task(struct thread *thread, enum event event, const ompt_data_t *data);
/** Complain if @p data are no region, or not the region of the task. */
void check_region(struct task *task, enum event event, const ompt_data_t *data);
void scope_begin(struct task *task, enum event event, unsigned int kind, const void *region);
/** Complain if the innermost scope is another one. */
void scope_end(struct task *task, enum event event, unsigned int kind);
/** Return zeroed memory that is never given back. */
void *keep(size_t size);
struct task *task_of(const ompt_data_t *data);
struct region *region_of(const ompt_data_t *data);

// ---- Callbacks -------------------------------------------------------------------------------

void register_region_callbacks(void);
void register_task_callbacks(void);
void register_work_callbacks(void);
void register_mutex_callbacks(void);
void set_callback(ompt_callbacks_t event, ompt_callback_t callback, ompt_set_result_t least);

/** Complain if the runtime does not know what was set. */
void check_callbacks(void);

#define SET(name, least) \
	set_callback(ompt_callback_##name, (ompt_callback_t)on_##name, ompt_set_##least)

// ---- Frames ----------------------------------------------------------------------------------

extern bool frames_wanted;
void frames_start(ompt_function_lookup_t lookup);
/** Compare the frames of the tasks on this stack with the stack. */
void frames_check(enum event event, unsigned int kind);
/** Compare what the runtime says of the current task with what events told. */
void inquiry_check(struct thread *thread, enum event event, unsigned int kind);

// ---- Code ------------------------------------------------------------------------------------

/** Whose code is at an address. */
enum owner { OWNER_PROGRAM, OWNER_RUNTIME, OWNER_TOOL, OWNER_SYSTEM, OWNER_NOBODY };
enum owner code_owner(const void *address);
