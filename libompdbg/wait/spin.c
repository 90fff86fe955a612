// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads in a loop that only looks at memory. What such a loop does next depends on memory alone, to
// which it does not write: it goes round until another thread, or a signal, changes what it reads.

#include <string.h>

#include "wait/room.h"

enum { MAX_FRAMES = 8, WORD = 8, RED_ZONE = 128 }; // bytes below the stack that a function may use

struct known_spin {
	bool is_spin;
	struct spin spin;
};

/** Check for a function that gives time away or reads memory: how often it is called changes
 *  nothing. */
static bool is_harmless_name(struct process *process, const char *function)
{
	static const char *const harmless[] = {
		"sched_yield",	   "pthread_yield", "thrd_yield",
		"usleep",	   "sleep",	    "nanosleep",
		"clock_nanosleep", "omp_test_lock", "omp_test_nest_lock",
		"__kmpc_flush",
	};
	char *name = arena_strndup(&process->arena, function, strcspn(function, "@"));
	const char *own = system_function_name(process, name);

	for (size_t i = 0; i < sizeof(harmless) / sizeof(*harmless); i++) {
		if (strcmp(name, harmless[i]) == 0 || strcmp(own, harmless[i]) == 0)
			return true;
	}
	return false;
}

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

	return is_ok(SERVICE(process, symbol_at, entry, &symbol)) && !symbol.offset &&
	       is_harmless_name(process, symbol.name);
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

/** Find the newest frame of the user's code, and the function that was called from there. */
static struct stack_frame *users_frame(struct thread *thread, const char **called)
{
	struct stack *stack = thread_stack(thread);

	*called = NULL;
	for (size_t i = 0; i < MAX_FRAMES; i++) {
		struct stack_frame *frame = stack_frame(stack, i);
		if (!frame || frame->at.is_signal)
			break;
		if (frame->at.is_inlined)
			continue; // a part of the next
		if (stack_owner(stack, frame) == FRAME_USER)
			return frame;
		const char *name = stack_place(stack, frame)->name;
		*called = name ? name : "??";
	}
	return NULL;
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

/** Carry out a round from where the thread is. @return false: it does not come back there, or changes
 *  something. */
static bool find_round(struct spinner *spinner, bool in_call, struct spin *spin)
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
	if (code_find_round(code, &machine, frame->at.pc, &query, &round) != CODE_OK)
		return false;
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
static void find_spin(struct spinner *spinner, const char *called, struct known_spin *ret)
{
	struct process *process = spinner->thread->runtime->process;
	struct code_spin_query query = { .pc = spinner->frame->at.pc,
					 .in_call = called,
					 .is_harmless = is_harmless,
					 .is_elsewhere = is_elsewhere,
					 .context = spinner };
	struct code_spin found;
	struct spin own = { 0 };

	ret->is_spin = code_find_spin(process_code(process), &query, &found) == CODE_OK;
	if (ret->is_spin) {
		ret->spin.is_endless = found.is_endless;
		name_variables(spinner->thread, spinner->frame, &found, &ret->spin);
	}
	if (ret->spin.is_endless || !find_round(spinner, called, &own))
		return;
	spinner->is_own = true;
	ret->is_spin = true;
	if (own.num_variables || !ret->spin.num_variables)
		ret->spin = own;
}

const struct spin *thread_spin(struct thread *thread)
{
	struct process *process = thread->runtime->process;
	const char *called;
	struct stack_frame *frame = thread->target->running ? NULL : users_frame(thread, &called);

	if (!frame || (called && !is_harmless_name(process, called)))
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
