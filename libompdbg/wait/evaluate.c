// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Carry out the instructions before a call.

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "wait/room.h"

enum {
	MAX_CHAIN = 8,		// blocks before the call that follow one another
	MAX_CHAIN_LENGTH = 256, // instructions
	WORD = 8,
	REUSED = 1 << 20, // bytes of the stack that calls which came back may have used
	MAX_SLOTS = 64,	  // of a frame that are written after a call
};

static const struct code_known unknown_value;

// ---- What has changed since the call -----------------------------------------------------------

/** Registers and slots of a frame that were, or may have been, written after a call. */
struct changed {
	struct process *process;
	uint64_t registers;
	uint64_t stack, frame; // what these registers hold now; 0: unknown
	struct {
		uint64_t begin, end;
	} slots[MAX_SLOTS];
	size_t num_slots;
};

static void add_slot(struct changed *changed, uint64_t begin, uint64_t size)
{
	// The last one stands for all that have no room.
	if (changed->num_slots == MAX_SLOTS) {
		changed->slots[MAX_SLOTS - 1].begin = changed->stack;
		changed->slots[MAX_SLOTS - 1].end = changed->stack + REUSED;
		return;
	}
	changed->slots[changed->num_slots].begin = begin;
	changed->slots[changed->num_slots++].end = begin + size;
}

/** Note what an instruction writes. Which element of an array it is, is unknown, and not noted. */
static bool add_writes(void *context, const struct code_instruction *insn)
{
	struct changed *changed = context;
	const struct code_architecture *architecture = process_code(changed->process)->architecture;

	if (insn->kind == CODE_CALL)
		return true;
	changed->registers |= insn->writes;
	for (unsigned int i = 0; i < insn->operand_count; i++) {
		const struct code_operand *operand = &insn->operands[i];
		uint64_t base = operand->base == architecture->stack_register ? changed->stack :
				operand->base == architecture->frame_register ? changed->frame :
										0;
		if (operand->kind == CODE_MEMORY && operand->access & CODE_WRITES &&
		    !operand->implied && operand->index == CODE_NO_REGISTER && base)
			add_slot(changed, base + (uint64_t)operand->number, operand->width);
	}
	return true;
}

static uint64_t frame_register_now(struct thread *thread, struct stack_frame *frame,
				   unsigned int reg)
{
	uint64_t found;

	return is_ok(SERVICE(thread->runtime->process, frame_register, thread->target->number,
			     &frame->at, service_register(reg), &found)) ?
		       found :
		       0;
}

/** Find what may have changed from the return of a call of a frame to where that is now. */
static struct changed changed_since(struct thread *thread, struct stack_frame *frame,
				    uint64_t returns, const struct code_flow *flow)
{
	struct process *process = thread->runtime->process;
	struct code_reader *code = process_code(process);
	const uint8_t stack = code->architecture->stack_register,
		      base = code->architecture->frame_register;
	struct changed changed = { .process = process };

	if (returns == frame->at.pc)
		return changed;
	changed.stack = frame_register_now(thread, frame, stack);
	changed.frame = frame_register_now(thread, frame, base);
	if (!code_flow_between(code, flow, returns, frame->at.pc, NULL, add_writes, &changed))
		changed.registers = ~(UINT64_C(1) << stack | UINT64_C(1) << base);
	return changed;
}

/** Read memory that is as it was at the call. */
static bool read_unchanged(void *context, uint64_t address, void *buffer, size_t size)
{
	const struct changed *changed = context;

	for (size_t i = 0; i < changed->num_slots; i++) {
		if (address < changed->slots[i].end && changed->slots[i].begin < address + size)
			return false;
	}
	return process_read(changed->process, address, buffer, size);
}

// ---- The way to the call -----------------------------------------------------------------------

