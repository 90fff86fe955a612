// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads in a loop that only looks at memory. What such a loop does next depends on memory alone, to
// which it does not write: it goes round until another thread, or a signal, changes what it reads.

#include <string.h>

#include "wait/room.h"

enum {
	MAX_FRAMES = 8,
	WORD = 8,
	RED_ZONE = 128, // bytes below the stack that a function may use
	MAX_DEPTH = 4,	// of functions that call one another
};

struct known_spin {
	bool is_spin;
	struct spin spin;
};

/** Check for a function that gives time away or reads memory: how often it is called changes
 *  nothing. */
static bool is_harmless_name(struct process *process, const char *function)
{
	static const char *const harmless[] = {
		"sched_yield",
		"pthread_yield",
		"thrd_yield",
		"usleep",
		"sleep",
		"nanosleep",
		"clock_nanosleep",
		"__kmpc_flush",
		"omp_test_lock",
		"omp_test_nest_lock",
		"omp_test_lock_",
		"omp_test_nest_lock_",
		"pthread_spin_trylock",
	};
	char *name = arena_strndup(&process->arena, function, strcspn(function, "@"));
	const char *own = system_function_name(process, name);

	for (size_t i = 0; i < sizeof(harmless) / sizeof(*harmless); i++) {
		if (strcmp(name, harmless[i]) == 0 || strcmp(own, harmless[i]) == 0)
			return true;
	}
	return false;
}

// ---- Functions that only read ------------------------------------------------------------------

static bool only_reads(struct process *process, uint64_t entry, int depth);

/** Check for an instruction of a function that stores nothing but in its own frame, and does not go back. */
static bool is_plain(struct process *process, const struct code_instruction *insn)
{
	const struct code_architecture *architecture = process_code(process)->architecture;

	if (insn->is_opaque ||
	    (insn->kind != CODE_CALL && insn->is_direct && insn->target <= insn->address))
		return false;
	for (unsigned int i = 0; i < insn->operand_count; i++) {
		const struct code_operand *operand = &insn->operands[i];
		if (operand->kind != CODE_MEMORY || !(operand->access & CODE_WRITES) ||
		    operand->implied)
			continue;
		if (operand->index != CODE_NO_REGISTER ||
		    (operand->base != architecture->stack_register &&
		     !(operand->base == architecture->frame_register && operand->number < 0)))
			return false;
	}
	return true;
}

/** Check the instructions of a block, and what it calls. */
static bool is_plain_block(struct process *process, const struct code_block *block, int depth)
{
	struct code_reader *code = process_code(process);
	struct code_instruction insn;
	uint64_t entry;

	for (uint64_t at = block->begin; at < block->end; at = code_end(&insn)) {
		if (code_decode(code, at, &insn) != CODE_OK || !is_plain(process, &insn))
			return false;
	}
	switch (block->kind) {
	case CODE_CALL:
	case CODE_JUMP:
	case CODE_JUMP_IF:
		return block->jumps || (code_callee(code, &insn, &entry) == CODE_OK &&
					only_reads(process, entry, depth + 1));
	default:
		return true;
	}
}

/** Check for a function of the user's that gives back something that it has read, as an accessor of a class
 *  does: no loop is in it, and it changes nothing. */
static bool only_reads(struct process *process, uint64_t entry, int depth)
{
	enum { ASKED = 1, READS };
	struct code_flow flow;

	if (depth == MAX_DEPTH || code_owner(process, entry) != FRAME_USER)
		return false;
	uintptr_t *known =
		(uintptr_t *)table_put(&wait_room(process)->readers, &process->arena, entry);
	if (*known)
		return *known == READS;
	*known = ASKED;
	bool reads = function_own_flow(process, entry, &flow) && flow.is_complete;
	for (uint32_t i = 0; reads && i < flow.count; i++)
		reads = is_plain_block(process, &flow.blocks[i], depth);
	if (reads)
		*(uintptr_t *)table_put(&wait_room(process)->readers, &process->arena, entry) =
			READS;
	return reads;
}

// ---- The loop ----------------------------------------------------------------------------------

/** The place of a thread whose loop is looked at. */
struct spinner {
	struct thread *thread;
	struct stack_frame *frame;
	bool is_own; // its pointers count, not the code alone
};

