// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What x86-64 instructions do to registers and memory, for code_explore().

#include "layout/code.h"

#include "layout/code_x86_64_insn.h"

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11 };

static const struct code_value unknown = { .base = CODE_UNKNOWN };

static void enter(struct code_state *state)
{
	state->reg[RSP].base = CODE_STACK;
	state->reg[RDI].base = CODE_ARGUMENT;
}

// The register that a narrow operand names; -1 for ah to bh.
static int byte_register(const struct x86_insn *insn, int reg, unsigned int width)
{
	return width == 1 && insn->byte_registers && reg >= 4 ? -1 : reg;
}

static struct code_value get_register(const struct code_state *state, const struct x86_insn *insn,
				      int reg, unsigned int width)
{
	struct code_value value;

	reg = byte_register(insn, reg, width);
	if (reg < 0)
		return unknown;
	value = state->reg[reg];
	if (width == 8)
		return value;
	if (value.base != CODE_ABSOLUTE || value.depth != 0)
		return unknown;
	value.offset[0] &= (int64_t)((1ull << (8 * width)) - 1);
	return value;
}

static void set_register(struct code_state *state, const struct x86_insn *insn, int reg,
			 unsigned int width, const struct code_value *value)
{
	if (width == 1 && insn->byte_registers && reg >= 4)
		reg -= 4;
	if (width == 8) {
		state->reg[reg] = *value;
	} else if (width == 4 && value->base == CODE_ABSOLUTE && value->depth == 0) {
		state->reg[reg] = *value;
		state->reg[reg].offset[0] &= 0xffffffff;
	} else {
		state->reg[reg] = unknown;
	}
}

// Address of the memory operand.
static struct code_value operand_address(struct code_explorer *explorer,
					 const struct code_state *state,
					 const struct x86_insn *insn)
{
	struct code_value address = code_number(0);
	struct code_value index;

	if (insn->base >= 0)
		address = state->reg[insn->base];
	if (insn->relative)
		address = code_number((int64_t)(state->pc + insn->length));
	if (insn->index >= 0) {
		index = state->reg[insn->index];
		if (explorer->window->any_element && insn->scale == 8 && index.base == CODE_UNKNOWN)
			index = code_number(0);
		if (index.base == CODE_ABSOLUTE && index.depth == 0)
			index.offset[0] = (int64_t)((uint64_t)index.offset[0] * insn->scale);
		else if (insn->scale != 1)
			index = unknown;
		address = index.base == CODE_UNKNOWN ? unknown :
						       code_value_sum(explorer, &address, &index);
	}
	address = code_value_plus(address, insn->displacement);
	if (insn->thread && insn->kind != X86_LEA) {
		const struct code_value thread = { .base = CODE_THREAD };

		address = code_value_sum(explorer, &thread, &address);
	}
	return address;
}

// The thread pointer is stored at the address that it points to.
static bool is_thread_pointer(const struct x86_insn *insn, const struct code_value *address)
{
	return insn->thread && insn->base < 0 && insn->index < 0 && !insn->relative &&
	       address->base == CODE_THREAD && address->depth == 0 && address->offset[0] == 0 &&
	       insn->source_width == 8;
}

static struct code_value read_operand(struct code_explorer *explorer, struct code_state *state,
				      const struct x86_insn *insn)
{
	struct code_value address;

	if (!insn->memory)
		return get_register(state, insn, insn->rm, insn->source_width);
	address = operand_address(explorer, state, insn);
	if (is_thread_pointer(insn, &address))
		return address;
	return code_touch(explorer, &address, CODE_READ, insn->source_width);
}

static void write_operand(struct code_explorer *explorer, struct code_state *state,
			  const struct x86_insn *insn, const struct code_value *value, bool update)
{
	struct code_value address;

	if (!insn->memory) {
		set_register(state, insn, insn->rm, insn->width, value);
		return;
	}
	address = operand_address(explorer, state, insn);
	code_touch(explorer, &address, update ? CODE_UPDATE : CODE_WRITE, insn->width);
}

static struct code_value compute(struct code_explorer *explorer, enum x86_kind kind,
				 const struct code_value *destination,
				 const struct code_value *source, bool same_register)
{
	struct code_value negative;

	if (kind == X86_ADD)
		return destination->base == CODE_UNKNOWN || source->base == CODE_UNKNOWN ?
			       unknown :
			       code_value_sum(explorer, destination, source);
	if (kind == X86_XOR && same_register)
		return code_number(0);
	if (kind != X86_SUB || source->base != CODE_ABSOLUTE || source->depth != 0)
		return unknown;
	negative = code_number((int64_t) - (uint64_t)source->offset[0]);
	return destination->base == CODE_UNKNOWN ? unknown :
						   code_value_sum(explorer, destination, &negative);
}

