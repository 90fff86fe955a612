// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Carry out the instructions before a call.

#include <stdlib.h>
#include <string.h>

#include "wait/room.h"

enum {
	MAX_CHAIN = 8,		// blocks before the call that follow one another
	MAX_CHAIN_LENGTH = 256, // instructions
	MAX_STORES = 64,	// words that the instructions put into memory
	WORD = 8,
};

struct value {
	bool known;
	uint64_t bits;
	uint64_t copy; // where a copy of it was put into memory; 0: nowhere
};

struct machine {
	struct process *process;
	const struct code_architecture *architecture;
	struct value registers[CODE_GENERAL];
	struct {
		uint64_t address;
		struct value value;
	} stores[MAX_STORES];
	size_t num_stores;
};

static const struct value unknown_value;

static uint64_t truncated(uint64_t bits, unsigned int width)
{
	return width >= WORD || !width ? bits : bits & ((UINT64_C(1) << 8 * width) - 1);
}

static uint64_t sign_extended(uint64_t bits, unsigned int width)
{
	if (width >= WORD || !width)
		return bits;
	uint64_t sign = UINT64_C(1) << (8 * width - 1);
	return (truncated(bits, width) ^ sign) - sign;
}

// ---- Operands ----------------------------------------------------------------------------------

static struct value register_value(const struct machine *machine, unsigned int reg)
{
	return reg < CODE_GENERAL ? machine->registers[reg] : unknown_value;
}

static struct value address_of(const struct machine *machine, const struct code_operand *operand)
{
	struct value found = { .known = operand->segment == CODE_PLAIN,
			       .bits = (uint64_t)operand->number };

	if (operand->base != CODE_NO_REGISTER) {
		struct value base = register_value(machine, operand->base);
		found.known &= base.known;
		found.bits += base.bits;
	}
	if (operand->index != CODE_NO_REGISTER) {
		struct value index = register_value(machine, operand->index);
		found.known &= index.known;
		found.bits += index.bits * operand->scale;
	}
	return found;
}

/** Load from memory. What the instructions have put there and is known comes first; all else is as it is
 *  now, which is what they have left there. */
static struct value load(struct machine *machine, struct value address, unsigned int width)
{
	struct value found = { .known = true };

	if (!address.known || !width || width > WORD)
		return unknown_value;
	for (size_t i = machine->num_stores; i-- > 0;) {
		uint64_t at = machine->stores[i].address;
		if (at == address.bits && machine->stores[i].value.known)
			return machine->stores[i].value;
		if (address.bits < at + WORD && at < address.bits + width)
			break;
	}
	if (!is_ok(SERVICE(machine->process, read_memory, address.bits, &found.bits, width)))
		return unknown_value;
	return found;
}

static struct value read_operand(struct machine *machine, const struct code_operand *operand)
{
	struct value found = unknown_value;

	switch (operand->kind) {
	case CODE_REGISTER:
		found = register_value(machine, operand->base);
		found.bits = truncated(found.bits, operand->width);
		break;
	case CODE_IMMEDIATE:
		found = (struct value){ .known = true, .bits = (uint64_t)operand->number };
		break;
	case CODE_MEMORY:
		found = load(machine, address_of(machine, operand), operand->width);
		found.bits = truncated(found.bits, operand->width);
		break;
	default:
		break;
	}
	return found;
}

/** Note what is put into memory. After a store that could not be followed, nothing noted is sure. */
static void store(struct machine *machine, struct value address, struct value value)
{
	if (!address.known || machine->num_stores == MAX_STORES) {
		machine->num_stores = 0;
		return;
	}
	machine->stores[machine->num_stores].address = address.bits;
	machine->stores[machine->num_stores++].value = value;
}

static void write_operand(struct machine *machine, const struct code_operand *operand,
			  struct value value)
{
	value.bits = truncated(value.bits, operand->width);
	if (operand->kind == CODE_MEMORY) {
		store(machine, address_of(machine, operand), value);
	} else if (operand->kind == CODE_REGISTER && operand->base < CODE_GENERAL) {
		// x86-64: what is written as 32 bits clears the others, what is less keeps them.
		if (operand->width < 4)
			value.known = false;
		machine->registers[operand->base] = value;
	} else if (operand->kind == CODE_HIGH_BYTE && operand->base < CODE_GENERAL) {
		machine->registers[operand->base].known = false;
	}
}

// ---- Instructions ------------------------------------------------------------------------------

