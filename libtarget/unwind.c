// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stacks, unwound by libdwfl over the target's memory.

#include "internal.h"

#include <stdlib.h>
#include <string.h>

#include "libcode/code.h"

enum {
	STACK_POINTER = 7, // in DWARF
	NUM_DWARF = 17,	   // registers with which libdwfl begins
};

/** The code to which a signal handler returns: mov $__NR_rt_sigreturn, %rax; syscall. */
static const uint8_t signal_return[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };

/** Return the next thread for libdwfl, which knows threads by their struct thread. */
static pid_t next_thread(Dwfl *dwfl, void *context, void **position)
{
	struct target *target = context;
	struct thread *thread = *position;

	(void)dwfl;
	thread = thread ? thread + 1 : target->threads;
	if (thread == target->threads + target->num_threads)
		return 0;
	*position = thread;
	return thread->lwp;
}

static bool read_word(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *ret, void *context)
{
	(void)dwfl;
	return target_read(context, address, ret, sizeof(*ret)) == sizeof(*ret);
}

/** Begin with a frame that has called. Its rules are those of the call. */
static bool set_caller(Dwfl_Thread *dwfl_thread, const struct target_frame *caller)
{
	Dwarf_Word pc = caller->pc - 1;

	for (size_t i = 0; i < TARGET_KEPT_REGISTERS; i++) {
		Dwarf_Word value = caller->kept[i];

		if (caller->known[i] &&
		    !dwfl_thread_state_registers(dwfl_thread, target_kept_registers[i], 1, &value))
			return false;
	}
	return dwfl_thread_state_registers(dwfl_thread, NUM_DWARF - 1, 1, &pc);
}

static bool set_registers(Dwfl_Thread *dwfl_thread, void *position)
{
	const struct thread *thread = position;
	Dwarf_Word values[NUM_DWARF];

	if (thread->unwound_from)
		return set_caller(dwfl_thread, thread->unwound_from);
	if (!thread->has_registers)
		return false;
	for (size_t i = 0; i < NUM_DWARF; i++)
		values[i] = thread->registers[target_register_places[i]];
	return dwfl_thread_state_registers(dwfl_thread, 0, NUM_DWARF, values);
}

// ---- Frames ----------------------------------------------------------------------------------

struct walk {
	struct target *target;
	struct target_frame *frames;
	size_t count, max;
	struct target_frame caller; // of code that was made at run time
	bool is_caller;		    // the next frame is that one
};

static bool is_signal_return(struct target *target, uint64_t pc)
{
	uint8_t code[sizeof(signal_return)];

	return target_read(target, pc, code, sizeof(code)) == sizeof(code) &&
	       !memcmp(code, signal_return, sizeof(code));
}

/** Find the rules for the frame of code at @p pc. */
static const struct frame_rules *rules_at(struct target *target, uint64_t pc)
{
	struct frame_rules *known = &target->frame_rules[pc % FRAME_RULES];
	Dwarf_Op room[3], *ops;
	Dwarf_Addr bias;
	Dwarf_Frame *frame;
	size_t count = 1;

	if (known->pc == pc)
		return known;
	*known = (struct frame_rules){ .pc = pc };
	Dwfl_Module *module = dwfl_addrmodule(target->dwfl, pc);
	Dwarf_CFI *cfi = module ? dwfl_module_eh_cfi(module, &bias) : NULL;
	if (cfi && dwarf_cfi_addrframe(cfi, pc - bias, &frame) == 0) {
		known->exist = true;
		if (dwarf_frame_register(frame, target_kept_registers[0], room, &ops, &count) != 0)
			count = 1;
		free(frame);
	}
	// libdwfl has the other registers that functions leave unchanged, but not this one.
	known->keep_rbx = count == 0;
	cfi = module && !known->exist ? dwfl_module_dwarf_cfi(module, &bias) : NULL;
	if (cfi && dwarf_cfi_addrframe(cfi, pc - bias, &frame) == 0) {
		known->exist = true;
		free(frame);
	}
	return known;
}

/** Check that the newest frame goes on after a call: not the innermost one, nor what a signal interrupted. */
static bool was_called(const struct walk *walk)
{
	return walk->count > 1 && !walk->frames[walk->count - 2].is_signal;
}

