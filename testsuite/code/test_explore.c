// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What functions do to memory, on instructions written for it. The comments give the assembly.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "report_text.h"

enum { ADDRESS = 0x1000, SLOT_VALUE = -0x200 };

/** A function, and slots of the global offset table after it, which all hold the same. */
struct memory {
	const uint8_t *bytes;
	size_t size;
	bool has_slots;
};

static bool read_memory(void *context, uint64_t address, void *buffer, size_t size)
{
	const struct memory *memory = context;
	const int64_t value = SLOT_VALUE;

	if (address >= ADDRESS && address - ADDRESS <= memory->size &&
	    size <= memory->size - (address - ADDRESS)) {
		memcpy(buffer, memory->bytes + (address - ADDRESS), size);
		return true;
	}
	if (!memory->has_slots || size != sizeof(value))
		return false;
	memcpy(buffer, &value, sizeof(value));
	return true;
}

static void explore(const uint8_t *bytes, size_t size, bool readable, struct code_report *report)
{
	static struct code_reader reader;
	struct memory memory = { bytes, size, readable };
	const struct code_exploration function = { .entry = ADDRESS, .size = (uint32_t)size };

	code_reader_init(&reader, &code_x86_64,
			 (struct code_memory){ .read = read_memory, .context = &memory });
	code_explore(&reader, &function, report);
}

struct sample {
	const char *name;
	const char *bytes;
	unsigned int size;
	bool complete;
	const char *text;
};

#define BYTES(string) string, sizeof(string) - 1

