// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bounds of arrays that are computed: by an expression, or from a variable of the compiler's.

#include "services/variables/scopes.h"

#include <dwarf.h>
#include <string.h>

enum { MAX_ORIGINS = 16 }; // damaged entries may go round in circles

static bool is_instance(Dwarf_Die *die, const Dwarf_Die *model)
{
	Dwarf_Die origin = *die, next;

	for (int i = 0; i < MAX_ORIGINS; i++) {
		if (origin.addr == model->addr)
			return true;
		if (!entry_own_referred(&origin, DW_AT_abstract_origin, &next))
			return false;
		origin = next;
	}
	return false;
}

/** Find the copy of a variable in a block, or in one within that has no code of its own. */
static bool find_instance(Dwarf_Die *block, const Dwarf_Die *model, Dwarf_Die *ret, int depth)
{
	Dwarf_Die child;

	for (bool more = dwarf_child(block, &child) == 0; more; more = target_next(&child)) {
		if (entry_is_variable(&child) && is_instance(&child, model)) {
			*ret = child;
			return true;
		}
		if (depth < MAX_NESTING && block_is_transparent(&child) &&
		    find_instance(&child, model, ret, depth + 1))
			return true;
	}
	return false;
}

static bool read_number(const struct scope *scope, Dwarf_Die *die, int64_t *ret)
{
	const unsigned int whole = WORD_SIZE * BITS;
	int64_t encoding;
	struct type type, plain;
	struct value value;

	// The type of a number has no bounds.
	if (!type_of(die, NULL, &type) || !type_plain(&type, &plain) ||
	    scope_value(scope, die, &type, &value) || !value.size || value.num_lost)
		return false;
	uint64_t size = type_size(&type), number;
	if (!size || size > WORD_SIZE || value.size < size)
		return false;
	number = little_endian(value.data, (size_t)size);
	unsigned int unused = whole - BITS * (unsigned int)size;
	if (entry_number(&plain.die, DW_AT_encoding, &encoding) && encoding == DW_ATE_signed)
		*ret = (int64_t)(number << unused) >> unused;
	else
		*ret = (int64_t)number;
	return true;
}

static bool number_in_variable(const struct scope *scope, Dwarf_Die *model, int64_t *ret)
{
	struct target_location elsewhere;
	Dwarf_Die found;

	for (size_t i = 0; i < scope->num_blocks; i++) {
		if (find_instance(&scope->blocks[i], model, &found, 0))
			return read_number(scope, &found, ret);
	}
	// In inlined code it may belong to the function around, if it has no place outside of it.
	return scope_location(scope, model, &elsewhere) &&
	       !target_location(model, DW_AT_location, 0, &elsewhere) &&
	       read_number(scope, model, ret);
}

/** Check for GCC's optimized C: it may give, for the length of an array, what has it only where the
 *  length is computed: a register, or a variable that may change. */
static bool has_other_bounds(const struct unit *unit)
{
	const char *producer = unit_producer((struct unit *)unit), *level = NULL;

	if (strncmp(producer, "GNU C", strlen("GNU C")) != 0)
		return false;
	for (const char *at = producer; (at = strstr(at, " -O")); at++)
		level = at + strlen(" -O");
	return !level || *level != '0' || (level[1] && level[1] != ' ');
}

bool bound_source_number(const struct bound_source *source, Dwarf_Die *die, unsigned int name,
			 int64_t *ret)
{
	const struct scope *scope = source->scope;
	struct expression_place place = { scope->context, source->object, 0 };
	struct target_location location;
	Dwarf_Die variable;
	uint64_t number;

	if (entry_referred(die, name, &variable))
		return number_in_variable(scope, &variable, ret);
	if (!target_location(die, name, context_address(scope->context), &location) ||
	    has_other_bounds(scope->unit) || expression_number(&place, &location, &number))
		return false;
	*ret = (int64_t)number;
	return true;
}
