// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that only read are told from all others, by what compilers made of them. Usage: test_spin
// LIBRARY..., each made of loops.c; a name with "O0" in it is code that is not optimized.

#define _GNU_SOURCE

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
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

#include "own_memory.h"

static char **libraries;

/** A library that is loaded, with the symbols of its file. */
struct library {
	uint64_t base;
	const char *file;
	const Elf64_Sym *symbols;
	size_t count;
	const char *names;
	bool is_plain; // not optimized
};

static struct library load(const char *path)
{
	struct library ret = { .is_plain = strstr(path, "O0") };
	struct link_map *map;
	void *handle = dlopen(path, RTLD_NOW);
	const int file = open(path, O_RDONLY);
	struct stat status;

	if (!handle)
		fail_msg("%s", dlerror());
	assert_int_equal(dlinfo(handle, RTLD_DI_LINKMAP, &map), 0);
	ret.base = map->l_addr;
	assert_int_equal(fstat(file, &status), 0);
	ret.file = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
	assert_ptr_not_equal(ret.file, MAP_FAILED);
	close(file);
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)ret.file;
	const Elf64_Shdr *sections = (const Elf64_Shdr *)(ret.file + header->e_shoff);

	for (unsigned int i = 0; i < header->e_shnum; i++) {
		if (sections[i].sh_type != SHT_SYMTAB)
			continue;
		ret.symbols = (const Elf64_Sym *)(ret.file + sections[i].sh_offset);
		ret.count = sections[i].sh_size / sizeof(Elf64_Sym);
		ret.names = ret.file + sections[sections[i].sh_link].sh_offset;
	}
	assert_non_null(ret.symbols);
	return ret;
}

static const char *name_of(const struct library *library, const Elf64_Sym *symbol)
{
	return library->names + symbol->st_name;
}

// The variable at an address; NULL if there is none.
static const char *variable_at(const struct library *library, uint64_t address)
{
	for (size_t i = 0; i < library->count; i++) {
		const Elf64_Sym *symbol = &library->symbols[i];

		if (ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT &&
		    library->base + symbol->st_value == address)
			return name_of(library, symbol);
	}
	return NULL;
}

static bool is_harmless(void *context, uint64_t entry)
{
	static const char *const names[] = { "sched_yield", "usleep" };
	(void)context;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (entry == (uint64_t)(uintptr_t)dlsym(RTLD_DEFAULT, names[i]))
			return true;
	}
	return false;
}

/** What was found from all instructions of a function. */
struct found {
	unsigned int spins, others, decided; // by the result of a call alone
	bool is_endless;
	char variables[256]; // " flag other"
};

static void note(const struct library *library, const struct code_spin *spin, struct found *found)
{
	found->is_endless |= spin->is_endless;
	found->decided += spin->deciding != 0;
	for (unsigned int i = 0; i < spin->count; i++) {
		uint64_t address;
		char word[64];

		if (spin->reads[i].base != CODE_FIXED)
			continue;
		address = (uint64_t)spin->reads[i].offset[0];
		for (unsigned int k = 1; k <= spin->reads[i].depth; k++) {
			assert_int_equal(code_read_word(own_reader(), address, &address), CODE_OK);
			address += (uint64_t)spin->reads[i].offset[k];
		}
		const char *variable = variable_at(library, address);

		if (!variable)
			continue;
		snprintf(word, sizeof(word), " %s", variable);
		if (!strstr(found->variables, word))
			strcat(found->variables, word);
	}
}

static struct found look(const struct library *library, const Elf64_Sym *function)
{
	const uint64_t begin = library->base + function->st_value;
	struct code_reader *reader = own_reader();
	struct code_instruction instruction;
	struct found found = { 0 };

	for (uint64_t pc = begin; pc < begin + function->st_size; pc = code_end(&instruction)) {
		const struct code_spin_query query = { .pc = pc, .is_harmless = is_harmless };
		struct code_spin spin;

		assert_int_equal(code_decode(reader, pc, &instruction), CODE_OK);
		if (code_find_spin(reader, &query, &spin) == CODE_OK) {
			found.spins++;
			note(library, &spin, &found);
		} else {
			found.others++;
		}
	}
	return found;
}

static bool reads(const struct found *found, const char *name)
{
	char words[300], word[64];

	snprintf(words, sizeof(words), "%s ", found->variables);
	snprintf(word, sizeof(word), " %s ", name);
	return strstr(words, word);
}

static void check_spin(const struct library *library, const char *name, const struct found *found)
{
	static const char *const variables[] = { "flag", "other", "plain", "counter", "exported" };

	if (!found->spins && library->is_plain &&
	    (!strcmp(name, "spin_counter") || !strcmp(name, "spin_unnamed")))
		return; // a pointer might lead into the frame, to which the loop writes
	if (!found->spins || !found->others || found->is_endless)
		fail_msg("%s: %u spin, %u not", name, found->spins, found->others);
	if (found->decided != (strcmp(name, "spin_result") ? 0 : found->spins))
		fail_msg("%s: %u of %u decided by a call", name, found->decided, found->spins);
	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		bool is_wanted = strstr(name, variables[i]) != NULL;

		if (!strcmp(name, "spin_in_work"))
			is_wanted = !strcmp(variables[i], "flag");
		if (!strcmp(name, "spin_exported"))
			is_wanted &= library->is_plain; // else its address was read before
		if (is_wanted != reads(found, variables[i]))
			fail_msg("%s reads%s", name, found->variables);
	}
}

