// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of functions and variables as a debugger writes them: with the namespaces, classes and
// modules that they are in.

#include "services/internal.h"

#include <dwarf.h>
#include <string.h>

#include "stack/cxx_names.h"

enum { MAX_ORIGINS = 16, MAX_TYPES = 16, MAX_PARAMETERS = 1 << 10 };

// ---- Scopes ----------------------------------------------------------------------------------

static bool is_scope(int tag)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		return true;
	default:
		return false;
	}
}

/** Find the entry that lies where the source has the function or variable. */
static Dwarf_Die declared_at(const Dwarf_Die *die)
{
	Dwarf_Die found = *die, origin;

	for (int i = 0; i < MAX_ORIGINS; i++) {
		if (!entry_own_referred(&found, DW_AT_abstract_origin, &origin) &&
		    !entry_own_referred(&found, DW_AT_specification, &origin))
			break;
		found = origin;
	}
	return found;
}

/** Write a name after those of the scopes around its entry. A function within another has the name of
 *  that one, too, if @p with_host. */
static const char *with_scopes(struct unit *unit, Dwarf_Die *die, const char *name, bool with_host)
{
	struct arena *arena = &unit->services->arena;
	Dwarf_Die parents[MAX_SCOPES];
	size_t count = target_parents(die, parents, MAX_SCOPES);

	for (size_t i = 0; i < count; i++) {
		int tag = dwarf_tag(&parents[i]);
		const char *scope = entry_text(&parents[i], DW_AT_name);

		if (tag == DW_TAG_namespace && !(scope && *scope))
			scope = "(anonymous namespace)";
		if (tag == DW_TAG_subprogram && !with_host)
			scope = NULL;
		if ((is_scope(tag) || tag == DW_TAG_subprogram) && scope && *scope)
			name = arena_printf(arena, "%s::%s", scope, name);
		if (tag == DW_TAG_subprogram)
			break;
	}
	return name;
}

const char *entry_qualified_name(struct unit *unit, Dwarf_Die *die)
{
	const char *name = entry_text(die, DW_AT_name);

	if (!name)
		name = "";
	// Outlined functions have whole names; they only seem to lie within others.
	if (strchr(name, '.') || !(unit->is_cxx || unit->is_fortran))
		return name;
	// GDB does not show in which function the source has what is inlined.
	bool with_host = unit->is_fortran && dwarf_tag(die) == DW_TAG_subprogram;
	Dwarf_Die declared = declared_at(die);
	return with_scopes(unit, &declared, name, with_host);
}

// ---- Parameters ------------------------------------------------------------------------------

/** Write what a type is made of, from its end: "*" for a pointer. NULL for a type with a name. */
static const char *end_of_type(int tag)
{
	switch (tag) {
	case DW_TAG_pointer_type:
		return "*";
	case DW_TAG_reference_type:
		return "&";
	case DW_TAG_rvalue_reference_type:
		return "&&";
	case DW_TAG_const_type:
		return "const";
	default:
		return NULL;
	}
}

/** Write a type as C++ does; NULL if it is one that is not written here. */
static const char *type_name(struct unit *unit, Dwarf_Die *parameter)
{
	struct arena *arena = &unit->services->arena;
	const char *ends[MAX_TYPES], *end;
	Dwarf_Die type = *parameter, next;
	int count = 0;
	bool is_void;

	while (!(is_void = !entry_referred(&type, DW_AT_type, &next)) &&
	       (end = end_of_type(dwarf_tag(&next)))) {
		if (count == MAX_TYPES)
			return NULL;
		ends[count++] = end;
		type = next;
	}
	const char *name = is_void ? "void" : entry_qualified_name(unit, &next);
	if (!*name)
		return NULL;
	while (count--) {
		char last = name[strlen(name) - 1];

		if (*ends[count] != 'c')
			name = arena_printf(arena, "%s%s%s", name,
					    last == '*' || last == '&' ? "" : " ", ends[count]);
		else
			name = arena_printf(arena, last == '*' ? "%sconst" : "const %s", name);
	}
	return name;
}

/** Write the parameters of a function as C++ does; "" if one is of a type that is not written. */
static const char *parameters_of(struct unit *unit, Dwarf_Die *function)
{
	struct arena *arena = &unit->services->arena;
	Dwarf_Die declared = declared_at(function), child;
	const char *text = "";
	int count = 0;

	for (bool more = dwarf_child(&declared, &child) == 0; more; more = target_next(&child)) {
		if (dwarf_tag(&child) != DW_TAG_formal_parameter ||
		    entry_flag(&child, DW_AT_artificial))
			continue;
		const char *name = type_name(unit, &child);
		if (!name || ++count > MAX_PARAMETERS)
			return "";
		text = arena_printf(arena, "%s%s%s", text, *text ? ", " : "", name);
	}
	return arena_printf(arena, "(%s)", *text ? text : "void");
}

// ---- Functions -------------------------------------------------------------------------------

const char *entry_function_name(struct unit *unit, Dwarf_Die *die)
{
	struct arena *arena = &unit->services->arena;
	const char *linkage = entry_text(die, DW_AT_linkage_name);
	const char *told = linkage ? demangle_symbol(unit->services, linkage) : NULL;

	if (told)
		return cxx_without_return_type(told);
	if (linkage && !(unit->is_cxx || unit->is_fortran))
		return linkage;
	const char *name = entry_qualified_name(unit, die);
	if (!*name && linkage)
		name = linkage;
	if (!unit->is_cxx || is_outlined(name))
		return name;
	return arena_printf(arena, "%s%s", name, parameters_of(unit, die));
}

const char *name_without_parameters(struct target_services *services, const char *name)
{
	size_t length = cxx_length_without_parameters(name);

	return name[length] ? arena_strndup(&services->arena, name, length) : name;
}
