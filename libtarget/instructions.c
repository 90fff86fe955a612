// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions of the target, decoded by libcode.

#include "internal.h"

#include "libcode/code.h"

enum { MAX_LENGTH = 15 };

static enum target_flow flow_of(const struct code_instruction *instruction)
{
	switch (instruction->kind) {
	case CODE_JUMP:
		return instruction->is_direct ? TARGET_FLOW_JUMP : TARGET_FLOW_JUMP_INDIRECT;
	case CODE_JUMP_IF:
		return TARGET_FLOW_JUMP_IF;
	case CODE_RETURN:
	case CODE_TRAP:
		return TARGET_FLOW_END;
	default:
		return TARGET_FLOW_ON;
	}
}

size_t target_instructions(struct target *target, uint64_t address,
			   struct target_instruction *instructions, size_t max)
{
	size_t count = 0, at = 0, room = max * MAX_LENGTH;
	uint8_t bytes[TARGET_MAX_INSTRUCTIONS * MAX_LENGTH];
	struct code_instruction decoded;

	if (max > TARGET_MAX_INSTRUCTIONS)
		return 0;
	room = target_read(target, address, bytes, room);
	for (; count < max && at < room; at += decoded.size) {
		if (code_x86_64.decode(address + at, bytes + at, room - at, &decoded) != CODE_OK)
			break;
		const enum target_flow flow = flow_of(&decoded);
		const bool leads = flow == TARGET_FLOW_JUMP || flow == TARGET_FLOW_JUMP_IF;

		instructions[count++] = (struct target_instruction){
			.address = address + at,
			.size = decoded.size,
			.flow = flow,
			.condition = decoded.condition,
			.target = leads ? decoded.target : 0,
		};
	}
	return count;
}