/** Put the block before the first of a chain there, if control can come from it alone. */
static bool prepend(const struct code_flow *flow, const struct code_block *chain[], size_t *count)
{
	const struct code_block *before = NULL;
	uint32_t first = (uint32_t)(chain[0] - flow->blocks);

	for (uint32_t i = 0; i < flow->count; i++) {
		for (uint8_t way = 0; way < flow->blocks[i].next_count; way++) {
			if (flow->blocks[i].next[way] != first)
				continue;
			if (before && before != &flow->blocks[i])
				return false;
			before = &flow->blocks[i];
		}
	}
	if (!before || chain[0]->begin == flow->entry)
		return false;
	for (size_t i = 0; i < *count; i++) {
		if (chain[i] == before)
			return false;
	}
	memmove(chain + 1, chain, *count * sizeof(struct code_block *));
	chain[0] = before;
	(*count)++;
	return true;
}

/** Decode the instructions of a chain up to a call. @return how many; 0: not all could be read. */
static size_t decode_chain(struct code_reader *code, const struct code_block *const chain[],
			   size_t count, uint64_t call, struct code_instruction *ret)
{
	size_t length = 0;

	for (size_t i = 0; i < count; i++) {
		for (uint64_t at = chain[i]->begin; at < chain[i]->end;
		     at = code_end(&ret[length++])) {
			if (at == call)
				return length;
			if (length == MAX_CHAIN_LENGTH ||
			    code_decode(code, at, &ret[length]) != CODE_OK)
				return 0;
		}
	}
	return 0;
}

/** Registers that functions keep, as a frame has them at its call. */
struct kept {
	struct code_known values[CODE_GENERAL];
};

/** Read those but the ones of a set. */
static struct kept read_kept(struct thread *thread, struct stack_frame *frame, uint64_t changed)
{
	struct process *process = thread->runtime->process;
	const uint64_t wanted = process_code(process)->architecture->kept & ~changed;
	struct kept found = { 0 };

	for (unsigned int reg = 0; reg < CODE_GENERAL; reg++) {
		struct code_known *value = &found.values[reg];
		if (wanted >> reg & 1)
			value->known =
				is_ok(SERVICE(process, frame_register, thread->target->number,
					      &frame->at, service_register(reg), &value->bits));
	}
	return found;
}

/** Take what a register holds now for all that were copied to it or from the same one. @p first: what
 *  registers held at the beginning, as far as that is found out. */
static void settle(struct code_machine *machine, unsigned int reg, struct code_known value,
		   struct kept *first)
{
	unsigned int origin = machine->registers[reg].origin;

	if (origin)
		first->values[origin - 1] = value;
	for (unsigned int i = 0; i < CODE_GENERAL; i++) {
		struct code_known *other = &machine->registers[i];

		if (origin && !other->known && other->origin == origin)
			*other = value;
	}
	machine->registers[reg] = value;
}

// ---- The call ----------------------------------------------------------------------------------

/** A question about a call. */
struct question {
	struct runtime *runtime;
	code_enter *enter;	  // that answers it
	passed_filter *is_wanted; // of the functions of the runtime that the call reaches
	const void *context;
	struct lock_operations *operations; // to fill; or NULL
	uint64_t answer;
};

/** Before it come the place in the source and the thread's number, or nothing. */
static unsigned int lock_argument(const char *function)
{
	return function && starts_with(function, "__kmpc_") ? 2 : 0;
}

/** Read an argument at the entry of a function. */
static struct code_known read_passed(struct code_machine *machine, unsigned int number)
{
	const struct code_known passed =
		machine->registers[machine->architecture->arguments[number]];
	const struct code_known copy = { .known = passed.copy, .bits = passed.copy };
	const size_t num_stores = machine->num_stores;

	if (passed.known)
		return passed;
	machine->num_stores = 0; // what is there now is asked for
	const struct code_known found = code_load(machine, copy, WORD);
	machine->num_stores = num_stores;
	return found;
}

static enum code_entering look_for_lock(void *context, struct code_machine *machine, uint64_t entry)
{
	struct question *question = context;
	ompd_ext_wait_site site;

	if (!classify_lock_entry(question->runtime, entry, &site))
		return code_owner(question->runtime->process, entry) == FRAME_USER ? CODE_GO_IN :
										     CODE_STEP_OVER;
	if (!question->is_wanted(&site, question->context))
		return CODE_STEP_OVER;
	const struct code_known lock = read_passed(machine, lock_argument(site.function));
	question->answer = lock.known ? lock.bits : 0;
	return CODE_STOP;
}

