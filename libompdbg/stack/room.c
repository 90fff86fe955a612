// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "stack/room.h"

struct stack_constants *stack_constants(struct process *process)
{
	struct constants *constants = process->constants;
	struct stack_constants *room = constants->rooms[ROOM_STACK];

	if (!room) {
		room = ARENA_NEW(&constants->arena, struct stack_constants);
		room->arena = &constants->arena;
		room->services = constants->services;
		constants->rooms[ROOM_STACK] = room;
	}
	return room;
}

struct stack_room *stack_room(struct process *process)
{
	if (!process->rooms[ROOM_STACK])
		process->rooms[ROOM_STACK] = ARENA_NEW(&process->arena, struct stack_room);
	return process->rooms[ROOM_STACK];
}

enum answer answer_of(struct ompdbg_error *error)
{
	if (!error)
		return ANSWER_FOUND;
	enum answer answer = error->code == OMPDBG_ABSENT ? ANSWER_ABSENT : ANSWER_FAILED;
	ompdbg_error_destroy(error);
	return answer;
}
