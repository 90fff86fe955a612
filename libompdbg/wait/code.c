// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The code of the process for libcode, and what is kept with the process by this room.

#include "libcode/code.h"
#include "wait/room.h"

static bool read_code(void *context, uint64_t address, void *buffer, size_t size)
{
	const struct process *process = context;
	const struct ompdbg_services *services = process->services;

	return is_ok(services->read_memory(services->context, address, buffer, size));
}

struct wait_room *wait_room(struct process *process)
{
	struct wait_room *room = process->rooms[ROOM_WAIT];

	if (!room) {
		struct code_memory memory = { .read = read_code, .context = process };

		room = ARENA_NEW(&process->arena, struct wait_room);
		code_reader_init(&room->code, &code_x86_64, memory);
		process->rooms[ROOM_WAIT] = room;
	}
	return room;
}

struct code_reader *process_code(struct process *process)
{
	return &wait_room(process)->code;
}
