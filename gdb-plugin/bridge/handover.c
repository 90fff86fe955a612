// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls by which compiled code hands the code of a construct to a runtime, or announces that it
// executes that code itself. Such functions are the interface between compilers and runtimes, with the
// calling convention of x86-64.

#include "handover.h"

#include "base/objects.h"
#include "base/text.h"
#include "libcode/code.h"
#include "stack/names.h"
#include "stack/room.h"
#include "wait/evidence.h"

enum {
	MAX_INSTRUCTIONS = 200, // that are looked at one after another
	MAX_FUNCTION = 1 << 16, // bytes
	MAX_BLOCKS = 2048,
	MAX_BODIES = 8,
	POINTER = 8,
	TASKLOOP_NOGROUP = 1 << 11, // in the sixth argument of GOMP_taskloop
};

// ---- The functions -----------------------------------------------------------------------------

enum { FIRST, SECOND, THIRD, FOURTH, FIFTH, SIXTH };

static const enum ompdbg_register arguments[] = {
	[FIRST] = OMPDBG_RDI,  [SECOND] = OMPDBG_RSI, [THIRD] = OMPDBG_RDX,
	[FOURTH] = OMPDBG_RCX, [FIFTH] = OMPDBG_R8,   [SIXTH] = OMPDBG_R8 + 1,
};

const struct handover_function handover_functions[] = {
	{ "GOMP_parallel", HANDOVER_REGION, FIRST },
	{ "GOMP_parallel_reductions", HANDOVER_REGION, FIRST },
	{ "GOMP_parallel_sections", HANDOVER_REGION, FIRST },
	{ "GOMP_parallel_loop_static", HANDOVER_REGION, FIRST },
	{ "GOMP_parallel_loop_dynamic", HANDOVER_REGION, FIRST },
	{ "GOMP_parallel_loop_guided", HANDOVER_REGION, FIRST },
	{ "GOMP_parallel_loop_runtime", HANDOVER_REGION, FIRST },
	{ "GOMP_parallel_loop_nonmonotonic_dynamic", HANDOVER_REGION, FIRST },
	{ "GOMP_parallel_loop_nonmonotonic_guided", HANDOVER_REGION, FIRST },
	{ "GOMP_parallel_loop_nonmonotonic_runtime", HANDOVER_REGION, FIRST },
	{ "GOMP_parallel_loop_maybe_nonmonotonic_runtime", HANDOVER_REGION, FIRST },
	{ "GOMP_teams_reg", HANDOVER_REGION, FIRST },
	{ "__kmpc_fork_call", HANDOVER_REGION, THIRD },
	{ "__kmpc_fork_call_if", HANDOVER_REGION, THIRD },
	{ "__kmpc_fork_teams", HANDOVER_REGION, THIRD },
	{ "__kmpc_serialized_parallel", HANDOVER_SERIALIZED, FIRST },
	{ "GOMP_task", HANDOVER_TASK, FIRST },
	{ "__kmpc_omp_task_alloc", HANDOVER_TASK, SIXTH },
	{ "__kmpc_omp_target_task_alloc", HANDOVER_TASK, SIXTH },
	{ "GOMP_taskloop", HANDOVER_TASKLOOP, FIRST },
	{ "GOMP_taskloop_ull", HANDOVER_TASKLOOP, FIRST },
	{ "__kmpc_omp_task_begin_if0", HANDOVER_TASK_BEGINS, THIRD },
	{ "__kmpc_omp_task_complete_if0", HANDOVER_TASK_ENDS, THIRD },
	{ 0 },
};

static const char end_of_serialized[] = "__kmpc_end_serialized_parallel";

const char *handover_kind_name(enum handover_kind kind)
{
	static const char *const names[] = {
		[HANDOVER_REGION] = "region",
		[HANDOVER_SERIALIZED] = "region",
		[HANDOVER_TASK] = "task",
		[HANDOVER_TASKLOOP] = "taskloop",
		[HANDOVER_TASK_BEGINS] = "task begins",
		[HANDOVER_TASK_ENDS] = "task ends",
	};

	return names[kind];
}

static const struct handover_function *function_named(const char *name)
{
	for (const struct handover_function *one = handover_functions; one->name; one++) {
		if (strcmp(one->name, name) == 0)
			return one;
	}
	return NULL;
}

// ---- Symbols -----------------------------------------------------------------------------------

static bool find_symbol(const struct process *process, uint64_t address, struct ompdbg_symbol *ret)
{
	const struct ompdbg_services *services = process->services;

	return is_ok(services->symbol_at(services->context, address, ret));
}

/** Return where the symbol begins that covers an address; 0: there is none. */
static uint64_t start_of(const struct process *process, uint64_t address)
{
	struct ompdbg_symbol symbol;

	return find_symbol(process, address, &symbol) ? address - symbol.offset : 0;
}

/** Return where the symbol ends that begins at an address: what it covers is in one piece. */
static uint64_t end_of(const struct process *process, uint64_t start)
{
	uint64_t inside = start, outside = start + MAX_FUNCTION;

	while (outside - inside > 1) {
		uint64_t middle = inside + (outside - inside) / 2;

		if (start_of(process, middle) == start)
			inside = middle;
		else
			outside = middle;
	}
	return outside;
}

