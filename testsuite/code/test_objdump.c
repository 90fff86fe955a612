// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All instructions of libraries of this machine, against what objdump says: where each ends and what it
// jumps to. Usage: test_objdump LIBRARY...

#define _GNU_SOURCE

#include <elf.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "libcode/code.h"

enum { FWAIT = 0x9b, DIFFERENCES_MAX = 10 };

static char **libraries;

/** A file, whose segments are not moved. */
struct file {
	const uint8_t *bytes;
	size_t size;
};

static struct file map(const char *path)
{
	const int file = open(path, O_RDONLY);
	struct stat status;

	assert_true(file >= 0);
	assert_int_equal(fstat(file, &status), 0);
	const uint8_t *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);

	assert_ptr_not_equal(bytes, MAP_FAILED);
	close(file);
	return (struct file){ bytes, (size_t)status.st_size };
}

static bool read_file(void *context, uint64_t address, void *buffer, size_t size)
{
	const struct file *file = context;
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)file->bytes;
	const Elf64_Phdr *segments = (const Elf64_Phdr *)(file->bytes + header->e_phoff);

	for (unsigned int i = 0; i < header->e_phnum; i++) {
		const Elf64_Phdr *segment = &segments[i];

		if (segment->p_type != PT_LOAD || address < segment->p_vaddr ||
		    address - segment->p_vaddr > segment->p_filesz ||
		    size > segment->p_filesz - (address - segment->p_vaddr))
			continue;
		memcpy(buffer, file->bytes + segment->p_offset + (address - segment->p_vaddr),
		       size);
		return true;
	}
	return false;
}

/** A line of objdump. */
struct line {
	uint64_t address;
	char name[32];
	bool has_target;
	uint64_t target;
};

// "   26e9c:\tjne    26eb0 <abort@@GLIBC_2.2.5+0x40>"
static bool parse(const char *text, struct line *ret)
{
	unsigned long long address, target;
	char operand[64];
	int at = 0, end = 0;

	if (sscanf(text, " %llx:%n", &address, &at) != 1 || !at || text[at] != '\t')
		return false;
	ret->address = address;
	ret->has_target = false;
	ret->name[0] = '\0';
	for (text += at + 1; sscanf(text, "%31s%n", ret->name, &at) == 1; text += at) {
		// Prefixes come first.
		static const char *const prefixes[] = { "bnd",	  "notrack", "data16", "rex.W",
							"addr32", "cs",	     "ds" };
		bool is_prefix = false;

		for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
			is_prefix |= !strcmp(ret->name, prefixes[i]);
		if (!is_prefix)
			break;
	}
	if (ret->name[0] != 'j' && strncmp(ret->name, "call", 4) && strncmp(ret->name, "loop", 4) &&
	    strcmp(ret->name, "xbegin"))
		return true;
	ret->has_target = sscanf(text + at, " %63s", operand) == 1 &&
			  sscanf(operand, "%llx%n", &target, &end) == 1 && !operand[end];
	if (ret->has_target)
		ret->target = target;
	return true;
}

/** What was compared. */
struct tally {
	unsigned int instructions, targets, hidden, differences;
};

static void compare(struct code_reader *reader, const struct line *line, uint64_t next,
		    struct tally *tally)
{
	struct code_instruction instruction;

	if (!strcmp(line->name, "(bad)"))
		return;
	tally->instructions++;
	if (code_decode(reader, line->address, &instruction) != CODE_OK) {
		tally->hidden++;
		if (strcmp(line->name, "int3") == 0)
			return;
		fprintf(stderr, "%llx %s: undefined\n", (unsigned long long)line->address,
			line->name);
		tally->differences++;
		return;
	}
	uint8_t first = 0;

	code_read(reader, line->address, &first, 1);
	// An instruction of its own, which objdump joins with the next one.
	if (first == FWAIT && instruction.size == 1)
		return;
	tally->targets += line->has_target;
	if (code_end(&instruction) == next && instruction.is_direct == line->has_target &&
	    (!line->has_target || instruction.target == line->target))
		return;
	fprintf(stderr, "%llx %s: size %u, target %llx\n", (unsigned long long)line->address,
		line->name, instruction.size, (unsigned long long)instruction.target);
	tally->differences++;
}

static struct tally compare_all(const char *path)
{
	static struct code_reader reader;
	struct file file = map(path);
	struct tally tally = { 0 };
	struct line line, next;
	bool is_begun = false;
	char text[1024];

	code_reader_init(&reader, &code_x86_64,
			 (struct code_memory){ .read = read_file, .context = &file });
	snprintf(text, sizeof(text), "LC_ALL=C objdump -dwz --no-show-raw-insn '%s'", path);
	FILE *pipe = popen(text, "r");

	assert_non_null(pipe);
	while (fgets(text, sizeof(text), pipe) && tally.differences < DIFFERENCES_MAX) {
		if (strncmp(text, "Disassembly of section", 22) == 0)
			is_begun = false; // the last one's end is not told
		if (!parse(text, &next))
			continue;
		if (is_begun)
			compare(&reader, &line, next.address, &tally);
		line = next;
		is_begun = true;
	}
	pclose(pipe);
	munmap((void *)(uintptr_t)file.bytes, file.size);
	return tally;
}

static void test_libraries(void **state)
{
	(void)state;
	assert_non_null(*libraries);
	for (char **path = libraries; *path; path++) {
		const struct tally tally = compare_all(*path);

		print_message("%s: %u instructions, %u targets\n", *path, tally.instructions,
			      tally.targets);
		assert_int_equal(tally.differences, 0);
		assert_true(tally.instructions > 10000);
		assert_true(tally.targets > tally.instructions / 20);
		assert_true(tally.hidden < tally.instructions / 100);
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_libraries),
	};

	(void)argc;
	libraries = argv + 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
