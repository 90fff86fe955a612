// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_place(const GElf_Sym *symbol, GElf_Word section)
{
	switch (GELF_ST_TYPE(symbol->st_info)) {
	case STT_NOTYPE:
	case STT_OBJECT:
	case STT_FUNC:
	case STT_GNU_IFUNC:
	case STT_COMMON:
		return section != SHN_UNDEF && section != SHN_ABS;
	case STT_TLS:
		return section != SHN_UNDEF;
	default:
		return false;
	}
}

/** A symbol, to be found by its name. */
struct named_symbol {
	const char *name;
	size_t length; // of the name without its version
	bool is_thread_local;
	uint64_t address; // of one that is thread-local, the offset in the storage of its file
};

/** Return the length of a name without its version: some tables have `name@@VERSION`. */
static size_t length_of(const char *name)
{
	const char *version = strstr(name, "@@");

	return version ? (size_t)(version - name) : strlen(name);
}

static int by_name(const void *a, const void *b)
{
	const struct named_symbol *one = a, *other = b;
	size_t least = one->length < other->length ? one->length : other->length;
	int order = memcmp(one->name, other->name, least);

	if (!order)
		order = (one->length > other->length) - (one->length < other->length);
	return order ? order : one->is_thread_local - other->is_thread_local;
}

static bool symbol_of(Dwfl_Module *module, size_t index, struct named_symbol *ret)
{
	GElf_Word section;
	GElf_Sym symbol;
	GElf_Addr address;

	const char *name = dwfl_module_getsym_info(module, (int)index, &symbol, &address, &section,
						   NULL, NULL);
	if (!name || !*name || !is_place(&symbol, section))
		return false;
	*ret = (struct named_symbol){ name, length_of(name), false, address };
	if (GELF_ST_TYPE(symbol.st_info) == STT_TLS) {
		ret->is_thread_local = true;
		ret->address = symbol.st_value;
	}
	return true;
}

// ---- Versions --------------------------------------------------------------------------------

/** The table for linking, and the versions of its symbols. */
struct versions {
	Elf_Data *symbols, *versions;
	size_t names; // section
};

static bool find_versions(Elf *elf, struct versions *ret)
{
	Elf_Scn *section = NULL;

	*ret = (struct versions){ 0 };
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;

		if (!gelf_getshdr(section, &header))
			continue;
		if (header.sh_type == SHT_DYNSYM) {
			ret->symbols = elf_getdata(section, NULL);
			ret->names = header.sh_link;
		} else if (header.sh_type == SHT_GNU_versym) {
			ret->versions = elf_getdata(section, NULL);
		}
	}
	return ret->symbols && ret->versions;
}

static void drop(struct mapped_file *file, const char *name, uint64_t address)
{
	struct named_symbol *end = file->symbols + file->num_symbols;

	for (struct named_symbol *symbol = file->symbols; symbol < end; symbol++) {
		// Another version may be the same.
		if (symbol->name && symbol->address == address && strcmp(symbol->name, name) == 0) {
			*symbol = (struct named_symbol){ .name = "" };
			return;
		}
	}
}

/** Drop the symbols of versions for old programs only: their names stand for something else. */
static void drop_hidden(struct mapped_file *file)
{
	enum { HIDDEN = 0x8000 };
	struct versions found;
	GElf_Addr bias;
	GElf_Versym version;
	GElf_Sym symbol;

	Elf *elf = dwfl_module_getelf(file->module, &bias);
	if (!elf || !find_versions(elf, &found))
		return;
	for (int i = 0; gelf_getversym(found.versions, i, &version); i++) {
		if (!(version & HIDDEN) || !gelf_getsym(found.symbols, i, &symbol) ||
		    symbol.st_shndx == SHN_UNDEF)
			continue;
		const char *name = elf_strptr(elf, found.names, symbol.st_name);
		if (name)
			drop(file, name, symbol.st_value + bias);
	}
}

