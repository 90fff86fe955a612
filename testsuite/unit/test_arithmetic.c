// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libtarget: operations of DWARF's expressions on numbers.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <dwarf.h>

#include "services/values/expression.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MINUS(number) ((uint64_t)-INT64_C(number))

struct two_numbers {
	unsigned int atom;
	uint64_t one, other, result;
};

static void test_two_numbers(void **state)
{
	const uint64_t least = UINT64_C(1) << 63;
	const struct two_numbers cases[] = {
		{ DW_OP_and, 12, 10, 8 },
		{ DW_OP_or, 12, 10, 14 },
		{ DW_OP_xor, 12, 10, 6 },
		{ DW_OP_plus, MINUS(1), 3, 2 },
		{ DW_OP_minus, 3, 5, MINUS(2) },
		{ DW_OP_mul, MINUS(3), 5, MINUS(15) },
		{ DW_OP_div, MINUS(7), 2, MINUS(3) },
		{ DW_OP_div, 7, MINUS(2), MINUS(3) },
		{ DW_OP_div, MINUS(7), MINUS(2), 3 },
		{ DW_OP_div, least, MINUS(1), least },
		{ DW_OP_mod, 7, 4, 3 },
		{ DW_OP_shl, 3, 4, 48 },
		{ DW_OP_shl, 3, 64, 0 },
		{ DW_OP_shr, MINUS(1), 63, 1 },
		{ DW_OP_shr, MINUS(1), 64, 0 },
		{ DW_OP_shra, MINUS(8), 1, MINUS(4) },
		{ DW_OP_shra, MINUS(8), 0, MINUS(8) },
		{ DW_OP_shra, MINUS(8), 200, MINUS(1) },
		{ DW_OP_shra, 8, 200, 0 },
		{ DW_OP_eq, 5, 5, 1 },
		{ DW_OP_ne, 5, 5, 0 },
		{ DW_OP_lt, MINUS(1), 0, 1 },
		{ DW_OP_le, 1, 0, 0 },
		{ DW_OP_gt, 0, MINUS(1), 1 },
		{ DW_OP_ge, MINUS(1), 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct operands stack = { { 77, cases[i].one, cases[i].other }, 3 };

		assert_int_equal(arithmetic_do(&stack, cases[i].atom, 0), ARITHMETIC_DONE);
		assert_int_equal(stack.count, 2);
		assert_int_equal(stack.numbers[0], 77);
		assert_int_equal(stack.numbers[1], cases[i].result);
	}
}

static void check(unsigned int atom, uint64_t number, const uint64_t *expected, size_t count)
{
	struct operands stack = { { 1, 2, MINUS(3) }, 3 };

	assert_int_equal(arithmetic_do(&stack, atom, number), ARITHMETIC_DONE);
	assert_int_equal(stack.count, count);
	assert_memory_equal(stack.numbers, expected, count * sizeof(*expected));
}

#define CHECK(atom, number, ...)                               \
	check(atom, number, (const uint64_t[]){ __VA_ARGS__ }, \
	      sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

static void test_other_operations(void **state)
{
	(void)state;
	CHECK(DW_OP_nop, 0, 1, 2, MINUS(3));
	CHECK(DW_OP_lit31, 0, 1, 2, MINUS(3), 31);
	CHECK(DW_OP_consts, MINUS(9), 1, 2, MINUS(3), MINUS(9));
	CHECK(DW_OP_plus_uconst, 5, 1, 2, 2);
	CHECK(DW_OP_abs, 0, 1, 2, 3);
	CHECK(DW_OP_neg, 0, 1, 2, 3);
	CHECK(DW_OP_not, 0, 1, 2, 2);
	CHECK(DW_OP_dup, 0, 1, 2, MINUS(3), MINUS(3));
	CHECK(DW_OP_over, 0, 1, 2, MINUS(3), 2);
	CHECK(DW_OP_pick, 2, 1, 2, MINUS(3), 1);
	CHECK(DW_OP_drop, 0, 1, 2);
	CHECK(DW_OP_swap, 0, 1, MINUS(3), 2);
	CHECK(DW_OP_rot, 0, MINUS(3), 1, 2);
}

/** Too few numbers, too many, and a division by zero are damage; the rest is not done here. */
static void test_refusals(void **state)
{
	static const unsigned int unary[] = { DW_OP_abs, DW_OP_plus_uconst, DW_OP_dup, DW_OP_drop };
	static const unsigned int binary[] = { DW_OP_plus, DW_OP_over, DW_OP_swap, DW_OP_rot };
	struct operands stack = { .count = 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(unary); i++)
		assert_int_equal(arithmetic_do(&stack, unary[i], 1), ARITHMETIC_DAMAGED);
	stack.count = 1;
	for (size_t i = 0; i < COUNT(binary); i++)
		assert_int_equal(arithmetic_do(&stack, binary[i], 1), ARITHMETIC_DAMAGED);
	stack = (struct operands){ { 4, 0 }, 2 };
	assert_int_equal(arithmetic_do(&stack, DW_OP_div, 0), ARITHMETIC_DAMAGED);
	assert_int_equal(arithmetic_do(&stack, DW_OP_mod, 0), ARITHMETIC_DAMAGED);
	assert_int_equal(arithmetic_do(&stack, DW_OP_bra, 0), ARITHMETIC_UNKNOWN);
	assert_int_equal(stack.count, 2);
	for (size_t i = 2; i < MAX_OPERANDS; i++)
		assert_int_equal(arithmetic_do(&stack, DW_OP_lit1, 0), ARITHMETIC_DONE);
	assert_int_equal(arithmetic_do(&stack, DW_OP_lit1, 0), ARITHMETIC_DAMAGED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_numbers),
		cmocka_unit_test(test_other_operations),
		cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
