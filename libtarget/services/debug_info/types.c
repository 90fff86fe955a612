// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types of debug information: their sizes, bounds of arrays, members of structures.

#include "types.h"

#include <dwarf.h>

#include "services/variables/scopes.h"

// More of them go round in circles.
enum { MAX_QUALIFIERS = 64, MAX_NESTED_ARRAYS = 64, MAX_DIMENSIONS = 64 };

bool type_of(Dwarf_Die *die, struct unit *unit, struct type *ret)
{
	*ret = (struct type){ .unit = unit };
	return entry_referred(die, DW_AT_type, &ret->die);
}

static bool is_qualifier(int tag)
{
	switch (tag) {
	case DW_TAG_const_type:
	case DW_TAG_volatile_type:
	case DW_TAG_restrict_type:
	case DW_TAG_atomic_type:
		return true;
	default:
		return false;
	}
}

/** Take qualifiers off, and typedefs if @p with_typedefs. */
static bool strip(const Dwarf_Die *die, bool with_typedefs, Dwarf_Die *ret)
{
	Dwarf_Die next;

	*ret = *die;
	for (int i = 0; i < MAX_QUALIFIERS; i++) {
		int tag = dwarf_tag(ret);

		if (!is_qualifier(tag) && !(with_typedefs && tag == DW_TAG_typedef))
			return true;
		if (!entry_referred(ret, DW_AT_type, &next))
			return false;
		*ret = next;
	}
	return false;
}

bool type_plain(const struct type *type, struct type *ret)
{
	struct type plain = *type;

	if (!strip(&type->die, true, &plain.die))
		return false;
	if (type_is_structure(&plain) && entry_flag(&plain.die, DW_AT_declaration))
		structure_complete(&plain);
	*ret = plain;
	return true;
}

const char *type_declared_name(const struct type *type)
{
	Dwarf_Die die;

	return strip(&type->die, false, &die) ? entry_text(&die, DW_AT_name) : NULL;
}

bool type_without_typedef(const struct type *type, struct type *ret)
{
	Dwarf_Die die;

	*ret = *type;
	return strip(&type->die, false, &die) && dwarf_tag(&die) == DW_TAG_typedef &&
	       entry_referred(&die, DW_AT_type, &ret->die);
}

bool type_is_array(const struct type *plain)
{
	return dwarf_tag((Dwarf_Die *)&plain->die) == DW_TAG_array_type;
}