/** Read all symbols of a file, sorted by name. */
static void read_symbols(struct mapped_file *file)
{
	int count = file->module ? dwfl_module_getsymtab(file->module) : 0;

	file->has_symbols = true;
	file->symbols = count > 0 ? calloc((size_t)count, sizeof(*file->symbols)) : NULL;
	for (int i = 0; file->symbols && i < count; i++) {
		if (symbol_of(file->module, (size_t)i, &file->symbols[file->num_symbols]))
			file->num_symbols++;
	}
	if (!file->symbols || !file->num_symbols)
		return;
	drop_hidden(file);
	qsort(file->symbols, file->num_symbols, sizeof(*file->symbols), by_name);
}

static const struct mapped_file *with_symbols(struct target *target, size_t file)
{
	struct mapped_file *mapped = &target->files[file];

	if (!mapped->has_symbols)
		read_symbols(mapped);
	return mapped;
}

static bool find_symbol(struct target *target, size_t file, struct named_symbol wanted,
			uint64_t *ret)
{
	const struct mapped_file *mapped = with_symbols(target, file);

	if (!mapped->symbols || !mapped->num_symbols)
		return false;
	const struct named_symbol *found = bsearch(&wanted, mapped->symbols, mapped->num_symbols,
						   sizeof(*mapped->symbols), by_name);
	if (found)
		*ret = found->address;
	return found != NULL;
}

bool target_symbol_named(struct target *target, size_t file, const char *name, uint64_t *ret)
{
	return find_symbol(target, file, (struct named_symbol){ name, length_of(name), false, 0 },
			   ret);
}

bool target_thread_local_named(struct target *target, size_t file, const char *name, uint64_t *ret)
{
	return find_symbol(target, file, (struct named_symbol){ name, length_of(name), true, 0 },
			   ret);
}

/** Check for C++'s linkage name of a variable within a scope: "_ZN5scope4nameE", or with a tag of its ABI.
 *  @p part: "4name". */
static bool is_scoped(const char *symbol, const char *part)
{
	const char *at = strncmp(symbol, "_Z", 2) == 0 ? symbol : NULL;

	while (at && (at = strstr(at + 1, part))) {
		const char *end = at + strlen(part);

		if ((at[-1] < '0' || at[-1] > '9') && (*end == 'B' || strcmp(end, "E") == 0))
			return true;
	}
	return false;
}

bool target_has_named(struct target *target, size_t file, const char *name, bool only_scoped)
{
	const struct mapped_file *mapped = with_symbols(target, file);
	size_t length = strlen(name);
	char *part;
	bool has = false;

	if (asprintf(&part, "%zu%s", length, name) < 0)
		return true;
	for (size_t i = 0; mapped->symbols && i < mapped->num_symbols && !has; i++) {
		const struct named_symbol *one = &mapped->symbols[i];

		if (!one->name)
			continue;
		has = (!only_scoped && one->length == length &&
		       strncmp(one->name, name, length) == 0) ||
		      is_scoped(one->name, part);
	}
	free(part);
	return has;
}

/** Find the file of a module. Not all of its memory is mapped from the file. */
static struct mapped_file *file_of(const struct target *target, const Dwfl_Module *module)
{
	for (size_t i = 0; module && i < target->num_files; i++) {
		if (target->files[i].module == module)
			return &target->files[i];
	}
	return NULL;
}

void target_visit_symbols(struct target *target, size_t file, target_symbol_visitor *visit,
			  void *context)
{
	if (target->files[file].module)
		symbol_places_visit(&target->files[file], visit, context);
}

bool target_symbol_at(struct target *target, uint64_t address, struct target_symbol *ret)
{
	Dwfl_Module *module = dwfl_addrmodule(target->dwfl, address);
	struct mapped_file *file = file_of(target, module);
	GElf_Off offset;
	GElf_Sym symbol;

	enum symbol_answer answer = file ? symbol_place_at(file, address, ret) : SYMBOL_UNCLEAR;
	if (answer != SYMBOL_UNCLEAR)
		return answer == SYMBOL_FOUND;
	const char *name =
		module ? dwfl_module_addrinfo(module, address, &offset, &symbol, NULL, NULL, NULL) :
			 NULL;

	if (!name || !*name || (symbol.st_size && offset >= symbol.st_size))
		return false;
	*ret = (struct target_symbol){ name, address - offset, symbol.st_size };
	return true;
}