static bool is_harmless(void *context, uint64_t entry)
{
	const struct spinner *spinner = context;
	struct process *process = spinner->thread->runtime->process;
	struct ompdbg_symbol symbol;

	return (is_ok(SERVICE(process, symbol_at, entry, &symbol)) && !symbol.offset &&
		is_harmless_name(process, symbol.name)) ||
	       only_reads(process, entry, 0);
}

/** Read the stack pointer of a frame. */
static bool stack_pointer(const struct spinner *spinner, const struct stack_frame *frame,
			  uint64_t *ret)
{
	return frame &&
	       is_ok(SERVICE(spinner->thread->runtime->process, frame_register,
			     spinner->thread->target->number, &frame->at, OMPDBG_RSP, ret));
}

/** Check that what a pointer in a kept register or in the frame leads to is not in the frame. */
static bool is_elsewhere(void *context, const struct code_value *value)
{
	struct spinner *spinner = context;
	struct process *process = spinner->thread->runtime->process;
	struct stack *stack = thread_stack(spinner->thread);
	uint64_t address, begin, end;

	spinner->is_own = true;
	if (value->base != CODE_HELD || value->reg > OMPDBG_R15 ||
	    !is_ok(SERVICE(process, frame_register, spinner->thread->target->number,
			   &spinner->frame->at, service_register(value->reg), &address)) ||
	    !stack_pointer(spinner, spinner->frame, &begin) ||
	    !stack_pointer(spinner, stack_frame(stack, spinner->frame->index + 1), &end))
		return false;
	address += (uint64_t)value->offset[0];
	for (unsigned int i = 0; i < value->depth; i++) {
		if (!process_read(process, address, &address, WORD))
			return false;
		address += (uint64_t)value->offset[i + 1];
	}
	return address >= end || address < begin - (uint64_t)2 * RED_ZONE;
}

/** Check for a frame that is in the stub by which a function is called that is harmless. */
static bool is_in_harmless_stub(struct thread *thread, const struct stack_frame *frame)
{
	struct spinner spinner = { .thread = thread };
	uint64_t entry;

	return code_follow_stub(process_code(thread->runtime->process), frame->at.pc, &entry) ==
		       CODE_OK &&
	       entry != frame->at.pc && is_harmless(&spinner, entry);
}

/** A thread's newest frame of the user's code that does more than to read something for another. */
struct users_place {
	struct stack_frame *frame; // NULL: none
	bool has_called;	   // it has called a function
	bool is_harmless;	   // that gives time away or reads memory
};

static struct users_place users_place(struct thread *thread)
{
	struct process *process = thread->runtime->process;
	struct stack *stack = thread_stack(thread);
	struct users_place place = { 0 };

	for (size_t i = 0; i < MAX_FRAMES; i++) {
		struct stack_frame *frame = stack_frame(stack, i);
		if (!frame || frame->at.is_signal)
			break;
		if (frame->at.is_inlined)
			continue; // a part of the next
		const struct ompdbg_function *function = stack_place(stack, frame);
		bool is_users = stack_owner(stack, frame) == FRAME_USER;
		bool reads = is_users && !place.has_called && function->start &&
			     stack_frame(stack, i + 1) && only_reads(process, function->start, 0);
		const bool in_stub = !function->name && is_in_harmless_stub(thread, frame);
		if (is_users && !reads && !in_stub) {
			place.frame = frame;
			break;
		}
		place.has_called = true;
		place.is_harmless = reads || in_stub ||
				    (function->name && is_harmless_name(process, function->name));
	}
	return place;
}

// ---- What it reads -------------------------------------------------------------------------------

/** Name the variable at the end of an expression, or that which holds the pointer to it. */
static const char *variable_of(struct thread *thread, struct stack_frame *frame,
			       const struct code_value *value)
{
	uint64_t address = (uint64_t)value->offset[0];

	if (value->base != CODE_FIXED)
		return NULL;
	for (unsigned int i = 0;; i++) {
		const char *name;
		if (is_ok(SERVICE(thread->runtime->process, variable_at, address, false,
				  frame->at.pc, &name)))
			return name;
		if (i == value->depth ||
		    !process_read(thread->runtime->process, address, &address, WORD))
			return NULL;
		address += (uint64_t)value->offset[i + 1];
	}
}

