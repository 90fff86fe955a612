// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of the program, by their addresses and names, and what the frames at a place stand for.

#include "services/internal.h"

#include <dwarf.h>
#include <string.h>

static const char clangs[] = ".omp_"; // begins the names of functions that Clang makes

static bool is_clangs(const char *symbol)
{
	return starts_with(symbol, clangs);
}

/** Return the linker's name of a function, completed if that is one of Clang's without a name. */
static const char *linkage_of(struct unit *unit, Dwarf_Die *die)
{
	const char *linkage = entry_text(die, DW_AT_linkage_name);
	bool is_inlined = dwarf_tag(die) == DW_TAG_inlined_subroutine;

	if (!linkage)
		linkage = name_without_parameters(unit->services, entry_function_name(unit, die));
	return outlined_full_name(
		unit, linkage, unit_file(unit, die, is_inlined ? DW_AT_call_file : DW_AT_decl_file),
		entry_line(die, is_inlined ? DW_AT_call_line : DW_AT_decl_line));
}

// ---- Functions -------------------------------------------------------------------------------

static bool find_in_debug_info(struct unit *unit, uint64_t address, struct ompdbg_function *ret)
{
	Dwarf_Die function, *die = &function;

	if (!unit_function(unit, address, die))
		return false;
	*ret = (struct ompdbg_function){
		.name = entry_function_name(unit, die),
		.symbol = linkage_of(unit, die),
		.file = unit_file(unit, die, DW_AT_decl_file),
		.line = entry_line(die, DW_AT_decl_line),
	};
	if (!unit_entry(unit, die, &ret->start))
		ret->start = 0;
	if (!ret->line || is_outlined(ret->name)) {
		struct place first = unit_first_line(unit, ret->start);

		if (first.line) {
			ret->file = first.file;
			ret->line = first.line;
		}
	}
	return true;
}

/** Find the place of a construct by the entry of Clang's function, which has that of a task; what comes
 *  first may be inlined code. */
static struct place construct_place(struct unit *unit, uint64_t start)
{
	struct place place = unit_first_line(unit, start);
	Dwarf_Die function;
	int line = unit_function(unit, start, &function) ? entry_line(&function, DW_AT_decl_line) :
							   0;
	const char *file = line ? unit_file(unit, &function, DW_AT_decl_file) : NULL;

	return file ? (struct place){ file, line } : place;
}

/** Find a function by its symbol alone; the lines of those that Clang and GCC cut out of others are
 *  known nevertheless, if the unit is. */
static bool find_by_symbol(struct target_services *services, struct unit *unit,
			   const struct target_symbol *symbol, struct ompdbg_function *ret)
{
	const char *name =
		arena_strndup(&services->arena, symbol->name, strcspn(symbol->name, "@"));
	struct place place = { NULL, 0 };

	if (unit)
		place = construct_place(unit, symbol->address);
	*ret = (struct ompdbg_function){ .start = symbol->address };
	if (is_clangs(name) && place.file) {
		ret->file = place.file;
		ret->line = place.line;
		name = outlined_full_name(unit, name, place.file, ret->line);
	} else if (!strstr(name, "._omp_")) {
		const char *told = demangle_symbol(services, name);

		name = told ? told : name;
	} else if (unit) {
		ret->file = place.file;
		ret->line = place.line;
	}
	ret->name = ret->symbol = name;
	return true;
}

static bool find_function(struct target_services *services, uint64_t address,
			  struct ompdbg_function *ret)
{
	struct target_symbol symbol;
	bool has_symbol = target_symbol_at(services->target, address, &symbol);
	struct unit *unit = unit_at(services, address);

	if (unit && !(has_symbol && is_clangs(symbol.name)) &&
	    find_in_debug_info(unit, address, ret))
		return true;
	return has_symbol && find_by_symbol(services, unit, &symbol, ret);
}

/** A function that was looked for. */
struct known_function {
	bool exists;
	struct ompdbg_function function;
};

static const struct known_function *function_at(struct target_services *services, uint64_t address)
{
	struct known_function *known = table_get(&services->functions, address);

	if (!known) {
		known = ARENA_NEW(&services->arena, struct known_function);
		known->exists = find_function(services, address, &known->function);
		if (!is_interrupted(services))
			*table_put(&services->functions, &services->arena, address) = known;
	}
	return known;
}

struct ompdbg_error *service_function_at(void *context, uint64_t address,
					 struct ompdbg_function *ret)
{
	const struct known_function *known = function_at(context, address);

