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
		"sched_yield",
		"pthread_yield",
		"thrd_yield",
		"usleep",
		"sleep",
		"nanosleep",
		"clock_nanosleep",
		"omp_test_lock",
		"omp_test_nest_lock",
		"omp_test_lock_",
		"__kmpc_flush",
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
		struct code_spin_query query = { .pc = frame->at.pc,
						 .in_call = called,
						 .is_harmless = is_harmless,
						 .is_elsewhere = is_elsewhere,
						 .context = &spinner };
		struct code_spin found;

		known = ARENA_NEW(&process->arena, struct known_spin);
		known->is_spin = code_find_spin(process_code(process), &query, &found) == CODE_OK;
		if (known->is_spin) {
			known->spin.is_endless = found.is_endless;
			known->spin.tested = found.deciding;
			name_variables(thread, frame, &found, &known->spin);
		}
		if (spinner.is_own)
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

bool tested_lock(struct thread *thread, struct awaited_lock *ret)
{
	struct process *process = thread->runtime->process;
	const struct spin *spin = thread_spin(thread);
	const struct code_instruction *call;
	const char *called;
	ompd_ext_wait_site site;
	uint64_t entry;

	if (!spin || !spin->tested)
		return false;
	call = call_before(process, spin->tested);
	if (!call || code_callee(process_code(process), call, &entry) != CODE_OK ||
	    !classify_lock_entry(thread->runtime, entry, &site) || !is_test(&site, NULL))
		return false;
	ret->kind = site.kind;
	ret->address = passed_lock_at(thread, users_frame(thread, &called), spin->tested, NULL,
				      is_test, NULL);
	return true;
}
