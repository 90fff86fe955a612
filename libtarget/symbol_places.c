// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Symbols by address: a sorted table, so that a question does not go through all of them as
// dwfl_module_addrinfo() does. Of several symbols that cover an address it takes the same one. Where
// none does, or it is not clear, libdwfl is asked.

#include "internal.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_COVERING = 64, MAX_WALK = 4096 };

struct symbol_place {
	uint64_t start, size;
	uint64_t reach; // the farthest end of this and all before it
	const char *name;
	uint32_t index; // in the table
	uint8_t rank;	// by its binding
	bool is_global;
};

static uint8_t rank_of(const GElf_Sym *symbol)
{
	switch (GELF_ST_BIND(symbol->st_info)) {
	case STB_GLOBAL:
		return 3;
	case STB_WEAK:
		return 2;
	case STB_LOCAL:
		return 1;
	default:
		return 0;
	}
}

static bool is_code_or_data(const GElf_Sym *symbol)
{
	int type = GELF_ST_TYPE(symbol->st_info);

	return symbol->st_shndx != SHN_UNDEF && type != STT_SECTION && type != STT_FILE &&
	       type != STT_TLS;
}

static void read_places(struct mapped_file *file)
{
	int count = dwfl_module_getsymtab(file->module);
	int first_global = dwfl_module_getsymtab_first_global(file->module);
	uint64_t reach = 0;

	file->has_places = true;
	file->places = count > 0 ? calloc((size_t)count, sizeof(*file->places)) : NULL;
	for (int i = 1; file->places && i < count; i++) {
		GElf_Addr address;
		GElf_Sym symbol;
		const char *name = dwfl_module_getsym_info(file->module, i, &symbol, &address, NULL,
							   NULL, NULL);

		if (!name || !*name || !is_code_or_data(&symbol))
			continue;
		file->places[file->num_places++] = (struct symbol_place){
			.start = address,
			.size = symbol.st_size,
			.name = name,
			.index = (uint32_t)i,
			.rank = rank_of(&symbol),
			.is_global = i >= first_global,
		};
	}
	if (!file->places)
		return;
	RANGES_SORT(file->places, file->num_places);
	for (size_t i = 0; i < file->num_places; i++) {
		struct symbol_place *place = &file->places[i];
		uint64_t end = place->start + place->size;

		if (end > reach)
			reach = end;
		place->reach = reach;
	}
}

void symbol_places_deinit(struct mapped_file *file)
{
	free(file->places);
}

/** Compare a symbol with the best before it in the table. */
static bool is_better(const struct symbol_place *one, const struct symbol_place *best)
{
	if (!best || one->start > best->start || one->rank > best->rank)
		return true;
	return one->start == best->start && one->size < best->size && one->rank >= best->rank;
}

static int by_index(const void *a, const void *b)
{
	const struct symbol_place *one = a, *other = b;

	return (one->index > other->index) - (one->index < other->index);
}

/** Choose in the order of the table: local symbols only if there are no others. */
static const struct symbol_place *choose(struct symbol_place *found, size_t count)
{
	const struct symbol_place *best = NULL;

	qsort(found, count, sizeof(*found), by_index);
	for (int is_global = 1; is_global >= 0 && !best; is_global--) {
		for (size_t i = 0; i < count; i++) {
			if (found[i].is_global == (bool)is_global && is_better(&found[i], best))
				best = &found[i];
		}
	}
	return best;
}

/** Copy the symbols that cover an address, of the first @p low ones. @return how many there are; 0 if it
 *  is not clear which. */
static size_t find_covering(const struct mapped_file *file, uint64_t address, size_t low,
			    struct symbol_place *ret)
{
	size_t count = 0;

	for (size_t walked = 0; low; walked++) {
		const struct symbol_place *place = &file->places[--low];

		if (place->reach <= address && place->start != address)
			break;
		// A label may count more than a local symbol around it.
		if (walked == MAX_WALK || count == MAX_COVERING ||
		    (place->start == address && !place->size))
			return 0;
		if (address - place->start < place->size)
			ret[count++] = *place;
	}
	return count;
}

/** Check that no symbol covers an address, and that it does not belong to a label before it, which has no
 *  size: another symbol ends in between. */
static bool is_past_all(const struct mapped_file *file, uint64_t address, size_t low)
{
	const struct symbol_place *last = low ? &file->places[low - 1] : NULL;

	return !last || (last->reach <= address && last->reach > last->start);
}

void symbol_places_visit(struct mapped_file *file, target_symbol_visitor *visit, void *context)
{
	if (!file->has_places)
		read_places(file);
	for (size_t i = 0; i < file->num_places; i++) {
		const struct symbol_place *place = &file->places[i];

		visit(context, &(struct target_symbol){ place->name, place->start, place->size });
	}
}

enum symbol_answer symbol_place_at(struct mapped_file *file, uint64_t address,
				   struct target_symbol *ret)
{
	struct symbol_place found[MAX_COVERING];

	if (!file->has_places)
		read_places(file);
	if (!file->places)
		return SYMBOL_UNCLEAR;
	size_t low = RANGES_BEGUN(file->places, file->num_places, address);
	if (is_past_all(file, address, low))
		return SYMBOL_ABSENT;
	size_t count = find_covering(file, address, low, found);
	const struct symbol_place *place = count ? choose(found, count) : NULL;

	if (!place)
		return SYMBOL_UNCLEAR;
	*ret = (struct target_symbol){ place->name, place->start, place->size };
	return SYMBOL_FOUND;
}
