// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What calls pass, read out of instructions written for it. The comments give the assembly.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "own_memory.h"

enum {
	ADDRESS = 0x10000,
	BEFORE = 80, // bytes before a sample
	AFTER = 16,
	LONGEST = 40,
};

enum kind {
	VALUE,
	REGISTER, // what it holds, plus value
	MEMORY,	  // the word so far from where the register points, plus offset
	RELATIVE, // an address, counted from the begin of the sample
	ELEMENT,  // so many times the number that the register holds, plus value
	INDEXED,  // the same with a number of 4 bytes with a sign, so far from the register's place
	NOTHING,
};

struct memory {
	uint8_t bytes[BEFORE + LONGEST + AFTER];
};

static bool read_memory(void *context, uint64_t address, void *buffer, size_t size)
{
	const struct memory *memory = context;
	const uint64_t at = address - ADDRESS;

	if (at > sizeof(memory->bytes) || size > sizeof(memory->bytes) - at)
		return false;
	memcpy(buffer, memory->bytes + at, size);
	return true;
}

static struct code_reader *reader_of(struct memory *memory)
{
	static struct code_reader reader;

	code_reader_init(&reader, &code_x86_64,
			 (struct code_memory){ .read = read_memory, .context = memory });
	return &reader;
}

struct sample {
	const char *name;
	unsigned int number; // of the argument
	const char *bytes;
	unsigned int size;
	enum kind kind;
	const char *reg;
	int64_t value;
	int32_t offset;
	int64_t scale;
};

#define BYTES(string) string, sizeof(string) - 1