/** Compute an instruction's result from its inputs. */
static struct value result_of(struct machine *machine, const struct code_instruction *insn,
			      const struct code_operand *inputs[], size_t num_inputs)
{
	struct value values[2] = { unknown_value, unknown_value };
	struct value found = unknown_value;

	for (size_t i = 0; i < num_inputs && i < 2; i++)
		values[i] = read_operand(machine, inputs[i]);
	switch (insn->operation) {
	case CODE_ZERO:
		return (struct value){ .known = true };
	case CODE_MOVE:
		return num_inputs == 1 ? values[0] : unknown_value;
	case CODE_MOVE_SIGNED:
		if (num_inputs != 1)
			return unknown_value;
		values[0].bits = sign_extended(values[0].bits, inputs[0]->width);
		return values[0];
	case CODE_ADDRESS:
		for (size_t i = 0; i < insn->operand_count; i++) {
			if (insn->operands[i].kind == CODE_MEMORY)
				return address_of(machine, &insn->operands[i]);
		}
		return unknown_value;
	case CODE_ADD:
	case CODE_SUBTRACT:
	case CODE_MULTIPLY:
	case CODE_SHIFT_LEFT:
		break;
	default:
		return unknown_value;
	}
	if (num_inputs != 2 || !values[0].known || !values[1].known)
		return unknown_value;
	found.known = true;
	if (insn->operation == CODE_ADD)
		found.bits = values[0].bits + values[1].bits;
	else if (insn->operation == CODE_SUBTRACT)
		found.bits = values[0].bits - values[1].bits;
	else if (insn->operation == CODE_MULTIPLY)
		found.bits = values[0].bits * values[1].bits;
	else
		found.bits = values[1].bits < 64 ? values[0].bits << values[1].bits : 0;
	return found;
}

static void forget_registers(struct machine *machine, uint64_t which)
{
	for (unsigned int reg = 0; reg < CODE_GENERAL; reg++) {
		if (which >> reg & 1)
			machine->registers[reg].known = false;
	}
}

/** Carry out a push or pop. */
static void move_stack(struct machine *machine, const struct code_instruction *insn)
{
	unsigned int sp = machine->architecture->stack_register;
	struct value top = machine->registers[sp];

	if (insn->operation == CODE_PUSH) {
		struct value value = unknown_value;
		for (size_t i = 0; i < insn->operand_count; i++) {
			if (!insn->operands[i].implied && insn->operands[i].access & CODE_READS)
				value = read_operand(machine, &insn->operands[i]);
		}
		top.bits -= WORD;
		store(machine, top, value);
	} else {
		struct value value = load(machine, top, WORD);
		top.bits += WORD;
		for (size_t i = 0; i < insn->operand_count; i++) {
			if (!insn->operands[i].implied && insn->operands[i].access & CODE_WRITES)
				write_operand(machine, &insn->operands[i], value);
		}
	}
	machine->registers[sp] = top;
}

/** Note where an instruction puts a register into memory: if nothing else tells what it holds now, the
 *  copy does. */
static void note_copy(struct machine *machine, const struct code_instruction *insn,
		      const struct code_operand *input, const struct code_operand *result)
{
	if (insn->operation != CODE_MOVE || !input || result->kind != CODE_MEMORY ||
	    input->kind != CODE_REGISTER || input->base >= CODE_GENERAL || input->width != WORD)
		return;
	struct value address = address_of(machine, result);
	if (address.known)
		machine->registers[input->base].copy = address.bits;
}

static void carry_out(struct machine *machine, const struct code_instruction *insn)
{
	const struct code_operand *inputs[CODE_OPERANDS], *result = NULL;
	size_t num_inputs = 0, num_results = 0;

	if (insn->kind == CODE_CALL) {
		forget_registers(machine, ~machine->architecture->kept);
		return;
	}
	if (insn->operation == CODE_PUSH || insn->operation == CODE_POP) {
		move_stack(machine, insn);
		return;
	}
	for (size_t i = 0; i < insn->operand_count; i++) {
		const struct code_operand *operand = &insn->operands[i];
		bool is_flags = operand->kind == CODE_REGISTER && operand->base >= CODE_GENERAL;
		if (is_flags)
			continue;
		if (operand->access & CODE_READS)
			inputs[num_inputs++] = operand;
		if (operand->access & CODE_WRITES) {
			result = operand;
			num_results++;
		}
	}
	if (num_results == 1) {
		note_copy(machine, insn, num_inputs == 1 ? inputs[0] : NULL, result);
		write_operand(machine, result, result_of(machine, insn, inputs, num_inputs));
		forget_registers(machine, insn->writes & ~(result->kind == CODE_MEMORY ?
								   0 :
								   UINT64_C(1) << result->base));
		return;
	}
	forget_registers(machine, insn->writes);
	for (size_t i = 0; i < insn->operand_count; i++) {
		if (insn->operands[i].kind == CODE_MEMORY && insn->operands[i].access & CODE_WRITES)
			store(machine, address_of(machine, &insn->operands[i]), unknown_value);
	}
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
	struct value values[CODE_GENERAL];
};