/** Find the function for which the linker made a stub, which has its name: "exit@plt". */
static bool find_stubs_function(struct process *process, uint64_t stub, uint64_t *ret)
{
	const struct ompdbg_services *services = process->services;
	struct ompdbg_symbol symbol;
	const char *mark = NULL;

	if (find_symbol(process, stub, &symbol))
		mark = strstr(symbol.name, "@plt");
	if (!mark)
		return false;
	const char *name =
		arena_strndup(&process->arena, symbol.name, (size_t)(mark - symbol.name));
	return is_ok(services->symbol_address(services->context, name, NULL, 0, ret));
}

/** Find the function that a call or jump reaches, even if it was not called yet. */
static bool find_callee(struct process *process, const struct code_instruction *call, uint64_t *ret)
{
	return code_callee(process_code(process), call, ret) == CODE_OK ||
	       (call->is_direct && find_stubs_function(process, call->target, ret));
}

// ---- Code that executes a construct itself -----------------------------------------------------

/** Find where code goes on after the region that it executes itself, from a place in that; 0: unknown.
 *  *code: the function with the region's code, if it is called on the way. */
uint64_t serialized_region_end(struct process *process, uint64_t pc, uint64_t *code)
{
	struct code_reader *reader = process_code(process);
	struct code_instruction call;
	struct ompdbg_symbol symbol;
	uint64_t entry;

	*code = 0;
	for (int i = 0; i < MAX_INSTRUCTIONS; i++, pc = code_end(&call)) {
		if (code_decode(reader, pc, &call) != CODE_OK)
			return 0;
		if (call.kind != CODE_CALL || !find_callee(process, &call, &entry))
			continue;
		if (find_symbol(process, entry, &symbol) &&
		    strcmp(symbol.name, end_of_serialized) == 0)
			return code_end(&call);
		const struct ompdbg_function *function = find_function(process, entry);
		if (!*code && function && is_clangs_name(function->symbol))
			*code = entry;
	}
	return 0;
}

/** Find the function that code calls before it goes anywhere else; 0: none. */
static uint64_t next_call(struct process *process, uint64_t pc)
{
	struct code_instruction call;
	uint64_t entry;

	for (int i = 0; i < MAX_INSTRUCTIONS; i++, pc = code_end(&call)) {
		if (code_decode(process_code(process), pc, &call) != CODE_OK)
			return 0;
		if (call.kind == CODE_CALL && find_callee(process, &call, &entry))
			return entry;
		if (call.kind != CODE_OTHER)
			return 0;
	}
	return 0;
}

/** Find the function to which another one only jumps; 0: it does more. GCC makes such functions of code
 *  that is the same as another's. */
static uint64_t only_jumps_to(struct process *process, uint64_t entry)
{
	struct code_instruction jump;

	do {
		if (code_decode(process_code(process), entry, &jump) != CODE_OK)
			return 0;
		entry = code_end(&jump);
	} while (jump.operation == CODE_NOTHING && jump.kind == CODE_OTHER);
	if (jump.kind != CODE_JUMP || !jump.is_direct)
		return 0;
	return start_of(process, jump.target) == jump.target ? jump.target : 0;
}

// ---- A thread at the beginning of such a function ----------------------------------------------

static bool read_word(const struct process *process, uint64_t address, uint64_t *ret)
{
	const struct ompdbg_services *services = process->services;

	return is_ok(services->read_memory(services->context, address, ret, sizeof(*ret)));
}

/** Find the code of a task that the caller executes itself. */
static void find_own_task(struct process *process, struct handover *found)
{
	// What compilers know of a task, too: they follow a pointer to what is shared, and the next one
	// is that to its code.
	if (!read_word(process, found->task + POINTER, &found->code))
		found->code = 0;
	if (code_owner(process, found->back) == FRAME_RUNTIME)
		found->code = 0; // the runtime does so, too
	found->is_called = found->code && next_call(process, found->back) == found->code;
}

static void find_own_region(struct process *process, struct handover *found)
{
	uint64_t back = found->back;

	found->code = found->back = 0;
	if (code_owner(process, back) != FRAME_RUNTIME)
		found->back = serialized_region_end(process, back, &found->code);
}

struct ompdbg_error *find_handover(struct thread *thread, const char *name, struct handover *ret)
{
	struct process *process = thread->runtime->process;
	const struct ompdbg_services *services = process->services;
	const struct handover_function *function = function_named(name);
	struct ompdbg_registers registers;

