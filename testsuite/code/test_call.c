// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which functions calls reach.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "own_memory.h"

extern const uint8_t call_direct[], call_slot[], call_null[], call_through_register[], no_call[];
extern const uint8_t call_stub[], call_unbound[], call_padded[], jump_slot[], stub[], stub_ibt[];
extern const uint8_t unbound_stub[], missing_stub[], callee[];

__asm__(".text\n"
	"callee: mov $1, %eax\n"
	"	ret\n"
	"stub:	jmp *slot(%rip)\n"
	"	nopw 0(%rax,%rax,1)\n"
	"stub_ibt: endbr64\n"
	"	.byte 0xf2\n" // bnd
	"	jmp *slot(%rip)\n"
	"unbound_stub: jmp *unbound_slot(%rip)\n"
	"unbound: endbr64\n"
	"	push $7\n"
	"	jmp stub\n"
	"missing_stub: jmp *0x1000\n"
	"	call callee\n"
	"call_direct: nop\n"
	"	call *slot(%rip)\n"
	"call_slot: nop\n"
	"	call *null_slot(%rip)\n"
	"call_null: nop\n"
	"	call *%r12\n"
	"call_through_register: nop\n"
	"	call stub_ibt\n"
	"call_stub: nop\n"
	"	call unbound_stub\n"
	"call_unbound: nop\n"
	"	.byte 0x67\n"
	"	call callee\n"
	"call_padded: nop\n"
	"jump_slot: jmp *slot(%rip)\n"
	"	xor %eax, %eax\n"
	"	xor %eax, %eax\n"
	"	xor %eax, %eax\n"
	"	xor %eax, %eax\n"
	"	xor %eax, %eax\n"
	"no_call: ret\n"
	".data\n"
	"slot:	.quad callee\n"
	"unbound_slot: .quad unbound\n"
	"null_slot: .quad 0\n"
	".text\n");

static void test_calls(void **state)
{
	static const struct {
		const uint8_t *after;
		enum code_status before, reached;
		const uint8_t *entry;
	} cases[] = {
		{ call_direct, CODE_OK, CODE_OK, callee },
		{ call_slot, CODE_OK, CODE_OK, callee },
		{ call_stub, CODE_OK, CODE_OK, callee },
		{ call_padded, CODE_OK, CODE_OK, callee },
		{ call_null, CODE_OK, CODE_UNKNOWN, NULL },
		{ call_unbound, CODE_OK, CODE_UNBOUND, NULL },
		{ call_through_register, CODE_OK, CODE_UNKNOWN, NULL },
		{ no_call, CODE_UNKNOWN, CODE_UNKNOWN, NULL },
		{ (const uint8_t *)0x100, CODE_UNREADABLE, CODE_UNKNOWN, NULL },
	};
	struct code_reader *reader = own_reader();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct code_instruction call;
		uint64_t entry = 0;

		assert_int_equal(code_call_before(reader, at(cases[i].after), &call),
				 cases[i].before);
		if (cases[i].before != CODE_OK)
			continue;
		assert_true(code_end(&call) == at(cases[i].after));
		assert_int_equal(call.kind, CODE_CALL);
		assert_int_equal(code_callee(reader, &call, &entry), cases[i].reached);
		if (cases[i].entry)
			assert_true(entry == at(cases[i].entry));
	}
}

/** Check that the quick look overlooks no call, in random bytes, prefixes and opcodes of calls. */
static void test_quick_look(void **state)
{
	static const uint8_t usual[] = { 0x26, 0x2e, 0x36, 0x3e, 0x40, 0x48, 0x4f, 0x64, 0x65,
					 0x66, 0x67, 0xc4, 0xe8, 0xf0, 0xf2, 0xf3, 0xff, 0x0f };
	unsigned int seed = 1, calls = 0, others = 0;

	(void)state;
	for (int round = 0; round < 1000000; round++) {
		uint8_t bytes[9];
		struct code_instruction found;

		for (size_t i = 0; i < sizeof(bytes); i++) {
			seed = seed * 1664525 + 1013904223;
			bytes[i] = seed >> 31 ? (uint8_t)(seed >> 16) :
						usual[(seed >> 16) % sizeof(usual)];
		}
		if (code_x86_64.decode(0, bytes, sizeof(bytes), &found) != CODE_OK)
			continue;
		if (found.kind == CODE_CALL) {
			assert_true(code_x86_64.may_call(bytes, found.size));
			calls++;
		} else if (!code_x86_64.may_call(bytes, found.size)) {
			others++;
		}
	}
	assert_true(calls > 10000 && others > 10000);
}

static void test_stubs(void **state)
{
	static const struct {
		const uint8_t *entry;
		enum code_status status;
		const uint8_t *function;
	} cases[] = {
		{ stub, CODE_OK, callee },
		{ stub_ibt, CODE_OK, callee },
		{ callee, CODE_OK, callee },
		{ unbound_stub, CODE_UNBOUND, unbound_stub },
		{ missing_stub, CODE_UNREADABLE, missing_stub },
		{ (const uint8_t *)0x100, CODE_UNREADABLE, (const uint8_t *)0x100 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t function;

		assert_int_equal(code_follow_stub(own_reader(), at(cases[i].entry), &function),
				 cases[i].status);
		assert_true(function == at(cases[i].function));
	}
}

static void test_tail_calls(void **state)
{
	struct code_instruction jump;
	uint64_t entry;

	(void)state;
	assert_int_equal(code_decode(own_reader(), at(jump_slot), &jump), CODE_OK);
	assert_int_equal(code_callee(own_reader(), &jump, &entry), CODE_OK);
	assert_true(entry == at(callee));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_quick_look),
		cmocka_unit_test(test_stubs),
		cmocka_unit_test(test_tail_calls),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
