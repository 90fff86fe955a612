// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of a construct's own in Clang's code. Debug information does not say where such a copy is
// declared, and a reduction's copy of some elements (`reduction(+: a[2:5])`) has the name of the array, too.
// A copy is surely that of a whole array if all variables for which the name may stand have its type.

#include "scopes.h"

#include <dwarf.h>
#include <string.h>

/** Check for a variable that nobody declared: a copy, or a reference to what a copy is made of. */
static bool is_undeclared(Dwarf_Die *die)
{
	return dwarf_tag(die) == DW_TAG_variable && !entry_line(die, DW_AT_decl_line);
}

static bool is_reference(Dwarf_Die *die)
{
	struct type type, plain;

	return type_of(die, NULL, &type) && type_plain(&type, &plain) && type_is_reference(&plain);
}

/** A search for the variables for which the name of a copy may stand. */
struct search {
	struct unit *unit;
	const char *name;
	struct type type;    // of the copy
	int64_t file;	     // of the construct
	int function, line;  // where the function around the construct and the construct begin
	size_t alike, other; // variables of its type, and of others
	bool is_in_unit;     // some are in no scope
	bool is_own;	     // the search is in the code of the construct
};

static const char *linkage_name(Dwarf_Die *function)
{
	const char *name = entry_text(function, DW_AT_linkage_name);

	return name ? name : variable_name(function);
}

/** Find the line of an entry if it is in the file of the construct, and not after it; else 0. */
static int line_before(const struct search *search, Dwarf_Die *die)
{
	int line = entry_line(die, DW_AT_decl_line);
	int64_t file;

	return line <= search->line && entry_number(die, DW_AT_decl_file, &file) &&
			       file == search->file ?
		       line :
		       0;
}

static void compare(struct search *search, Dwarf_Die *die)
{
	struct type type, plain, target;
	bool is_known = type_of(die, NULL, &type) && type_plain(&type, &plain);

	if (is_known && type_is_reference(&plain))
		is_known = type_target(&plain, &target);
	else
		target = type;
	if (is_known && type_is_same(&target, &search->type))
		search->alike++;
	else
		search->other++;
}

/** Call @p look for what is in an entry, for functions and scopes before what is in them. */
static void visit(struct search *search, Dwarf_Die *parent, bool is_local, int depth,
		  void (*look)(struct search *search, Dwarf_Die *die, bool is_local, int depth))
{
	Dwarf_Die child;

	for (bool more = depth < MAX_NESTING && dwarf_child(parent, &child) == 0;
	     more && !is_interrupted(search->unit->services); more = target_next(&child)) {
		int tag = dwarf_tag(&child);

		look(search, &child, is_local, depth);
		switch (tag) {
		case DW_TAG_subprogram:
		case DW_TAG_lexical_block:
		case DW_TAG_inlined_subroutine:
			visit(search, &child, true, depth + 1, look);
			break;
		case DW_TAG_namespace:
		case DW_TAG_class_type:
		case DW_TAG_structure_type:
		case DW_TAG_union_type:
			visit(search, &child, is_local, depth + 1, look);
			break;
		default:
			break;
		}
	}
}

/** Note where the function around the construct begins: the last one before it. */
static void look_for_function(struct search *search, Dwarf_Die *die, bool is_local, int depth)
{
	int line;

	(void)is_local;
	(void)depth;
	if (dwarf_tag(die) != DW_TAG_subprogram || dwarf_hasattr(die, DW_AT_declaration) ||
	    is_outlined(linkage_name(die)) || *linkage_name(die) == '.')
		return;
	line = line_before(search, die);
	if (line > search->function)
		search->function = line;
}

static void look_for_variable(struct search *search, Dwarf_Die *die, bool is_local, int depth)
{
	int line = line_before(search, die);
	uint64_t address;

	if (!entry_is_variable(die) || strcmp(variable_name(die), search->name) != 0)
		return;
	if (search->is_own && is_undeclared(die) && !is_reference(die))
		return;
	// A section that is no argument of the construct's code lies at a fixed address: such variables count
	// wherever they are declared, as lines may be in no order (#line).
	if (is_local && !search->is_own && (!line || line < search->function) &&
	    !target_variable_address(die, &address))
		return;
	search->is_in_unit |= !is_local && !depth;
	compare(search, die);
}

