// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the recorder leaves in the memory of a program, for a debugger to read: live, or in a core
// file. The symbol `ompdbg_record` of libompdbg-recorder.so is a `struct record_root`; everything
// else is reached from it. Nothing here is an interface to call.
//
// Rules for readers:
// - Check `magic` and `version` first. Another version is another layout. Within one version
//   structures only grow at their end: step through arrays by the sizes in `record_root`.
// - Each thread writes its own data, without locks. A thread may be stopped between any two stores.
//   What is being changed is marked as such: by `kind` 0 in a wait or a hold, by `id` 0 in a task, by
//   `barrier` 0 in a level, by `head` in a ring, by `begun` 0 in a thread. Nothing that is marked is
//   valid, everything else is whole.
// - The runtime reports a mutex as acquired, or released, just after that has happened. Of several
//   holds of one mutex that with the latest `since` is its owner's; and a mutex that its own memory
//   shows to be free is free.
// - Every pointer and every count may be damaged. Bound each walk.

#ifndef OMPDBG_OMPT_RECORDER_H
#define OMPDBG_OMPT_RECORDER_H

#include <stdint.h>

#define RECORD_MAGIC "ompdbgR" // with its final null 8 bytes
#define RECORD_VERSION 2

/** The kind of an event. Numbers are never used again. */
enum record_kind {
	RECORD_NOTHING = 0,
	RECORD_THREAD_BEGIN = 1, // detail: ompt_thread_t
	RECORD_THREAD_END = 2,
	RECORD_PARALLEL_BEGIN =
		3, // object: region; number: requested threads or teams; detail: 1 league
	RECORD_PARALLEL_END = 4, // object: region
	RECORD_IMPLICIT_BEGIN =
		5, // object: region; number: thread number; detail: team size, up to 65535
	RECORD_IMPLICIT_END = 6, // object: region; number: thread number
	RECORD_TASK_CREATE = 7,	 // object: task; number: low bits of ompt_task_flag_t
	// Of explicit tasks only: after RECORD_TASK_END alone the thread is in an implicit task.
	RECORD_TASK_BEGIN = 8,	// object: task that the thread begins or resumes
	RECORD_TASK_END = 9,	// object: task that it leaves; detail: ompt_task_status_t
	RECORD_WORK_BEGIN = 10, // detail: ompt_work_t; number: iterations or sections, saturated
	RECORD_WORK_END = 11,	// detail: ompt_work_t
	// object: first iteration, or the section; number: iterations, saturated; detail: ompt_dispatch_t
	RECORD_CHUNK = 12,
	RECORD_SYNC_BEGIN = 13, // detail: ompt_sync_region_t
	RECORD_SYNC_END = 14,	// detail: ompt_sync_region_t
	RECORD_WAIT_BEGIN = 15, // detail: ompt_sync_region_t
	RECORD_WAIT_END = 16,	// detail: ompt_sync_region_t
	RECORD_ACQUIRE = 17,	// object: wait id; detail: ompt_mutex_t; the thread begins to wait
	RECORD_ACQUIRED = 18,	// object: wait id; detail: ompt_mutex_t
	RECORD_RELEASED = 19,	// object: wait id; detail: ompt_mutex_t
	RECORD_LOCK_INIT = 20,	// object: wait id; detail: ompt_mutex_t
	RECORD_LOCK_DESTROY = 21, // object: wait id; detail: ompt_mutex_t
	RECORD_NEST_BEGIN = 22,	  // object: wait id; an owner takes its nestable lock once more
	RECORD_NEST_END = 23,	  // object: wait id
	RECORD_MASKED_BEGIN = 24,
	RECORD_MASKED_END = 25,
	RECORD_DEPENDENCE = 26,	  // object: address; number: low bits of the task; detail: type
	RECORD_CANCEL = 27,	  // detail: ompt_cancel_flag_t
	RECORD_TARGET_BEGIN = 28, // detail: ompt_target_t; number: device
	RECORD_TARGET_END = 29,	  // detail: ompt_target_t; number: device
	RECORD_KINDS
};

/** Kinds that are recorded only while a trace is written (trace.h). In libgomp's programs: OMPT has no
 *  such events. */
enum record_trace_kind {
	// The thread enters the runtime to create a task, or those of a taskloop. Detail 1: the program
	// has it execute the task itself, by an if clause or in a final task.
	RECORD_CREATE_BEGIN = 64,
	RECORD_CREATE_END = 65, // it is back; detail 1: it executed such a task meanwhile
	// The runtime has removed the task that ended last in this thread. Only after a task that was
	// executed where it was created; of others, it is not later than the thread's next event.
	RECORD_FINISH_END = 66,
	RECORD_TRACE_KINDS
};

/** An event. */
struct record_event {
	uint64_t time;	 // ticks of the recorder's clock
	uint64_t code;	 // return address of the call to the runtime, in the program; 0: unknown
	uint64_t object; // by kind
	uint32_t number; // by kind
	uint16_t detail; // by kind
	uint8_t kind;	 // enum record_kind
	uint8_t unused;
};

/** A thread's wait. Valid while `kind` is not 0; and of RECORD_WAIT_BEGIN while `object` is the thread's
 *  `task`: it does not wait while it runs another task at a barrier or a taskwait. A worker may be left
 *  at the barrier, and in the implicit task, of a region that has ended, until it gets another: it is
 *  idle. */
