// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What this room keeps with a process: answers about places in the code, which many threads share.

#ifndef OMPDBG_WAIT_ROOM_H
#define OMPDBG_WAIT_ROOM_H

#include "libcode/code.h"
#include "wait/evidence.h"

struct wait_room {
	struct table spins;	     // address -> struct known_spin *
	struct table own_spins;	     // stack frame -> the same, where the pointers of a frame count
	struct table readers;	     // entry of a function -> whether it only reads (spin.c)
	struct table lock_functions; // entry of a function -> row of a table (lock_function.c)
	struct table sleeps;	     // number of thread -> struct known_call *
	struct process_signal signal; // thread NULL: none
};

static inline struct wait_room *wait_room(struct process *process)
{
	if (!process->rooms[ROOM_WAIT])
		process->rooms[ROOM_WAIT] = ARENA_NEW(&process->arena, struct wait_room);
	return process->rooms[ROOM_WAIT];
}

#endif