/** Check for a variable of the name of which debug information may not tell, as it is of another unit. */
static bool may_be_elsewhere(const struct search *search)
{
	const struct objects *objects = &search->unit->services->objects;

	for (size_t i = 0; i < objects->num_in_order; i++) {
		if (target_has_named(search->unit->services->target, (size_t)objects->in_order[i],
				     search->name, search->is_in_unit))
			return true;
	}
	return false;
}

static bool is_whole(struct unit *unit, Dwarf_Die *function, Dwarf_Die *copy)
{
	struct search search = { .unit = unit, .name = variable_name(copy) };

	search.line = entry_line(function, DW_AT_decl_line);
	if (!search.line || !entry_number(function, DW_AT_decl_file, &search.file) ||
	    !type_of(copy, NULL, &search.type))
		return false;
	visit(&search, &unit->die, false, 0, look_for_function);
	visit(&search, &unit->die, false, 0, look_for_variable);
	search.is_own = true; // a construct within has copies, too
	visit(&search, function, true, 0, look_for_variable);
	return search.alike && !search.other && !may_be_elsewhere(&search);
}

/** Check that a copy in a function is surely that of a whole array. */
static bool is_known_whole(struct unit *unit, Dwarf_Die *function, Dwarf_Die *copy)
{
	static bool yes, no;
	struct target_services *services = unit->services;
	bool *known = table_get(&services->copies, (uintptr_t)copy->addr);

	if (!known) {
		known = is_whole(unit, function, copy) ? &yes : &no;
		if (!is_interrupted(services))
			*table_put(&services->copies, &services->arena, (uintptr_t)copy->addr) =
				known;
	}
	return known == &yes;
}

/** Check whether a reference is to a type, of which the entry is the same. */
static bool refers_to(const struct type *reference, const struct type *type)
{
	struct type plain, target;

	return type_plain(reference, &plain) && type_is_reference(&plain) &&
	       type_target(&plain, &target) && type_is_same(&target, type);
}

bool scope_is_unsure_copy(const struct scope *scope, Dwarf_Die *die, const struct type *type)
{
	const struct entries *all = scope_variables(scope, scope->num_blocks - 1);
	struct type plain, source;

	if (!scope->context->is_llvms || !is_undeclared(die) || !type_plain(type, &plain) ||
	    !type_is_array(&plain))
		return false;
	for (size_t i = 0; i < all->count; i++) {
		Dwarf_Die *passed = &all->all[i];

		if (dwarf_tag(passed) == DW_TAG_formal_parameter &&
		    strcmp(variable_name(passed), variable_name(die)) == 0)
			return !type_of(passed, NULL, &source) || !refers_to(&source, type);
	}
	return !is_known_whole(scope->unit, &scope->blocks[scope->num_blocks - 1], die);
}

bool target_services_copies_whole(const struct ompdbg_services *table, uint64_t address,
				  const char *name)
{
	struct target_services *services = table->context;
	struct unit *unit = unit_at(services, address);
	Dwarf_Die blocks[MAX_SCOPES], *die;
	size_t found = 0;

	for (size_t within = 0; unit; within++) {
		struct scope scope = { .services = services, .unit = unit, .blocks = blocks };
		struct scope_position at = { 0 };

		scope.num_blocks = scope_blocks(unit, address - unit->bias, within, blocks);
		if (!scope.num_blocks)
			break;
		while ((die = scope_next(&scope, &at))) {
			if (!is_undeclared(die) || strcmp(variable_name(die), name) != 0)
				continue;
			if (!is_known_whole(unit, &blocks[scope.num_blocks - 1], die))
				return false;
			found++;
		}
	}
	return found;
}

bool scope_has_copy_of(const struct scope *scope, Dwarf_Die *die)
{
	struct scope_position at = { 0 };
	Dwarf_Die *other;

	if (!is_undeclared(die) || !is_reference(die))
		return false;
	while ((other = scope_next(scope, &at))) {
		if (is_undeclared(other) && !is_reference(other) &&
		    strcmp(variable_name(other), variable_name(die)) == 0)
			return true;
	}
	return false;
}
