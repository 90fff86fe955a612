// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "elf_target.h"

#include <assert.h>
#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../api/callbacks.h"

enum { SHARED_BASE = 0x7f0000000000 };

bool callback_symbol(ompd_address_space_context_t *context, const char *name, const char *file_name,
		     uint64_t *address)
{
	const struct elf_target *self = (const struct elf_target *)context;

	if (file_name && (!self->object || strcmp(file_name, self->object) != 0))
		return false;
	*address = elf_target_find(self, name);
	return *address != 0;
}

bool callback_read(ompd_address_space_context_t *context, uint64_t address, void *buffer,
		   size_t size)
{
	const uint8_t *bytes = elf_target_bytes((struct elf_target *)context, address, size);

	if (bytes)
		memcpy(buffer, bytes, size);
	return bytes != NULL;
}

void *callback_alloc(size_t size)
{
	return malloc(size);
}

void callback_free(void *memory)
{
	free(memory);
}

uint8_t *elf_target_bytes(const struct elf_target *self, uint64_t address, size_t size)
{
	uint64_t offset = address - self->base;

	if (offset > self->size || size > self->size - offset)
		return NULL;
	return self->memory + offset;
}

static struct elf_symbol *find(const struct elf_target *self, const char *name)
{
	for (size_t i = 0; i < self->symbol_count; i++)
		if (strcmp(self->symbols[i].name, name) == 0)
			return &self->symbols[i];
	return NULL;
}

uint64_t elf_target_find(const struct elf_target *self, const char *name)
{
	const struct elf_symbol *symbol = find(self, name);

	return symbol ? symbol->address : 0;
}

void elf_target_define(struct elf_target *self, const char *name, uint64_t address)
{
	struct elf_symbol *symbol = find(self, name);

	if (!symbol) {
		self->symbols =
			realloc(self->symbols, (self->symbol_count + 1) * sizeof(self->symbols[0]));
		assert(self->symbols);
		symbol = &self->symbols[self->symbol_count++];
		symbol->name = strdup(name);
		assert(symbol->name);
	}
	symbol->address = address;
}

void elf_target_hide(struct elf_target *self, const char *name)
{
	struct elf_symbol *symbol = find(self, name);

	if (symbol)
		symbol->address = 0;
}

uint64_t elf_target_grow(struct elf_target *self, size_t size)
{
	uint64_t address = self->base + self->size;

	self->memory = realloc(self->memory, self->size + size);
	assert(self->memory);
	memset(self->memory + self->size, 0, size);
	self->size += size;
	return address;
}

// A file that is mapped, and its ELF header.
struct file {
	const uint8_t *bytes;
	size_t size;
	const Elf64_Ehdr *header;
};

static const Elf64_Phdr *segments(const struct file *file)
{
	return (const Elf64_Phdr *)(file->bytes + file->header->e_phoff);
}

static const Elf64_Shdr *sections(const struct file *file)
{
	return (const Elf64_Shdr *)(file->bytes + file->header->e_shoff);
}

static void load_segments(struct elf_target *self, const struct file *file, uint64_t bias)
{
	const Elf64_Phdr *segment = segments(file);
	const Elf64_Phdr *end = segment + file->header->e_phnum;
	uint64_t first = UINT64_MAX, last = 0;

	for (const Elf64_Phdr *at = segment; at < end; at++) {
		if (at->p_type != PT_LOAD)
			continue;
		if (at->p_vaddr < first)
			first = at->p_vaddr;
		if (at->p_vaddr + at->p_memsz > last)
			last = at->p_vaddr + at->p_memsz;
	}
	assert(first < last);
	self->base = bias + first;
	self->size = last - first;
	self->memory = calloc(1, self->size);
	assert(self->memory);
	for (const Elf64_Phdr *at = segment; at < end; at++)
		if (at->p_type == PT_LOAD)
			memcpy(self->memory + (at->p_vaddr - first), file->bytes + at->p_offset,
			       at->p_filesz);
}

