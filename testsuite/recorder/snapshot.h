// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the recorder's data say of one thread, by the rules for readers in recorder.h: in this process
// or, stopped, in a child that was forked and so has everything at the same addresses.

#ifndef OMPDBG_TEST_SNAPSHOT_H
#define OMPDBG_TEST_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "include/ompt/recorder.h"

#define SNAPSHOT_EVENTS 128 // a ring of 4 KiB
#define SNAPSHOT_HOLDS 32
#define SNAPSHOT_LEVELS 8
#define SNAPSHOT_TASKS 64

struct snapshot {
	bool recorded;		     // else nothing of the following is valid
	struct record_thread thread; // wait.kind 0: also if it is not the task's
	uint64_t first_event;	     // of those that are valid; up to thread.head
	struct record_event events[SNAPSHOT_EVENTS];
	struct record_hold holds[SNAPSHOT_HOLDS];    // kind 0: not valid
	struct record_level levels[SNAPSHOT_LEVELS]; // thread.num_levels are valid
	struct record_task tasks[SNAPSHOT_TASKS];    // of the latest block; id 0: not valid
};

/** Take a snapshot of the first thread in the list; 0 as process: of this one. */
bool take_snapshot(pid_t process, struct snapshot *snapshot);

/** Return the event with that number. */
const struct record_event *event_at(const struct snapshot *snapshot, uint64_t number);

#endif
