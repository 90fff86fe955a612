// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which function of a runtime a call reaches, or a frame belongs to. Asked once for each place.

#include <stdlib.h>
#include <string.h>

#include "libcode/code.h"
#include "stack/room.h"

enum {
	MAX_BLOCKS = 2048, // of a function
	MAX_FUNCTION = 1 << 18,
	MAX_FUNCTIONS = 32, // through which a call leads by jumps
};

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

bool classify_entry(struct runtime *runtime, uint64_t entry, ompd_ext_wait_site *ret)
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

// ---- Functions that end with a jump -------------------------------------------------------------
//
// A wrapper of a function of the runtime jumps there as the last that it does, and leaves no frame.

/** A function: what follows a call in it that does not return need not be of it. */
struct function_range {
	struct process *process;
	uint64_t start;
	bool has_name;
};

static bool is_in_function(void *context, uint64_t address)
{
	const struct function_range *range = context;
	struct ompdbg_symbol symbol;

	if (address < range->start || address - range->start >= MAX_FUNCTION)
		return false;
	return !range->has_name || (is_ok(SERVICE(range->process, symbol_at, address, &symbol)) &&
				    symbol.offset == address - range->start);
}

static bool build_flow(struct process *process, const struct code_function *function,
		       struct code_flow *ret)
{
	struct code_block *blocks = calloc(MAX_BLOCKS, sizeof(*blocks));

	if (!blocks)
		out_of_memory();
	*ret = (struct code_flow){ .blocks = blocks, .capacity = MAX_BLOCKS };
	bool is_known = function->entry &&
			code_flow_build(process_code(process), function, ret) == CODE_OK;
	ret->blocks = ARENA_ARRAY(&process->arena, struct code_block, ret->count);
	memcpy(ret->blocks, blocks, ret->count * sizeof(*blocks));
	free(blocks);
	return is_known;
}

bool function_own_flow(struct process *process, uint64_t start, struct code_flow *ret)
{
	struct function_range range = { .process = process, .start = start };
	const struct code_function function = { .entry = start,
						.contains = is_in_function,
						.context = &range };
	struct ompdbg_symbol symbol;

	range.has_name = is_ok(SERVICE(process, symbol_at, start, &symbol)) && !symbol.offset;
	return build_flow(process, &function, ret);
}

/** Add a function to which one of the user's jumps: it is the end of a way, or jumps on. */
static void add_jump(struct process *process, struct jumps *jumps, uint64_t entry, size_t *capacity)
{
	for (size_t i = 0; i < jumps->count; i++) {
		if (jumps->all[i].entry == entry)
			return;
	}
	*ARENA_APPEND(&process->arena, jumps->all, jumps->count, *capacity) =
		(struct jump){ entry, code_owner(process, entry) };
}

/** Follow the jumps out of a function. @return false: not all of them are known. */
static bool follow_jumps(struct process *process, struct jumps *jumps, uint64_t entry,
			 size_t *capacity)
{
	struct code_reader *code = process_code(process);
	struct code_instruction jump;
	struct code_flow flow;
	uint64_t target;

	if (!function_own_flow(process, entry, &flow) || !flow.is_complete)
		return false;
	for (uint32_t i = 0; i < flow.count; i++) {
		const struct code_block *block = &flow.blocks[i];
		if (block->jumps || (block->kind != CODE_JUMP && block->kind != CODE_JUMP_IF))
			continue;
		if (code_decode(code, block->last, &jump) != CODE_OK)
			return false;
		switch (code_callee(code, &jump, &target)) {
		case CODE_OK:
			add_jump(process, jumps, target, capacity);
			break;
		case CODE_UNBOUND: // nobody has jumped there yet
			break;
		default:
			return false;
		}
	}
	return true;
}

const struct jumps *jumps_from(struct process *process, uint64_t entry)
{
	struct jumps **known =
		(struct jumps **)table_put(&stack_room(process)->jumps, &process->arena, entry);
	size_t capacity = 0;

	if (*known)
		return *known;
	struct jumps *jumps = *known = ARENA_NEW(&process->arena, struct jumps);
	jumps->is_complete = true;
	add_jump(process, jumps, entry, &capacity);
	for (size_t i = 0; i < jumps->count && jumps->is_complete; i++) {
		if (jumps->all[i].owner == FRAME_USER)
			jumps->is_complete =
				i < MAX_FUNCTIONS &&
				follow_jumps(process, jumps, jumps->all[i].entry, &capacity);
	}
	return jumps;
}

/** Find the function that a frame has called or, if it left no trace on the stack, to which it has jumped.
 *  @return 0: unknown. */
static uint64_t called_entry(struct process *process, struct stack_frame *frame)
{
	struct code_reader *code = process_code(process);
	const struct code_instruction *call = NULL;
	struct code_instruction jump;
	struct code_flow flow;
	uint64_t entry;

	if (!frame->at.is_tail_call) {
		call = call_before(process, frame->at.pc);
	} else if (frame->place && function_flow(process, frame->place->function.start, &flow)) {
		const struct code_block *block = code_flow_block(&flow, frame->at.pc - 1);
		if (block && block->end == frame->at.pc &&
		    code_decode(code, block->last, &jump) == CODE_OK)
			call = &jump;
	}
	return call && code_callee(code, call, &entry) == CODE_OK ? entry : 0;
}

bool call_sites(struct runtime *runtime, struct stack_frame *frame, struct call_sites *ret)
{
	const uint64_t entry = called_entry(runtime->process, frame);
	const struct jumps *jumps = entry ? jumps_from(runtime->process, entry) : NULL;

	*ret = (struct call_sites){ 0 };
	if (!jumps || !jumps->is_complete)
		return false;
	ret->all = ARENA_ARRAY(&runtime->process->arena, ompd_ext_wait_site, jumps->count);
	for (size_t i = 0; i < jumps->count; i++) {
		if (jumps->all[i].owner == FRAME_USER)
			continue;
		if (classify_entry(runtime, jumps->all[i].entry, &ret->all[ret->count]))
			ret->count++;
		else
			ret->has_others |= jumps->all[i].owner != FRAME_SYSTEM;
	}
	return true;
}

/** Find the one function of the runtime that a call reaches, or those of one kind, as classify_call(). */
static bool classify_jumps(struct runtime *runtime, struct stack_frame *frame,
			   ompd_ext_wait_site *ret)
{
	struct call_sites sites;

	if (!call_sites(runtime, frame, &sites) || sites.has_others || !sites.count)
		return false;
	for (size_t i = 1; i < sites.count; i++) {
		if (sites.all[i].kind != sites.all[0].kind)
			return false;
	}
	*ret = sites.all[0];
	return true;
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
		known->is_site = (!frame->at.is_tail_call &&
				  is_ok(SPACE_CALL(space, ext_classify_call, space_handle(space),
						   frame->at.pc, &known->site))) ||
				 classify_jumps(runtime, frame, &known->site);
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

	return build_flow(process, &function, ret);
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
