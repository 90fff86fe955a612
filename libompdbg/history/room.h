// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files of this room share.

#ifndef OMPDBG_HISTORY_ROOM_H
#define OMPDBG_HISTORY_ROOM_H

#include "history/history.h"

enum {
	MAX_THREADS = 1 << 20,	// more are taken for damaged memory
	MAX_RING = 1 << 26,	// events
	MAX_ELEMENTS = 1 << 16, // of a thread's holds and levels
	MAX_STRIDE = 1 << 12,	// size of a structure
};

/** A block of tasks. */
struct task_block {
	uint64_t first, end; // addresses of its tasks
};

/** The data that this room keeps with a process. */
struct history_room {
	bool is_opened;
	const char *problem;
	struct history *history;
	bool has_blocks;
	struct task_block *blocks;
	size_t num_blocks, capacity;
	struct table by_thread; // the debugger's number -> struct history_thread *
};
struct history_room *history_room(struct process *process);

/** Read the target's memory. @return false: it cannot be read. */
bool history_read(struct process *process, uint64_t address, void *buffer, size_t size);

#endif
