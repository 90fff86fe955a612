// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions carried out on numbers.

#include "code.h"

enum { WORD = 8, MAX_CARRIED_OUT = 1024 };

static const struct code_known unknown;

uint64_t code_truncate(uint64_t bits, unsigned int width)
{
	return width >= WORD || !width ? bits : bits & ((UINT64_C(1) << 8 * width) - 1);
}

uint64_t code_sign_extend(uint64_t bits, unsigned int width)
{
	if (width >= WORD || !width)
		return bits;
	uint64_t sign = UINT64_C(1) << (8 * width - 1);
	return (code_truncate(bits, width) ^ sign) - sign;
}

// ---- Operands ----------------------------------------------------------------------------------

static struct code_known register_value(const struct code_machine *machine, unsigned int reg)
{
	return reg < CODE_GENERAL ? machine->registers[reg] : unknown;
}

static struct code_known address_of(const struct code_machine *machine,
				    const struct code_operand *operand)
{
	struct code_known found = { .known = operand->segment == CODE_PLAIN,
				    .bits = (uint64_t)operand->number };

	if (operand->base != CODE_NO_REGISTER) {
		struct code_known base = register_value(machine, operand->base);
		found.known &= base.known;
		found.bits += base.bits;
	}
	if (operand->index != CODE_NO_REGISTER) {
		struct code_known index = register_value(machine, operand->index);
		found.known &= index.known;
		found.bits += index.bits * operand->scale;
	}
	return found;
}

struct code_known code_load(struct code_machine *machine, struct code_known address,
			    unsigned int width)
{
	struct code_known found = { .known = true };

	if (!address.known || !width || width > WORD)
		return unknown;
	for (size_t i = machine->num_stores; i-- > 0;) {
		uint64_t at = machine->stores[i].address;
		if (at == address.bits && machine->stores[i].value.known)
			return machine->stores[i].value;
		if (address.bits < at + WORD && at < address.bits + width)
			break;
	}
	if (!machine->memory.read(machine->memory.context, address.bits, &found.bits, width))
		return unknown;
	return found;
}

static struct code_known read_operand(struct code_machine *machine,
				      const struct code_operand *operand)
{
	struct code_known found = unknown;

	switch (operand->kind) {
	case CODE_REGISTER:
		found = register_value(machine, operand->base);
		found.bits = code_truncate(found.bits, operand->width);
		if (operand->width != WORD)
			found.origin = 0;
		break;
	case CODE_IMMEDIATE:
		found = (struct code_known){ .known = true, .bits = (uint64_t)operand->number };
		break;
	case CODE_MEMORY:
		found = code_load(machine, address_of(machine, operand), operand->width);
		found.bits = code_truncate(found.bits, operand->width);
		break;
	default:
		break;
	}
	return found;
}

/** Note what is put into memory. After a store that could not be followed, nothing noted is sure. */
static void store(struct code_machine *machine, struct code_known address, struct code_known value)
{
	if (!address.known || machine->num_stores == CODE_STORES) {
		machine->num_stores = 0;
		return;
	}
	machine->stores[machine->num_stores].address = address.bits;
	machine->stores[machine->num_stores++].value = value;
}

static void write_operand(struct code_machine *machine, const struct code_operand *operand,
			  struct code_known value)
{
	value.bits = code_truncate(value.bits, operand->width);
	if (operand->kind == CODE_MEMORY) {
		store(machine, address_of(machine, operand), value);
	} else if (operand->kind == CODE_REGISTER && operand->base < CODE_GENERAL) {
		// x86-64: what is written as 32 bits clears the others, what is less keeps them.
		if (operand->width < 4)
			value.known = false;
		if (operand->width != WORD)
			value.origin = 0;
		machine->registers[operand->base] = value;
	} else if (operand->kind == CODE_HIGH_BYTE && operand->base < CODE_GENERAL) {
		machine->registers[operand->base].known = false;
		machine->registers[operand->base].origin = 0;
	}
}

// ---- Instructions ------------------------------------------------------------------------------

