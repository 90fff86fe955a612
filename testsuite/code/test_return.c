// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where code returns to, from an instruction within it on.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "own_memory.h"

extern const uint8_t bare[], framed[], framed_inside[], framed_end[], by_size[], two_ways[];
extern const uint8_t disagreeing[], unknown_jump[], aligned[];

__asm__(".text\n"
	"callee: ret\n"
	"bare: cmpq $0, (%rdi)\n"
	"	je bare\n"
	"	ret\n"
	"framed: push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	push %rbx\n"
	"framed_inside: and $-32, %rsp\n"
	"	call callee\n"
	"	lea -8(%rbp), %rsp\n"
	"	pop %rbx\n"
	"framed_end: leave\n"
	"	ret\n"
	"by_size: push %r12\n"
	"	sub $24, %rsp\n"
	"	add $24, %rsp\n"
	"	pop %r12\n"
	"	ret\n"
	"two_ways: jc 1f\n"
	"	add $8, %rsp\n"
	"	ret\n"
	"1:	pop %rax\n"
	"	ret\n"
	"disagreeing: jc 1f\n"
	"	add $8, %rsp\n"
	"1:	ret\n"
	"unknown_jump: je 1f\n"
	"	jmp *%rax\n"
	"1:	ret\n"
	"aligned: and $-16, %rsp\n"
	"	ret\n");

enum { RBX = 3, RSP = 4, RBP = 5, R12 = 12, WORD = 8 };

static struct code_return find(const uint8_t *from)
{
	struct code_return found;

	assert_int_equal(code_find_return(own_reader(), at(from), &found), CODE_OK);
	return found;
}

static void assert_place(struct code_place place, unsigned int reg, int64_t offset, bool is_loaded)
{
	assert_int_equal(place.reg, reg);
	assert_true(place.offset == offset);
	assert_int_equal(place.is_loaded, is_loaded);
}

static void test_slots(void **state)
{
	(void)state;
	assert_place(find(bare).slot, RSP, 0, false);
	assert_place(find(bare).frame, RBP, 0, false);
	assert_place(find(framed).slot, RSP, 0, false);
	assert_place(find(framed).frame, RSP, -WORD, true);
	assert_place(find(framed_inside).slot, RBP, WORD, false);
	assert_place(find(framed_inside).frame, RBP, 0, true);
	assert_place(find(framed_end).slot, RBP, WORD, false);
	assert_place(find(by_size).slot, RSP, 0, false);
	assert_place(find(two_ways).slot, RSP, WORD, false);
}

static void test_written_registers(void **state)
{
	(void)state;
	assert_false(find(bare).written >> RBX & 1);
	assert_true(find(framed).written >> RBX & 1);
	assert_true(find(by_size).written >> R12 & 1);
	assert_false(find(framed_end).written >> RBX & 1);
}

static void test_what_is_not_known(void **state)
{
	static const uint8_t *const codes[] = { disagreeing, unknown_jump, aligned,
						(const uint8_t *)0x100 };
	struct code_return found;

	(void)state;
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		assert_int_equal(code_find_return(own_reader(), at(codes[i]), &found),
				 CODE_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_slots),
		cmocka_unit_test(test_written_registers),
		cmocka_unit_test(test_what_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
