// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "stack/room.h"

#include "libcode/code.h"

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

static bool read_code(void *context, uint64_t address, void *buffer, size_t size)
{
	const struct process *process = context;

	return is_ok(SERVICE(process, read_memory, address, buffer, size));
}

struct code_reader *process_code(struct process *process)
{
	const struct code_memory memory = { .read = read_code, .context = process };
	struct stack_room *room = stack_room(process);

	if (!room->code) {
		room->code = ARENA_NEW(&process->arena, struct code_reader);
		code_reader_init(room->code, &code_x86_64, memory);
	}
	return room->code;
}

enum answer answer_of(struct ompdbg_error *error)
{
	if (!error)
		return ANSWER_FOUND;
	enum answer answer = error->code == OMPDBG_ABSENT ? ANSWER_ABSENT : ANSWER_FAILED;
	ompdbg_error_destroy(error);
	return answer;
}
