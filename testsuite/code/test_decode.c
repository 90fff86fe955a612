// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is told of one instruction, and where code ends that can be read.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "own_memory.h"

enum { ADDRESS = 0x10000 };

/** An instruction in words. "move rax:w8 [rbx+rcx*4+0x10]:r8 reads rbx,rcx writes rax". */
static void describe(const struct code_instruction *instruction, char *text, size_t size)
{
	static const char *const kinds[] = { "", "call ", "jump ", "jump-if ", "return ", "trap " };
	static const char *const operations[] = { "compute",  "nothing",    "move",  "move-signed",
						  "move-if",  "address",    "add",   "subtract",
						  "multiply", "shift-left", "zero",  "compare",
						  "test",     "push",	    "pop",   "and",
						  "xor",      "leave",	    "set-if" };
	static const char *const accesses[] = { "", "r", "w", "rw" };
	static const char *const segments[] = { "", "thread:", "elsewhere:" };
	FILE *file = fmemopen(text, size, "w");

	fprintf(file, "%s%s%s", kinds[instruction->kind], operations[instruction->operation],
		instruction->is_opaque ? " opaque" :
		instruction->is_fence  ? " fence" :
					 "");
	if (instruction->is_direct)
		fprintf(file, " to 0x%llx", (unsigned long long)instruction->target);
	for (unsigned int i = 0; i < instruction->operand_count; i++) {
		const struct code_operand *operand = &instruction->operands[i];
		const char *base = code_register_name(&code_x86_64, operand->base);

		switch (operand->kind) {
		case CODE_REGISTER:
		case CODE_HIGH_BYTE:
			fprintf(file, " %s%s", base ? base : "vector",
				operand->kind == CODE_HIGH_BYTE ? ".high" : "");
			break;
		case CODE_IMMEDIATE:
			fprintf(file, " %lld", (long long)operand->number);
			continue;
		default:
			fprintf(file, " %s[%s", segments[operand->segment], base ? base : "");
			if (operand->index != CODE_NO_REGISTER)
				fprintf(file, "+%s*%u",
					code_register_name(&code_x86_64, operand->index),
					operand->scale);
			fprintf(file, "%+lld]%s", (long long)operand->number,
				operand->implied ? "implied" : "");
			break;
		}
		fprintf(file, ":%s%u", accesses[operand->access], operand->width);
	}
	const uint64_t sets[] = { instruction->reads, instruction->writes };

	for (unsigned int set = 0; set < 2; set++) {
		const char *separator = set ? " writes " : " reads ";

		for (unsigned int reg = 0; reg < 64; reg++) {
			const char *name = code_register_name(&code_x86_64, reg);

			if (!(sets[set] >> reg & 1))
				continue;
			fprintf(file, "%s%s", separator,
				name				  ? name :
				reg == code_x86_64.flags_register ? "flags" :
								    "vector");
			separator = ",";
		}
	}
	fclose(file);
}

struct sample {
	const char *assembly, *bytes;
	unsigned int size;
	const char *text; // NULL: undefined
};

#define BYTES(string) string, sizeof(string) - 1