	if (is_interrupted(context))
		return interruption();
	*ret = known->function;
	return known->exists ? NULL : &ompdbg_error_absent;
}

struct ompdbg_error *service_function_named(void *context, const char *symbol,
					    struct ompdbg_function *ret)
{
	uint64_t address;

	if (!symbol_find(context, symbol, NULL, &address))
		return &ompdbg_error_absent;
	return service_function_at(context, address, ret);
}

// ---- Code ------------------------------------------------------------------------------------

static void find_code_by_symbol(struct target_services *services, struct unit *unit,
				uint64_t address, struct code *ret)
{
	const struct known_function *known = function_at(services, address);

	if (!known->exists) {
		ret->start = unwind_table_start(services, address);
		return;
	}
	ret->name = known->function.name;
	ret->symbol = known->function.symbol;
	ret->start = known->function.start;
	if (known->function.file && unit)
		ret->place = unit_place(unit, address);
}

static void find_code(struct target_services *services, uint64_t address, struct code_list *ret)
{
	struct unit *unit = unit_at(services, address);
	Dwarf_Die functions[MAX_SCOPES];
	size_t count = unit ? unit_functions(unit, address, functions) : 0;

	ret->object = object_path_at(services, address);
	ret->count = count ? count : 1;
	ret->codes = ARENA_ARRAY(&services->arena, struct code, ret->count);
	if (!count) {
		find_code_by_symbol(services, unit, address, &ret->codes[0]);
		return;
	}
	bool is_inlined = dwarf_tag(&functions[0]) == DW_TAG_inlined_subroutine;
	struct place place = is_inlined ? unit_inlined_place(unit, address, &functions[0]) :
					  unit_place(unit, address);
	for (size_t i = 0; i < count; i++) {
		struct code *code = &ret->codes[i];
		Dwarf_Die *die = &functions[i];

		code->name = name_without_parameters(services, entry_function_name(unit, die));
		code->symbol = linkage_of(unit, die);
		if (!unit_entry(unit, die, &code->start))
			code->start = 0;
		code->place = place;
		code->is_inlined = dwarf_tag(die) == DW_TAG_inlined_subroutine;
		if (code->is_inlined) // the function around is where it calls this one
			place = (struct place){ unit_file(unit, die, DW_AT_call_file),
						entry_line(die, DW_AT_call_line) };
	}
}

const struct code_list *code_at(struct target_services *services, uint64_t address)
{
	struct code_list *known = table_get(&services->codes, address);

	if (!known) {
		known = ARENA_NEW(&services->arena, struct code_list);
		find_code(services, address, known);
		if (!is_interrupted(services)) // what was cut short is not kept
			*table_put(&services->codes, &services->arena, address) = known;
	}
	return known;
}

/** Check for an inlined function among those at a place. */
static bool has_inlined(const struct code_list *list, const struct code *wanted)
{
	for (size_t i = 0; i < list->count; i++) {
		if (list->codes[i].is_inlined && list->codes[i].start == wanted->start &&
		    strcmp(list->codes[i].symbol, wanted->symbol) == 0)
			return true;
	}
	return false;
}

bool target_services_begins_inlined(const struct ompdbg_services *table, uint64_t address)
{
	const struct code_list *here = code_at(table->context, address);
	const struct code_list *before = code_at(table->context, address - 1);

	for (size_t i = 0; i < here->count; i++) {
		if (here->codes[i].is_inlined && !has_inlined(before, &here->codes[i]))
			return true;
	}
	return false;
}

// ---- Constructs --------------------------------------------------------------------------------

struct constructs {
	struct target_services *services;
	struct ompdbg_function *all;
	size_t count, capacity;
};

static void add_construct(void *context, const struct target_symbol *symbol)
{
	struct constructs *found = context;
	struct target_services *services = found->services;

	if (!is_outlined(symbol->name) || is_interrupted(services))
		return;
	const struct known_function *known = function_at(services, symbol->address);
	if (known->exists && known->function.start == symbol->address)
		*ARENA_APPEND(&services->arena, found->all, found->count, found->capacity) =
			known->function;
}

const struct ompdbg_function *target_services_constructs(const struct ompdbg_services *table,
							 size_t *count)
{
	struct constructs found = { .services = table->context };
	const struct objects *objects = &found.services->objects;

	for (size_t i = 0; i < objects->num_in_order; i++) {
		size_t index = (size_t)objects->in_order[i];

		if (!objects->all[index].is_of_system)
			target_visit_symbols(found.services->target, index, add_construct, &found);
	}
	*count = found.count;
	return found.all;
}