/** Note the function that is called, and stop there. */
static enum code_entering look_for_entry(void *context, struct code_machine *machine,
					 uint64_t entry)
{
	struct question *question = context;

	(void)machine;
	question->answer = entry;
	return CODE_STOP;
}

/** Count the functions that set and unset locks. */
static enum code_entering count_operations(void *context, struct code_machine *machine,
					   uint64_t entry)
{
	struct question *question = context;
	struct lock_operations *operations = question->operations;
	ompd_ext_wait_site site;

	(void)machine;
	if (!classify_lock_entry(question->runtime, entry, &site))
		return code_owner(question->runtime->process, entry) == FRAME_USER ? CODE_GO_IN :
										     CODE_STEP_OVER;
	if (operations->count < MAX_OPERATIONS)
		operations->all[operations->count] = site;
	operations->count++;
	return CODE_STEP_OVER;
}

/** Enter functions of the user's, for what they give back. */
static enum code_entering look_for_result(void *context, struct code_machine *machine,
					  uint64_t entry)
{
	(void)machine;
	return code_owner(context, entry) == FRAME_USER ? CODE_GO_IN : CODE_STEP_OVER;
}

/** Carry out a call, whose frames have left nothing that is still there. */
static bool carry_out_call(struct process *process, struct code_machine *machine,
			   const struct code_instruction *call, code_enter *enter, void *context)
{
	struct code_known top = machine->registers[machine->architecture->stack_register];

	machine->reused_end = top.known ? top.bits : 0;
	machine->reused_begin = machine->reused_end > REUSED ? machine->reused_end - REUSED : 0;
	return code_carry_out_call(process_code(process), machine, call, enter, context);
}

/** Run instructions that lead to a call. What is known of registers is known of them at the call: of
 *  one that the instructions write, from the last of these on. @p first: what is known of them before. */
static void run(struct process *process, struct code_machine *machine,
		const struct code_instruction *insns, size_t length, const struct kept *kept,
		struct kept *first)
{
	size_t last_write[CODE_GENERAL];

	for (unsigned int reg = 0; reg < CODE_GENERAL; reg++) {
		last_write[reg] = length;
		for (size_t i = length; i-- > 0 && last_write[reg] == length;) {
			if (insns[i].kind != CODE_CALL && insns[i].writes >> reg & 1)
				last_write[reg] = i;
		}
		if (last_write[reg] == length)
			machine->registers[reg] = kept->values[reg];
		if (!machine->registers[reg].known)
			machine->registers[reg] = first->values[reg];
		if (!machine->registers[reg].known)
			machine->registers[reg].origin = reg + 1;
	}
	for (size_t i = 0; i < length; i++) {
		if (insns[i].kind == CODE_CALL)
			carry_out_call(process, machine, &insns[i], look_for_result, process);
		else
			code_carry_out(machine, &insns[i]);
		for (unsigned int reg = 0; reg < CODE_GENERAL; reg++) {
			if (last_write[reg] == i && kept->values[reg].known)
				settle(machine, reg, kept->values[reg], first);
		}
	}
}

/** Read the lock out of the instructions before a call, where the way to it is not known: the code of a
 *  handler of exceptions is reached by none. @return 0: they do not tell. */
static uint64_t read_lock(struct question *question, struct changed *changed,
			  const struct kept *kept, const struct code_instruction *call)
{
	struct process *process = question->runtime->process;
	struct code_reader *code = process_code(process);
	struct code_machine machine = { .architecture = code->architecture,
					.memory = { read_unchanged, changed } };
	struct code_argument argument;
	ompd_ext_wait_site site;
	uint64_t entry;

	if (code_callee(code, call, &entry) != CODE_OK ||
	    !classify_lock_entry(question->runtime, entry, &site) ||
	    !question->is_wanted(&site, question->context) ||
	    code_argument(code, NULL, code_end(call), lock_argument(site.function), &argument) !=
		    CODE_OK)
		return 0;
	if (argument.reg == CODE_NO_REGISTER)
		return argument.value;
	unsigned int width = (unsigned int)abs(argument.width);
	struct code_known found = argument.reg < CODE_GENERAL ? kept->values[argument.reg] :
								unknown_value;
	if (argument.in_memory) {
		found.bits += (uint64_t)(int64_t)argument.offset;
		found = code_load(&machine, found, width);
	}
	uint64_t part = argument.width < 0 ? code_sign_extend(found.bits, width) :
					     code_truncate(found.bits, width);
	return found.known ? argument.value + (uint64_t)argument.scale * part : 0;
}