static const struct sample samples[] = {
	{ "mov 0x10(%rbx,%rcx,4),%rax", BYTES("\x48\x8b\x44\x8b\x10"),
	  "move rax:w8 [rbx+rcx*4+16]:r8 reads rcx,rbx writes rax" },
	{ "mov %esi,-0x8(%rbp)", BYTES("\x89\x75\xf8"), "move [rbp-8]:w4 rsi:r4 reads rbp,rsi" },
	{ "mov 0x100(%rip),%edi", BYTES("\x8b\x3d\x00\x01\x00\x00"),
	  "move rdi:w4 [+65798]:r4 writes rdi" },
	{ "mov %fs:0x28,%rax", BYTES("\x64\x48\x8b\x04\x25\x28\x00\x00\x00"),
	  "move rax:w8 thread:[+40]:r8 writes rax" },
	{ "mov %gs:0x28,%rax", BYTES("\x65\x48\x8b\x04\x25\x28\x00\x00\x00"),
	  "move rax:w8 elsewhere:[+40]:r8 writes rax" },
	{ "mov (%eax),%eax", BYTES("\x67\x8b\x00"),
	  "move rax:w4 elsewhere:[+0]:r4 reads rax writes rax" },
	{ "mov $-1,%rax", BYTES("\x48\xc7\xc0\xff\xff\xff\xff"), "move rax:w8 -1 writes rax" },
	{ "movslq %edi,%rax", BYTES("\x48\x63\xc7"),
	  "move-signed rax:w8 rdi:r4 reads rdi writes rax" },
	{ "cltq", BYTES("\x48\x98"), "move-signed rax:w8 rax:r4 reads rax writes rax" },
	{ "movzbl %ah,%eax", BYTES("\x0f\xb6\xc4"),
	  "move rax:w4 rax.high:r1 reads rax writes rax" },
	{ "lea 0x8(%rsp),%rdi", BYTES("\x48\x8d\x7c\x24\x08"),
	  "address rdi:w8 [rsp+8]:0 reads rsp writes rdi" },
	{ "add %rdx,%rax", BYTES("\x48\x01\xd0"),
	  "add rax:rw8 rdx:r8 reads rax,rdx writes rax,flags" },
	{ "incl (%rdi)", BYTES("\xff\x07"), "add [rdi+0]:rw4 1 reads rdi,flags writes flags" },
	{ "sub $0x10,%rsp", BYTES("\x48\x83\xec\x10"),
	  "subtract rsp:rw8 16 reads rsp writes rsp,flags" },
	{ "xor %eax,%eax", BYTES("\x31\xc0"), "zero rax:rw4 rax:r4 writes rax,flags" },
	{ "xor %ebx,%eax", BYTES("\x31\xd8"), "xor rax:rw4 rbx:r4 reads rax,rbx writes rax,flags" },
	{ "and $1,%eax", BYTES("\x83\xe0\x01"), "and rax:rw4 1 reads rax writes rax,flags" },
	{ "sete %al", BYTES("\x0f\x94\xc0"), "set-if rax:w1 reads flags writes rax" },
	{ "cltq", BYTES("\x48\x98"), "move-signed rax:w8 rax:r4 reads rax writes rax" },
	{ "leave", BYTES("\xc9"), "leave [rbp+0]implied:r8 reads rsp,rbp writes rsp,rbp" },
	{ "imul $24,%r12,%rcx", BYTES("\x49\x6b\xcc\x18"),
	  "multiply rcx:w8 r12:r8 24 reads r12 writes rcx,flags" },
	{ "shl $3,%rax", BYTES("\x48\xc1\xe0\x03"),
	  "shift-left rax:rw8 3 reads rax writes rax,flags" },
	{ "cmpq $0,0x8(%rdi)", BYTES("\x48\x83\x7f\x08\x00"),
	  "compare [rdi+8]:r8 0 reads rdi writes flags" },
	{ "cmove %rdx,%rax", BYTES("\x48\x0f\x44\xc2"),
	  "move-if rax:rw8 rdx:r8 reads rax,rdx,flags writes rax" },
	{ "lock cmpxchg %edx,(%rdi)", BYTES("\xf0\x0f\xb1\x17"),
	  "compute [rdi+0]:rw4 rdx:r4 reads rax,rdx,rdi writes rax,flags" },
	{ "xchg %eax,(%rdi)", BYTES("\x87\x07"),
	  "compute [rdi+0]:rw4 rax:rw4 reads rax,rdi writes rax" },
	{ "test %rdi,%rdi", BYTES("\x48\x85\xff"), "test rdi:r8 rdi:r8 reads rdi writes flags" },
	{ "push %rbx", BYTES("\x53"), "push rbx:r8 [rsp-8]implied:w8 reads rbx,rsp writes rsp" },
	{ "pop %rbx", BYTES("\x5b"), "pop rbx:w8 [rsp+0]implied:r8 reads rsp writes rbx,rsp" },
	{ "call .+0x105", BYTES("\xe8\x00\x01\x00\x00"),
	  "call compute to 0x10105 [rsp-8]implied:w8 reads rsp writes rsp" },
	{ "call *0x100(%rip)", BYTES("\xff\x15\x00\x01\x00\x00"),
	  "call compute [+65798]:r8 [rsp-8]implied:w8 reads rsp writes rsp" },
	{ "call *%rax", BYTES("\xff\xd0"),
	  "call compute rax:r8 [rsp-8]implied:w8 reads rax,rsp writes rsp" },
	{ "jmp .+2", BYTES("\xeb\x00"), "jump compute to 0x10002" },
	{ "jmp *(%rdx,%rax,8)", BYTES("\xff\x24\xc2"),
	  "jump compute [rdx+rax*8+0]:r8 reads rax,rdx" },
	{ "jne .", BYTES("\x75\xfe"), "jump-if compute to 0x10000 reads flags" },
	{ "jrcxz .+2", BYTES("\xe3\x00"), "jump-if compute to 0x10002 reads rcx" },
	{ "ret", BYTES("\xc3"), "return compute [rsp+0]implied:r8 reads rsp writes rsp" },
	{ "ud2", BYTES("\x0f\x0b"), "trap compute" },
	{ "hlt", BYTES("\xf4"), "trap compute opaque" },
	{ "endbr64", BYTES("\xf3\x0f\x1e\xfa"), "nothing" },
	{ "nopw 0x0(%rax,%rax,1)", BYTES("\x66\x0f\x1f\x44\x00\x00"), "nothing" },
	{ "pause", BYTES("\xf3\x90"), "nothing" },
	{ "lock orl $0,(%rsp)", BYTES("\xf0\x83\x0c\x24\x00"), "nothing fence writes flags" },
	{ "mfence", BYTES("\x0f\xae\xf0"), "nothing fence" },
	{ "rdtsc", BYTES("\x0f\x31"), "compute opaque writes rax,rdx" },
	{ "syscall", BYTES("\x0f\x05"), "compute opaque writes rax,rcx,r11,flags" },
	{ "movups %xmm0,(%rdi)", BYTES("\x0f\x11\x07"),
	  "compute [rdi+0]:w16 vector:r16 reads rdi,vector" },
	{ "bts %rax,(%rdi)", BYTES("\x48\x0f\xab\x07"),
	  "compute elsewhere:[rdi+0]:rw8 rax:r8 reads rax,rdi writes flags" },
	{ "int3", BYTES("\xcc"), NULL },
	{ "cut off", BYTES("\x48\x8b"), NULL },
	{ "nothing", BYTES(""), NULL },
};

