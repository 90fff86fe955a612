// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the recorder (include/ompt/recorder.h) left in the program's memory: events before the stop,
// and facts that last, as who holds a lock, since when. It may be damaged: what cannot be is left out.

#ifndef OMPDBG_HISTORY_H
#define OMPDBG_HISTORY_H

#include "model/model.h"
#include "ompt/omp-tools.h"
#include "ompt/recorder.h"

/** A thread in the recording. */
struct history_thread {
	struct record_thread record;
	struct thread *thread; // NULL: it has ended, or the process does not have it
	uint64_t written;      // number of events that it wrote
	uint64_t lost;	       // of them, how many the ring no longer has

	bool has_facts; // the rest was read
	struct record_hold *holds;
	struct record_level *levels; // outermost first
	size_t num_holds, num_levels;
};

/** A recording. Times are in ticks of its clock. */
struct history {
	struct process *process;
	struct record_root root;
	struct history_thread *threads; // in the order of their numbers in the recording
	size_t num_threads;
	uint64_t end; // when the program was stopped or, if that is unknown, of the latest event
	bool is_end_stop;  // it is when the program was stopped
	bool is_damaged;   // some of it could not be read
	double per_second; // ticks; 0: unknown
};

/** Find the recording of a process; NULL: it has none, or none that can be read. */
struct history *process_history(struct process *process);
/** Tell why the recording that a process has cannot be read; NULL. */
const char *history_problem(struct process *process);

/** Return the seconds from one time to another, negative if that is the earlier; NAN if the speed of the
 *  clock is unknown. */
double history_seconds(const struct history *history, uint64_t from, uint64_t to);

// ---- Events (events.c) -------------------------------------------------------------------------

struct history_event {
	struct history_thread *thread;
	uint64_t number; // of this event in its thread, from 0 on
	struct record_event event;
};
/** List the latest events of a thread, or of all if @p only is NULL, oldest first. @p most: 0 for all
 *  that the rings have. */
struct ompdbg_error *history_events(struct history *history, const struct history_thread *only,
				    size_t most, struct history_event **ret, size_t *count);
/** Return the earliest time from which on all events of the threads are there. */
uint64_t history_complete_from(const struct history *history, const struct history_thread *only);

// ---- Facts (facts.c) ---------------------------------------------------------------------------

/** Find what was recorded of a thread; NULL. */
struct history_thread *history_of(struct thread *thread);
/** Find a recorded thread by its number in the recording; NULL. */
struct history_thread *history_numbered(struct history *history, uint64_t number);

/** Find the wait that a thread has recorded and not ended; NULL. */
const struct record_wait *history_wait(struct thread *thread);

/** A mutex that a thread holds. */
struct history_owner {
	struct history_thread *by;
	struct record_hold hold;
};
/** Find who holds a mutex. @return false: nobody as far as is recorded, or it is not certain. */
bool history_owner(struct history *history, uint64_t object, struct history_owner *ret);

/** Find what a thread recorded of its part in a team's region; NULL. */
const struct record_level *history_level(struct thread *thread, struct team *team);

/** Find what was recorded of an explicit task. @return false: nothing. */
bool history_task(struct task *task, struct record_task *ret);

#endif