/** Find the rules by which the next frame was found. */
static const struct frame_rules *rules_before(struct walk *walk)
{
	const struct target_frame *newer = &walk->frames[walk->count - 1];

	return rules_at(walk->target, newer->pc - was_called(walk));
}

static bool read_code(void *context, uint64_t address, void *buffer, size_t size)
{
	return target_read(context, address, buffer, size) == size;
}

static bool is_after_call(struct target *target, uint64_t pc)
{
	struct code_instruction call;
	struct code_reader reader;

	code_reader_init(&reader, &code_x86_64, (struct code_memory){ read_code, target });
	return code_call_before(&reader, pc, &call) == CODE_OK;
}

/** Check for code that is in no file. */
static bool is_made_at_run_time(struct target *target, uint64_t pc)
{
	return !dwfl_addrmodule(target->dwfl, pc) && target_file_index(target, pc) < 0;
}

/** Check for an address at which nothing can be executed. */
static bool is_no_code(struct target *target, uint64_t pc)
{
	char byte;

	return !executable_at(target, pc) ||
	       (!dwfl_addrmodule(target->dwfl, pc) && target_file_index(target, pc) < 0 &&
		target_read(target, pc, &byte, 1) != 1);
}

/** Check for a frame that is but where a call by a bad pointer has led. */
static bool is_failed_call(const struct walk *walk)
{
	return walk->count && !was_called(walk) &&
	       is_no_code(walk->target, walk->frames[walk->count - 1].pc);
}

/** Check that the next frame is one. Where there are no rules libdwfl takes rbp for the frame's address:
 *  other code has other things in it, and code that was made at run time need not have a frame. */
static bool is_frame(struct walk *walk, uint64_t pc)
{
	const struct target_frame *newer = &walk->frames[walk->count - 1];

	if (!walk->count || walk->is_caller || newer->is_signal)
		return true;
	return rules_before(walk)->exist ||
	       (!is_failed_call(walk) && is_after_call(walk->target, pc) &&
		!is_made_at_run_time(walk->target, newer->pc));
}

static void inherit_rbx(struct walk *walk)
{
	struct target_frame *frame = &walk->frames[walk->count];
	const struct target_frame *newer = frame - 1;

	if (!walk->count || frame->known[0] || !newer->known[0] || newer->is_signal)
		return;
	if (!rules_before(walk)->keep_rbx)
		return;
	frame->known[0] = true;
	frame->kept[0] = newer->kept[0];
}

static int add_frame(Dwfl_Frame *frame, void *context)
{
	struct walk *walk = context;
	bool is_activation = false;
	Dwarf_Addr pc;

	if (walk->count == walk->max || !dwfl_frame_pc(frame, &pc, &is_activation))
		return DWARF_CB_ABORT;
	struct target_frame *found = &walk->frames[walk->count];
	// No function returns to 0; but a signal may have come for a call of it.
	if ((!pc && walk->count && !found[-1].is_signal) || !is_frame(walk, pc))
		return DWARF_CB_ABORT;
	if (walk->is_caller)
		pc = walk->caller.pc;
	walk->is_caller = false;
	*found = (struct target_frame){
		.pc = pc,
		.is_signal = is_activation && walk->count && is_signal_return(walk->target, pc),
	};
	for (size_t i = 0; i < TARGET_KEPT_REGISTERS; i++)
		found->known[i] =
			dwfl_frame_reg(frame, target_kept_registers[i], &found->kept[i]) == 0;
	inherit_rbx(walk);
	walk->count++;
	return walk->count == walk->max ? DWARF_CB_ABORT : DWARF_CB_OK;
}

static bool get_thread(Dwfl *dwfl, pid_t lwp, void *context, void **position)
{
	struct target *target = context;

	(void)dwfl;
	for (size_t i = 0; i < target->num_threads; i++) {
		if (target->threads[i].lwp == lwp) {
			*position = &target->threads[i];
			return true;
		}
	}
	return false;
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = next_thread,
	.get_thread = get_thread,
	.memory_read = read_word,
	.set_initial_registers = set_registers,
};

// ---- Code without rules ----------------------------------------------------------------------