static const struct sample samples[] = {
	// endbr64; mov 0x100(%rip),%rax; mov %fs:0x28(%rax),%eax; ret
	{ "initial-exec through the GOT",
	  BYTES("\xf3\x0f\x1e\xfa\x48\x8b\x05\x00\x01\x00\x00\x64\x8b\x40\x28\xc3"), true,
	  "R4 thread+-0x1d8" },
	// mov $-0xb0,%rax; mov %fs:0x28(%rax),%eax; ret
	{ "initial-exec relaxed to an immediate",
	  BYTES("\x48\xc7\xc0\x50\xff\xff\xff\x64\x8b\x40\x28\xc3"), true, "R4 thread+-0x88" },
	// mov %fs:0xffffffffffffff88,%eax; ret
	{ "local-exec", BYTES("\x64\x8b\x04\x25\x88\xff\xff\xff\xc3"), true, "R4 thread+-0x78" },
	// mov %fs:0,%rax; mov -0x78(%rax),%eax; ret
	{ "thread pointer in a register",
	  BYTES("\x64\x48\x8b\x04\x25\x00\x00\x00\x00\x8b\x40\x88\xc3"), true, "R4 thread+-0x78" },
	// mov 0x100(%rip),%rax; add %fs:0,%rax; mov 0x10(%rax),%rdx; mov (%rdx),%eax; ret
	{ "thread pointer added to an offset, then a pointer followed",
	  BYTES("\x48\x8b\x05\x00\x01\x00\x00\x64\x48\x03\x04\x25\x00\x00\x00\x00"
		"\x48\x8b\x50\x10\x8b\x02\xc3"),
	  true, "R8 thread+-0x1f0, R4 thread+-0x1f0->0x0" },
	// mov 0x100(%rip),%rdx; mov %fs:0,%rax; mov 0x10(%rax,%rdx,1),%eax; ret
	{ "thread pointer and offset as base and index",
	  BYTES("\x48\x8b\x15\x00\x01\x00\x00\x64\x48\x8b\x04\x25\x00\x00\x00\x00"
		"\x8b\x44\x10\x10\xc3"),
	  true, "R4 thread+-0x1f0" },
	// test %edi,%edi; je 1f; mov 0x8(%rsi),%eax; ret; 1: mov 0x200(%rip),%eax; ret
	{ "both sides of a branch",
	  BYTES("\x85\xff\x74\x04\x8b\x47\x08\xc3\x8b\x05\x00\x02\x00\x00\xc3"), true,
	  "R4 argument+0x8, R4 absolute+0x120e" },
	// lea 0x98(%rdi),%rax; lea 0x200(%rip),%rdx; cmove %rdx,%rax; movzbl 0x18(%rax),%eax; ret
	{ "both outcomes of a conditional move",
	  BYTES("\x48\x8d\x87\x98\x00\x00\x00\x48\x8d\x15\x00\x02\x00\x00\x48\x0f\x44\xc2"
		"\x0f\xb6\x40\x18\xc3"),
	  true, "R1 argument+0xb0, R1 absolute+0x1226" },
	// 1: mov (%rdi),%rdi; test %rdi,%rdi; jne 1b; ret
	{ "a loop ends", BYTES("\x48\x8b\x3f\x48\x85\xff\x75\xf8\xc3"), true,
	  "R8 argument+0x0, R8 argument+0x0->0x0, R8 argument+0x0->0x0->0x0, "
	  "R8 argument+0x0->0x0->0x0->0x0, R8 argument+0x0->0x0->0x0->0x0->0x0" },
	// 1: jmp 1b
	{ "an endless loop ends", BYTES("\xeb\xfe"), true, "" },
	// xor %eax,%eax; mov $1,%edx; lock cmpxchg %edx,0x200(%rip); ret
	{ "a locked update",
	  BYTES("\x31\xc0\xba\x01\x00\x00\x00\xf0\x0f\xb1\x15\x00\x02\x00\x00\xc3"), true,
	  "U4 absolute+0x120f" },
	// cmpq $0,0x200(%rip); ret: the displacement counts from behind the immediate
	{ "a displacement in front of an immediate", BYTES("\x48\x83\x3d\x00\x02\x00\x00\x00\xc3"),
	  true, "R8 absolute+0x1208" },
	// sub $-0x80,%rdi; jmp far away
	{ "the argument of a tail call", BYTES("\x48\x83\xef\x80\xe9\x00\x10\x00\x00"), true,
	  "P0 argument+0x80" },
	// push %rbx; mov %rdi,%rbx; call far away; mov 0x8(%rbx),%eax; mov 0x8(%rdi),%eax; pop %rbx; ret
	{ "a call forgets the registers that it may change",
	  BYTES("\x53\x48\x89\xfb\xe8\x00\x10\x00\x00\x8b\x43\x08\x8b\x47\x08\x5b\xc3"), true,
	  "P0 argument+0x0, R4 argument+0x8" },
	// mov %rdi,0x8(%rsp); mov 0x8(%rsp),%rax; mov (%rax),%eax; ret
	{ "the stack is not followed",
	  BYTES("\x48\x89\x7c\x24\x08\x48\x8b\x44\x24\x08\x8b\x00\xc3"), true, "" },
	// mov (%rdi,%rsi,8),%rax; mov 0x8(%rax),%eax; ret
	{ "an index that is not known", BYTES("\x48\x8b\x04\xf7\x8b\x40\x08\xc3"), true, "" },
	// mov 0x10(%rdi),%eax; mov (%rax),%eax; ret: half a word is no pointer
	{ "a narrow read is no pointer", BYTES("\x8b\x47\x10\x8b\x00\xc3"), true,
	  "R4 argument+0x10" },
	// mov 0x8(%rdi),%eax; no instruction
	{ "what is no instruction ends its path", BYTES("\x8b\x47\x08\x06\x8b\x47\x0c\xc3"), false,
	  "R4 argument+0x8" },
	// mov 0x8(%rdi),%eax; fld1; fstpl 0x10(%rdi); ret
	{ "floating point", BYTES("\x8b\x47\x08\xd9\xe8\xdd\x5f\x10\xc3"), true,
	  "R4 argument+0x8, W8 argument+0x10" },
	// mov $16,%ecx; rep stos %al,(%rdi); mov 0x8(%rsi),%eax; ret
	{ "so much as is not known", BYTES("\xb9\x10\x00\x00\x00\xf3\xaa\x8b\x46\x08\xc3"), true,
	  "" },
	// mov 0x8(%rdi),%eax; int3
	{ "a breakpoint hides the rest", BYTES("\x8b\x47\x08\xcc\x8b\x47\x0c\xc3"), false,
	  "R4 argument+0x8" },
	// mov 0x8(%rdi),%eax and no more bytes
	{ "a window that ends too early", BYTES("\x8b\x47\x08"), false, "R4 argument+0x8" },
	// cut within an instruction
	{ "an instruction that is cut off", BYTES("\x8b\x87\x08\x00"), false, "" },
	{ "nothing at all", BYTES(""), false, "" },
	// jmp *%rax
	{ "a switch", BYTES("\xff\xe0"), false, "" },
	// movups 0x10(%rdi),%xmm0; movups %xmm0,0x200(%rip); ret
	{ "vectors", BYTES("\x0f\x10\x47\x10\x0f\x11\x05\x00\x02\x00\x00\xc3"), true,
	  "R16 argument+0x10, W16 absolute+0x120b" },
	// mov %ah,0x8(%rdi); mov $5,%spl; mov %r8b,0x9(%rdi); ret
	{ "byte registers", BYTES("\x88\x67\x08\x40\xb4\x05\x44\x88\x47\x09\xc3"), true,
	  "W1 argument+0x8, W1 argument+0x9" },
};

