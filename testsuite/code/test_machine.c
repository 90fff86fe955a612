// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that are carried out: up to the end of their first call, and calls until one reaches a function
// that is asked for.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "own_memory.h"

enum { RAX = 0, RSP = 4, RBP = 5, RSI = 6, RDI = 7, RECORD = 0x100000, WORD = 8 };

static const uint64_t stack = UINT64_C(1) << 63; // nothing is there

extern const uint8_t put[], entry[], entry_direct[], jumps[], conditional[], unknown_callee[];
extern const uint8_t calls_twice[], endless[], returns[], nested[];
extern const uint8_t wanted[], other[], caller[], wrapper[], outer[], narrow[], checked[],
	jumps_to_wrapper[];
extern const uint8_t comes_back[], stack_user[], gives_up[], signed_one[];

__asm__(".text\n"
	"put:	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	lea 0x10(%rdi), %rax\n"
	"	mov %rax, (%rsi)\n"
	"	add $0x18, %rdi\n"
	"	mov 0x10(%rbp), %rax\n" // the argument on the stack
	"	mov %rdi, (%rax)\n"
	"	pop %rbp\n"
	"	ret\n"
	"entry:	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	sub $0x40, %rsp\n"
	"	mov %edi, -4(%rbp)\n"
	"	mov %rsi, -0x10(%rbp)\n"
	"	mov -0x10(%rbp), %rdi\n"
	"	lea put(%rip), %rcx\n"
	"	mov %rcx, -0x28(%rbp)\n"
	"	lea -0x20(%rbp), %rax\n"
	"	push %rax\n"
	"	lea -0x18(%rbp), %rsi\n"
	"	mov -0x28(%rbp), %rax\n"
	"	call *%rax\n"
	"	ud2\n" // is not reached
	"entry_direct: push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	mov %rsi, %rdi\n"
	"	lea -0x20(%rbp), %rax\n"
	"	lea -0x18(%rbp), %rsi\n"
	"	sub $0x40, %rsp\n"
	"	push %rax\n"
	"	call put\n"
	"	ud2\n"
	"jumps:	jmp entry_direct\n"
	"conditional: test %rsi, %rsi\n"
	"	je entry\n"
	"	jmp entry\n"
	"unknown_callee: call *%rdx\n"
	"returns: ret\n"
	"nested: call put\n"
	"	ret\n"
	"calls_twice: call nested\n"
	"	ret\n"
	"endless: jmp endless\n"
	"wanted: ret\n"
	"other: ret\n"
	"wrapper: add $8, %rdi\n"
	"	jmp wanted\n"
	"outer:	push %rbp\n" // as code that is not optimized
	"	mov %rsp, %rbp\n"
	"	sub $0x10, %rsp\n"
	"	mov %rdi, -8(%rbp)\n"
	"	mov -8(%rbp), %rdi\n"
	"	call wrapper\n"
	"	leave\n"
	"	ret\n"
	"narrow: push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	sub $0x10, %rsp\n"
	"	mov %rdi, -8(%rbp)\n"
	"	mov %esi, -0xc(%rbp)\n" // next to the other
	"	mov -8(%rbp), %rax\n"
	"	movslq -0xc(%rbp), %rcx\n"
	"	lea (%rax,%rcx,8), %rdi\n"
	"	jmp wanted\n"
	"checked: test %rdi, %rdi\n"
	"	je 1f\n"
	"	cmp $3, %esi\n"
	"	ja 1f\n"
	"	jmp wrapper\n"
	"1:	ud2\n"
	"signed_one: cmp $-1, %esi\n"
	"	jg 1f\n"
	"	jmp other\n"
	"1:	cmp $0, %rdi\n"
	"	jl other\n"
	"	jmp wanted\n"
	"comes_back: call other\n"
	"	add $0x10, %rdi\n"
	"	ret\n"
	"stack_user: mov -0x40(%rsp), %rdi\n" // nothing of it is known
	"	jmp wanted\n"
	"gives_up: test %edx, %edx\n"
	"	je wrapper\n"
	"	ret\n"
	"caller: call *%rax\n");

