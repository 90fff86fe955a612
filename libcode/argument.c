// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception  What a call passes, read out of the
// instructions before it. Without the function's control flow it is not known where these begin:
// they are decoded from every place on, and what most of these readings come to holds.

#include "code.h"

enum {
	WINDOW = 64, // bytes before the call that are looked at where there is no flow
	CHAIN = 16,  // blocks that are looked at where there is
};

/** Widths of a struct code_argument. */
enum { WHOLE = 8, HALF = 4, SIGNED_HALF = -4 };

/** The contents of a register. */
struct content {
	bool known;
	uint64_t at; // where the instruction ends that wrote it, 0: none did
	struct code_argument value;
};

struct registers {
	const struct code_architecture *architecture;
	struct content of[CODE_GENERAL];
};

static bool is_kept(const struct registers *registers, unsigned int reg)
{
	return reg < CODE_GENERAL && registers->architecture->kept >> reg & 1;
}

// A register that the call leaves unchanged can be had from the calling frame, whatever it holds.
static bool get(const struct registers *registers, unsigned int reg, struct code_argument *ret)
{
	if (reg >= CODE_GENERAL)
		return false;
	if (is_kept(registers, reg)) {
		*ret = (struct code_argument){ .reg = (uint8_t)reg, .scale = 1, .width = WHOLE };
		return true;
	}
	*ret = registers->of[reg].value;
	return registers->of[reg].known;
}

// ---- Sums ------------------------------------------------------------------------------------

static bool has_register(const struct code_argument *value)
{
	return value->reg != CODE_NO_REGISTER;
}

static bool is_plain(const struct code_argument *value)
{
	return has_register(value) && value->scale == 1;
}

static struct code_argument number(int64_t value)
{
	return (struct code_argument){ .reg = CODE_NO_REGISTER, .value = (uint64_t)value };
}

static bool is_small(int64_t value)
{
	return value >= INT16_MIN && value <= INT16_MAX;
}

static bool multiply(struct code_argument *value, int64_t factor)
{
	if (!is_small(factor) || !is_small(value->scale))
		return false;
	value->value *= (uint64_t)factor;
	value->scale *= factor;
	return true;
}

// One of the two may hold what is not known before the program runs.
static bool add(struct code_argument *value, const struct code_argument *other)
{
	const uint64_t sum = value->value + other->value;

	if (has_register(value) && has_register(other))
		return false;
	if (has_register(other))
		*value = *other;
	value->value = sum;
	return true;
}

// Take the lower half.
static bool halve(struct code_argument *value, int8_t width)
{
	if (!has_register(value)) {
		value->value = width < 0 ? (uint64_t)(int32_t)value->value : (uint32_t)value->value;
		return true;
	}
	value->width = width;
	return is_plain(value) && value->value == 0;
}

// ---- Operands --------------------------------------------------------------------------------

static bool operand_address(const struct registers *registers, const struct code_operand *operand,
			    struct code_argument *ret)
{
	struct code_argument part;

	*ret = number(operand->number);
	if (operand->segment != CODE_PLAIN)
		return false;
	if (operand->base != CODE_NO_REGISTER &&
	    (!get(registers, operand->base, &part) || !add(ret, &part)))
		return false;
	if (operand->index == CODE_NO_REGISTER)
		return true;
	return get(registers, operand->index, &part) && multiply(&part, operand->scale) &&
	       add(ret, &part);
}

// What memory on the stack holds. What a variable held at the time of the call is not known.
static bool in_memory(const struct code_argument *address, int8_t width, struct code_argument *ret)
{
	if (!is_plain(address) || address->in_memory || address->width != WHOLE ||
	    !is_small((int64_t)address->value))
		return false;
	*ret = *address;
	ret->value = 0;
	ret->offset = (int32_t)address->value;
	ret->in_memory = true;
	ret->width = width;
	return true;
}

static bool read_operand(const struct registers *registers, const struct code_operand *operand,
			 int8_t width, struct code_argument *ret)
{
	struct code_argument address;

	switch (operand->kind) {
	case CODE_IMMEDIATE:
		*ret = number(operand->number);
		return width == WHOLE || halve(ret, width);
	case CODE_MEMORY:
		return operand_address(registers, operand, &address) &&
		       in_memory(&address, width, ret);
	case CODE_REGISTER:
		return get(registers, operand->base, ret) && (width == WHOLE || halve(ret, width));
	default:
		return false;
	}
}

// Return what the instruction puts into the register that is its first operand.
static bool loaded(const struct registers *registers, const struct code_instruction *instruction,
		   struct code_argument *ret)
{
	const struct code_operand *to = &instruction->operands[0], *from = to + 1;
	const bool whole = to->width == WHOLE;
	struct code_argument other;