static void test_samples(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		const struct sample *sample = &samples[i];
		struct code_instruction instruction;
		char text[256] = "";
		const enum code_status status = code_x86_64.decode(
			ADDRESS, (const uint8_t *)sample->bytes, sample->size, &instruction);

		if (status != CODE_OK) {
			if (sample->text)
				fail_msg("%s: undefined", sample->assembly);
			continue;
		}
		describe(&instruction, text, sizeof(text));
		if (!sample->text || strcmp(text, sample->text) != 0)
			fail_msg("%s: %s", sample->assembly, text);
		assert_int_equal(instruction.size, sample->size);
		assert_true(instruction.address == ADDRESS);
	}
}

// ---- The end of what can be read -------------------------------------------------------------

enum { BEGIN = 0x2010, READABLE = 0x287 };

static unsigned int reads;

// Nops up to the end.
static bool read_some(void *context, uint64_t address, void *buffer, size_t size)
{
	(void)context;
	reads++;
	if (address < BEGIN || address - BEGIN > READABLE || size > READABLE - (address - BEGIN))
		return false;
	memset(buffer, 0x90, size);
	return true;
}

static void test_edges(void **state)
{
	static struct code_reader reader;
	struct code_instruction instruction;
	uint8_t bytes[READABLE + 100];

	(void)state;
	code_reader_init(&reader, &code_x86_64, (struct code_memory){ .read = read_some });
	assert_int_equal(code_read(&reader, BEGIN, bytes, sizeof(bytes)), READABLE);
	assert_int_equal(code_read(&reader, BEGIN - 1, bytes, sizeof(bytes)), 0);
	for (uint64_t address = BEGIN; address < BEGIN + READABLE; address++) {
		assert_int_equal(code_decode(&reader, address, &instruction), CODE_OK);
		assert_int_equal(instruction.size, 1);
	}
	assert_int_equal(code_decode(&reader, BEGIN + READABLE, &instruction), CODE_UNREADABLE);
	assert_int_equal(code_decode(&reader, UINT64_MAX, &instruction), CODE_UNREADABLE);
}

static void test_lines_are_kept(void **state)
{
	struct code_reader *reader = own_reader();
	struct code_instruction instruction;

	(void)state;
	reader->memory.read = read_some;
	reads = 0;
	for (uint64_t address = 0x2100; address < 0x2180; address++)
		assert_int_equal(code_decode(reader, address, &instruction), CODE_OK);
	const unsigned int once = reads;

	for (uint64_t address = 0x2100; address < 0x2180; address++)
		assert_int_equal(code_decode(reader, address, &instruction), CODE_OK);
	assert_int_equal(reads, once);
	code_reader_init(reader, reader->architecture, reader->memory);
	assert_int_equal(code_decode(reader, 0x2100, &instruction), CODE_OK);
	assert_true(reads > once);
}