static void name_variables(struct thread *thread, struct stack_frame *frame,
			   const struct code_spin *found, struct spin *spin)
{
	struct arena *arena = &thread->runtime->process->arena;

	spin->variables = ARENA_ARRAY(arena, const char *, CODE_SPIN_READS);
	for (size_t i = 0; i < found->count; i++) {
		const char *name = variable_of(thread, frame, &found->reads[i]);
		bool is_new = name;
		for (size_t k = 0; k < spin->num_variables && is_new; k++)
			is_new = strcmp(spin->variables[k], name) != 0;
		if (is_new)
			spin->variables[spin->num_variables++] = name;
	}
}

uint64_t spin_address(struct thread *thread)
{
	struct stack_frame *frame = stack_frame(thread_stack(thread), 0);
	struct code_spin_query query = { .pc = frame ? frame->at.pc : 0 };
	struct ompdbg_registers registers;
	struct code_spin found;

	if (!frame ||
	    code_find_spin(process_code(thread->runtime->process), &query, &found) != CODE_OK ||
	    found.count != 1 || found.reads[0].base != CODE_HELD || found.reads[0].depth)
		return 0;
	const enum ompdbg_register reg = service_register(found.reads[0].reg);
	if (!is_ok(SERVICE(thread->runtime->process, registers, thread->target->number, 1U << reg,
			   &registers)) ||
	    !(registers.known >> reg & 1))
		return 0;
	return registers.values[reg] + (uint64_t)found.reads[0].offset[0];
}

// ---- A round of the thread's own -----------------------------------------------------------------

enum {
	LARGEST_FRAMES = 1 << 18, // bytes below the stack pointer that a round may use
	LARGEST_ARRAY = 1 << 24,  // bytes from where a pointer leads to
	OLDER_FRAMES = 16,	  // that a round may return to
};

static bool read_data(void *process, uint64_t address, void *buffer, size_t size)
{
	return process_read(process, address, buffer, size);
}

static enum code_entering enter_function(void *context, struct code_machine *machine,
					 uint64_t entry)
{
	const struct spinner *spinner = context;

	(void)machine;
	if (code_owner(spinner->thread->runtime->process, entry) == FRAME_USER)
		return CODE_GO_IN;
	return is_harmless(context, entry) ? CODE_STEP_OVER : CODE_STOP;
}

/** Fill in the registers of a thread. @return false: they are unknown. */
static bool take_registers(const struct thread *thread, struct code_machine *machine)
{
	struct process *process = thread->runtime->process;
	const uint32_t wanted = (UINT32_C(1) << (OMPDBG_RIP + 1)) - 1;
	struct ompdbg_registers registers;

	if (!is_ok(SERVICE(process, registers, thread->target->number, wanted, &registers)))
		return false;
	for (unsigned int reg = 0; reg <= OMPDBG_R15; reg++) {
		const enum ompdbg_register number = service_register(reg);

		machine->registers[reg] = (struct code_known){
			.known = registers.known >> number & 1,
			.bits = registers.values[number],
		};
	}
	return machine->registers[machine->architecture->stack_register].known;
}

/** Fill in those that a frame has kept past a call. @return false: they are unknown. */
static bool take_kept_registers(const struct spinner *spinner, struct code_machine *machine)
{
	struct process *process = spinner->thread->runtime->process;

	for (unsigned int reg = 0; reg <= OMPDBG_R15; reg++) {
		struct code_known *found = &machine->registers[reg];
		const bool is_kept = machine->architecture->kept >> reg & 1 ||
				     reg == machine->architecture->stack_register;

		found->known =
			is_kept &&
			is_ok(SERVICE(process, frame_register, spinner->thread->target->number,
				      &spinner->frame->at, service_register(reg), &found->bits));
	}
	return machine->registers[machine->architecture->stack_register].known;
}