struct record_wait {
	uint64_t since; // ticks
	uint64_t code;
	uint64_t object; // wait id of a mutex; or the task that waits, as in record_thread.task
	uint32_t kind;	 // RECORD_WAIT_BEGIN or RECORD_ACQUIRE; 0: does not wait
	uint32_t detail; // ompt_sync_region_t, or ompt_mutex_t
};

/** A mutex that a thread holds. Valid while `kind` is not 0. A release by another thread ends it as
 *  well, and so does omp_init_lock or omp_destroy_lock of the lock. */
struct record_hold {
	uint64_t since;
	uint64_t code;
	uint64_t object; // wait id
	uint16_t kind;	 // ompt_mutex_t; a lock that was tested is a lock
	uint16_t turn;	 // for the recorder
	uint32_t depth;	 // of a nestable lock how often; else 1
};

/** An implicit task that a thread is in, outermost first. */
struct record_level {
	uint64_t since;
	uint64_t region;  // number of the region; 0: that of an initial task, or not known
	uint64_t code;	  // of the construct that began the region; 0: unknown
	uint32_t thread;  // number in the team
	uint32_t team;	  // size of the team
	uint64_t barrier; // ticks of its latest arrival at a barrier of this team; 0: none yet,
			  // or not known
	uint64_t barrier_code; // where
};

/** An explicit task that lives. ompt_data_t of the task points here. Valid while `id` is not 0. */
struct record_task {
	uint64_t id;	  // from 1 on, unique in the program
	uint64_t parent;  // id of the parent; 0: an implicit task
	uint64_t region;  // number of the region that its creator was in
	uint64_t created; // ticks
	uint64_t code;	  // where it was created
	uint64_t begun;	  // ticks of its first begin; 0: not yet
	uint32_t creator; // number of the creating thread in this recording
	uint32_t flags;	  // ompt_task_flag_t
	uint32_t times_suspended;
	uint32_t unused;
};

/** A block of tasks. */
struct record_tasks {
	uint64_t next; // address of the next block; 0: the last
	uint32_t capacity;
	uint32_t unused;
	// capacity times record_root.task_size bytes follow
};

/** A thread. Its block is used again after the thread has ended, not before, and not while there is
 *  another for a new thread if it holds a mutex. After a fork the child has the blocks of the
 *  parent's threads; all but that of the thread that forked have ended. */
struct record_thread {
	uint64_t next;	       // address of the next thread's block; 0: the last
	uint64_t number;       // in this recording, from 0 on; changes when the block is used again
	uint64_t lwp;	       // the system's id
	uint64_t begun, ended; // ticks; begun 0: nothing here is valid; ended 0: it lives
	uint64_t ring;	       // address of the events
	uint64_t
		head; // events ever written; the latest is at (head - 1) % ring_events. The slot at
		      // head % ring_events may be half written.
	uint64_t dropped_tasks;	    // tasks that found no room in the budget
	struct record_wait wait;    // the innermost one at a barrier or for tasks
	struct record_wait acquire; // for a mutex: the thread waits for nothing else then
	uint64_t holds;		    // address of the array
	uint64_t levels;	    // address of the array
	uint32_t num_holds;	    // entries of the array, valid or not
	uint32_t num_levels;	    // may be more than max_levels: deeper ones are not kept
	uint32_t lost_holds;	    // mutexes held that found no room: owners are then not certain
	uint32_t lost_events;	    // of a signal handler that interrupted the recorder
	// The task that it is in: the address of an explicit one, which is even, or a number with one of
	// RECORD_TASK_KIND in its low bits. 0: unknown.
	uint64_t task;
	uint32_t type; // ompt_thread_t
	uint32_t unused;
};

#define RECORD_TASK_KIND 3
#define RECORD_TASK_IMPLICIT 1
#define RECORD_TASK_DROPPED 3 // an explicit one that found no room in the budget

/** The root. `magic` is written last: before, nothing is recorded. */
struct record_root {
	char magic[8];
	uint32_t version;
	uint32_t root_size; // sizes of the structures, in bytes
	uint32_t thread_size;
	uint32_t event_size;
	uint32_t hold_size;
	uint32_t level_size;
	uint32_t task_size;
	uint32_t ring_events; // per thread; a power of two
	uint32_t max_holds;
	uint32_t max_levels;
	uint32_t num_threads; // blocks in the list
	uint32_t unused;
	uint64_t threads;	  // address of the first block; 0: none
	uint64_t tasks;		  // address of the first block of tasks; 0: none
	uint64_t threads_seen;	  // threads ever
	uint64_t threads_dropped; // that found no room in the budget: owners are then not certain
	uint64_t pid;
	// The clock: two moments in ticks, and in ns of CLOCK_MONOTONIC and CLOCK_REALTIME. The second is
	// renewed now and then. If both are the same, or it is just being renewed, ticks_per_second holds
	// what the recorder knows or assumed.
	uint64_t start_ticks, start_monotonic, start_realtime;
	uint64_t later_ticks, later_monotonic; // renewed under `renewing` odd
	uint32_t renewing;
	uint32_t runtime; // RECORD_LIBGOMP, RECORD_OTHER or both
	uint64_t ticks_per_second;
};

#define RECORD_LIBGOMP 1 // through libompt-gomp.so
#define RECORD_OTHER 2

#endif
