// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions carried out on numbers.

#include "code.h"

enum {
	WORD = 8,
	WIDEST = 64, // bytes that one instruction stores
	MAX_CARRIED_OUT = 1024,
	MAX_NESTED = 8, // calls in one another
};

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

struct code_known code_operand_address(const struct code_machine *machine,
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
		uint16_t stored = machine->stores[i].width;
		if (at == address.bits && width <= stored && machine->stores[i].value.known)
			return machine->stores[i].value;
		if (address.bits < at + stored && at < address.bits + width)
			break;
	}
	if (address.bits >= machine->reused_begin && address.bits < machine->reused_end)
		return unknown;
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
		found = code_load(machine, code_operand_address(machine, operand), operand->width);
		found.bits = code_truncate(found.bits, operand->width);
		break;
	default:
		break;
	}
	return found;
}

/** Note what is put into memory. After a store that could not be followed, nothing noted is sure. */
static void store(struct code_machine *machine, struct code_known address, unsigned int width,
		  struct code_known value)
{
	if (!address.known || machine->num_stores == CODE_STORES) {
		machine->num_stores = 0;
		return;
	}
	machine->stores[machine->num_stores].address = address.bits;
	machine->stores[machine->num_stores].width = (uint16_t)(width ? width : WIDEST);
	machine->stores[machine->num_stores++].value = value;
}

static void write_operand(struct code_machine *machine, const struct code_operand *operand,
			  struct code_known value)
{
	value.bits = code_truncate(value.bits, operand->width);
	if (operand->kind == CODE_MEMORY) {
		store(machine, code_operand_address(machine, operand), operand->width, value);
	} else if (operand->kind == CODE_REGISTER && operand->base < CODE_GENERAL) {
		// x86-64: what is written as 32 bits clears the others, what is less keeps them.
		if (operand->width < 4) {
			const struct code_known before = machine->registers[operand->base];
			value.known &= before.known;
			value.bits |= before.bits ^ code_truncate(before.bits, operand->width);
		}
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
	bool is_set;

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
				return code_operand_address(machine, &insn->operands[i]);
		}
		return unknown;
	case CODE_SET_IF:
		found.known = machine->architecture->is_taken(insn->condition, &machine->comparison,
							      &is_set);
		found.bits = found.known && is_set;
		return found;
	case CODE_ADD:
	case CODE_SUBTRACT:
	case CODE_MULTIPLY:
	case CODE_SHIFT_LEFT:
	case CODE_AND:
	case CODE_XOR:
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
	else if (insn->operation == CODE_AND)
		found.bits = values[0].bits & values[1].bits;
	else if (insn->operation == CODE_XOR)
		found.bits = values[0].bits ^ values[1].bits;
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

void code_forget_call(struct code_machine *machine)
{
	forget_registers(machine, ~machine->architecture->kept);
	machine->comparison.known = false;
}

void code_push(struct code_machine *machine, struct code_known value)
{
	struct code_known *top = &machine->registers[machine->architecture->stack_register];

	top->bits -= WORD;
	store(machine, *top, WORD, value);
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
		code_push(machine, operand ? read_operand(machine, operand) : unknown);
		return;
	}
	struct code_known value = code_load(machine, *top, WORD);
	top->bits += WORD;
	if (operand)
		write_operand(machine, operand, value);
}

static void leave_frame(struct code_machine *machine)
{
	struct code_known *top = &machine->registers[machine->architecture->stack_register];
	struct code_known *frame = &machine->registers[machine->architecture->frame_register];

	*top = *frame;
	*frame = code_load(machine, *top, WORD);
	top->bits += WORD;
	top->origin = 0;
}

/** Note where an instruction puts a register into memory: if nothing else tells what it holds now, the
 *  copy does. */
static void note_copy(struct code_machine *machine, const struct code_instruction *insn,
		      const struct code_operand *input, const struct code_operand *result)
{
	if (insn->operation != CODE_MOVE || !input || result->kind != CODE_MEMORY ||
	    input->kind != CODE_REGISTER || input->base >= CODE_GENERAL || input->width != WORD)
		return;
	struct code_known address = code_operand_address(machine, result);
	if (address.known)
		machine->registers[input->base].copy = address.bits;
}

/** Note what is compared. */
static void compare(struct code_machine *machine, const struct code_instruction *insn,
		    const struct code_operand *inputs[], size_t num_inputs)
{
	struct code_comparison *comparison = &machine->comparison;

	comparison->known = false;
	// What subtracts compares, and what combines bits tests them.
	if ((insn->operation != CODE_COMPARE && insn->operation != CODE_SUBTRACT &&
	     insn->operation != CODE_TEST && insn->operation != CODE_AND) ||
	    num_inputs != 2)
		return;
	const struct code_known left = read_operand(machine, inputs[0]);
	const struct code_known right = read_operand(machine, inputs[1]);
	comparison->known = left.known && right.known;
	comparison->is_test = insn->operation == CODE_TEST || insn->operation == CODE_AND;
	comparison->width = inputs[0]->width;
	comparison->left = code_truncate(left.bits, comparison->width);
	comparison->right = code_truncate(right.bits, comparison->width);
}

