// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables at an address, by debug information.

#include "services/debug_info/types.h"

#include <dwarf.h>
#include <string.h>

// ---- Units of an object ----------------------------------------------------------------------

struct unit *object_units(struct target_services *services, ssize_t index)
{
	struct object *object = &services->objects.all[index];
	uint64_t bias = 0;
	struct unit **next = &object->units;
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;

	if (object->has_units)
		return object->units;
	object->has_units = true;
	while (target_next_unit(services->target, (size_t)index, &cu, &die, &bias)) {
		*next = unit_of(services, &die, bias);
		next = &(*next)->next;
	}
	return object->units;
}

// ---- Variables -------------------------------------------------------------------------------

static bool may_hold_variables(int tag)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_common_block:
	case DW_TAG_subprogram:
	case DW_TAG_lexical_block:
	case DW_TAG_inlined_subroutine:
		return true;
	default:
		return false;
	}
}

/** Keep the variables of an entry by their addresses, the first of several at one. */
static void add_variables(struct unit *unit, Dwarf_Die *parent, bool is_local, int depth)
{
	struct arena *arena = &unit->services->arena;
	uint64_t address;
	Dwarf_Die child;

	for (bool more = depth < MAX_NESTING && dwarf_child(parent, &child) == 0; more;
	     more = target_next(&child)) {
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_variable && target_variable_address(&child, &address)) {
			struct variable **known =
				(struct variable **)table_put(&unit->variables, arena, address);

			if (!*known)
				*known = ARENA_NEW(arena, struct variable);
			if (!(*known)->has_any)
				(*known)->any = child;
			(*known)->has_any = true;
			if (!(*known)->has_global && !is_local)
				(*known)->global = child;
			(*known)->has_global |= !is_local;
		} else if (may_hold_variables(tag)) {
			bool is_code = tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block ||
				       tag == DW_TAG_inlined_subroutine;

			add_variables(unit, &child, is_local || is_code, depth + 1);
		}
	}
}

/** Find the variable of a unit that begins at an address; one of a function only if @p with_local. */
static bool find_variable(struct unit *unit, uint64_t address, bool with_local, Dwarf_Die *ret)
{
	const struct variable *found;

	if (!unit->has_variables)
		add_variables(unit, &unit->die, false, 0);
	unit->has_variables = true;
	found = table_get(&unit->variables, address - unit->bias);
	if (!found || (!with_local && !found->has_global))
		return false;
	*ret = with_local ? found->any : found->global;
	return true;
}

struct unit *variable_unit(struct target_services *services, uint64_t address, uint64_t near,
			   Dwarf_Die *ret)
{
	ssize_t index = object_index_at(services, address);
	uint64_t places[] = { near, 0, 0 };

	if (index < 0)
		return NULL;
	if (!symbol_find(services, "main", NULL, &places[1]))
		places[1] = 0;
	if (!symbol_find(services, "MAIN__", NULL, &places[2]))
		places[2] = 0;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		struct unit *unit = places[i] ? unit_at(services, places[i]) : NULL;

		if (unit && object_index_at(services, places[i]) == index &&
		    find_variable(unit, address, true, ret))
			return unit;
	}
	for (struct unit *unit = object_units(services, index); unit && !is_interrupted(services);
	     unit = unit->next) {
		if (find_variable(unit, address, false, ret))
			return unit;
	}
	return NULL;
}

static const char *name_variable(struct target_services *services, uint64_t address, bool is_lock,
				 uint64_t near)
{
	struct target_symbol symbol;
	struct type type;
	Dwarf_Die die;

	if (!target_symbol_at(services->target, address, &symbol))
		return NULL;
	struct unit *unit = variable_unit(services, symbol.address, near, &die);
	if (!unit || !type_of(&die, unit, &type))
		return NULL;
	const char *path = member_path(unit, &type, address - symbol.address, is_lock);
	if (!path)
		return NULL;
	return arena_printf(&services->arena, "%s%s", entry_qualified_name(unit, &die), path);
}

struct ompdbg_error *service_variable_at(void *context, uint64_t address, bool is_lock,
					 uint64_t near, const char **ret)
{
	static const char absent[] = "";
	struct target_services *services = context;
	struct table *table = &services->variable_names[is_lock];
	const char *known = table_get(table, address);

	if (!known) {
		known = name_variable(services, address, is_lock, near);
		if (is_interrupted(services))
			return interruption();
		if (!known)
			known = absent;
		*table_put(table, &services->arena, address) = (void *)(uintptr_t)known;
	}
	*ret = known;
	return known == absent ? &ompdbg_error_absent : NULL;
}