	*ret = (struct handover){ 0 };
	if (!function)
		return ompdbg_error_create(OMPDBG_BAD_INPUT, "no function %s is known", name);
	uint32_t wanted = UINT32_C(1) << arguments[function->argument] |
			  UINT32_C(1) << arguments[SIXTH] | UINT32_C(1) << OMPDBG_RSP;
	struct ompdbg_error *error =
		services->registers(services->context, thread->target->number, wanted, &registers);
	if (error)
		return error;
	uint64_t stack = registers.values[OMPDBG_RSP];
	if ((registers.known & wanted) != wanted || !read_word(process, stack, &ret->back))
		return ompdbg_error_create(OMPDBG_UNAVAILABLE, "cannot read the arguments of %s",
					   name);
	uint64_t argument = registers.values[arguments[function->argument]];
	ret->kind = function->kind;
	ret->stack_pointer = stack + POINTER;
	ret->waits = ret->kind == HANDOVER_TASKLOOP &&
		     !(registers.values[arguments[SIXTH]] & TASKLOOP_NOGROUP);
	if (ret->kind == HANDOVER_TASK_BEGINS || ret->kind == HANDOVER_TASK_ENDS) {
		ret->task = argument;
		find_own_task(process, ret);
	} else if (ret->kind == HANDOVER_SERIALIZED) {
		find_own_region(process, ret);
	} else {
		ret->code = argument;
	}
	if (ret->code)
		ret->jumps_to = only_jumps_to(process, ret->code);
	return NULL;
}

// ---- Functions with the code of a construct ----------------------------------------------------

/** Find the control flow of a function. @return false: it is too large, or cannot be read. */
static bool find_flow(struct process *process, uint64_t start, uint64_t end, struct code_flow *ret)
{
	struct code_function function = { .entry = start, .begin = start, .end = end };

	*ret = (struct code_flow){
		.blocks = ARENA_ARRAY(&process->arena, struct code_block, MAX_BLOCKS),
		.capacity = MAX_BLOCKS,
	};
	return code_flow_build(process_code(process), &function, ret) == CODE_OK;
}

/** Check for a function that makes its frame first. */
static bool makes_frame(struct process *process, uint64_t start)
{
	struct code_reader *code = process_code(process);
	struct code_instruction insn;

	do {
		if (code_decode(code, start, &insn) != CODE_OK)
			return false;
		start = code_end(&insn);
	} while (insn.operation == CODE_NOTHING && insn.kind == CODE_OTHER);
	if (insn.operation != CODE_PUSH ||
	    insn.operands[0].base != code->architecture->frame_register)
		return false;
	return code_decode(code, start, &insn) == CODE_OK && insn.operation == CODE_MOVE &&
	       insn.operands[0].kind == CODE_REGISTER &&
	       (insn.writes & UINT64_C(1) << code->architecture->frame_register) &&
	       (insn.reads & UINT64_C(1) << code->architecture->stack_register);
}

static struct handover_body *add_body(struct process *process, uint64_t start,
				      struct handover_body *bodies, size_t *count)
{
	struct handover_body *body = &bodies[*count];

	for (size_t i = 0; i < *count; i++) {
		if (bodies[i].start == start)
			return NULL;
	}
	if (*count == MAX_BODIES)
		return NULL;
	*body = (struct handover_body){
		.start = start,
		.end = end_of(process, start),
		.makes_frame = makes_frame(process, start),
	};
	(*count)++;
	return body;
}

/** Find what the calls of a function tell: the first one, and functions that have the code. */
static void look_at_calls(struct process *process, uint64_t start, struct handover_body *bodies,
			  size_t *count, bool is_outer)
{
	struct handover_body *body = add_body(process, start, bodies, count);
	struct code_instruction call;
	struct code_flow flow;
	bool is_first = true;
	uint64_t entry;

	if (!body || !find_flow(process, start, body->end, &flow))
		return;
	for (uint32_t i = 0; i < flow.count; i++) {
		if (flow.blocks[i].kind != CODE_CALL ||
		    code_decode(process_code(process), flow.blocks[i].last, &call) != CODE_OK)
			continue;
		if (is_first && !call.is_direct && call.operands[0].kind == CODE_REGISTER)
			body->pointer_call = call.address;
		is_first = false;
		if (!is_outer || !find_callee(process, &call, &entry))
			continue;
		const struct ompdbg_function *function = find_function(process, entry);
		if (function && is_debug_body(function->name))
			look_at_calls(process, entry, bodies, count, false);
	}
}

const struct handover_body *find_bodies(struct process *process, uint64_t code, size_t *count)
{
	struct handover_body *bodies =
		ARENA_ARRAY(&process->arena, struct handover_body, MAX_BODIES);

	*count = 0;
	look_at_calls(process, code, bodies, count, true);
	return bodies;
}

const uint64_t *find_last_jumps(struct process *process, uint64_t pc, size_t *count)
{
	uint64_t start = start_of(process, pc), entry, *jumps = NULL;
	struct code_instruction jump;
	struct code_flow flow;
	size_t capacity = 0;

	*count = 0;
	if (!start || !find_flow(process, start, end_of(process, start), &flow))
		return NULL;
	for (uint32_t i = 0; i < flow.count; i++) {
		const struct code_block *block = &flow.blocks[i];

		if (block->kind == CODE_JUMP && !block->jumps &&
		    code_decode(process_code(process), block->last, &jump) == CODE_OK &&
		    find_callee(process, &jump, &entry) &&
		    code_owner(process, entry) == FRAME_RUNTIME)
			*ARENA_APPEND(&process->arena, jumps, *count, capacity) = jump.address;
	}
	return jumps;
}