	if (!instruction->operand_count || to->kind != CODE_REGISTER || !(to->access & CODE_WRITES))
		return false;
	if (instruction->operation == CODE_ZERO) {
		*ret = number(0);
		return to->width >= HALF;
	}
	if (instruction->operand_count < 2)
		return false;
	switch (instruction->operation) {
	case CODE_MOVE:
		return to->width >= HALF && from->width == to->width &&
		       read_operand(registers, from, whole ? WHOLE : HALF, ret);
	case CODE_MOVE_SIGNED:
		return whole && from->width == HALF &&
		       read_operand(registers, from, SIGNED_HALF, ret);
	case CODE_ADDRESS:
		return whole && operand_address(registers, from, ret);
	case CODE_ADD:
		return whole && read_operand(registers, from, WHOLE, &other) &&
		       get(registers, to->base, ret) && add(ret, &other);
	case CODE_SUBTRACT:
		other = number((int64_t) - (uint64_t)from->number);
		return whole && from->kind == CODE_IMMEDIATE && get(registers, to->base, ret) &&
		       add(ret, &other);
	case CODE_SHIFT_LEFT:
		return whole && from->kind == CODE_IMMEDIATE && from->number > 0 &&
		       from->number < 16 && get(registers, to->base, ret) &&
		       multiply(ret, INT64_C(1) << from->number);
	case CODE_MULTIPLY:
		return whole && instruction->operand_count == 3 && from[1].kind == CODE_IMMEDIATE &&
		       from[1].number && read_operand(registers, from, WHOLE, ret) &&
		       multiply(ret, from[1].number);
	default:
		return false;
	}
}

// ---- Instructions ----------------------------------------------------------------------------

// What is copied into a register that is kept, or onto the stack, can be had from there.
static void keep_source(struct registers *registers, const struct code_instruction *instruction)
{
	const struct code_operand *to = &instruction->operands[0], *from = to + 1;
	struct code_argument place, address;

	if (instruction->operation != CODE_MOVE || instruction->operand_count != 2 ||
	    to->width != WHOLE || from->width != WHOLE || from->kind != CODE_REGISTER ||
	    from->base >= CODE_GENERAL || is_kept(registers, from->base))
		return;
	struct content *content = &registers->of[from->base];

	if (to->kind == CODE_MEMORY) {
		if (to->index != CODE_NO_REGISTER || !is_kept(registers, to->base) ||
		    (content->known && !has_register(&content->value)) ||
		    !operand_address(registers, to, &address) ||
		    !in_memory(&address, WHOLE, &place))
			return;
	} else if (to->kind != CODE_REGISTER || !is_kept(registers, to->base) ||
		   !get(registers, to->base, &place)) {
		return;
	}
	*content = (struct content){ .known = true, .at = code_end(instruction), .value = place };
}

// Values that rest on a register, or on memory, become unknown when that is written.
static void forget_sources(struct registers *registers, const struct code_instruction *instruction,
			   uint64_t written)
{
	for (unsigned int reg = 0; reg < CODE_GENERAL; reg++) {
		struct content *content = &registers->of[reg];

		if (!content->known || !has_register(&content->value))
			continue;
		if (written >> content->value.reg & 1 ||
		    (content->value.in_memory &&
		     code_may_write_word(instruction, content->value.reg, content->value.offset)))
			content->known = false;
	}
}

static void write_registers(struct registers *registers, const struct code_instruction *instruction)
{
	const bool is_call = instruction->kind == CODE_CALL;
	const uint64_t written = is_call ? ~registers->architecture->kept : instruction->writes;
	struct code_argument value;
	bool known = !is_call && loaded(registers, instruction, &value);

	for (unsigned int reg = 0; reg < CODE_GENERAL; reg++) {
		if (!(written >> reg & 1))
			continue;
		registers->of[reg] = (struct content){ .at = code_end(instruction) };
		if (known && instruction->operands[0].base == reg) {
			registers->of[reg].known = true;
			registers->of[reg].value = value;
		}
	}
	forget_sources(registers, instruction, written & registers->architecture->kept);
	keep_source(registers, instruction);
}

static struct content result_of(const struct registers *registers, unsigned int reg)
{
	struct content content = registers->of[reg];

	// Half a register is no address.
	if (is_plain(&content.value) && content.value.width != WHOLE)
		content.known = false;
	return content;
}

// ---- Without the control flow ----------------------------------------------------------------

/** The instructions that begin at each of the bytes before a call. */
struct window {
	const struct code_architecture *architecture;
	size_t size;
	bool defined[WINDOW];
	struct code_instruction at[WINDOW];
};

static void decode_window(struct window *window, uint64_t address, const uint8_t *bytes)
{
	for (size_t at = 0; at < window->size; at++)
		window->defined[at] = window->architecture->decode(address + at, bytes + at,
								   window->size - at,
								   &window->at[at]) == CODE_OK;
}

// Follow the instructions from @p at to the call; false if there is something else, or nothing is
// put into the register.
static bool follow(const struct window *window, size_t at, unsigned int reg, struct content *ret)
{
	struct registers registers = { .architecture = window->architecture };

	while (at < window->size) {
		const struct code_instruction *instruction = &window->at[at];

		if (!window->defined[at])
			return false;
		at += instruction->size;
		if (instruction->kind == CODE_OTHER || instruction->kind == CODE_CALL ||
		    instruction->kind == CODE_JUMP_IF)
			write_registers(&registers, instruction);
		else // the next is reached from elsewhere
			registers = (struct registers){ .architecture = window->architecture };
	}
	*ret = result_of(&registers, reg);
	return ret->at != 0;
}