static void test_loops(void **state)
{
	(void)state;
	assert_non_null(*libraries);
	for (char **path = libraries; *path; path++) {
		const struct library library = load(*path);
		unsigned int tried = 0;

		for (size_t i = 0; i < library.count; i++) {
			const Elf64_Sym *symbol = &library.symbols[i];
			const char *name = name_of(&library, symbol);
			const bool is_spin = !strncmp(name, "spin_", 5);

			if (!is_spin && strncmp(name, "work_", 5) != 0)
				continue;
			tried++;
			const struct found found = look(&library, symbol);

			if (is_spin)
				check_spin(&library, name, &found);
			else if (found.spins)
				fail_msg("%s of %s only reads", name, *path);
		}
		assert_int_equal(tried, 20);
	}
}

// ---- Written by hand -------------------------------------------------------------------------

extern const uint8_t endless[], in_call[], in_call_after[], by_pointer_after[], chain[], chain_pc[],
	thread_local[];
extern const uint8_t moves_frame[], clock_loop[], straight[], counts_down[], pushes[], many_loads[];

__asm__(".text\n"
	"endless: nop\n"
	"	jmp endless\n"
	"in_call: call straight\n"
	"in_call_after: jmp in_call\n"
	"by_pointer: call *%rax\n"
	"by_pointer_after: jmp by_pointer\n"
	"chain: mov $1, %eax\n"
	"1:	mov 16(%rbx), %rdx\n"
	"chain_pc: cmpl $0, 4(%rdx)\n"
	"	je 1b\n"
	"	ret\n"
	"thread_local: cmpl $0, %fs:-8\n"
	"	je thread_local\n"
	"	ret\n"
	"moves_frame: mov chain(%rip), %rbp\n"
	"	movl $1, -8(%rbp)\n"
	"	cmpl $0, chain(%rip)\n"
	"	je moves_frame\n"
	"	ret\n"
	"clock_loop: rdtsc\n"
	"	cmp %ebx, %eax\n"
	"	jb clock_loop\n"
	"	ret\n"
	"straight: mov (%rdi), %eax\n"
	"	ret\n"
	"counts_down: sub $1, %ecx\n"
	"	jne counts_down\n"
	"	ret\n"
	"pushes: push %rax\n"
	"	pop %rax\n"
	"	cmpl $0, (%rdi)\n"
	"	je pushes\n"
	"	ret\n"
	"many_loads:\n"
	"	.set offset, 0\n"
	"	.rept 20\n"
	"	cmpl $0, offset(%rdi)\n"
	"	.set offset, offset + 4\n"
	"	.endr\n"
	"	je many_loads\n"
	"	ret\n");

/** Take one function for harmless. */
static bool is_that(void *entry, uint64_t called)
{
	return called == at(entry);
}

static enum code_status find_calling(const uint8_t *pc, bool is_in_call, const uint8_t *harmless,
				     struct code_spin *ret)
{
	const struct code_spin_query query = { .pc = at(pc),
					       .in_call = is_in_call,
					       .is_harmless = is_that,
					       .context = (void *)harmless };

	return code_find_spin(own_reader(), &query, ret);
}

static enum code_status find(const uint8_t *pc, bool is_in_call, struct code_spin *ret)
{
	return find_calling(pc, is_in_call, straight, ret);
}

static void test_samples(void **state)
{
	enum { RBX = 3, RDI = 7 };
	struct code_spin spin;

	(void)state;
	assert_int_equal(find(endless, false, &spin), CODE_OK);
	assert_true(spin.is_endless);
	assert_int_equal(spin.count, 0);
	assert_int_equal(find(in_call_after, true, &spin), CODE_OK);
	assert_int_equal(find(in_call_after, false, &spin), CODE_OK);
	// What was called may have jumped to the harmless function in which the thread is.
	assert_int_equal(find_calling(in_call_after, true, chain, &spin), CODE_UNKNOWN);
	assert_int_equal(find(by_pointer_after, true, &spin), CODE_UNKNOWN);
	assert_int_equal(find(endless, true, &spin), CODE_UNKNOWN);
	assert_int_equal(find(chain_pc, false, &spin), CODE_OK);
	assert_int_equal(spin.count, 2);
	assert_int_equal(spin.widths[0], 8);
	assert_int_equal(spin.reads[0].base, CODE_HELD);
	assert_int_equal(spin.reads[0].reg, RBX);
	assert_int_equal(spin.reads[0].depth, 0);
	assert_int_equal(spin.reads[0].offset[0], 16);
	assert_int_equal(spin.widths[1], 4);
	assert_int_equal(spin.reads[1].depth, 1);
	assert_int_equal(spin.reads[1].offset[0], 16);
	assert_int_equal(spin.reads[1].offset[1], 4);
	assert_int_equal(find(chain, false, &spin), CODE_UNKNOWN);
	assert_int_equal(find(thread_local, false, &spin), CODE_OK);
	assert_int_equal(spin.reads[0].base, CODE_THREAD);
	assert_int_equal(spin.reads[0].offset[0], -8);
	assert_int_equal(find(moves_frame, false, &spin), CODE_UNKNOWN);
	assert_int_equal(find(clock_loop, false, &spin), CODE_UNKNOWN);
	assert_int_equal(find(straight, false, &spin), CODE_UNKNOWN);
	assert_int_equal(find(counts_down, false, &spin), CODE_UNKNOWN);
	assert_int_equal(find(pushes, false, &spin), CODE_UNKNOWN);
	assert_int_equal(find(many_loads, false, &spin), CODE_OK);
	assert_true(spin.is_cut);
	assert_int_equal(spin.count, CODE_SPIN_READS);
	assert_int_equal(spin.reads[15].offset[0], 60);
	assert_int_equal(spin.reads[15].reg, RDI);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loops),
		cmocka_unit_test(test_samples),
	};

	(void)argc;
	libraries = argv + 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