static const struct sample samples[] = {
	// lea 0x100(%rip),%rdi; call .+0x200
	{ "address of a variable", 0, BYTES("\x48\x8d\x3d\x00\x01\x00\x00\xe8\xfb\x01\x00\x00"),
	  RELATIVE, NULL, 7 + 0x100, 0, 0 },
	// mov $0x404050,%edi; call .+0x200
	{ "number of 32 bits", 0, BYTES("\xbf\x50\x40\x40\x00\xe8\xfb\x01\x00\x00"), VALUE, NULL,
	  0x404050, 0, 0 },
	// mov %rbx,%rdi; call .+0x200
	{ "kept register", 0, BYTES("\x48\x89\xdf\xe8\xfb\x01\x00\x00"), REGISTER, "rbx", 0, 0, 0 },
	// lea 0x8(%r14),%rdi; call .+0x200
	{ "member", 0, BYTES("\x49\x8d\x7e\x08\xe8\xfb\x01\x00\x00"), REGISTER, "r14", 8, 0, 0 },
	// mov %r12,%rax; lea 0x10(%rax),%rdi; call .+0x200
	{ "kept register plus a sum", 0, BYTES("\x4c\x89\xe0\x48\x8d\x78\x10\xe8\xfb\x01\x00\x00"),
	  REGISTER, "r12", 0x10, 0, 0 },
	// mov -0x18(%rbp),%rdi; call .+0x200
	{ "word on the stack", 0, BYTES("\x48\x8b\x7d\xe8\xe8\xfb\x01\x00\x00"), MEMORY, "rbp",
	  -0x18, 0, 0 },
	// lea 0x100(%rip),%rax; mov %rax,%rdi; call .+0x200
	{ "by way of another register", 0,
	  BYTES("\x48\x8d\x05\x00\x01\x00\x00\x48\x89\xc7\xe8\xfb\x01\x00\x00"), RELATIVE, NULL,
	  7 + 0x100, 0, 0 },
	// mov -0x18(%rbp),%rax; mov %rax,%rdi; call .+0x200
	{ "by way of the stack", 0, BYTES("\x48\x8b\x45\xe8\x48\x89\xc7\xe8\xfb\x01\x00\x00"),
	  MEMORY, "rbp", -0x18, 0, 0 },
	// lea 0x100(%rip),%rdx; mov %ebx,%esi; lea 0x40(%rip),%rdi; xor %eax,%eax; call .+0x200
	{ "third argument", 2,
	  BYTES("\x48\x8d\x15\x00\x01\x00\x00\x89\xde\x48\x8d\x3d\x40\x00\x00\x00\x31\xc0\xe8\xfb\x01\x00\x00"),
	  RELATIVE, NULL, 7 + 0x100, 0, 0 },
	// lea 0x100(%rip),%rdi; call *0x300(%rip)
	{ "through the GOT", 0, BYTES("\x48\x8d\x3d\x00\x01\x00\x00\xff\x15\x00\x03\x00\x00"),
	  RELATIVE, NULL, 7 + 0x100, 0, 0 },
	// call .+0x80; mov %eax,%ebp; lea 0x100(%rip),%rdi; call .+0x200
	{ "after a call", 0,
	  BYTES("\xe8\x7b\x00\x00\x00\x89\xc5\x48\x8d\x3d\x00\x01\x00\x00\xe8\xfb\x01\x00\x00"),
	  RELATIVE, NULL, 14 + 0x100, 0, 0 },
	// mov 0x100(%rip),%rdi; call .+0x200
	{ "word of a variable", 0, BYTES("\x48\x8b\x3d\x00\x01\x00\x00\xe8\xfb\x01\x00\x00"),
	  NOTHING, NULL, 0, 0, 0 },
	// mov %rbx,%rdi; add $8,%rbx; call .+0x200
	{ "register that is written then", 0,
	  BYTES("\x48\x89\xdf\x48\x83\xc3\x08\xe8\xfb\x01\x00\x00"), NOTHING, NULL, 0, 0, 0 },
	// lea 0x8(%rsp),%rdi; push %rax; call .+0x200
	{ "stack pointer that moves then", 0, BYTES("\x48\x8d\x7c\x24\x08\x50\xe8\xfb\x01\x00\x00"),
	  NOTHING, NULL, 0, 0, 0 },
	// mov %rcx,%rdi; call .+0x200
	{ "register that is not kept", 0, BYTES("\x48\x89\xcf\xe8\xfb\x01\x00\x00"), NOTHING, NULL,
	  0, 0, 0 },
	// lea 0x100(%rip),%rdi; call .+0x80; call .+0x200
	{ "what a call left", 0,
	  BYTES("\x48\x8d\x3d\x00\x01\x00\x00\xe8\x7b\x00\x00\x00\xe8\xfb\x01\x00\x00"), NOTHING,
	  NULL, 0, 0, 0 },
	// lea 0x100(%rip),%rdi; jmp .+2; call .+0x200
	{ "reached by a jump only", 0,
	  BYTES("\x48\x8d\x3d\x00\x01\x00\x00\xeb\x00\xe8\xfb\x01\x00\x00"), NOTHING, NULL, 0, 0,
	  0 },
	// lea 0x10(%rbx,%rax,4),%rdi; call .+0x200
	{ "element of unknown number", 0, BYTES("\x48\x8d\x7c\x83\x10\xe8\xfb\x01\x00\x00"),
	  NOTHING, NULL, 0, 0, 0 },
	// lea 0x100(%rip),%rdi; shl $3,%rdi; call .+0x200
	{ "changed in place", 0,
	  BYTES("\x48\x8d\x3d\x00\x01\x00\x00\x48\xc1\xe7\x03\xe8\xfb\x01\x00\x00"), RELATIVE, NULL,
	  7 + 0x100, 0, 8 },
	// mov %ebx,%edi; call .+0x200
	{ "half of it", 0, BYTES("\x89\xdf\xe8\xfb\x01\x00\x00"), NOTHING, NULL, 0, 0, 0 },
	// lea 0x100(%rip),%rdi; jmp .+0x200
	{ "no call", 0, BYTES("\x48\x8d\x3d\x00\x01\x00\x00\xe9\xfb\x01\x00\x00"), NOTHING, NULL, 0,
	  0, 0 },
	// mov -0x18(%rbp),%rax; add $0x8,%rax; mov %rax,%rdi; call .+0x200
	{ "member of what the stack points to", 0,
	  BYTES("\x48\x8b\x45\xe8\x48\x83\xc0\x08\x48\x89\xc7\xe8\xfb\x01\x00\x00"), MEMORY, "rbp",
	  -0x18, 8, 0 },
	// mov -0x18(%rbp),%rax; lea -0x8(%rax),%rdi; call .+0x200
	{ "member likewise, by another way", 0,
	  BYTES("\x48\x8b\x45\xe8\x48\x8d\x78\xf8\xe8\xfb\x01\x00\x00"), MEMORY, "rbp", -0x18, -8,
	  0 },
	// mov %rbx,%rdi; sub $-0x80,%rdi; call .+0x200
	{ "sum", 0, BYTES("\x48\x89\xdf\x48\x83\xef\x80\xe8\xfb\x01\x00\x00"), REGISTER, "rbx",
	  0x80, 0, 0 },
	// mov %rdi,%rbx; call .+0x200
	{ "kept besides", 0, BYTES("\x48\x89\xfb\xe8\xfb\x01\x00\x00"), REGISTER, "rbx", 0, 0, 0 },
	// mov %rdi,%rbx; call .+0x80; call .+0x200
	{ "kept, but for the next call", 0,
	  BYTES("\x48\x89\xfb\xe8\x7b\x00\x00\x00\xe8\xfb\x01\x00\x00"), NOTHING, NULL, 0, 0, 0 },
	// mov -0x24(%rbp),%eax; cltq; lea 0x0(,%rax,4),%rdx; lea 0x100(%rip),%rax; add %rdx,%rax;
	// mov %rax,%rdi; call .+0x200
	{ "element, as GCC does it at -O0", 0,
	  BYTES("\x8b\x45\xdc\x48\x98\x48\x8d\x14\x85\x00\x00\x00\x00\x48\x8d\x05\x00\x01\x00\x00"
		"\x48\x01\xd0\x48\x89\xc7\xe8\xfb\x01\x00\x00"),
	  INDEXED, "rbp", 20 + 0x100, -0x24, 4 },
	// movslq -0x8(%rbp),%rax; lea 0x100(%rip),%rdi; shl $3,%rax; add %rax,%rdi; call .+0x200
	{ "element, as Clang does it at -O0", 0,
	  BYTES("\x48\x63\x45\xf8\x48\x8d\x3d\x00\x01\x00\x00\x48\xc1\xe0\x03\x48\x01\xc7"
		"\xe8\xfb\x01\x00\x00"),
	  INDEXED, "rbp", 11 + 0x100, -8, 8 },
	// imul $24,%r12,%rcx; lea 0x100(%rip),%rax; lea 8(%rax,%rcx),%rdi; call .+0x200
	{ "member of an element", 0,
	  BYTES("\x49\x6b\xcc\x18\x48\x8d\x05\x00\x01\x00\x00\x48\x8d\x7c\x08\x08\xe8\xfb\x01\x00\x00"),
	  ELEMENT, "r12", 11 + 0x100 + 8, 0, 24 },
	// lea 0x100(%rip),%rax; lea (%rax,%r15,8),%rdi; add $-16,%rdi; call .+0x200
	{ "element before", 0,
	  BYTES("\x48\x8d\x05\x00\x01\x00\x00\x4a\x8d\x3c\xf8\x48\x83\xc7\xf0\xe8\xfb\x01\x00\x00"),
	  ELEMENT, "r15", 7 + 0x100 - 16, 0, 8 },
	// lea 0x100(%rip),%rax; lea (%rax,%r15,8),%rdi; mov %rdi,0x30(%rsp); call .+0x200
	{ "kept on the stack besides", 0,
	  BYTES("\x48\x8d\x05\x00\x01\x00\x00\x4a\x8d\x3c\xf8\x48\x89\x7c\x24\x30\xe8\xfb\x01\x00\x00"),
	  MEMORY, "rsp", 0x30, 0, 0 },
	// lea (%rbx,%r12,8),%rdi; call .+0x200
	{ "sum of two registers", 0, BYTES("\x4a\x8d\x3c\xe3\xe8\xfb\x01\x00\x00"), NOTHING, NULL,
	  0, 0, 0 },
	// mov -0x18(%rbp),%rdi; movq $0,-0x18(%rbp); call .+0x200
	{ "word on the stack that is written then", 0,
	  BYTES("\x48\x8b\x7d\xe8\x48\xc7\x45\xe8\x00\x00\x00\x00\xe8\xfb\x01\x00\x00"), NOTHING,
	  NULL, 0, 0, 0 },
	// mov -0x18(%rbp),%rdi; movq $0,-0x10(%rbp); call .+0x200
	{ "word on the stack whose neighbour is written then", 0,
	  BYTES("\x48\x8b\x7d\xe8\x48\xc7\x45\xf0\x00\x00\x00\x00\xe8\xfb\x01\x00\x00"), MEMORY,
	  "rbp", -0x18, 0, 0 },
	// xor %edi,%edi; call .+0x200
	{ "null pointer", 0, BYTES("\x31\xff\xe8\xfb\x01\x00\x00"), VALUE, NULL, 0, 0, 0 },
	// mov -0x18(%rbp),%rax; mov 0x8(%rax),%rdi; call .+0x200
	{ "word that is loaded twice", 0,
	  BYTES("\x48\x8b\x45\xe8\x48\x8b\x78\x08\xe8\xfb\x01\x00\x00"), NOTHING, NULL, 0, 0, 0 },
};

