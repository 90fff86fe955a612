// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations of DWARF's expressions (DWARF 5, 7.7.1) that need nothing but a stack of numbers.

#include "expression.h"

#include <dwarf.h>

enum { WORD_BITS = 64 };

static uint64_t compute_one(unsigned int atom, uint64_t number)
{
	if (atom == DW_OP_abs)
		return (int64_t)number < 0 ? -number : number;
	return atom == DW_OP_neg ? -number : ~number;
}

static uint64_t shift_signed(uint64_t one, uint64_t other)
{
	uint64_t places = other < WORD_BITS - 1 ? other : WORD_BITS - 1;
	uint64_t sign = (int64_t)one < 0 ? ~UINT64_C(0) : 0;

	return places ? one >> places | sign << (WORD_BITS - places) : one;
}

/** Divide signed numbers; the least one by -1 stays as it is. */
static uint64_t divide(uint64_t one, uint64_t other)
{
	uint64_t a = (int64_t)one < 0 ? -one : one, b = (int64_t)other < 0 ? -other : other;

	return (int64_t)(one ^ other) < 0 ? -(a / b) : a / b;
}

static bool compute_two(unsigned int atom, uint64_t one, uint64_t other, uint64_t *ret)
{
	switch (atom) {
	case DW_OP_and:
		*ret = one & other;
		return true;
	case DW_OP_div:
		if (other)
			*ret = divide(one, other);
		return other != 0;
	case DW_OP_minus:
		*ret = one - other;
		return true;
	case DW_OP_mod:
		if (other)
			*ret = one % other;
		return other != 0;
	case DW_OP_mul:
		*ret = one * other;
		return true;
	case DW_OP_or:
		*ret = one | other;
		return true;
	case DW_OP_plus:
		*ret = one + other;
		return true;
	case DW_OP_shl:
		*ret = other < WORD_BITS ? one << other : 0;
		return true;
	case DW_OP_shr:
		*ret = other < WORD_BITS ? one >> other : 0;
		return true;
	case DW_OP_shra:
		*ret = shift_signed(one, other);
		return true;
	case DW_OP_xor:
		*ret = one ^ other;
		return true;
	case DW_OP_eq:
		*ret = one == other;
		return true;
	case DW_OP_ge:
		*ret = (int64_t)one >= (int64_t)other;
		return true;
	case DW_OP_gt:
		*ret = (int64_t)one > (int64_t)other;
		return true;
	case DW_OP_le:
		*ret = (int64_t)one <= (int64_t)other;
		return true;
	case DW_OP_lt:
		*ret = (int64_t)one < (int64_t)other;
		return true;
	case DW_OP_ne:
		*ret = one != other;
		return true;
	default:
		return false;
	}
}

static enum arithmetic push(struct operands *stack, uint64_t number)
{
	if (stack->count == MAX_OPERANDS)
		return ARITHMETIC_DAMAGED;
	stack->numbers[stack->count++] = number;
	return ARITHMETIC_DONE;
}

/** Copy the number that lies @p below the top. */
static enum arithmetic pick(struct operands *stack, uint64_t below)
{
	if (below >= stack->count)
		return ARITHMETIC_DAMAGED;
	return push(stack, stack->numbers[stack->count - 1 - below]);
}

/** Move the top down, below @p places other numbers. */
static enum arithmetic sink(struct operands *stack, size_t places)
{
	if (places >= stack->count)
		return ARITHMETIC_DAMAGED;
	uint64_t *top = &stack->numbers[stack->count - 1], number = *top;
	for (size_t i = 0; i < places; i++, top--)
		*top = top[-1];
	*top = number;
	return ARITHMETIC_DONE;
}

/** Do an operation on one number or two. */
static enum arithmetic compute(struct operands *stack, unsigned int atom)
{
	uint64_t *top = stack->numbers + stack->count - 1, result;

	if (atom == DW_OP_abs || atom == DW_OP_neg || atom == DW_OP_not) {
		if (!stack->count)
			return ARITHMETIC_DAMAGED;
		*top = compute_one(atom, *top);
		return ARITHMETIC_DONE;
	}
	if (!compute_two(atom, 1, 1, &result))
		return ARITHMETIC_UNKNOWN;
	if (stack->count < 2 || !compute_two(atom, top[-1], *top, &top[-1]))
		return ARITHMETIC_DAMAGED;
	stack->count--;
	return ARITHMETIC_DONE;
}

enum arithmetic arithmetic_do(struct operands *stack, unsigned int atom, uint64_t number)
{
	if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31)
		return push(stack, atom - DW_OP_lit0);
	if (atom >= DW_OP_const1u && atom <= DW_OP_consts)
		return push(stack, number);
	switch (atom) {
	case DW_OP_nop:
		return ARITHMETIC_DONE;
	case DW_OP_plus_uconst:
		if (!stack->count)
			return ARITHMETIC_DAMAGED;
		stack->numbers[stack->count - 1] += number;
		return ARITHMETIC_DONE;
	case DW_OP_dup:
		return pick(stack, 0);
	case DW_OP_over:
		return pick(stack, 1);
	case DW_OP_pick:
		return pick(stack, number);
	case DW_OP_drop:
		if (!stack->count)
			return ARITHMETIC_DAMAGED;
		stack->count--;
		return ARITHMETIC_DONE;
	case DW_OP_swap:
		return sink(stack, 1);
	case DW_OP_rot:
		return sink(stack, 2);
	default:
		return compute(stack, atom);
	}
}
