// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where control goes in functions.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "own_memory.h"

// A loop with calls; "set" and "unset" are the addresses after calls.
extern const uint8_t looping[], looping_head[], looping_set[], looping_body[], looping_unset[];
extern const uint8_t looping_out[], looping_tail[], looping_end[];
// Calls that may throw; one that does not return.
extern const uint8_t throwing[], throwing_set[], throwing_call[], throwing_after[], throwing_pad[];
extern const uint8_t throwing_end[];
extern const uint8_t table[], table_end[], backward[], backward_middle[], backward_end[];
extern const uint8_t overlap[], overlap_inner[], overlap_end[], broken[], broken_end[];
extern const uint8_t falling[], falling_end[];

__asm__(".text\n"
	"elsewhere: ret\n"
	"looping: push %rbx\n"
	"	xor %ebx, %ebx\n"
	"looping_head: call elsewhere\n"
	"looping_set: test %eax, %eax\n"
	"	je 1f\n"
	"looping_body: add $1, %rdx\n"
	"	call elsewhere\n"
	"looping_unset: inc %ebx\n"
	"	cmp %edi, %ebx\n"
	"	jne looping_head\n"
	"1:\n"
	"looping_out: pop %rbx\n"
	"	jc elsewhere\n"
	"looping_tail: jmp elsewhere\n"
	"looping_end: nop\n"
	"throwing: call elsewhere\n"
	"throwing_set: nop\n"
	"throwing_call: call elsewhere\n"
	"throwing_after: ret\n"
	"throwing_pad: mov %rax, %rdi\n"
	"	call elsewhere\n" // does not return
	"throwing_end: nop\n"
	"table: cmp $3, %edi\n"
	"	ja 1f\n"
	"	jmp *(%rsi,%rdi,8)\n"
	"1:	ret\n"
	"table_end: nop\n"
	"backward: nop\n"
	"	nop\n"
	"backward_middle: nop\n"
	"	jmp backward_middle\n"
	"backward_end: nop\n"
	"overlap: cmpl $0, %fs:24\n"
	"	je overlap_inner\n"
	"	.byte 0xf0\n" // lock
	"overlap_inner: decl (%rdi)\n"
	"	ret\n"
	"overlap_end: nop\n"
	"broken: nop\n"
	"	int3\n"
	"broken_end: nop\n"
	"falling: nop\n"
	"falling_end: nop\n"
	"	ret\n");

enum { BLOCKS = 32 };

static struct code_block blocks[BLOCKS];

static struct code_flow build_with(const struct code_function *function)
{
	struct code_flow flow = { .blocks = blocks, .capacity = BLOCKS };

	assert_int_equal(code_flow_build(own_reader(), function, &flow), CODE_OK);
	assert_true(flow.entry == function->entry);
	return flow;
}

static struct code_flow build(const uint8_t *begin, const uint8_t *end)
{
	const struct code_function function = { .entry = at(begin),
						.begin = at(begin),
						.end = at(end) };

	return build_with(&function);
}

static void test_blocks(void **state)
{
	static const uint8_t *const begins[] = { looping,      looping_head,  looping_set,
						 looping_body, looping_unset, looping_out,
						 looping_tail };
	struct code_flow flow = build(looping, looping_end);

	(void)state;
	assert_true(flow.is_complete);
	assert_int_equal(flow.count, sizeof(begins) / sizeof(begins[0]));
	for (uint32_t i = 0; i < flow.count; i++) {
		assert_true(blocks[i].begin == at(begins[i]));
		assert_true(blocks[i].end ==
			    (i + 1 < flow.count ? at(begins[i + 1]) : at(looping_end)));
	}
	assert_int_equal(blocks[1].kind, CODE_CALL);
	assert_int_equal(blocks[4].kind, CODE_JUMP_IF);
	assert_int_equal(blocks[4].next_count, 2);
	assert_int_equal(blocks[5].next_count, 1); // the jump leaves the function
	assert_int_equal(blocks[6].next_count, 0);
	assert_ptr_equal(code_flow_block(&flow, at(looping_body) + 1), &blocks[3]);
	assert_null(code_flow_block(&flow, at(looping_end)));
	assert_null(code_flow_block(&flow, at(looping) - 1));
}

static bool ends_at(void *context, const struct code_block *block)
{
	return block->end == at(context);
}

static void test_reaches(void **state)
{
	struct code_flow flow = build(looping, looping_end);
	void *set = (void *)(uintptr_t)looping_set, *unset = (void *)(uintptr_t)looping_unset;

	(void)state;
	assert_true(code_flow_reaches(&flow, at(looping), at(looping_tail), NULL, NULL));
	assert_true(code_flow_reaches(&flow, at(looping_unset), at(looping_set), NULL, NULL));
	assert_false(code_flow_reaches(&flow, at(looping_out), at(looping_head), NULL, NULL));
	assert_true(code_flow_reaches(&flow, at(looping_set), at(looping_set), NULL, NULL));
	// An instruction before it, in the same block, is reached by the loop only.
	assert_true(code_flow_reaches(&flow, at(looping_body) + 4, at(looping_body), NULL, NULL));
	assert_false(
		code_flow_reaches(&flow, at(looping_body) + 4, at(looping_body), ends_at, set));
	assert_false(code_flow_reaches(&flow, at(looping), at(looping_out), ends_at, set));
	assert_true(code_flow_reaches(&flow, at(looping), at(looping_out), ends_at, unset));
	// What is avoided is reached itself.
	assert_true(
		code_flow_reaches(&flow, at(looping_set), at(looping_body) + 4, ends_at, unset));
	assert_false(code_flow_reaches(&flow, at(looping_end), at(looping_set), NULL, NULL));
	assert_false(code_flow_reaches(&flow, at(looping), at(looping_end), NULL, NULL));
}