static bool ask(const struct sample *sample, uint8_t before, struct code_argument *ret)
{
	struct memory memory;

	memset(&memory, before, sizeof(memory));
	memcpy(memory.bytes + BEFORE, sample->bytes, sample->size);
	return code_argument(reader_of(&memory), NULL, ADDRESS + BEFORE + sample->size,
			     sample->number, ret) == CODE_OK;
}

static struct code_argument expected(const struct sample *sample)
{
	struct code_argument found = { .scale = 1, .width = 8 };

	switch (sample->kind) {
	case REGISTER:
		found.value = (uint64_t)sample->value;
		break;
	case MEMORY:
		found.in_memory = true;
		found.offset = (int32_t)sample->value;
		found.value = (uint64_t)sample->offset;
		break;
	case ELEMENT:
		found.value = ADDRESS + BEFORE + (uint64_t)sample->value;
		found.scale = sample->scale;
		break;
	case INDEXED:
		found.in_memory = true;
		found.width = -4;
		found.offset = sample->offset;
		found.value = ADDRESS + BEFORE + (uint64_t)sample->value;
		found.scale = sample->scale;
		break;
	default:
		found = (struct code_argument){ .value = (uint64_t)sample->value };
		if (sample->kind == RELATIVE)
			found.value += ADDRESS + BEFORE;
		found.value *= sample->scale ? (uint64_t)sample->scale : 1;
		break;
	}
	return found;
}

