// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The function with a construct's code, which GCC's program passes to the runtime. Before a loop its address
// is put into a register that calls leave alone.

#include "libcode/code.h"
#include "stack/names.h"
#include "stack/room.h"

enum { MAX_WRITES = 16 };

/** An instruction that writes the register. */
struct write {
	const struct code_block *block;
	uint64_t end;
	uint64_t value; // an address, 0: something else
};

struct writes {
	struct write all[MAX_WRITES];
	size_t count;
};

/** Note the writes of a block; false if they can't be known. */
static bool note_writes(struct code_reader *reader, const struct code_block *block,
			unsigned int reg, struct writes *writes)
{
	struct code_instruction instruction;

	for (uint64_t pc = block->begin; pc < block->end; pc = code_end(&instruction)) {
		if (code_decode(reader, pc, &instruction) != CODE_OK)
			return false;
		if (instruction.kind == CODE_CALL || !code_may_write(&instruction, reg))
			continue;
		if (writes->count == MAX_WRITES)
			return false;
		const struct code_reference reference = code_reference(&instruction);
		const bool is_address = reference.kind == CODE_VARIABLE_ADDRESS;

		writes->all[writes->count++] = (struct write){ block, code_end(&instruction),
							       is_address ? reference.address : 0 };
	}
	return true;
}

static bool is_block(void *context, const struct code_block *block)
{
	return block == context;
}

/** Check whether control comes to a call past this write only, and past none after it. */
static bool is_last(const struct code_flow *flow, const struct writes *writes,
		    const struct write *last, uint64_t call)
{
	if (last->block == code_flow_block(flow, call) ||
	    code_flow_reaches(flow, flow->entry, call, is_block, (void *)last->block))
		return false;
	for (size_t i = 0; i < writes->count; i++) {
		const struct write *other = &writes->all[i];

		if (other == last)
			continue;
		if (other->block == last->block ? other->end > last->end :
						  code_flow_reaches(flow, other->end, call,
								    is_block, (void *)last->block))
			return false;
	}
	return true;
}

/** Find the address that a register holds at a call, on every way to there. */
static bool address_at_call(struct process *process, uint64_t start, uint64_t call,
			    unsigned int reg, uint64_t *ret)
{
	struct code_reader *reader = process_code(process);
	struct writes writes = { .count = 0 };
	struct code_flow flow;

	if (!function_flow(process, start, &flow) || !flow.is_complete)
		return false;
	for (uint32_t i = 0; i < flow.count; i++) {
		if (!note_writes(reader, &flow.blocks[i], reg, &writes))
			return false;
	}
	for (size_t i = 0; i < writes.count; i++) {
		if (!writes.all[i].value || !is_last(&flow, &writes, &writes.all[i], call))
			continue;
		*ret = writes.all[i].value;
		return true;
	}
	return false;
}

bool stack_passed_code(struct process *process, uint64_t returns, struct ompdbg_function *ret)
{
	struct code_reader *reader = process_code(process);
	struct code_instruction call;
	struct code_argument argument;
	struct ompdbg_function caller;

	if (code_argument(reader, NULL, returns, 0, &argument) != CODE_OK || argument.in_memory)
		return false;
	if (argument.reg != CODE_NO_REGISTER &&
	    (argument.value || argument.scale != 1 ||
	     code_call_before(reader, returns, &call) != CODE_OK ||
	     !is_ok(SERVICE(process, function_at, call.address, &caller)) || !caller.start ||
	     !address_at_call(process, caller.start, call.address, argument.reg, &argument.value)))
		return false;
	return is_ok(SERVICE(process, function_at, argument.value, ret)) &&
	       ret->start == argument.value && is_outlined_name(ret->symbol);
}