/** Decode the call that returns to an address, or the jump before it. */
static bool decode_call(struct code_reader *code, const struct code_flow *flow, uint64_t returns,
			struct code_instruction *ret)
{
	const struct code_block *block = code_flow_block(flow, returns - 1);

	if (block && block->end == returns && block->kind == CODE_JUMP)
		return code_decode(code, block->last, ret) == CODE_OK;
	return code_call_before(code, returns, ret) == CODE_OK;
}

/** Answer a question about the call of a frame that returns to an address. @return 0: the code does not
 *  tell. */
static uint64_t answer(struct question question, struct thread *thread, struct stack_frame *frame,
		       uint64_t returns, const struct code_flow *flow)
{
	struct process *process = thread->runtime->process;
	struct code_reader *code = process_code(process);
	const struct ompdbg_function *place = stack_place(thread_stack(thread), frame);
	struct code_instruction call;
	struct code_flow whole;

	if (!place->start || returns < place->start)
		return 0;
	if (!flow) {
		if (!function_flow(process, place->start, &whole))
			return 0;
		code_flow_remove_unbound(code, &whole);
		flow = &whole;
	}
	if (!decode_call(code, flow, returns, &call))
		return 0;
	struct changed changed = changed_since(thread, frame, returns, flow);
	struct kept kept = read_kept(thread, frame, changed.registers);
	const struct code_block *chain[MAX_CHAIN] = { code_flow_block(flow, call.address) };
	size_t count = 1;
	if (!chain[0])
		return question.is_wanted ? read_lock(&question, &changed, &kept, &call) : 0;
	while (count < MAX_CHAIN && prepend(flow, chain, &count))
		;
	struct code_instruction insns[MAX_CHAIN_LENGTH];
	// The shortest chain that tells is taken: memory has changed least since its beginning.
	for (size_t length = 1; length <= count && !question.answer; length++) {
		struct kept first = { 0 };
		struct code_machine machine = { .architecture = code->architecture,
						.memory = { read_unchanged, &changed } };
		size_t num_insns =
			decode_chain(code, chain + count - length, length, call.address, insns);
		struct code_machine trial = machine;
		run(process, &trial, insns, num_insns, &kept, &first);
		run(process, &machine, insns, num_insns, &kept, &first);
		machine.is_partial = false; // what was called before does not matter
		if (question.operations)
			question.operations->count = 0;
		if (!carry_out_call(process, &machine, &call, question.enter, &question))
			question.answer = question.operations && !machine.is_partial;
	}
	return question.answer;
}

uint64_t passed_lock_at(struct thread *thread, struct stack_frame *frame, uint64_t returns,
			const struct code_flow *flow, passed_filter *is_wanted, const void *context)
{
	const struct question question = { .runtime = thread->runtime,
					   .enter = look_for_lock,
					   .is_wanted = is_wanted,
					   .context = context };

	return answer(question, thread, frame, returns, flow);
}

bool lock_operations_at(struct thread *thread, struct stack_frame *frame, uint64_t returns,
			const struct code_flow *flow, struct lock_operations *ret)
{
	const struct question question = { .runtime = thread->runtime,
					   .enter = count_operations,
					   .operations = ret };

	return answer(question, thread, frame, returns, flow) && ret->count <= MAX_OPERATIONS;
}

uint64_t called_function_at(struct thread *thread, struct stack_frame *frame, uint64_t returns,
			    const struct code_flow *flow)
{
	const struct question question = { .runtime = thread->runtime, .enter = look_for_entry };

	return answer(question, thread, frame, returns, flow);
}
