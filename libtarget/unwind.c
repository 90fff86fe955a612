// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stacks, unwound by libdwfl over the target's memory.

#include "internal.h"

#include <stdlib.h>
#include <string.h>

#include "libcode/code.h"

enum { NUM_DWARF = 17 }; // registers with which libdwfl begins

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

static bool set_registers(Dwfl_Thread *dwfl_thread, void *position)
{
	const struct thread *thread = position;
	Dwarf_Word values[NUM_DWARF];

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

/** Find the rules by which the next frame was found. */
static const struct frame_rules *rules_before(struct walk *walk)
{
	const struct target_frame *newer = &walk->frames[walk->count - 1];
	const bool was_called = walk->count > 1 && !newer[-1].is_signal;

	return rules_at(walk->target, newer->pc - was_called);
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

/** Check that the next frame is one. Where there are no rules libdwfl takes rbp for the frame's address:
 *  other code has other things in it. */
static bool is_frame(struct walk *walk, uint64_t pc)
{
	return !walk->count || walk->frames[walk->count - 1].is_signal ||
	       rules_before(walk)->exist || is_after_call(walk->target, pc);
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
	// No function returns to 0.
	if ((!pc && walk->count) || !is_frame(walk, pc))
		return DWARF_CB_ABORT;
	struct target_frame *found = &walk->frames[walk->count];
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

size_t target_unwind(struct target *target, size_t thread, struct target_frame *frames, size_t max)
{
	struct walk walk = { target, frames, 0, max };

	if (!target->unwinds)
		target->unwinds = dwfl_attach_state(
			target->dwfl, NULL, target->pid ? target->pid : target->threads[0].lwp,
			&thread_callbacks, target);
	if (max && target->unwinds)
		dwfl_getthread_frames(target->dwfl, target->threads[thread].lwp, add_frame, &walk);
	return walk.count;
}