/** Read those but the ones of a set. */
static struct kept read_kept(struct thread *thread, struct stack_frame *frame, uint64_t changed)
{
	struct process *process = thread->runtime->process;
	const uint64_t wanted = process_code(process)->architecture->kept & ~changed;
	struct kept found = { 0 };

	for (unsigned int reg = 0; reg < CODE_GENERAL; reg++) {
		struct value *value = &found.values[reg];
		if (wanted >> reg & 1)
			value->known =
				is_ok(SERVICE(process, frame_register, thread->target->number,
					      &frame->at, service_register(reg), &value->bits));
	}
	return found;
}

/** Run instructions that lead to a call. What is known of registers is known of them at the call: of
 *  one that the instructions write, from the last of these on. */
static void run(struct machine *machine, const struct code_instruction *insns, size_t length,
		const struct kept *kept)
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
	}
	for (size_t i = 0; i < length; i++) {
		carry_out(machine, &insns[i]);
		for (unsigned int reg = 0; reg < CODE_GENERAL; reg++) {
			if (last_write[reg] == i && kept->values[reg].known)
				machine->registers[reg] = kept->values[reg];
		}
	}
}

/** Note the registers that an instruction writes. */
static bool add_writes(void *context, const struct code_instruction *insn)
{
	uint64_t *writes = context;

	*writes |= insn->kind == CODE_CALL ? 0 : insn->writes;
	return true;
}

/** Read an argument out of the instructions before a call, where the way to it is not known: the code of
 *  a handler of exceptions is reached by none. */
static bool read_argument(struct process *process, const struct kept *kept, uint64_t returns,
			  unsigned int number, uint64_t *ret)
{
	struct code_reader *code = process_code(process);
	struct machine machine = { .process = process, .architecture = code->architecture };
	struct code_argument argument;

	if (code_argument(code, NULL, returns, number, &argument) != CODE_OK)
		return false;
	*ret = argument.value;
	if (argument.reg == CODE_NO_REGISTER)
		return true;
	unsigned int width = (unsigned int)abs(argument.width);
	struct value found = argument.reg < CODE_GENERAL ? kept->values[argument.reg] :
							   unknown_value;
	if (argument.in_memory) {
		found.bits += (uint64_t)(int64_t)argument.offset;
		found = load(&machine, found, width);
	}
	uint64_t part = argument.width < 0 ? sign_extended(found.bits, width) :
					     truncated(found.bits, width);
	*ret += (uint64_t)argument.scale * part;
	return found.known;
}

bool evaluate_argument(struct thread *thread, struct stack_frame *frame, uint64_t returns,
		       unsigned int number, const struct code_flow *flow, uint64_t *ret)
{
	struct process *process = thread->runtime->process;
	struct code_reader *code = process_code(process);
	const struct ompdbg_function *place = stack_place(thread_stack(thread), frame);
	struct code_instruction call;
	struct code_flow whole;

	if (!place->start || returns < place->start ||
	    number >= code->architecture->argument_count ||
	    code_call_before(code, returns, &call) != CODE_OK)
		return false;
	if (!flow) {
		if (!function_flow(process, place->start, &whole))
			return false;
		code_flow_remove_unbound(code, &whole);
		flow = &whole;
	}
	uint64_t changed = 0;
	if (returns != frame->at.pc &&
	    !code_flow_between(code, flow, returns, frame->at.pc, NULL, add_writes, &changed))
		changed = ~(UINT64_C(1) << code->architecture->stack_register |
			    UINT64_C(1) << code->architecture->frame_register);
	struct kept kept = read_kept(thread, frame, changed);
	const struct code_block *chain[MAX_CHAIN] = { code_flow_block(flow, call.address) };
	size_t count = 1;
	if (!chain[0])
		return read_argument(process, &kept, returns, number, ret);
	while (count < MAX_CHAIN && prepend(flow, chain, &count))
		;
	struct code_instruction insns[MAX_CHAIN_LENGTH];
	// The shortest chain that tells is taken: memory has changed least since its beginning.
	for (size_t length = 1; length <= count; length++) {
		struct machine machine = { .process = process, .architecture = code->architecture };
		size_t num_insns =
			decode_chain(code, chain + count - length, length, call.address, insns);
		run(&machine, insns, num_insns, &kept);
		struct value found = machine.registers[code->architecture->arguments[number]];
		struct value copy = { .known = found.copy, .bits = found.copy };
		machine.num_stores = 0; // what is there now is asked for
		if (!found.known)
			found = load(&machine, copy, WORD);
		if (found.known) {
			*ret = found.bits;
			return true;
		}
	}
	return false;
}