/** Find where the frames end that a round may return to. */
static uint64_t end_of_frames(const struct spinner *spinner, uint64_t stack)
{
	struct stack *frames = thread_stack(spinner->thread);
	uint64_t end = stack, found;

	for (size_t i = 0; i < OLDER_FRAMES; i++) {
		if (!stack_pointer(spinner, stack_frame(frames, i), &found))
			break;
		if (found > end)
			end = found;
	}
	return end;
}

/** Find the pointer that a round reads and that leads to what it reads at another place. */
static const struct code_round_read *pointer_to(const struct code_round *round,
						const struct code_round_read *read)
{
	const struct code_round_read *found = NULL;

	for (unsigned int i = 0; i < round->count; i++) {
		const struct code_round_read *one = &round->reads[i];

		if (one != read && one->width == WORD && one->value &&
		    read->address - one->value < LARGEST_ARRAY &&
		    (!found || one->value > found->value))
			found = one;
	}
	return found;
}

/** Name what a round reads: a variable, or what one leads to. */
static const char *name_read(const struct spinner *spinner, const struct code_round *round,
			     const struct code_round_read *read)
{
	struct process *process = spinner->thread->runtime->process;
	const struct code_round_read *pointer = pointer_to(round, read);
	const char *name, *last;

	if (is_ok(SERVICE(process, variable_at, read->address, false, spinner->frame->at.pc,
			  &name)))
		return name;
	if (!pointer || !process->services->access_name)
		return NULL;
	const struct ompdbg_pointer way = {
		.address = pointer->address,
		.offset = (int64_t)(read->address - pointer->value),
	};
	if (is_ok(SERVICE(process, access_name, spinner->thread->target->number,
			  &spinner->frame->at, &way, 1, read->address, read->width, &name, &last)))
		return name;
	return NULL;
}

/** Check whether a read is of a pointer that leads to another one. */
static bool is_pointer(const struct code_round *round, const struct code_round_read *read)
{
	for (unsigned int i = 0; i < round->count; i++) {
		if (pointer_to(round, &round->reads[i]) == read)
			return true;
	}
	return false;
}

/** Carry out a round from where the thread is. @return false: it is not known to come back there with nothing
 *  changed; *@p leaves: it is known not to. */
static bool find_round(struct spinner *spinner, bool in_call, struct spin *spin, bool *leaves)
{
	struct process *process = spinner->thread->runtime->process;
	struct arena *arena = &process->arena;
	struct code_reader *code = process_code(process);
	struct code_machine machine = { .architecture = code->architecture,
					.memory = { read_data, process } };
	const struct stack_frame *frame = in_call ? spinner->frame :
						    stack_frame(thread_stack(spinner->thread), 0);
	struct code_round round;

	if (!frame || !(in_call ? take_kept_registers(spinner, &machine) :
				  take_registers(spinner->thread, &machine)))
		return false;
	const uint64_t stack = machine.registers[code->architecture->stack_register].bits;
	const struct code_round_query query = {
		.enter = enter_function,
		.context = spinner,
		.stack_begin = stack - LARGEST_FRAMES,
		.stack_end = end_of_frames(spinner, stack),
	};
	if (code_find_round(code, &machine, frame->at.pc, &query, &round) != CODE_OK) {
		*leaves = round.leaves;
		return false;
	}
	spin->is_held = true;
	bool is_outside = false;
	spin->variables = ARENA_ARRAY(arena, const char *, CODE_ROUND_READS);
	spin->num_variables = 0;
	for (unsigned int i = 0; i < round.count; i++) {
		const struct code_round_read *read = &round.reads[i];
		const char *name;

		if (read->address >= query.stack_begin && read->address < query.stack_end)
			continue;
		is_outside = true;
		if (is_pointer(&round, read))
			continue;
		name = name_read(spinner, &round, read);
		for (size_t k = 0; k < spin->num_variables && name; k++) {
			if (strcmp(spin->variables[k], name) == 0)
				name = NULL;
		}
		if (name)
			spin->variables[spin->num_variables++] = name;
	}
	return is_outside;
}