// ---- Questions about one instruction ---------------------------------------------------------

static struct code_instruction decoded(const char *bytes, size_t size)
{
	struct code_instruction instruction;

	assert_int_equal(code_x86_64.decode(ADDRESS, (const uint8_t *)bytes, size, &instruction),
			 CODE_OK);
	return instruction;
}

static void test_writes(void **state)
{
	enum { RAX = 0, RBX = 3, RBP = 5 };
	struct code_instruction instruction = decoded(BYTES("\x89\x75\xf8")); // mov %esi,-8(%rbp)

	(void)state;
	assert_true(code_may_write_word(&instruction, RBP, -8));
	assert_true(code_may_write_word(&instruction, RBP, -12));
	assert_false(code_may_write_word(&instruction, RBP, -4));
	assert_false(code_may_write_word(&instruction, RBP, -16));
	assert_false(code_may_write_word(&instruction, RBX, -8));
	assert_false(code_may_write(&instruction, RBP));
	instruction = decoded(BYTES("\x89\x34\x83")); // mov %esi,(%rbx,%rax,4)
	assert_true(code_may_write_word(&instruction, RBX, 0x1000));
	instruction = decoded(BYTES("\xb0\x01")); // mov $1,%al
	assert_true(code_may_write(&instruction, RAX));
}

static void test_references(void **state)
{
	static const struct {
		const char *bytes;
		unsigned int size;
		enum code_reference_kind kind;
		unsigned int width;
		uint64_t address;
	} cases[] = {
		// mov 0x100(%rip),%edi; mov %edi,0x100(%rip); cmpl $7,0x100(%rip)
		{ BYTES("\x8b\x3d\x00\x01\x00\x00"), CODE_VARIABLE_READ, 4, ADDRESS + 0x106 },
		{ BYTES("\x89\x3d\x00\x01\x00\x00"), CODE_NO_REFERENCE, 0, 0 },
		{ BYTES("\x83\x3d\x00\x01\x00\x00\x07"), CODE_VARIABLE_READ, 4, ADDRESS + 0x107 },
		// lea 0x100(%rip),%rdi; mov $0x404050,%edi; movl $0x404050,(%rdi)
		{ BYTES("\x48\x8d\x3d\x00\x01\x00\x00"), CODE_VARIABLE_ADDRESS, 0,
		  ADDRESS + 0x107 },
		{ BYTES("\xbf\x50\x40\x40\x00"), CODE_VARIABLE_ADDRESS, 0, 0x404050 },
		{ BYTES("\xc7\x07\x50\x40\x40\x00"), CODE_NO_REFERENCE, 0, 0 },
		// and $-2,%eax; test $0x10,%dil; call .+0x105; jmp .; mov %fs:0x28,%rax
		{ BYTES("\x83\xe0\xfe"), CODE_NUMBER, 0, (uint64_t)-2 },
		{ BYTES("\x40\xf6\xc7\x10"), CODE_NUMBER, 0, 0x10 },
		{ BYTES("\xe8\x00\x01\x00\x00"), CODE_FUNCTION_CALL, 0, ADDRESS + 0x105 },
		{ BYTES("\xeb\xfe"), CODE_FUNCTION_JUMP, 0, ADDRESS },
		{ BYTES("\x64\x48\x8b\x04\x25\x28\x00\x00\x00"), CODE_NO_REFERENCE, 0, 0 },
		{ BYTES("\xff\x15\x00\x01\x00\x00"), CODE_FUNCTION_CALL, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct code_instruction instruction = decoded(cases[i].bytes, cases[i].size);
		const struct code_reference found = code_reference(&instruction);

		assert_int_equal(found.kind, cases[i].kind);
		if (found.kind == CODE_NO_REFERENCE)
			continue;
		assert_int_equal(found.width, cases[i].width);
		assert_true(found.address == cases[i].address);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples),	       cmocka_unit_test(test_edges),
		cmocka_unit_test(test_lines_are_kept), cmocka_unit_test(test_writes),
		cmocka_unit_test(test_references),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
