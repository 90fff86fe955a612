// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The collector interface (include/ompt/omp_collector.h) as an OMPT tool: callbacks of OMPT keep what
// a collector may ask for, and call the collector's callbacks.
//
// A thread's data are written by that thread only, and read by it and by its signal handlers: what a
// handler may follow is whole before it is linked, and unlinked before it is freed.

#ifndef OMPDBG_COLLECTOR_H
#define OMPDBG_COLLECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "include/ompt/omp-tools.h"
#include "include/ompt/omp_collector.h"

#define EVENTS (OMP_EVENT_THR_END_FINISH_TASK + 1)

typedef void event_callback(OMP_COLLECTORAPI_EVENT event);

/** A parallel region: what its ompt_data_t points to. */
struct region {
	uint64_t id;
	uint64_t parent;      // the region around it; 0: none
	uint64_t encountered; // the task that encountered it
	uint32_t users;	      // the task that encountered it, and implicit tasks
	uint32_t ended;
	uint32_t depth;	      // regions that its thread has encountered, and that have not ended
	struct region *below; // the next of these
};

/** A task: what its ompt_data_t points to. */
struct task {
	uint64_t id;
	uint64_t parent;
	uint64_t wait_id;
	OMP_COLLECTOR_API_THR_STATE state;
	OMP_COLLECTOR_API_THR_STATE work; // outside of waits
	bool begun;
	// Of an implicit task, which has always begun:
	unsigned int index; // in the team
	struct region *region;
	struct task *below;	     // which the thread goes on with
	struct task *implicit_below; // the innermost implicit task of that
};

/** A thread. */
struct thread {
	struct task *task;	    // which it is in; null: none
	struct task *implicit;	    // the innermost
	struct task *about;	    // which the present event is about, if it is not `task`
	struct region *encountered; // by this thread, and not ended: the latest
	uint32_t depth;
	struct region *forking; // which the present event is about
	struct task *finished;	// whose end is to be told with the next event
	int telling;		// events whose callbacks run
	bool is_worker;
};

extern __thread struct thread this_thread;

/** The callbacks that are registered now, all null unless there is a session. */
extern event_callback *collector_callbacks[EVENTS];
extern bool collector_paused;

/** A runtime has started this tool. */
extern bool collector_is_ready;

/** Let a runtime that is loaded start, and this tool with it. */
void start_runtime(void);
/** Check whether the runtime reports an event. */
bool is_supported(int event);
/** Check whether the runtime says that this thread does the runtime's own work. */
bool is_overhead(void);
/** Register callbacks for the events of a runtime; return whether it takes any. */
bool set_callbacks(ompt_function_lookup_t lookup);

/** Keep the compiler from moving loads and stores across this point. */
static inline void ordered(void)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

#endif