/** Find what the code alone, and what the thread's own registers show. */
static void find_spin(struct spinner *spinner, bool called, struct known_spin *ret)
{
	struct process *process = spinner->thread->runtime->process;
	struct code_spin_query query = { .pc = spinner->frame->at.pc,
					 .in_call = called,
					 .is_harmless = is_harmless,
					 .is_elsewhere = is_elsewhere,
					 .context = spinner };
	struct code_spin found;
	struct spin own = { 0 };
	bool leaves = false;

	ret->is_spin = code_find_spin(process_code(process), &query, &found) == CODE_OK;
	if (ret->is_spin) {
		ret->spin.is_endless = found.is_endless;
		ret->spin.tested = found.deciding;
		name_variables(spinner->thread, spinner->frame, &found, &ret->spin);
	}
	if (ret->spin.is_endless)
		return;
	if (!find_round(spinner, called, &own, &leaves)) {
		ret->is_spin &= !leaves;
		return;
	}
	spinner->is_own = true;
	ret->is_spin = true;
	ret->spin.is_held = true;
	if (own.num_variables || !ret->spin.num_variables) {
		own.tested = ret->spin.tested;
		ret->spin = own;
	}
}

const struct spin *thread_spin(struct thread *thread)
{
	struct process *process = thread->runtime->process;
	struct users_place place = { 0 };

	if (!thread->target->running)
		place = users_place(thread);
	struct stack_frame *frame = place.frame;
	const bool called = place.has_called;
	if (!frame || (called && !place.is_harmless))
		return NULL;
	// Such code may change itself, or be changed, between what it reads.
	if (!frame->at.object && is_made_at_run_time(process, frame->at.pc))
		return NULL;
	struct table *by_code = &wait_room(process)->spins;
	uint64_t key = called ? ~frame->at.pc : frame->at.pc, own_key = (uint64_t)(uintptr_t)frame;
	struct known_spin *known = table_get(by_code, key);
	if (!known)
		known = table_get(&wait_room(process)->own_spins, own_key);
	if (!known) {
		struct spinner spinner = { .thread = thread, .frame = frame };

		known = ARENA_NEW(&process->arena, struct known_spin);
		find_spin(&spinner, called, known);
		// What the code alone shows holds for other threads there.
		if (spinner.is_own || !known->spin.is_endless)
			*table_put(&wait_room(process)->own_spins, &process->arena, own_key) =
				known;
		else
			*table_put(by_code, &process->arena, key) = known;
	}
	return known->is_spin ? &known->spin : NULL;
}

/** Check for a function that tests a lock. */
static bool is_test(const ompd_ext_wait_site *site, const void *context)
{
	(void)context;
	return site->function && is_test_function(site->function);
}

/** Find the flow of a frame's function from where the frame is on: the ways that led there are left out.
 *  @return false: it is unknown. */
static bool further_flow(struct thread *thread, struct stack_frame *frame, struct code_flow *ret)
{
	struct process *process = thread->runtime->process;
	const struct ompdbg_function *place = stack_place(thread_stack(thread), frame);

	if (!place->start || !function_flow(process, place->start, ret))
		return false;
	code_flow_remove_unbound(process_code(process), ret);
	bool *is_ahead = ARENA_ARRAY(&process->arena, bool, ret->count);
	for (uint32_t i = 0; i < ret->count; i++)
		is_ahead[i] = code_flow_reaches(ret, frame->at.pc, ret->blocks[i].last, NULL, NULL);
	for (uint32_t i = 0; i < ret->count; i++) {
		if (!is_ahead[i])
			ret->blocks[i].next_count = 0;
	}
	return true;
}

bool tested_lock(struct thread *thread, struct awaited_lock *ret)
{
	struct process *process = thread->runtime->process;
	const struct spin *spin = thread_spin(thread);
	const struct code_instruction *call;
	struct stack_frame *frame;
	struct code_flow flow;
	ompd_ext_wait_site site;
	uint64_t entry;

	if (!spin || !spin->tested)
		return false;
	call = call_before(process, spin->tested);
	if (!call || code_callee(process_code(process), call, &entry) != CODE_OK ||
	    !classify_lock_entry(thread->runtime, entry, &site) || !is_test(&site, NULL))
		return false;
	ret->kind = site.kind;
	frame = users_place(thread).frame;
	if (frame && further_flow(thread, frame, &flow))
		ret->address = passed_lock_at(thread, frame, spin->tested, &flow, is_test, NULL);
	return true;
}