static void arithmetic(struct code_explorer *explorer, struct code_state *state,
		       const struct x86_insn *insn)
{
	struct code_value immediate = code_number(insn->immediate);
	struct code_value left, right, result;

	switch (insn->form) {
	case X86_GE:
		left = get_register(state, insn, insn->reg, insn->width);
		right = read_operand(explorer, state, insn);
		break;
	case X86_AI:
		left = get_register(state, insn, RAX, insn->width);
		right = immediate;
		break;
	case X86_EG:
		right = get_register(state, insn, insn->reg, insn->width);
		left = insn->memory ? unknown : read_operand(explorer, state, insn);
		break;
	case X86_EI:
		right = immediate;
		left = insn->memory ? unknown : read_operand(explorer, state, insn);
		break;
	default:
		left = unknown;
		right = unknown;
		break;
	}
	if (insn->kind == X86_COMPARE) {
		if (insn->memory && insn->form != X86_GE)
			read_operand(explorer, state, insn);
		return;
	}
	result = compute(explorer, insn->kind, &left, &right,
			 !insn->memory && insn->form != X86_EI && insn->rm == insn->reg);
	if (insn->form == X86_GE)
		set_register(state, insn, insn->reg, insn->width, &result);
	else if (insn->form == X86_AI)
		set_register(state, insn, RAX, insn->width, &result);
	else
		write_operand(explorer, state, insn, &result, true);
}

static void move(struct code_explorer *explorer, struct code_state *state,
		 const struct x86_insn *insn)
{
	struct code_value value = code_number(insn->immediate);

	switch (insn->form) {
	case X86_GE:
		value = read_operand(explorer, state, insn);
		set_register(state, insn, insn->reg, insn->width, &value);
		break;
	case X86_EG:
		value = get_register(state, insn, insn->reg, insn->width);
		write_operand(explorer, state, insn, &value, false);
		break;
	case X86_OI:
		set_register(state, insn, insn->reg, insn->width, &value);
		break;
	default:
		write_operand(explorer, state, insn, &value, false);
		break;
	}
}

// Notes what another function gets and forgets what it may change.
static void call(struct code_explorer *explorer, struct code_state *state)
{
	static const uint8_t clobbered[] = { RAX, RCX, RDX, RSI, RDI, R8, R9, R10, R11 };

	code_touch(explorer, &state->reg[RDI], CODE_PASSED, 0);
	for (size_t i = 0; i < sizeof(clobbered); i++)
		state->reg[clobbered[i]] = unknown;
}

static void note_callee(struct code_report *report, uint64_t function)
{
	for (unsigned int i = 0; i < report->callee_count; i++) {
		if (report->callee[i] == function)
			return;
	}
	if (report->callee_count < CODE_CALLEES)
		report->callee[report->callee_count++] = function;
}

static bool inside(const struct code_window *window, uint64_t pc)
{
	return pc - window->address < window->size;
}

static enum code_step jump(struct code_explorer *explorer, struct code_state *state, uint64_t pc)
{
	if (inside(explorer->window, pc)) {
		state->pc = pc;
		return CODE_NEXT;
	}
	code_touch(explorer, &state->reg[RDI], CODE_PASSED, 0); // a tail call
	explorer->report->tail = pc;
	return CODE_END;
}

// A loop that had its turns ends here as if it never came back: nothing new is behind it.
static enum code_step jump_backward(struct code_explorer *explorer, struct code_state *state,
				    uint64_t pc)
{
	uint64_t site = state->pc - explorer->window->address;

	if (pc > state->pc || !inside(explorer->window, pc))
		return jump(explorer, state, pc);
	if (explorer->forks[site] == CODE_FORKS) {
		explorer->report->cut = true;
		return CODE_END;
	}
	explorer->forks[site]++;
	return jump(explorer, state, pc);
}