static bool is_same(const struct content *one, const struct content *other)
{
	const struct code_argument *a = &one->value, *b = &other->value;

	if (one->at != other->at || one->known != other->known)
		return false;
	return !one->known ||
	       (a->reg == b->reg && a->value == b->value && a->scale == b->scale &&
		a->offset == b->offset && a->in_memory == b->in_memory && a->width == b->width);
}

// Instructions that are decoded from different places on soon come to be the same.
static bool elect(const struct window *window, unsigned int reg, struct code_argument *ret)
{
	struct outcome {
		struct content content;
		unsigned int votes;
	} found[WINDOW];
	unsigned int count = 0, best = 0, votes = 0;
	struct content content;

	for (size_t start = 0; start < window->size; start++) {
		unsigned int i = 0;

		if (!follow(window, start, reg, &content))
			continue;
		while (i < count && !is_same(&found[i].content, &content))
			i++;
		if (i == count)
			found[count++] = (struct outcome){ .content = content };
		found[i].votes++;
		votes++;
	}
	for (unsigned int i = 1; i < count; i++) {
		if (found[i].votes > found[best].votes)
			best = i;
	}
	if (!count || 2 * found[best].votes <= votes || !found[best].content.known)
		return false;
	*ret = found[best].content.value;
	return true;
}

static enum code_status argument_by_votes(struct code_reader *reader, uint64_t call,
					  unsigned int reg, struct code_argument *ret)
{
	struct window window = { .architecture = reader->architecture, .size = WINDOW };
	uint8_t bytes[WINDOW];

	if (code_read(reader, call - WINDOW, bytes, sizeof(bytes)) != sizeof(bytes))
		return CODE_UNREADABLE;
	decode_window(&window, call - WINDOW, bytes);
	return elect(&window, reg, ret) ? CODE_OK : CODE_UNKNOWN;
}

// ---- With the control flow -------------------------------------------------------------------

// The one block from which control comes to another; NULL if there are several, or it is the entry.
static const struct code_block *only_before(const struct code_flow *flow,
					    const struct code_block *block)
{
	const struct code_block *found = NULL;

	if (block->begin == flow->entry)
		return NULL;
	for (uint32_t i = 0; i < flow->count; i++) {
		const struct code_block *other = &flow->blocks[i];

		for (unsigned int next = 0; next < other->next_count; next++) {
			if (&flow->blocks[other->next[next]] != block)
				continue;
			if (found && found != other)
				return NULL;
			found = other;
		}
	}
	return found;
}

static enum code_status argument_by_flow(struct code_reader *reader, const struct code_flow *flow,
					 uint64_t call, unsigned int reg, struct code_argument *ret)
{
	const struct code_block *chain[CHAIN];
	struct registers registers = { .architecture = reader->architecture };
	struct code_instruction instruction;
	unsigned int count = 0;

	for (const struct code_block *block = code_flow_block(flow, call); block && count < CHAIN;
	     block = only_before(flow, block))
		chain[count++] = block;
	if (!count || !flow->is_complete)
		return CODE_UNKNOWN;
	while (count--) {
		for (uint64_t at = chain[count]->begin; at != chain[count]->end && at != call;
		     at = code_end(&instruction)) {
			const enum code_status status = code_decode(reader, at, &instruction);

			if (status != CODE_OK)
				return status;
			write_registers(&registers, &instruction);
		}
	}
	const struct content content = result_of(&registers, reg);

	*ret = content.value;
	return content.known ? CODE_OK : CODE_UNKNOWN;
}

static enum code_status find_call(struct code_reader *reader, const struct code_flow *flow,
				  uint64_t return_address, uint64_t *ret)
{
	const struct code_block *block;
	struct code_instruction call;

	if (!flow) {
		const enum code_status status = code_call_before(reader, return_address, &call);

		*ret = call.address;
		return status;
	}
	block = code_flow_block(flow, return_address - 1);
	if (!block || block->end != return_address || block->kind != CODE_CALL)
		return CODE_UNKNOWN;
	*ret = block->last;
	return CODE_OK;
}

enum code_status code_argument(struct code_reader *reader, const struct code_flow *flow,
			       uint64_t return_address, unsigned int number,
			       struct code_argument *ret)
{
	const struct code_architecture *architecture = reader->architecture;
	uint64_t call;

	if (number >= architecture->argument_count)
		return CODE_UNKNOWN;
	const enum code_status status = find_call(reader, flow, return_address, &call);
	const unsigned int reg = architecture->arguments[number];

	if (status != CODE_OK)
		return status;
	return flow ? argument_by_flow(reader, flow, call, reg, ret) :
		      argument_by_votes(reader, call, reg, ret);
}