bool type_is_structure(const struct type *plain)
{
	int tag = dwarf_tag((Dwarf_Die *)&plain->die);

	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

bool type_is_pointer(const struct type *plain)
{
	return dwarf_tag((Dwarf_Die *)&plain->die) == DW_TAG_pointer_type;
}

bool type_is_reference(const struct type *plain)
{
	int tag = dwarf_tag((Dwarf_Die *)&plain->die);

	return tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type;
}

bool type_target(const struct type *plain, struct type *ret)
{
	Dwarf_Die die = plain->die;
	const struct bound_source *bounds = plain->bounds;

	if (!type_of(&die, plain->unit, ret))
		return false;
	ret->bounds = bounds;
	return true;
}

bool type_is_pointer_to_array(const struct type *plain)
{
	struct type target;

	return type_is_pointer(plain) && type_target(plain, &target) &&
	       type_plain(&target, &target) && type_is_array(&target);
}

bool type_is_same(const struct type *one, const struct type *other)
{
	struct type a, b;

	return type_plain(one, &a) && type_plain(other, &b) && a.inner == b.inner &&
	       a.die.addr == b.die.addr;
}

bool type_template_argument(const struct type *plain, struct type *ret)
{
	Dwarf_Die die = plain->die, child;

	for (bool more = dwarf_child(&die, &child) == 0; more; more = target_next(&child)) {
		if (dwarf_tag(&child) == DW_TAG_template_type_parameter)
			return type_of(&child, plain->unit, ret);
	}
	return false;
}

// ---- Arrays ----------------------------------------------------------------------------------

/** List the dimensions of an array, the outermost first. @return how many there are. */
static size_t find_dimensions(const struct type *array, Dwarf_Die *ret)
{
	Dwarf_Die die = array->die, child;
	size_t count = 0;
	int64_t order;

	for (bool more = dwarf_child(&die, &child) == 0; more && count < MAX_DIMENSIONS;
	     more = target_next(&child)) {
		if (dwarf_tag(&child) == DW_TAG_subrange_type)
			ret[count++] = child;
	}
	if (!entry_number(&die, DW_AT_ordering, &order) || order != DW_ORD_col_major)
		return count;
	for (size_t i = 0; i < count / 2; i++) {
		Dwarf_Die first = ret[i];

		ret[i] = ret[count - 1 - i];
		ret[count - 1 - i] = first;
	}
	return count;
}

bool type_element(const struct type *array, struct type *ret)
{
	Dwarf_Die dimensions[MAX_DIMENSIONS], die = array->die;

	if (array->inner + 1 < find_dimensions(array, dimensions)) {
		*ret = *array;
		ret->inner++;
		return true;
	}
	const struct bound_source *bounds = array->bounds;
	if (!type_of(&die, array->unit, ret))
		return false;
	ret->bounds = bounds;
	return true;
}

bool type_dimension(const struct type *array, Dwarf_Die *ret)
{
	Dwarf_Die dimensions[MAX_DIMENSIONS];

	if (array->inner >= find_dimensions(array, dimensions))
		return false;
	*ret = dimensions[array->inner];
	return true;
}

enum bound { NO_BOUND, KNOWN_BOUND, UNKNOWN_BOUND };

static enum bound read_bound(const struct type *type, Dwarf_Die *dimension, unsigned int name,
			     int64_t *ret)
{
	Dwarf_Attribute attribute;

	if (entry_number(dimension, name, ret))
		return KNOWN_BOUND;
	if (!dwarf_attr_integrate(dimension, name, &attribute))
		return NO_BOUND;
	return type->bounds && bound_source_number(type->bounds, dimension, name, ret) ?
		       KNOWN_BOUND :
		       UNKNOWN_BOUND;
}

bool type_bounds(const struct type *array, int64_t *first, int64_t *last)
{
	Dwarf_Die dimensions[MAX_DIMENSIONS];
	size_t count = find_dimensions(array, dimensions);
	int64_t low = array->unit && array->unit->is_fortran, high, length;

	if (array->inner >= count)
		return false;
	Dwarf_Die *die = &dimensions[array->inner];
	enum bound lower = read_bound(array, die, DW_AT_lower_bound, &low);
	enum bound upper = read_bound(array, die, DW_AT_upper_bound, &high);
	enum bound counted = read_bound(array, die, DW_AT_count, &length);
	if (lower == UNKNOWN_BOUND || upper == UNKNOWN_BOUND || counted == UNKNOWN_BOUND)
		return false;
	*first = low;
	if (upper == KNOWN_BOUND)
		*last = high;
	else if (counted == NO_BOUND) // of open length
		length = 0;
	if (upper != KNOWN_BOUND && __builtin_add_overflow(low, length - 1, last))
		return false;
	return true;
}

/** Multiply the lengths of an array's dimensions, and of the arrays in it. @return the type of what is
 *  in them all; false if a length is unknown. */
static bool find_innermost(struct type *type, uint64_t *count)
{
	*count = 1;
	for (int i = 0; i < MAX_NESTED_ARRAYS; i++) {
		int64_t first, last, length;

		if (!type_plain(type, type))
			return false;
		if (!type_is_array(type))
			return true;
		if (!type_bounds(type, &first, &last) ||
		    __builtin_sub_overflow(last, first, &length))
			return false;
		length = length < 0 ? 0 : length + 1;
		if (__builtin_mul_overflow(*count, (uint64_t)length, count) ||
		    !type_element(type, type))
			return false;
	}
	return false;
}

uint64_t type_size(const struct type *type)
{
	struct type plain = *type;
	uint64_t count;
	int64_t size;
	Dwarf_Die length;

	if (!find_innermost(&plain, &count))
		return 0;
	if (entry_referred(&plain.die, DW_AT_string_length, &length)) {
		if (read_bound(&plain, &plain.die, DW_AT_string_length, &size) != KNOWN_BOUND ||
		    size < 0 || __builtin_mul_overflow(count, (uint64_t)size, &count))
			return 0;
		return count;
	}
	int tag = dwarf_tag(&plain.die);
	if (!entry_number(&plain.die, DW_AT_byte_size, &size)) {
		bool is_pointer = tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
				  tag == DW_TAG_rvalue_reference_type;

		size = is_pointer ? WORD_SIZE : 0; // Clang does not tell it
	}
	if (size < 0 || __builtin_mul_overflow(count, (uint64_t)size, &count))
		return 0;
	return count;
}

// ---- Members ---------------------------------------------------------------------------------

/** Find where a member begins, in bits. @return false if that depends on values. */
static bool find_first_bit(Dwarf_Die *die, const struct type *type, uint64_t bits, uint64_t *ret)
{
	int64_t place = 0, from_end, size;
	Dwarf_Attribute attribute;

	if (entry_number(die, DW_AT_data_bit_offset, &place)) {
		*ret = (uint64_t)place;
		return place >= 0;
	}
	if (!entry_number(die, DW_AT_data_member_location, &place) &&
	    dwarf_attr_integrate(die, DW_AT_data_member_location, &attribute))
		return false;
	if (place < 0 || place > INT64_MAX / BITS / 2)
		return false;
	*ret = (uint64_t)place * BITS;
	if (!bits || !entry_number(die, DW_AT_bit_offset, &from_end))
		return true;
	// DWARF 2 counts from the highest bit of what holds it.
	if (!entry_number(die, DW_AT_byte_size, &size))
		size = (int64_t)type_size(type);
	if (size < 0 || size > INT64_MAX / BITS / 2)
		return false;
	*ret += (uint64_t)size * BITS - (uint64_t)from_end - bits;
	return true;
}

bool type_read_member(Dwarf_Die *die, struct unit *unit, struct member *ret)
{
	int tag = dwarf_tag(die);
	int64_t bits;

	if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
	    entry_flag(die, DW_AT_declaration) || !type_of(die, unit, &ret->type))
		return false;
	ret->name = entry_text(die, DW_AT_name);
	ret->is_base = tag == DW_TAG_inheritance;
	ret->bits = entry_number(die, DW_AT_bit_size, &bits) && bits > 0 ? (uint64_t)bits : 0;
	return find_first_bit(die, &ret->type, ret->bits, &ret->bit);
}

bool type_next_member(const struct type *structure, struct member *member)
{
	Dwarf_Die die = structure->die;
	bool more;

	if (!member->is_begun)
		more = dwarf_child(&die, &member->die) == 0;
	else
		more = target_next(&member->die);
	member->is_begun = true;
	while (more && !type_read_member(&member->die, structure->unit, member))
		more = target_next(&member->die);
	return more;
}