struct visits {
	unsigned int count;
	uint64_t addresses;
};

static bool count(void *context, const struct code_instruction *instruction)
{
	struct visits *visits = context;

	visits->count++;
	visits->addresses += instruction->address;
	return visits->count < 100;
}

static bool refuse(void *context, const struct code_instruction *instruction)
{
	(void)context;
	(void)instruction;
	return false;
}

static bool avoid_all(void *context, const struct code_block *block)
{
	(void)context;
	return block->kind == CODE_CALL;
}

static void test_between(void **state)
{
	struct code_flow flow = build(looping, looping_end);
	struct visits visits = { 0 };

	(void)state;
	// test, je, add
	assert_true(code_flow_between(own_reader(), &flow, at(looping_set), at(looping_body) + 4,
				      NULL, count, &visits));
	assert_int_equal(visits.count, 3);
	assert_true(visits.addresses == at(looping_set) + at(looping_set) + 2 + at(looping_body));
	// ... and call, inc, cmp, jne, and again call
	visits.count = 0;
	assert_true(code_flow_between(own_reader(), &flow, at(looping_set), at(looping_out), NULL,
				      count, &visits));
	assert_int_equal(visits.count, 2 + 2 + 3 + 1 + 2); // the first block twice
	visits.count = 0;
	assert_true(code_flow_between(own_reader(), &flow, at(looping_set), at(looping_out),
				      avoid_all, count, &visits));
	assert_int_equal(visits.count, 2);
	assert_false(code_flow_between(own_reader(), &flow, at(looping_set), at(looping_out), NULL,
				       refuse, NULL));
	visits.count = 0;
	assert_true(code_flow_between(own_reader(), &flow, at(looping_tail), at(looping_set), NULL,
				      count, &visits));
	assert_int_equal(visits.count, 0);
}

static bool pads(void *context, uint64_t call, uint64_t *ret)
{
	*ret = call == at(throwing_call) ? at(throwing_pad) : 0;
	return !context;
}

static void test_exceptions(void **state)
{
	struct code_function function = { .entry = at(throwing),
					  .landing_pad = pads,
					  .begin = at(throwing),
					  .end = at(throwing_end) };
	struct code_flow flow = build_with(&function);
	void *after = (void *)(uintptr_t)throwing_after;

	(void)state;
	assert_true(flow.is_complete);
	assert_true(code_flow_reaches(&flow, at(throwing), at(throwing_pad), NULL, NULL));
	// The call that is avoided may throw.
	assert_true(code_flow_reaches(&flow, at(throwing), at(throwing_pad), ends_at, after));
	assert_false(code_flow_reaches(&flow, at(throwing), at(throwing_after), ends_at, after));
	assert_int_equal(code_flow_block(&flow, at(throwing_pad))->next_count, 0);
	function.context = &function;
	flow = build_with(&function);
	assert_false(flow.is_complete);
	function.landing_pad = NULL;
	flow = build_with(&function);
	assert_true(flow.is_complete);
	assert_false(code_flow_reaches(&flow, at(throwing), at(throwing_pad), NULL, NULL));
}

static void test_what_is_not_known(void **state)
{
	struct code_flow flow = build(table, table_end);

	(void)state;
	assert_false(flow.is_complete);
	assert_int_equal(flow.count, 3);
	flow = build(broken, broken_end);
	assert_false(flow.is_complete);
	assert_int_equal(flow.count, 1);
	flow = build(falling, falling_end);
	assert_false(flow.is_complete);
	flow = build((const uint8_t *)0x100, (const uint8_t *)0x200);
	assert_false(flow.is_complete);
}

static void test_jumps_into_blocks(void **state)
{
	struct code_flow flow = build(backward, backward_end);

	(void)state;
	assert_true(flow.is_complete);
	assert_int_equal(flow.count, 2);
	assert_true(blocks[0].end == at(backward_middle));
	assert_true(blocks[0].last == at(backward_middle) - 1);
	assert_int_equal(blocks[0].next_count, 1);
	assert_int_equal(blocks[1].next_count, 1);
	assert_int_equal(blocks[1].next[0], 1);
	flow = build(overlap, overlap_end);
	assert_true(flow.is_complete);
	assert_true(code_flow_reaches(&flow, at(overlap), at(overlap_inner), NULL, NULL));
	assert_true(code_flow_reaches(&flow, at(overlap_inner), at(overlap_end) - 1, NULL, NULL));
}

static void test_room(void **state)
{
	const struct code_function function = { .entry = at(looping),
						.begin = at(looping),
						.end = at(looping_end) };
	struct code_flow flow = { .blocks = blocks };

	(void)state;
	for (flow.capacity = 0; flow.capacity < 7; flow.capacity++)
		assert_int_equal(code_flow_build(own_reader(), &function, &flow), CODE_TOO_LARGE);
	assert_int_equal(code_flow_build(own_reader(), &function, &flow), CODE_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_blocks),
		cmocka_unit_test(test_reaches),
		cmocka_unit_test(test_between),
		cmocka_unit_test(test_exceptions),
		cmocka_unit_test(test_what_is_not_known),
		cmocka_unit_test(test_jumps_into_blocks),
		cmocka_unit_test(test_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
