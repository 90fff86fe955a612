// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which function of a runtime a call reaches, or a frame belongs to. Asked once for each place.

#include <stdlib.h>
#include <string.h>

#include "libcode/code.h"
#include "stack/room.h"

enum { MAX_BLOCKS = 2048, MAX_FUNCTION = 1 << 18 }; // of a function: blocks, bytes

/** The answer of a runtime's library about an address. */
struct known_site {
	struct runtime *runtime;
	struct known_site *next;
	bool is_site;
	ompd_ext_wait_site site;
};

static struct known_site *find_known(struct known_site *first, const struct runtime *runtime)
{
	while (first && first->runtime != runtime)
		first = first->next;
	return first;
}

/** Return what is known of an address, or a new record with *is_new set. */
static struct known_site *known_site(struct runtime *runtime, struct table *table, uint64_t address,
				     bool *is_new)
{
	struct arena *arena = &runtime->process->arena;
	struct known_site **first = (struct known_site **)table_put(table, arena, address);
	struct known_site *known = find_known(*first, runtime);

	*is_new = !known;
	if (!known) {
		known = ARENA_NEW(arena, struct known_site);
		known->runtime = runtime;
		known->next = *first;
		*first = known;
	}
	return known;
}

/** Find which function of the runtime begins at an address, as classify_call(). */
static bool classify_entry(struct runtime *runtime, uint64_t entry, ompd_ext_wait_site *ret)
{
	struct space *space = runtime->space;
	bool is_new;

	if (!entry)
		return false;
	struct known_site *known =
		known_site(runtime, &stack_room(runtime->process)->entries, entry, &is_new);
	if (is_new)
		known->is_site = is_ok(SPACE_CALL(space, ext_classify_entry, space_handle(space),
						  entry, &known->site));
	*ret = known->site;
	return known->is_site;
}

bool classify_call(struct runtime *runtime, struct stack_frame *frame, ompd_ext_wait_site *ret)
{
	struct space *space = runtime->space;
	bool is_new;

	if (!frame->at.is_call)
		return false;
	struct known_site *known =
		known_site(runtime, &stack_room(runtime->process)->calls, frame->at.pc, &is_new);
	if (is_new)
		known->is_site = is_ok(SPACE_CALL(space, ext_classify_call, space_handle(space),
						  frame->at.pc, &known->site));
	*ret = known->site;
	return known->is_site;
}

bool classify_frame(struct runtime *runtime, struct thread *thread, struct stack_frame *frame,
		    ompd_ext_wait_site *ret)
{
	return classify_entry(runtime, stack_place(thread_stack(thread), frame)->start, ret);
}

const struct code_instruction *call_before(struct process *process, uint64_t pc)
{
	struct table *calls = &stack_room(process)->instructions;
	struct code_instruction **known =
		(struct code_instruction **)table_put(calls, &process->arena, pc);

	if (!*known) {
		*known = ARENA_NEW(&process->arena, struct code_instruction);
		if (code_call_before(process_code(process), pc, *known) != CODE_OK)
			(*known)->kind = CODE_OTHER;
	}
	return (*known)->kind == CODE_CALL ? *known : NULL;
}

uint64_t frame_here(struct process *process, const struct stack_frame *frame)
{
	const struct code_instruction *call =
		frame->at.is_call ? call_before(process, frame->at.pc) : NULL;

	return call ? call->address : frame->at.is_call ? 0 : frame->at.pc;
}

enum ompdbg_register service_register(unsigned int number)
{
	static const uint8_t first[] = { OMPDBG_RAX, OMPDBG_RCX, OMPDBG_RDX, OMPDBG_RBX,
					 OMPDBG_RSP, OMPDBG_RBP, OMPDBG_RSI, OMPDBG_RDI };

	return number < sizeof(first) ? (enum ompdbg_register)first[number] :
					(enum ompdbg_register)number;
}

bool function_flow(struct process *process, uint64_t start, struct code_flow *ret)
{
	const struct code_function function = { .entry = start,
						.begin = start,
						.end = start + MAX_FUNCTION };
	struct code_block *blocks = calloc(MAX_BLOCKS, sizeof(*blocks));

	if (!blocks)
		out_of_memory();
	*ret = (struct code_flow){ .blocks = blocks, .capacity = MAX_BLOCKS };
	bool is_known = start && code_flow_build(process_code(process), &function, ret) == CODE_OK;
	ret->blocks = ARENA_ARRAY(&process->arena, struct code_block, ret->count);
	memcpy(ret->blocks, blocks, ret->count * sizeof(*blocks));
	free(blocks);
	return is_known;
}

bool classify_block(struct runtime *runtime, const struct code_block *block,
		    ompd_ext_wait_site *ret)
{
	struct code_reader *code = process_code(runtime->process);
	struct code_instruction call;
	uint64_t entry;

	return (block->kind == CODE_CALL || block->kind == CODE_JUMP) &&
	       code_decode(code, block->last, &call) == CODE_OK &&
	       code_callee(code, &call, &entry) == CODE_OK && classify_entry(runtime, entry, ret);
}

bool calls_users_code(struct process *process, const struct stack_frame *frame)
{
	const struct code_instruction *call = call_before(process, frame->at.pc);

	if (!call || call->is_direct)
		return false;
	for (size_t i = 0; i < call->operand_count; i++) {
		const struct code_operand *operand = &call->operands[i];
		if (operand->implied)
			continue;
		if (operand->kind == CODE_REGISTER)
			return true;
		if (operand->kind == CODE_MEMORY)
			return operand->segment == CODE_PLAIN && !code_is_absolute(operand);
	}
	return false;
}