void code_carry_out(struct code_machine *machine, const struct code_instruction *insn)
{
	const struct code_operand *inputs[CODE_OPERANDS], *result = NULL;
	size_t num_inputs = 0, num_results = 0;

	if (insn->kind == CODE_CALL) {
		code_forget_call(machine);
		return;
	}
	if (insn->operation == CODE_PUSH || insn->operation == CODE_POP) {
		move_stack(machine, insn);
		return;
	}
	if (insn->operation == CODE_LEAVE) {
		leave_frame(machine);
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
	if (insn->writes >> machine->architecture->flags_register & 1)
		compare(machine, insn, inputs, num_inputs);
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
			store(machine, code_operand_address(machine, &insn->operands[i]),
			      insn->operands[i].width, unknown);
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
			code_push(machine,
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

// ---- Calls -------------------------------------------------------------------------------------

/** A call that is carried out: what was known before it. */
struct nested_call {
	uint64_t returns;
	struct code_known registers[CODE_GENERAL];
	size_t num_stores;
};

struct carrying {
	struct code_reader *reader;
	struct code_machine *machine;
	struct nested_call calls[MAX_NESTED];
	size_t depth;
	uint64_t pc;
};

/** Find the function that a call or jump reaches. */
static bool find_target(struct carrying *carrying, const struct code_instruction *insn,
			uint64_t *ret)
{
	struct code_known target;

	if (code_callee(carrying->reader, insn, ret) == CODE_OK)
		return true;
	if (insn->is_direct || !insn->operand_count)
		return false;
	target = read_operand(carrying->machine, &insn->operands[0]);
	return target.known && code_follow_stub(carrying->reader, target.bits, ret) == CODE_OK;
}

/** Go on after the innermost call, of which it is unknown what it did. */
static void give_call_up(struct carrying *carrying)
{
	struct code_machine *machine = carrying->machine;
	const struct nested_call *call;

	if (!carrying->depth)
		return;
	call = &carrying->calls[--carrying->depth];
	carrying->pc = call->returns;
	for (unsigned int reg = 0; reg < CODE_GENERAL; reg++)
		machine->registers[reg] = call->registers[reg];
	if (machine->num_stores > call->num_stores)
		machine->num_stores = call->num_stores;
	forget_registers(machine, ~machine->architecture->kept);
	machine->comparison.known = false;
}

static void enter_call(struct carrying *carrying, uint64_t returns)
{
	struct code_machine *machine = carrying->machine;
	struct nested_call *call = &carrying->calls[carrying->depth++];

	call->returns = returns;
	for (unsigned int reg = 0; reg < CODE_GENERAL; reg++)
		call->registers[reg] = machine->registers[reg];
	call->num_stores = machine->num_stores;
	code_push(machine, (struct code_known){ .known = true, .bits = returns });
}

/** Go on likewise where it is unknown what else the call did. */
static void lose_call(struct carrying *carrying)
{
	carrying->machine->is_partial = true;
	give_call_up(carrying);
}

/** Go on after the innermost call. */
static void carry_out_return(struct carrying *carrying)
{
	struct code_machine *machine = carrying->machine;

	machine->registers[machine->architecture->stack_register].bits += WORD;
	carrying->pc = carrying->calls[--carrying->depth].returns;
}

/** Go on after a conditional jump. */
static void carry_out_condition(struct carrying *carrying, const struct code_instruction *jump)
{
	const struct code_machine *machine = carrying->machine;
	bool is_taken;

	if (!jump->is_direct ||
	    !machine->architecture->is_taken(jump->condition, &machine->comparison, &is_taken))
		lose_call(carrying);
	else
		carrying->pc = is_taken ? jump->target : code_end(jump);
}

static void carry_out_jump(struct carrying *carrying, const struct code_instruction *insn,
			   code_enter *enter, void *context, bool *is_stopped)
{
	struct code_machine *machine = carrying->machine;
	const bool is_call = insn->kind == CODE_CALL;
	enum code_entering entering = CODE_STEP_OVER;
	uint64_t target = 0;

	if (find_target(carrying, insn, &target))
		entering = enter(context, machine, target);
	else
		machine->is_partial = true;
	if (entering == CODE_GO_IN && is_call && carrying->depth == MAX_NESTED) {
		entering = CODE_STEP_OVER;
		machine->is_partial = true;
	}
	*is_stopped = entering == CODE_STOP;
	if (entering == CODE_GO_IN) {
		// What the user's code has left by a jump comes back as from a call.
		if (is_call || !carrying->depth)
			enter_call(carrying, code_end(insn));
		carrying->pc = target;
	} else if (entering == CODE_STEP_OVER && is_call) {
		code_carry_out(machine, insn);
		carrying->pc = code_end(insn);
	} else if (entering == CODE_STEP_OVER) {
		give_call_up(carrying);
	}
}

bool code_carry_out_call(struct code_reader *reader, struct code_machine *machine,
			 const struct code_instruction *call, code_enter *enter, void *context)
{
	struct carrying carrying = { .reader = reader, .machine = machine };
	struct code_instruction insn = *call;
	bool is_stopped = false;

	carry_out_jump(&carrying, &insn, enter, context, &is_stopped);
	for (size_t i = 0; !is_stopped && carrying.depth; i++) {
		if (i == MAX_CARRIED_OUT || code_decode(reader, carrying.pc, &insn) != CODE_OK) {
			lose_call(&carrying);
			continue;
		}
		switch (insn.kind) {
		case CODE_OTHER:
			code_carry_out(machine, &insn);
			carrying.pc = code_end(&insn);
			break;
		case CODE_CALL:
		case CODE_JUMP:
			carry_out_jump(&carrying, &insn, enter, context, &is_stopped);
			break;
		case CODE_RETURN:
			carry_out_return(&carrying);
			break;
		case CODE_JUMP_IF:
			carry_out_condition(&carrying, &insn);
			break;
		default:
			lose_call(&carrying);
		}
	}
	return is_stopped;
}
