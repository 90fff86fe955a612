// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that are carried out up to the end of their first call.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "own_memory.h"

enum { RBP = 5, RSI = 6, RSP = 4, RECORD = 0x100000, WORD = 8 };

static const uint64_t stack = UINT64_C(1) << 63; // nothing is there

extern const uint8_t put[], entry[], entry_direct[], jumps[], conditional[], unknown_callee[];
extern const uint8_t calls_twice[], endless[], returns[], nested[];

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
	"endless: jmp endless\n");

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_the_callee_puts_into_the_frame),
		cmocka_unit_test(test_ways_that_are_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
