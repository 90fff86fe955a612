// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables outside of functions, by their names.

#include "globals.h"

#include <dwarf.h>
#include <string.h>

/** A search in the units of an object. */
struct search {
	const char *name, *plain; // with and without scopes
	struct unit *unit;
	bool is_fortran;    // the frame is in Fortran
	bool only_external; // those that other units see
	struct global found;
	bool is_global; // it is in no scope
};

/** Check for an entry that is more than a declaration. */
static bool has_place(Dwarf_Die *die)
{
	return dwarf_hasattr(die, DW_AT_location) || dwarf_hasattr(die, DW_AT_const_value);
}

/** Take a variable if none of a wider scope was found. Two of the same width are too many. */
static void take_found(struct search *search, Dwarf_Die *die)
{
	const char *qualified = entry_qualified_name(search->unit, die);
	bool is_exact = strcmp(qualified, search->name) == 0;

	if (search->plain != search->name && !is_exact)
		return;
	// What lies in the scope of another unit has to be named with it, but where it is used (Fortran).
	if (search->only_external &&
	    (!entry_flag(die, DW_AT_external) || (!is_exact && !search->is_fortran)))
		return;
	if (search->found.unit && search->is_global == is_exact)
		search->found.is_ambiguous |= search->found.die.addr != die->addr;
	if (search->found.unit && search->is_global >= is_exact)
		return;
	search->found = (struct global){ search->unit, *die, false };
	search->is_global = is_exact;
}

static void look(struct search *search, Dwarf_Die *parent, int depth)
{
	Dwarf_Die child;

	for (bool more = depth < MAX_NESTING && dwarf_child(parent, &child) == 0; more;
	     more = target_next(&child)) {
		const char *name;

		switch (dwarf_tag(&child)) {
		case DW_TAG_namespace:
		case DW_TAG_module:
			look(search, &child, depth + 1);
			break;
		case DW_TAG_variable:
			name = entry_text(&child, DW_AT_name);
			if (name && strcmp(name, search->plain) == 0 && has_place(&child))
				take_found(search, &child);
			break;
		default:
			break;
		}
	}
}

/** Look in the frame's own unit, then in others of its file for what these give to others. */
static struct global search_object(struct unit *own, ssize_t index, const char *name)
{
	const char *end = strrchr(name, ':');
	struct search search = { .name = name,
				 .plain = end ? end + 1 : name,
				 .unit = own,
				 .is_fortran = own->is_fortran };

	look(&search, &own->die, 0);
	if (search.found.unit)
		return search.found;
	search.only_external = true;
	for (search.unit = object_units(own->services, index);
	     search.unit && !is_interrupted(own->services); search.unit = search.unit->next)
		look(&search, &search.unit->die, 0);
	return search.found;
}

struct global global_named(struct unit *own, ssize_t index, const char *name)
{
	struct arena *arena = &own->services->arena;
	const char *key = arena_printf(arena, "%p %s", (void *)own, name);
	struct global *known = string_table_get(&own->services->globals, key);

	if (!known) {
		const struct global found = search_object(own, index, name);

		if (is_interrupted(own->services))
			return found;
		known = ARENA_NEW(arena, struct global);
		*known = found;
		*string_table_put(&own->services->globals, arena, key) = known;
	}
	return *known;
}
