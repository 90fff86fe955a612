// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "internal.h"

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
	default:
		return false;
	}
}

/** A table of symbols that is not for linking has `name@@VERSION`. */
static size_t length_of(const char *name)
{
	const char *version = strstr(name, "@@");

	return version ? (size_t)(version - name) : strlen(name);
}

static int compare_names(const char *one, size_t length, const char *other, size_t other_length)
{
	int order = memcmp(one, other, length < other_length ? length : other_length);

	return order ? order : (length > other_length) - (length < other_length);
}

static int by_name(const void *a, const void *b)
{
	const struct target_symbol *one = a, *other = b;

	return compare_names(one->name, length_of(one->name), other->name, length_of(other->name));
}

static bool symbol_of(Dwfl_Module *module, size_t index, struct target_symbol *ret)
{
	GElf_Word section;
	GElf_Sym symbol;
	GElf_Addr address;

	const char *name = dwfl_module_getsym_info(module, (int)index, &symbol, &address, &section,
						   NULL, NULL);
	if (!name || !*name || !is_place(&symbol, section))
		return false;
	*ret = (struct target_symbol){ name, address, symbol.st_size };
	return true;
}

/** All symbols of a file, by name. */
static void read_symbols(struct mapped_file *file)
{
	int count = file->module ? dwfl_module_getsymtab(file->module) : 0;

	file->has_symbols = true;
	file->symbols = count > 0 ? malloc((size_t)count * sizeof(*file->symbols)) : NULL;
	for (int i = 0; file->symbols && i < count; i++) {
		if (symbol_of(file->module, (size_t)i, &file->symbols[file->num_symbols]))
			file->num_symbols++;
	}
	if (file->symbols && file->num_symbols)
		qsort(file->symbols, file->num_symbols, sizeof(*file->symbols), by_name);
}

bool target_symbol_named(struct target *target, size_t file, const char *name, uint64_t *ret)
{
	struct mapped_file *mapped = &target->files[file];
	const struct target_symbol wanted = { .name = name };

	if (!mapped->has_symbols)
		read_symbols(mapped);
	if (!mapped->symbols || !mapped->num_symbols)
		return false;
	const struct target_symbol *found = bsearch(&wanted, mapped->symbols, mapped->num_symbols,
						    sizeof(*mapped->symbols), by_name);
	if (found)
		*ret = found->address;
	return found != NULL;
}

bool target_symbol_at(struct target *target, uint64_t address, struct target_symbol *ret)
{
	Dwfl_Module *module = dwfl_addrmodule(target->dwfl, address);
	GElf_Off offset;
	GElf_Sym symbol;
	const char *name =
		module ? dwfl_module_addrinfo(module, address, &offset, &symbol, NULL, NULL, NULL) :
			 NULL;

	if (!name || !*name || (symbol.st_size && offset >= symbol.st_size))
		return false;
	*ret = (struct target_symbol){ name, address - offset, symbol.st_size };
	return true;
}
