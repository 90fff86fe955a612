// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where code of which nothing is known returns to: every way from an instruction on is followed to the end of
// the function, and the stack pointer with it. All must find the return address in one place.

#include "code.h"

enum { MAX_INSTRUCTIONS = 512, WORD = 8 };

/** The registers before an instruction. */
struct state {
	uint64_t address;
	struct code_place stack, frame;
};

struct search {
	struct code_reader *reader;
	const struct code_architecture *architecture;
	struct state states[MAX_INSTRUCTIONS]; // each instruction once
	size_t count;
	struct code_return *ret;
	bool has_return;
};

static const struct code_place nowhere = { .reg = CODE_NO_REGISTER };

static uint64_t bit(unsigned int reg)
{
	return UINT64_C(1) << reg;
}

static bool is_same(struct code_place a, struct code_place b)
{
	return a.reg == b.reg &&
	       (a.reg == CODE_NO_REGISTER || (a.offset == b.offset && a.is_loaded == b.is_loaded));
}

/** Go on at an instruction. @return false: another way to there has left something else. */
static bool go_on(struct search *search, const struct state *state, uint64_t address)
{
	for (size_t i = 0; i < search->count; i++) {
		const struct state *known = &search->states[i];

		if (known->address == address)
			return is_same(known->stack, state->stack) &&
			       is_same(known->frame, state->frame);
	}
	if (search->count == MAX_INSTRUCTIONS)
		return false;
	search->states[search->count] = *state;
	search->states[search->count++].address = address;
	return true;
}

/** Return what is at an operand, in terms of the registers at the beginning. */
static struct code_place place_of(const struct search *search, const struct state *state,
				  const struct code_operand *operand)
{
	if (operand->width == WORD || operand->kind == CODE_MEMORY) {
		if (operand->base == search->architecture->stack_register)
			return state->stack;
		if (operand->base == search->architecture->frame_register)
			return state->frame;
	}
	return nowhere;
}

/** Return what an instruction leaves in a register that it writes. */
static struct code_place result_of(const struct search *search, const struct state *state,
				   const struct code_instruction *instruction, unsigned int reg)
{
	const struct code_operand *to = &instruction->operands[0], *from = to + 1;

	if (instruction->operand_count < 2 || to->kind != CODE_REGISTER || to->base != reg ||
	    to->width != WORD)
		return nowhere;
	struct code_place own = place_of(search, state, to), other = place_of(search, state, from);
	switch (instruction->operation) {
	case CODE_ADD:
	case CODE_SUBTRACT:
		if (from->kind != CODE_IMMEDIATE || own.is_loaded)
			return nowhere;
		own.offset += instruction->operation == CODE_ADD ? from->number : -from->number;
		return own;
	case CODE_MOVE:
		return from->kind == CODE_REGISTER ? other : nowhere;
	case CODE_ADDRESS:
		if (from->kind != CODE_MEMORY || from->index != CODE_NO_REGISTER ||
		    from->segment != CODE_PLAIN || other.is_loaded)
			return nowhere;
		other.offset += from->number;
		return other;
	default:
		return nowhere;
	}
}

/** Take a word from the stack into a register. @return false: the stack pointer is unknown. */
static bool pop(const struct search *search, struct state *state, unsigned int reg)
{
	if (state->stack.reg == CODE_NO_REGISTER || state->stack.is_loaded)
		return false;
	if (reg == search->architecture->frame_register) {
		state->frame = state->stack;
		state->frame.is_loaded = true;
	}
	state->stack.offset += WORD;
	return reg != search->architecture->stack_register;
}

static bool pushes_word(const struct code_instruction *instruction)
{
	for (size_t i = 0; i < instruction->operand_count; i++) {
		const struct code_operand *operand = &instruction->operands[i];

		if (operand->kind == CODE_MEMORY && operand->implied)
			return operand->width == WORD;
	}
	return false;
}

/** Follow what an instruction does to the two registers. @return false: it is unknown. */
static bool follow(const struct search *search, struct state *state,
		   const struct code_instruction *instruction)
{
	const unsigned int stack = search->architecture->stack_register,
			   frame = search->architecture->frame_register;
	const struct state before = *state;

	if (instruction->kind == CODE_CALL)
		return true; // it returns with both as they were
	if (instruction->operation == CODE_LEAVE) {
		state->stack = state->frame;
		return pop(search, state, frame);
	}
	if (instruction->operation == CODE_PUSH) {
		state->stack.offset -= WORD;
		return pushes_word(instruction);
	}
	if (instruction->operation == CODE_POP)
		return instruction->operand_count && instruction->operands[0].width == WORD &&
		       pop(search, state, instruction->operands[0].base);
	if (instruction->writes & bit(frame))
		state->frame = result_of(search, &before, instruction, frame);
	if (instruction->writes & bit(stack))
		state->stack = result_of(search, &before, instruction, stack);
	return true;
}

/** Take the place of the return address at the end of a way. */
static bool take_return(struct search *search, const struct state *state)
{
	struct code_return *ret = search->ret;

	if (state->stack.reg == CODE_NO_REGISTER || state->stack.is_loaded ||
	    (search->has_return && !is_same(ret->slot, state->stack)))
		return false;
	if (search->has_return && !is_same(ret->frame, state->frame))
		ret->frame = nowhere;
	else
		ret->frame = state->frame;
	ret->slot = state->stack;
	search->has_return = true;
	return true;
}

/** Go past one instruction. @return false: it is unknown where that leads. */
static bool step(struct search *search, struct state state)
{
	struct code_instruction instruction;

	if (code_decode(search->reader, state.address, &instruction) != CODE_OK)
		return false;
	if (instruction.kind == CODE_RETURN)
		return take_return(search, &state);
	if (instruction.kind == CODE_TRAP)
		return true;
	if (instruction.kind != CODE_CALL)
		search->ret->written |= instruction.writes;
	if (!follow(search, &state, &instruction))
		return false;
	if (instruction.kind == CODE_JUMP || instruction.kind == CODE_JUMP_IF) {
		if (!instruction.is_direct || !go_on(search, &state, instruction.target))
			return false;
	}
	return instruction.kind == CODE_JUMP || go_on(search, &state, code_end(&instruction));
}

enum code_status code_find_return(struct code_reader *reader, uint64_t pc, struct code_return *ret)
{
	const struct code_architecture *architecture = reader->architecture;
	struct search search = { .reader = reader, .architecture = architecture, .ret = ret };
	const struct state begin = {
		.stack = { .reg = architecture->stack_register },
		.frame = { .reg = architecture->frame_register },
	};

	*ret = (struct code_return){ .slot = nowhere, .frame = nowhere };
	go_on(&search, &begin, pc);
	for (size_t i = 0; i < search.count; i++) {
		if (!step(&search, search.states[i]))
			return CODE_UNKNOWN;
	}
	return search.has_return ? CODE_OK : CODE_UNKNOWN;
}