static bool is_expected(const struct sample *sample, const struct code_argument *found)
{
	const struct code_argument want = expected(sample);
	const char *name = code_register_name(&code_x86_64, found->reg);

	if (!sample->reg || !name)
		return sample->reg == name && want.value == found->value;
	return !strcmp(sample->reg, name) && want.value == found->value &&
	       want.scale == found->scale && want.in_memory == found->in_memory &&
	       want.offset == found->offset && want.width == found->width;
}

static void arguments(void **state)
{
	enum { NOP = 0x90 };

	(void)state;
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		struct code_argument found;
		bool is_found = ask(&samples[i], NOP, &found);

		if (is_found != (samples[i].kind != NOTHING) ||
		    (is_found && !is_expected(&samples[i], &found)))
			fail_msg("%s", samples[i].name);
	}
}

// Bytes that are no code of a compiler's may mislead it, though seldom: what it tells is confirmed.
static void behind_anything(void **state)
{
	unsigned int told = 0, wrong = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		for (int before = 0; before < 256; before++) {
			struct code_argument found;

			if (!ask(&samples[i], (uint8_t)before, &found))
				continue;
			told++;
			wrong += samples[i].kind == NOTHING || !is_expected(&samples[i], &found);
		}
	}
	assert_true(told > 1000);
	assert_in_range(wrong, 0, told / 100);
}

static void unreadable(void **state)
{
	struct sample first = samples[0];
	struct code_argument found;

	(void)state;
	first.number = 6; // on the stack
	assert_false(ask(&first, 0, &found));
	struct memory memory = { { 0 } };

	assert_int_equal(code_argument(reader_of(&memory), NULL, ADDRESS + 8, 0, &found),
			 CODE_UNKNOWN);
	memory.bytes[3] = 0xe8;
	assert_int_equal(code_argument(reader_of(&memory), NULL, ADDRESS + 8, 0, &found),
			 CODE_UNREADABLE);
	assert_int_equal(code_argument(reader_of(&memory), NULL, 0, 0, &found), CODE_UNREADABLE);
}

// ---- With the control flow -------------------------------------------------------------------

extern const uint8_t joining[], joining_first[], joining_second[], joining_end[];

__asm__(".text\n"
	"passed: ret\n"
	"joining: mov $5, %edi\n"
	"	test %rsi, %rsi\n"
	"	je 1f\n"
	"	lea 8(%rbx), %rdi\n"
	"	cmp $2, %edx\n"
	"	ja 2f\n"
	"	mov $7, %edx\n"
	"	call passed\n"
	"joining_first: nop\n"
	"1:	call passed\n" // reached with several values of %rdi
	"joining_second: ret\n"
	"2:	jmp 1b\n"
	"joining_end: nop\n");

static void along_the_flow(void **state)
{
	const struct code_function function = { .entry = at(joining),
						.begin = at(joining),
						.end = at(joining_end) };
	struct code_block blocks[16];
	struct code_flow flow = { .blocks = blocks, .capacity = 16 };
	struct code_reader *reader = own_reader();
	struct code_argument found;

	(void)state;
	assert_int_equal(code_flow_build(reader, &function, &flow), CODE_OK);
	assert_int_equal(code_argument(reader, &flow, at(joining_first), 0, &found), CODE_OK);
	assert_string_equal(code_register_name(&code_x86_64, found.reg), "rbx");
	assert_true(found.value == 8);
	assert_int_equal(code_argument(reader, &flow, at(joining_first), 2, &found), CODE_OK);
	assert_int_equal(found.reg, CODE_NO_REGISTER);
	assert_true(found.value == 7);
	assert_int_equal(code_argument(reader, &flow, at(joining_second), 0, &found), CODE_UNKNOWN);
	assert_int_equal(code_argument(reader, &flow, at(joining_end), 0, &found), CODE_UNKNOWN);
	flow.is_complete = false;
	assert_int_equal(code_argument(reader, &flow, at(joining_first), 0, &found), CODE_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arguments),
		cmocka_unit_test(behind_anything),
		cmocka_unit_test(unreadable),
		cmocka_unit_test(along_the_flow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
