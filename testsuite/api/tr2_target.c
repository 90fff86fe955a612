// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#define _GNU_SOURCE

#include "tr2_target.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <gelf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/user.h>
#include <unistd.h>

#include "callbacks.h"
#include "target.h"

static struct target *target;
static int core = -1;
long tr2_blocks;

bool tr2_open(const char *what)
{
	const struct target_places places = { .program = NULL };
	struct target_error error = { "" };
	char *end;
	long pid = strtol(what, &end, 10);

	if (*end == '\0') {
		target = target_attach((pid_t)pid, &places, &error);
	} else {
		core = open(what, O_RDONLY | O_CLOEXEC);
		target = target_open_core(core, &places, &error);
	}
	if (!target)
		fprintf(stderr, "%s: %s\n", what, error.text);
	return target != NULL;
}

void tr2_close(void)
{
	target_close(target);
}

bool tr2_read(uint64_t address, void *buffer, size_t size)
{
	return target_read(target, address, buffer, size) == size;
}

// A file's own name, or one with more of a version behind it.
static bool is_named(const char *path, const char *file_name)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	size_t length = strlen(file_name);

	return strncmp(base, file_name, length) == 0 &&
	       (base[length] == '\0' || base[length] == '.');
}

bool tr2_symbol(const char *name, const char *file_name, uint64_t *ret)
{
	for (int program = 1; program >= 0; program--) {
		for (size_t i = 0; i < target_num_files(target); i++) {
			const struct target_file file = target_file_at(target, i);

			if (file.is_program != program ||
			    (file_name && !is_named(file.path, file_name)))
				continue;
			if (target_symbol_named(target, i, name, ret))
				return true;
		}
	}
	return false;
}

size_t tr2_num_threads(void)
{
	return target_num_threads(target);
}

int tr2_lwp(size_t thread)
{
	return target_thread_lwp(target, thread);
}

uint64_t tr2_pthread(size_t thread)
{
	const uint64_t *registers = target_thread_registers(target, thread);

	return registers ?
		       registers[offsetof(struct user_regs_struct, fs_base) / sizeof(uint64_t)] :
		       0;
}

/** The loader's structure of a file; 0 if it has none. */
static uint64_t link_map_of(size_t file)
{
	struct r_debug debug;
	struct link_map link;
	uint64_t address;

	if (!tr2_symbol("_r_debug", NULL, &address) || !tr2_read(address, &debug, sizeof(debug)))
		return 0;
	for (address = (uintptr_t)debug.r_map; address; address = (uintptr_t)link.l_next) {
		if (!tr2_read(address, &link, sizeof(link)))
			return 0;
		if (target_file_index(target, (uintptr_t)link.l_ld) == (ssize_t)file)
			return address;
	}
	return 0;
}

static bool find_thread_local(Elf *elf, const char *name, uint64_t *ret)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Sym symbol;

	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB)
			continue;
		for (int i = 0; gelf_getsym(elf_getdata(section, NULL), i, &symbol); i++) {
			const char *found = elf_strptr(elf, header.sh_link, symbol.st_name);

			if (GELF_ST_TYPE(symbol.st_info) != STT_TLS || !found ||
			    strcmp(found, name) != 0)
				continue;
			*ret = symbol.st_value;
			return true;
		}
	}
	return false;
}

/** The offset of a thread-local variable in a file's storage. */
static bool offset_in_file(const char *path, const char *name, uint64_t *ret)
{
	int descriptor = open(path, O_RDONLY | O_CLOEXEC);
	Elf *elf = descriptor >= 0 ? elf_begin(descriptor, ELF_C_READ, NULL) : NULL;
	bool found = elf && find_thread_local(elf, name, ret);

	elf_end(elf);
	if (descriptor >= 0)
		close(descriptor);
	return found;
}

bool tr2_thread_local(size_t thread, const char *name, uint64_t *ret)
{
	// Libraries ask for the same one again and again.
	static char known[64];
	static uint64_t map, offset;

	if (strcmp(known, name) != 0) {
		size_t count = target_num_files(target), i = 0;

		while (i < count &&
		       !offset_in_file(target_file_at(target, i).opened, name, &offset))
			i++;
		if (i == count || strlen(name) >= sizeof(known))
			return false;
		map = link_map_of(i);
		strcpy(known, name);
	}
	return target_thread_local(target, thread, map, offset, ret);
}

size_t tr2_frames(size_t thread, struct tr2_frame *frames, size_t max)
{
	enum { RSP = 2 }; // of the kept registers
	struct target_frame *found = calloc(max, sizeof(*found));
	size_t count = found ? target_unwind(target, thread, found, max) : 0;

	for (size_t i = 0; i < count; i++)
		frames[i] = (struct tr2_frame){ found[i].pc,
						found[i].known[RSP] ? found[i].kept[RSP] : 0 };
	free(found);
	return count;
}

bool tr2_is_program(uint64_t pc)
{
	ssize_t index = target_file_index(target, pc);

	return index >= 0 && target_file_at(target, (size_t)index).is_program;
}

void *tr2_alloc(size_t size)
{
	void *memory = malloc(size);

	if (memory)
		memset(memory, 0xa5, size);
	tr2_blocks += memory != NULL;
	return memory;
}

void tr2_free(void *memory)
{
	tr2_blocks -= memory != NULL;
	free(memory);
}

bool callback_read(ompd_address_space_context_t *context, uint64_t address, void *buffer,
		   size_t size)
{
	(void)context;
	return tr2_read(address, buffer, size);
}

bool callback_symbol(ompd_address_space_context_t *context, const char *name, const char *file_name,
		     uint64_t *address)
{
	(void)context;
	return tr2_symbol(name, file_name, address);
}

void *callback_alloc(size_t size)
{
	return tr2_alloc(size);
}

void callback_free(void *memory)
{
	tr2_free(memory);
}

void *tr2_function(void *library, const char *name)
{
	void *function = dlsym(library, name);

	if (!function) {
		fprintf(stderr, "the library has no %s\n", name);
		exit(1);
	}
	return function;
}
