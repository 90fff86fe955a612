// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "wait/room.h"

struct wait_room *wait_room(struct process *process)
{
	if (!process->rooms[ROOM_WAIT])
		process->rooms[ROOM_WAIT] = ARENA_NEW(&process->arena, struct wait_room);
	return process->rooms[ROOM_WAIT];
}
