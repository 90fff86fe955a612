// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Structures by their names, by debug information.
//
// A unit may only declare a structure that it uses: Clang describes a class of C++ where its constructors
// are, and C has opaque types. Another unit describes it.

#include "types.h"

#include <dwarf.h>
#include <string.h>

/** A structure with its name. */
struct known_structure {
	struct type type;
	bool is_ambiguous; // others with the name are not the same
};

// ---- All structures of an object -------------------------------------------------------------

static bool is_same_definition(const struct type *one, const struct type *other)
{
	Dwarf_Die a = one->die, b = other->die;

	return type_size(one) == type_size(other) &&
	       entry_line(&a, DW_AT_decl_line) == entry_line(&b, DW_AT_decl_line);
}

static void add_structure(struct string_table *table, const char *name, const struct type *type)
{
	struct arena *arena = &type->unit->services->arena;
	void **place = string_table_put(table, arena, name);
	struct known_structure *known = *place;

	if (known) {
		known->is_ambiguous |= !is_same_definition(&known->type, type);
		return;
	}
	known = ARENA_NEW(arena, struct known_structure);
	known->type = *type;
	*place = known;
}

/** Add the structures in an entry. @p scope: its name, with "::" after it. */
static void add_structures(struct object *object, struct unit *unit, Dwarf_Die *parent,
			   const char *scope, int depth)
{
	struct arena *arena = &unit->services->arena;
	Dwarf_Die child;

	for (bool more = depth < MAX_NESTING && dwarf_child(parent, &child) == 0;
	     more && !is_interrupted(unit->services); more = target_next(&child)) {
		// What a typedef stands for is not looked up in other units: these are being read.
		struct type named = { .die = child }, type;
		int tag = dwarf_tag(&child);
		bool is_structure = type_is_structure(&named);

		if (!is_structure && tag != DW_TAG_typedef && tag != DW_TAG_namespace)
			continue;
		const char *name = dwarf_diename(&child);
		if (!name || entry_flag(&child, DW_AT_declaration))
			continue;
		if (*scope)
			name = arena_printf(arena, "%s%s", scope, name);
		if (tag != DW_TAG_namespace && type_plain(&named, &type) &&
		    type_is_structure(&type) && !entry_flag(&type.die, DW_AT_declaration)) {
			type.unit = unit;
			add_structure(is_structure ? &object->structures : &object->typedefs, name,
				      &type);
		}
		if (tag != DW_TAG_typedef && unit->is_cxx)
			add_structures(object, unit, &child, arena_printf(arena, "%s::", name),
				       depth + 1);
	}
}

static void read_structures(struct target_services *services, ssize_t index)
{
	struct object *object = &services->objects.all[index];

	if (object->has_structures)
		return;
	for (struct unit *unit = object_units(services, index); unit && !is_interrupted(services);
	     unit = unit->next)
		add_structures(object, unit, &unit->die, "", 0);
	object->has_structures = !is_interrupted(services);
}

// ---- Structures that are only declared -------------------------------------------------------

static const struct type *find_definition(struct target_services *services, const char *name)
{
	const struct objects *objects = &services->objects;

	for (size_t i = 0; i < objects->num_in_order; i++) {
		struct object *object = &objects->all[objects->in_order[i]];

		if (object->is_of_system && !services->is_detailed)
			continue;
		read_structures(services, objects->in_order[i]);
		const struct known_structure *found = string_table_get(&object->structures, name);
		if (found)
			return found->is_ambiguous ? NULL : &found->type;
	}
	return NULL;
}

void structure_complete(struct type *type)
{
	static const struct type none;
	struct unit *unit = type->unit;
	const struct type *found;

	if (!unit)
		return;
	struct table *table = &unit->services->declared;
	found = table_get(table, (uintptr_t)type->die.addr);
	if (!found) {
		found = find_definition(unit->services, entry_qualified_name(unit, &type->die));
		if (is_interrupted(unit->services))
			return;
		if (!found)
			found = &none;
		*table_put(table, &unit->services->arena, (uintptr_t)type->die.addr) =
			(void *)(uintptr_t)found;
	}
	if (found != &none) {
		type->die = found->die;
		type->unit = found->unit;
	}
}

// ---- Fields ----------------------------------------------------------------------------------

static const struct type *find_structure(struct target_services *services, const char *name,
					 const char *file)
{
	const struct objects *objects = &services->objects;

	for (size_t i = 0; i < objects->num_in_order; i++) {
		ssize_t index = objects->in_order[i];
		const struct object *object = &objects->all[index];

		if (file ? !object_is_named(services, index, file) :
			   index != objects->program && !object->is_of_runtime)
			continue;
		read_structures(services, index);
		const struct known_structure *found = string_table_get(&object->structures, name);
		if (!found)
			found = string_table_get(&object->typedefs, name);
		if (found)
			return &found->type;
	}
	return NULL;
}

struct ompdbg_error *service_layout(void *context, const char *structure, const char *field,
				    const char *object, struct ompdbg_layout *ret)
{
	const struct type *found = find_structure(context, structure, object);
	struct ompdbg_layout part;
	struct type type;

	if (is_interrupted(context))
		return interruption();
	if (!found)
		return &ompdbg_error_absent;
	type = *found;
	*ret = (struct ompdbg_layout){ .size = type_size(&type) };
	while (field) {
		const char *end = strchr(field, '.');
		size_t length = end ? (size_t)(end - field) : strlen(field);

		if (!type_plain(&type, &type) || !type_is_structure(&type) ||
		    !member_named(&type, field, length, &part, &type))
			return &ompdbg_error_absent;
		part.offset += ret->offset;
		*ret = part;
		field = end ? end + 1 : NULL;
	}
	return NULL;
}