/** Compute an instruction's result from its inputs. */
static struct code_known result_of(struct code_machine *machine,
				   const struct code_instruction *insn,
				   const struct code_operand *inputs[], size_t num_inputs)
{
	struct code_known values[2] = { unknown, unknown };
	struct code_known found = unknown;

	for (size_t i = 0; i < num_inputs && i < 2; i++)
		values[i] = read_operand(machine, inputs[i]);
	switch (insn->operation) {
	case CODE_ZERO:
		return (struct code_known){ .known = true };
	case CODE_MOVE:
		return num_inputs == 1 ? values[0] : unknown;
	case CODE_MOVE_SIGNED:
		if (num_inputs != 1)
			return unknown;
		values[0].bits = code_sign_extend(values[0].bits, inputs[0]->width);
		return values[0];
	case CODE_ADDRESS:
		for (size_t i = 0; i < insn->operand_count; i++) {
			if (insn->operands[i].kind == CODE_MEMORY)
				return address_of(machine, &insn->operands[i]);
		}
		return unknown;
	case CODE_ADD:
	case CODE_SUBTRACT:
	case CODE_MULTIPLY:
	case CODE_SHIFT_LEFT:
		break;
	default:
		return unknown;
	}
	if (num_inputs != 2 || !values[0].known || !values[1].known)
		return unknown;
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

static void forget_registers(struct code_machine *machine, uint64_t which)
{
	for (unsigned int reg = 0; reg < CODE_GENERAL; reg++) {
		if (which >> reg & 1) {
			machine->registers[reg].known = false;
			machine->registers[reg].origin = 0;
		}
	}
}

static void push(struct code_machine *machine, struct code_known value)
{
	struct code_known *top = &machine->registers[machine->architecture->stack_register];

	top->bits -= WORD;
	store(machine, *top, value);
}

/** Carry out a push or pop. */
static void move_stack(struct code_machine *machine, const struct code_instruction *insn)
{
	struct code_known *top = &machine->registers[machine->architecture->stack_register];
	const uint8_t access = insn->operation == CODE_PUSH ? CODE_READS : CODE_WRITES;
	const struct code_operand *operand = NULL;

	for (size_t i = 0; i < insn->operand_count; i++) {
		if (!insn->operands[i].implied && insn->operands[i].access & access)
			operand = &insn->operands[i];
	}
	if (insn->operation == CODE_PUSH) {
		push(machine, operand ? read_operand(machine, operand) : unknown);
		return;
	}
	struct code_known value = code_load(machine, *top, WORD);
	top->bits += WORD;
	if (operand)
		write_operand(machine, operand, value);
}

/** Note where an instruction puts a register into memory: if nothing else tells what it holds now, the
 *  copy does. */
static void note_copy(struct code_machine *machine, const struct code_instruction *insn,
		      const struct code_operand *input, const struct code_operand *result)
{
	if (insn->operation != CODE_MOVE || !input || result->kind != CODE_MEMORY ||
	    input->kind != CODE_REGISTER || input->base >= CODE_GENERAL || input->width != WORD)
		return;
	struct code_known address = address_of(machine, result);
	if (address.known)
		machine->registers[input->base].copy = address.bits;
}

void code_carry_out(struct code_machine *machine, const struct code_instruction *insn)
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
			store(machine, address_of(machine, &insn->operands[i]), unknown);
	}
}

bool code_carry_out_first_call(struct code_reader *reader, struct code_machine *machine,
			       uint64_t entry)
{
	struct code_instruction insn;
	struct code_known target;
	bool is_called = false;
	uint64_t pc = entry;

	for (size_t i = 0; i < MAX_CARRIED_OUT; i++, pc = code_end(&insn)) {
		if (code_decode(reader, pc, &insn) != CODE_OK)
			return false;
		switch (insn.kind) {
		case CODE_OTHER:
			code_carry_out(machine, &insn);
			break;
		case CODE_CALL:
			target = insn.is_direct ?
					 (struct code_known){ .known = true, .bits = insn.target } :
					 read_operand(machine, &insn.operands[0]);
			if (is_called || !insn.operand_count || !target.known)
				return false;
			is_called = true;
			push(machine,
			     (struct code_known){ .known = true, .bits = code_end(&insn) });
			insn = (struct code_instruction){ .address = target.bits };
			break;
		case CODE_JUMP:
			if (!insn.is_direct)
				return false;
			insn = (struct code_instruction){ .address = insn.target };
			break;
		case CODE_RETURN:
			return is_called;
		default:
			return false;
		}
	}
	return false;
}