static enum code_step branch(struct code_explorer *explorer, struct code_state *state,
			     const struct x86_insn *insn)
{
	uint64_t next = state->pc + insn->length;
	uint64_t target = next + (uint64_t)insn->immediate;

	switch (insn->kind) {
	case X86_JUMP:
		return jump_backward(explorer, state, target);
	case X86_JUMP_IF:
		if (!inside(explorer->window, target))
			explorer->report->complete = false;
		else if (!code_fork(explorer, state, target))
			return CODE_END;
		state->pc = next;
		return CODE_NEXT;
	case X86_JUMP_INDIRECT:
		if (!insn->relative)
			return CODE_LOST; // a switch
		return jump(explorer, state, explorer->window->address - 1);
	case X86_CALL_INDIRECT:
		read_operand(explorer, state, insn);
		call(explorer, state);
		state->pc = next;
		return CODE_NEXT;
	default:
		note_callee(explorer->report, target);
		call(explorer, state);
		state->pc = next;
		return CODE_NEXT;
	}
}

static void exchange(struct code_explorer *explorer, struct code_state *state,
		     const struct x86_insn *insn)
{
	if (insn->kind == X86_CMPXCHG)
		state->reg[RAX] = unknown;
	else
		set_register(state, insn, insn->reg, insn->width, &unknown);
	write_operand(explorer, state, insn, &unknown, true);
}

static void move_if(struct code_explorer *explorer, struct code_state *state,
		    const struct x86_insn *insn)
{
	struct code_value value = read_operand(explorer, state, insn);
	struct code_state moved = *state;

	if (code_value_equal(&value, &state->reg[insn->reg]))
		return;
	set_register(&moved, insn, insn->reg, insn->width, &value);
	if (!code_fork(explorer, &moved, state->pc + insn->length))
		state->reg[insn->reg] = unknown;
}

static void simple(struct code_explorer *explorer, struct code_state *state,
		   const struct x86_insn *insn)
{
	struct code_value value;

	switch (insn->kind) {
	case X86_MOVE:
		move(explorer, state, insn);
		break;
	case X86_LEA:
		value = operand_address(explorer, state, insn);
		set_register(state, insn, insn->reg, insn->width, &value);
		break;
	case X86_ADD:
	case X86_SUB:
	case X86_XOR:
	case X86_ALU:
	case X86_COMPARE:
		arithmetic(explorer, state, insn);
		break;
	case X86_EXTEND:
		read_operand(explorer, state, insn);
		state->reg[insn->reg] = unknown;
		break;
	case X86_EXCHANGE:
	case X86_CMPXCHG:
		exchange(explorer, state, insn);
		break;
	case X86_MOVE_IF:
		move_if(explorer, state, insn);
		break;
	case X86_PUSH:
		if (insn->memory)
			read_operand(explorer, state, insn);
		state->reg[RSP] = code_value_plus(state->reg[RSP], -8);
		break;
	case X86_POP:
		state->reg[RSP] = code_value_plus(state->reg[RSP], 8);
		state->reg[insn->reg] = unknown;
		break;
	case X86_SET_IF:
		write_operand(explorer, state, insn, &unknown, false);
		break;
	case X86_MULTIPLY:
		read_operand(explorer, state, insn);
		state->reg[RAX] = unknown;
		state->reg[RDX] = unknown;
		break;
	case X86_WIDEN:
		state->reg[RAX] = unknown;
		state->reg[RDX] = unknown;
		break;
	case X86_LEAVE:
		state->reg[RSP] = unknown;
		state->reg[RBP] = unknown;
		break;
	case X86_SYSCALL:
		state->reg[RAX] = unknown;
		state->reg[RCX] = unknown;
		state->reg[R11] = unknown;
		break;
	case X86_VECTOR_READ:
		if (insn->memory)
			read_operand(explorer, state, insn);
		break;
	case X86_VECTOR_WRITE:
		if (insn->memory || insn->width <= 8)
			write_operand(explorer, state, insn, &unknown, false);
		break;
	default:
		break;
	}
}

static enum code_step step(struct code_explorer *explorer, struct code_state *state)
{
	const struct code_window *window = explorer->window;
	uint64_t at = state->pc - window->address;
	struct x86_insn insn;

	if (at >= window->size || !x86_decode(window->bytes + at, window->size - at, &insn))
		return CODE_LOST;
	switch (insn.kind) {
	case X86_RETURN:
	case X86_TRAP:
		return CODE_END;
	case X86_JUMP:
	case X86_JUMP_IF:
	case X86_JUMP_INDIRECT:
	case X86_CALL:
	case X86_CALL_INDIRECT:
		return branch(explorer, state, &insn);
	default:
		simple(explorer, state, &insn);
		state->pc += insn.length;
		return CODE_NEXT;
	}
}

const struct code_architecture code_x86_64 = {
	.name = "x86-64",
	.enter = enter,
	.step = step,
	.scan = x86_scan,
};