static void load_symbols(struct elf_target *self, const struct file *file,
			 const Elf64_Shdr *section, uint64_t bias)
{
	const Elf64_Sym *symbol = (const Elf64_Sym *)(file->bytes + section->sh_offset);
	size_t count = section->sh_size / sizeof(*symbol);
	const char *names = (const char *)file->bytes + sections(file)[section->sh_link].sh_offset;

	self->symbols =
		realloc(self->symbols, (self->symbol_count + count) * sizeof(self->symbols[0]));
	assert(self->symbols);
	for (size_t i = 0; i < count; i++, symbol++) {
		if (symbol->st_shndx == SHN_UNDEF || !symbol->st_value ||
		    ELF64_ST_TYPE(symbol->st_info) > STT_FUNC)
			continue;
		self->symbols[self->symbol_count].name = strdup(names + symbol->st_name);
		self->symbols[self->symbol_count].address = bias + symbol->st_value;
		self->symbol_count++;
	}
}

static void relocate(struct elf_target *self, const struct file *file, const Elf64_Shdr *section,
		     uint64_t bias)
{
	const Elf64_Rela *relocation = (const Elf64_Rela *)(file->bytes + section->sh_offset);

	for (size_t i = 0; i < section->sh_size / sizeof(*relocation); i++, relocation++) {
		uint64_t value;
		uint8_t *where;

		if (ELF64_R_TYPE(relocation->r_info) == R_X86_64_RELATIVE)
			value = bias + (uint64_t)relocation->r_addend;
		else if (ELF64_R_TYPE(relocation->r_info) == R_X86_64_TPOFF64)
			value = (uint64_t)(ELF_TARGET_TLS_OFFSET + relocation->r_addend);
		else
			continue;
		where = elf_target_bytes(self, bias + relocation->r_offset, sizeof(value));
		if (where)
			memcpy(where, &value, sizeof(value));
	}
}

static void load(struct elf_target *self, const struct file *file, uint64_t bias)
{
	load_segments(self, file, bias);
	for (size_t i = 0; i < file->header->e_shnum; i++) {
		const Elf64_Shdr *section = &sections(file)[i];

		if (section->sh_type == SHT_SYMTAB || section->sh_type == SHT_DYNSYM)
			load_symbols(self, file, section, bias);
		if (section->sh_type == SHT_RELA && section->sh_flags & SHF_ALLOC)
			relocate(self, file, section, bias);
	}
}

bool elf_target_open(struct elf_target *self, const char *path, const char *object)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct file file;
	struct stat status;
	void *bytes;

	memset(self, 0, sizeof(*self));
	if (fd < 0)
		return false;
	assert(fstat(fd, &status) == 0);
	file.size = (size_t)status.st_size;
	bytes = mmap(NULL, file.size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	assert(bytes != MAP_FAILED && file.size > sizeof(*file.header));
	file.bytes = bytes;
	file.header = bytes;
	assert(memcmp(file.bytes, ELFMAG, SELFMAG) == 0);
	assert(file.header->e_ident[EI_CLASS] == ELFCLASS64);
	assert(file.header->e_machine == EM_X86_64);
	self->object = object;
	load(self, &file, object ? SHARED_BASE : 0);
	munmap(bytes, file.size);
	return target_init(&self->target, &plain_callbacks, (ompd_address_space_context_t *)self) ==
	       ompd_rc_ok;
}

void elf_target_close(struct elf_target *self)
{
	for (size_t i = 0; i < self->symbol_count; i++)
		free(self->symbols[i].name);
	free(self->symbols);
	free(self->memory);
	memset(self, 0, sizeof(*self));
}

void elf_target_rename(struct elf_target *self, const char *name)
{
	size_t size = strlen(name) + 1;
	unsigned int found = 0;

	for (size_t i = 0; i + size <= self->size; i++) {
		if (memcmp(self->memory + i, name, size) != 0)
			continue;
		self->memory[i + size - 2] = 'X';
		found++;
	}
	if (!found)
		abort();
}
