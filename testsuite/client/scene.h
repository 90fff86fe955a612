// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An OpenMP program that comes to rest with threads in as many situations as there are, and that has
// noted what its runtime's own routines answered. It is a module, compiled for each runtime.

#ifndef SCENE_H
#define SCENE_H

#include <stdatomic.h>
#include <stdint.h>

#include "oracle.h"

enum scene {
	SCENE_TASKS, // queued and blocked tasks on two levels; all threads are in the program's code
	SCENE_WAITS,   // one thread in each kind of wait, others idle
	SCENE_ORDERED, // two threads wait for their turn
	SCENE_LEAGUE,  // teams, and regions of one thread within them
	SCENES,
};

/** What a thread does when the program is at rest. */
enum scene_place {
	PLACE_CODE,
	PLACE_BARRIER,
	PLACE_TASKWAIT,
	PLACE_TASKGROUP,
	PLACE_LOCK,
	PLACE_NEST_LOCK,
	PLACE_CRITICAL,
	PLACE_ORDERED,
};

/** One thread, in its innermost task. */
struct scene_note {
	uint64_t pthread;
	int32_t lwp;
	uint32_t place; // enum scene_place
	struct oracle oracle;
};

enum { SCENE_NOTES = 32 };

struct scene_truth {
	atomic_int count;
	struct scene_note notes[SCENE_NOTES];
	uint64_t lock, nest_lock; // addresses of the program's variables
	uint64_t owner;		  // pthread_t of who holds both
	atomic_int over;	  // the threads may go on
};

/** Plays a scene. @p ready is called by one thread when the others are at rest. */
typedef void scene_fn(enum scene scene, void (*ready)(void));

#endif