/** Find a register of a frame, by its number in libcode: these differ from DWARF's for rbp and rsp. */
static bool kept_register(const struct target_frame *frame, unsigned int number, uint64_t *ret)
{
	const unsigned int dwarf[] = { [4] = 7, [5] = 6 };
	int index = target_kept_index(number == 4 || number == 5 ? dwarf[number] : number);

	if (index < 0 || !frame->known[index])
		return false;
	*ret = frame->kept[index];
	return true;
}

static bool value_at(struct target *target, const struct target_frame *frame,
		     const struct code_place *place, uint64_t *ret)
{
	uint64_t value;

	if (!kept_register(frame, place->reg, &value))
		return false;
	*ret = value + (uint64_t)place->offset;
	return !place->is_loaded || target_read(target, *ret, ret, sizeof(*ret)) == sizeof(*ret);
}

/** Find the caller where a call by a bad pointer leads: the call has pushed where it returns to, and has
 *  changed nothing else. */
static bool failed_caller(struct target *target, const struct target_frame *frame,
			  struct target_frame *ret)
{
	const int place = target_kept_index(STACK_POINTER);

	*ret = *frame;
	ret->is_signal = false;
	ret->kept[place] += WORD;
	return frame->known[place] &&
	       target_read(target, frame->kept[place], &ret->pc, sizeof(ret->pc)) ==
		       sizeof(ret->pc) &&
	       is_after_call(target, ret->pc);
}

/** Find the caller of code that was made at run time, if that shows where it returns to. */
static bool made_caller(struct target *target, const struct target_frame *frame,
			struct target_frame *ret)
{
	struct code_reader reader;
	struct code_return found;
	uint64_t slot;

	code_reader_init(&reader, &code_x86_64, (struct code_memory){ read_code, target });
	*ret = (struct target_frame){ 0 };
	if (code_find_return(&reader, frame->pc, &found) != CODE_OK ||
	    !value_at(target, frame, &found.slot, &slot) ||
	    target_read(target, slot, &ret->pc, sizeof(ret->pc)) != sizeof(ret->pc) ||
	    !is_after_call(target, ret->pc))
		return false;
	for (size_t i = 0; i < TARGET_KEPT_REGISTERS; i++) {
		unsigned int number = target_kept_registers[i];

		if (number == 7) {
			ret->kept[i] = slot + sizeof(slot);
			ret->known[i] = true;
		} else if (number == 6) {
			ret->known[i] = value_at(target, frame, &found.frame, &ret->kept[i]);
		} else {
			ret->kept[i] = frame->kept[i];
			ret->known[i] = frame->known[i] && !(found.written >> number & 1);
		}
	}
	return true;
}

bool target_caller_without_rules(struct target *target, const struct target_frame *frame,
				 bool is_call, struct target_frame *ret)
{
	return !is_call && is_no_code(target, frame->pc) ? failed_caller(target, frame, ret) :
							   made_caller(target, frame, ret);
}

/** Go on with the caller where libdwfl does not. */
static bool go_past(struct walk *walk)
{
	const struct target_frame *last = &walk->frames[walk->count - 1];

	if (!walk->count || walk->count == walk->max || last->is_signal || walk->is_caller)
		return false; // libdwfl did not go on from there
	if (is_failed_call(walk) || is_made_at_run_time(walk->target, last->pc))
		walk->is_caller = target_caller_without_rules(walk->target, last, was_called(walk),
							      &walk->caller);
	return walk->is_caller;
}

size_t target_unwind(struct target *target, size_t thread, struct target_frame *frames, size_t max)
{
	struct walk walk = { .target = target, .frames = frames, .max = max };

	if (!target->unwinds)
		target->unwinds = dwfl_attach_state(
			target->dwfl, NULL, target->pid ? target->pid : target->threads[0].lwp,
			&thread_callbacks, target);
	if (!max || !target->unwinds)
		return 0;
	do {
		dwfl_getthread_frames(target->dwfl, target->threads[thread].lwp, add_frame, &walk);
		target->threads[thread].unwound_from = &walk.caller;
	} while (go_past(&walk));
	target->threads[thread].unwound_from = NULL;
	return walk.count;
}