static bool carry_out(const uint8_t *function, struct code_machine *ret)
{
	*ret = (struct code_machine){ .architecture = &code_x86_64, .memory = own_memory };
	ret->registers[RSI] = (struct code_known){ .known = true, .bits = RECORD };
	ret->registers[RSP] = (struct code_known){ .known = true, .bits = stack };
	return code_carry_out_first_call(own_reader(), ret, at(function));
}

static void test_what_the_callee_puts_into_the_frame(void **state)
{
	const uint8_t *const functions[] = { entry, entry_direct, jumps };

	(void)state;
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		struct code_machine machine;

		assert_true(carry_out(functions[i], &machine));
		assert_true(machine.registers[RBP].known);
		assert_int_equal(machine.registers[RBP].bits, stack - WORD);
		for (unsigned int slot = 0; slot < 2; slot++) {
			const struct code_known place = {
				.known = true, .bits = stack - WORD - 0x18 - slot * WORD
			};
			const struct code_known found = code_load(&machine, place, WORD);

			assert_true(found.known);
			assert_int_equal(found.bits, RECORD + 0x10 + slot * WORD);
		}
		const struct code_known unset = { .known = true, .bits = stack - WORD - 0x38 };
		assert_false(code_load(&machine, unset, WORD).known);
	}
}

static void test_ways_that_are_not_known(void **state)
{
	const uint8_t *const functions[] = { conditional, unknown_callee, returns, calls_twice,
					     endless };
	struct code_machine machine;

	(void)state;
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		assert_false(carry_out(functions[i], &machine));
}

static enum code_entering enter(void *context, struct code_machine *machine, uint64_t function)
{
	(void)context;
	(void)machine;
	return function == at(wanted) ? CODE_STOP :
	       function == at(other)  ? CODE_STEP_OVER :
					CODE_GO_IN;
}

/** Carry out the call of a function with RECORD and 3 as its arguments. */
static bool carry_out_call(const uint8_t *function, struct code_machine *ret)
{
	struct code_instruction call;

	*ret = (struct code_machine){ .architecture = &code_x86_64,
				      .memory = own_memory,
				      .reused_begin = stack - 0x1000,
				      .reused_end = stack };
	ret->registers[RAX] = (struct code_known){ .known = true, .bits = at(function) };
	ret->registers[RDI] = (struct code_known){ .known = true, .bits = RECORD };
	ret->registers[RSI] = (struct code_known){ .known = true, .bits = 3 };
	ret->registers[RSP] = (struct code_known){ .known = true, .bits = stack };
	assert_int_equal(code_decode(own_reader(), at(caller), &call), CODE_OK);
	return code_carry_out_call(own_reader(), ret, &call, enter, NULL);
}

static void test_calls_that_reach_a_function(void **state)
{
	const struct {
		const uint8_t *function;
		uint64_t passed;
	} calls[] = {
		{ wanted, RECORD },	    { wrapper, RECORD + 8 }, { outer, RECORD + 8 },
		{ narrow, RECORD + 3 * 8 }, { checked, RECORD + 8 }, { signed_one, RECORD },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		struct code_machine machine;

		assert_true(carry_out_call(calls[i].function, &machine));
		assert_true(machine.registers[RDI].known);
		assert_int_equal(machine.registers[RDI].bits, calls[i].passed);
	}
}

static void test_calls_that_come_back(void **state)
{
	struct code_machine machine;

	(void)state;
	// A register that functions do not keep is unknown after the one that was stepped over.
	assert_false(carry_out_call(comes_back, &machine));
	assert_false(machine.registers[RDI].known);
	assert_int_equal(machine.registers[RSP].bits, stack);
	// Where the way depends on what is unknown, nothing is known of the call.
	assert_false(carry_out_call(gives_up, &machine));
	assert_false(machine.registers[RDI].known);
	assert_int_equal(machine.registers[RSP].bits, stack);
	// Below the stack is what calls have left that came after it.
	assert_true(carry_out_call(stack_user, &machine));
	assert_false(machine.registers[RDI].known);
	assert_false(carry_out_call(endless, &machine));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_the_callee_puts_into_the_frame),
		cmocka_unit_test(test_ways_that_are_not_known),
		cmocka_unit_test(test_calls_that_reach_a_function),
		cmocka_unit_test(test_calls_that_come_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