static void test_samples(void **state)
{
	static struct code_report report;
	char text[512];

	(void)state;
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		const struct sample *sample = &samples[i];

		explore((const uint8_t *)sample->bytes, sample->size, true, &report);
		report_text(&report, text, sizeof(text));
		if (strcmp(text, sample->text) != 0 || report.complete != sample->complete)
			fail_msg("%s: %s%s", sample->name, text,
				 report.complete ? "" : " (incomplete)");
	}
}

static void test_unreadable_slot(void **state)
{
	static struct code_report report;
	char text[512];

	(void)state;
	// mov 0x100(%rip),%rax; mov %fs:0x28(%rax),%eax; ret
	explore((const uint8_t *)"\x48\x8b\x05\x00\x01\x00\x00\x64\x8b\x40\x28\xc3", 12, false,
		&report);
	report_text(&report, text, sizeof(text));
	assert_string_equal(text, "R8 absolute+0x1107");
}

// Whatever the bytes are, the exploration ends, within its limits.
static void test_random_bytes(void **state)
{
	static struct code_report report;
	static const uint8_t common[] = { 0x48, 0x8b, 0x64, 0x74, 0x75, 0xeb, 0x0f, 0x44,
					  0xc3, 0x66, 0xf0, 0x83, 0xff, 0x05, 0x10, 0x89 };
	uint8_t bytes[CODE_WINDOW];
	uint64_t random = 88172645463325252ull;

	(void)state;
	for (unsigned int round = 0; round < 20000; round++) {
		for (size_t i = 0; i < sizeof(bytes); i++) {
			random ^= random << 13;
			random ^= random >> 7;
			random ^= random << 17;
			bytes[i] = random & 0x300 ? common[random & 15] : (uint8_t)random;
		}
		explore(bytes, random >> 32 & 0xff, random & 0x400, &report);
		assert_in_range(report.count, 0, CODE_ACCESSES);
	}
}

// Branches everywhere: 128 of them, each to its successor's successor.
static void test_many_branches(void **state)
{
	static struct code_report report;
	uint8_t bytes[CODE_WINDOW];

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i += 2) {
		bytes[i] = 0x74;
		bytes[i + 1] = 0x02;
	}
	bytes[sizeof(bytes) - 1] = 0xc3;
	explore(bytes, sizeof(bytes), true, &report);
	assert_int_equal(report.count, 0);
	assert_false(report.complete);
}

// mov 0x8(%rdi),%eax; nops; mov 0x10(%rdi),%eax; ret: more than is kept decoded
static void test_long_function(void **state)
{
	static struct code_report report;
	uint8_t bytes[516];
	char text[512];

	(void)state;
	memset(bytes, 0x90, sizeof(bytes));
	memcpy(bytes, "\x8b\x47\x08", 3);
	memcpy(bytes + 512, "\x8b\x47\x10\xc3", 4);
	explore(bytes, sizeof(bytes), true, &report);
	report_text(&report, text, sizeof(text));
	assert_string_equal(text, "R4 argument+0x8, R4 argument+0x10");
	assert_true(report.complete);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples),	      cmocka_unit_test(test_unreadable_slot),
		cmocka_unit_test(test_random_bytes),  cmocka_unit_test(test_many_branches),
		cmocka_unit_test(test_long_function),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
