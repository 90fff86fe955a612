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

enum { SHARED_BASE = 0x7f0000000000 };

static ompd_rc_t cb_alloc(ompd_size_t size, void **ret)
{
	*ret = malloc(size);
	return *ret ? ompd_rc_ok : ompd_rc_error;
}

static ompd_rc_t cb_free(void *memory)
{
	free(memory);
	return ompd_rc_ok;
}

static ompd_rc_t cb_print(const char *string, int category)
{
	(void)string;
	(void)category;
	return ompd_rc_ok;
}

static ompd_rc_t cb_sizeof(ompd_address_space_context_t *context, ompd_device_type_sizes_t *sizes)
{
	(void)context;
	sizes->sizeof_char = 1;
	sizes->sizeof_short = 2;
	sizes->sizeof_int = 4;
	sizes->sizeof_long = 8;
	sizes->sizeof_long_long = 8;
	sizes->sizeof_pointer = 8;
	return ompd_rc_ok;
}

static ompd_rc_t cb_symbol(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
			   const char *name, ompd_address_t *ret, const char *file_name)
{
	struct elf_target *self = (struct elf_target *)context;
	uint64_t address;

	(void)thread;
	self->lookups++;
	if (file_name && (!self->object || strcmp(file_name, self->object) != 0))
		return ompd_rc_unavailable;
	address = elf_target_find(self, name);
	if (!address)
		return ompd_rc_unavailable;
	ret->segment = 0;
	ret->address = address;
	return ompd_rc_ok;
}

static ompd_rc_t cb_read(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
			 const ompd_address_t *address, ompd_size_t size, void *buffer)
{
	struct elf_target *self = (struct elf_target *)context;
	const uint8_t *bytes = elf_target_bytes(self, address->address, size);

	(void)thread;
	self->reads++;
	if (!bytes)
		return ompd_rc_error;
	memcpy(buffer, bytes, size);
	return ompd_rc_ok;
}

static ompd_rc_t cb_read_string(ompd_address_space_context_t *context,
				ompd_thread_context_t *thread, const ompd_address_t *address,
				ompd_size_t size, void *buffer)
{
	struct elf_target *self = (struct elf_target *)context;
	char *string = buffer;

	(void)thread;
	self->reads++;
	for (ompd_size_t i = 0; i < size; i++) {
		const uint8_t *byte = elf_target_bytes(self, address->address + i, 1);

		if (!byte)
			return ompd_rc_error;
		string[i] = (char)*byte;
		if (!*byte)
			break;
	}
	return ompd_rc_ok;
}

static ompd_rc_t cb_write(ompd_address_space_context_t *context, ompd_thread_context_t *thread,
			  const ompd_address_t *address, ompd_size_t size, const void *buffer)
{
	(void)context;
	(void)thread;
	(void)address;
	(void)size;
	(void)buffer;
	abort(); // nothing is ever written to a target
}

static ompd_rc_t cb_convert(ompd_address_space_context_t *context, const void *input,
			    ompd_size_t unit, ompd_size_t count, void *output)
{
	(void)context;
	memcpy(output, input, unit * count);
	return ompd_rc_ok;
}

static const ompd_callbacks_t callbacks = {
	.alloc_memory = cb_alloc,
	.free_memory = cb_free,
	.print_string = cb_print,
	.sizeof_type = cb_sizeof,
	.symbol_addr_lookup = cb_symbol,
	.read_memory = cb_read,
	.write_memory = cb_write,
	.read_string = cb_read_string,
	.device_to_host = cb_convert,
	.host_to_device = cb_convert,
};

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
	return target_init(&self->target, &callbacks, (ompd_address_space_context_t *)self) ==
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
