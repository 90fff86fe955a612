// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of an address in a frame: of a variable or member that is there, or of a member of what a variable
// points to: "lock", "this->lock_", "cells[3].lock"; else of what points there: "held", "guard._M_device".
//
// A pointer has no bounds: what is after the first element is named only with an index that an integer
// variable of the frame has.

#include "services/values/values.h"

#include <dwarf.h>
#include <string.h>

// What is looked at: a frame is small, and damaged types may go round in circles.
enum { MAX_DEPTH = 8, MAX_STEPS = 1 << 12, MAX_ELEMENTS = 256, MAX_INDICES = 64 };
enum { MAX_BLOCKS = 32 }; // namespaces
enum { MAX_HOPS = 2 };	  // pointers that are followed: "table->locks[i]"
enum { VECTOR_SIZE = 3 * WORD_SIZE };

/** A search in the variables of a frame. */
struct name_search {
	const struct scope *scope;
	struct target_services *services;
	struct arena *arena; // of names
	uint64_t address;
	bool by_pointer;  // what points to the address may have the name
	const char *star; // before the name of what points to it
	int steps;
	uint64_t indices[MAX_INDICES]; // values of integer variables
	size_t num_indices;
};

/** A variable or a part of one: what it is, where its bytes are, and what it is called. */
struct found_part {
	struct type type;
	const struct value *value;
	uint64_t offset; // in the value
	const char *name;
	int hops; // pointers that may be followed from here
	int depth;
};

static const char *find_name(struct name_search *search, const struct found_part *part);

/** Read a number of a part. */
static bool read_word(struct name_search *search, const struct found_part *part, uint64_t offset,
		      uint64_t *ret)
{
	return !value_word(search->services, part->value, part->offset + offset, ret);
}

static bool ends_in_arrow(const char *name)
{
	size_t length = strlen(name);

	return length >= 2 && strcmp(name + length - 2, "->") == 0;
}

static bool is_in(uint64_t address, uint64_t begin, uint64_t size)
{
	return address >= begin && address - begin < size;
}

/** Name what begins at an offset in a variable of a type. NULL: nothing does. */
static const char *name_within(struct name_search *search, const char *name,
			       const struct type *type, uint64_t offset)
{
	const char *path = member_path(search->scope->unit, type, offset, true);

	return path ? arena_printf(search->arena, "%s%s", name, path) : NULL;
}

/** Name an element with its index, or what begins in it. */
static const char *name_in_element(struct name_search *search, const char *name,
				   const struct type *element, uint64_t begin)
{
	uint64_t size = type_size(element), index;

	if (!size || search->address < begin)
		return NULL;
	index = (search->address - begin) / size;
	return name_within(search,
			   arena_printf(search->arena, "%s[%llu]", name, (unsigned long long)index),
			   element, search->address - begin - index * size);
}

// ---- What a pointer leads to -----------------------------------------------------------------

/** Look at the bytes to which a pointer or reference leads. */
static const char *find_behind(struct name_search *search, const struct found_part *part,
			       const struct type *target, uint64_t address, const char *name,
			       int hops)
{
	uint64_t size = type_size(target);
	struct value value;

	if (!size || size > MAX_VALUE ||
	    read_value(search->services, address, (size_t)size, &value))
		return NULL;
	const struct found_part behind = { *target, &value, 0, name, hops, part->depth + 1 };
	return find_name(search, &behind);
}

/** Check for an integer variable of the frame with a value. */
static bool has_index(const struct name_search *search, uint64_t index)
{
	for (size_t i = 0; i < search->num_indices; i++) {
		if (search->indices[i] == index)
			return true;
	}
	return false;
}

static const char *find_by_pointer(struct name_search *search, const struct found_part *part,
				   const struct type *plain)
{
	struct type target, plain_target;
	uint64_t pointer;

	if (!read_word(search, part, 0, &pointer) || !pointer)
		return NULL;
	if (search->by_pointer && pointer == search->address)
		return arena_printf(search->arena, "%s%s", search->star, part->name);
	if (!part->hops || !type_target(plain, &target) || !type_plain(&target, &plain_target))
		return NULL;
	uint64_t size = type_size(&target);
	uint64_t index = size && pointer < search->address ? (search->address - pointer) / size : 0;
	bool is_element = index || (size && pointer < search->address &&
				    !type_is_structure(&plain_target)); // else it has an arrow
	if (is_element && has_index(search, index)) {
		const char *name = name_in_element(search, part->name, &target, pointer);

		if (name)
			return name;
	}
	if (!type_is_structure(&plain_target))
		return NULL;
	// A member is written with what comes after the pointer's name.
	const char *arrow = search->scope->unit->is_fortran ? "" : "->";
	return find_behind(search, part, &target, pointer,
			   arena_printf(search->arena, "%s%s", part->name, arrow), part->hops - 1);
}

static const char *find_by_reference(struct name_search *search, const struct found_part *part,
				     const struct type *plain)
{
	struct type target;
	uint64_t address;

	if (!read_word(search, part, 0, &address) || !address || !type_target(plain, &target))
		return NULL;
	// A reference in a structure is a pointer, and a variable that is one is what it leads to.
	if (address == search->address && part->depth && !search->by_pointer)
		return NULL;
	if (address == search->address && !type_size(&target))
		return part->name;
	return find_behind(search, part, &target, address, part->name, part->hops);
}

// ---- What has parts --------------------------------------------------------------------------

/** Check for a std::vector, and find its elements. */
static bool find_elements(struct name_search *search, const struct found_part *part,
			  const struct type *plain, struct type *element, uint64_t *begin,
			  uint64_t *end)
{
	Dwarf_Die die = plain->die;
	const char *name = entry_text(&die, DW_AT_name);

	return name && starts_with(name, "vector<") && type_size(plain) == VECTOR_SIZE &&
	       starts_with(entry_qualified_name(search->scope->unit, &die), "std::") &&
	       type_template_argument(plain, element) && read_word(search, part, 0, begin) &&
	       read_word(search, part, WORD_SIZE, end);
}

/** Join the name of a structure, which may end in an arrow, and of its member. */
static const char *member_name(struct name_search *search, const char *structure,
			       const struct member *member)
{
	const char *dot = ends_in_arrow(structure)	  ? "" :
			  search->scope->unit->is_fortran ? "%" :
							    ".";

	if (member->is_base || !member->name || !*member->name)
		return structure;
	return arena_printf(search->arena, "%s%s%s", structure, dot, member->name);
}

static const char *find_in_structure(struct name_search *search, const struct found_part *part,
				     const struct type *plain)
{
	struct member member = { 0 };
	uint64_t begin, end;
	struct type element;

	if (find_elements(search, part, plain, &element, &begin, &end))
		return is_in(search->address, begin, end - begin) && begin < end ?
			       name_in_element(search, part->name, &element, begin) :
			       NULL;
	while (type_next_member(plain, &member) && search->steps < MAX_STEPS) {
		struct found_part inner = *part;

		if (member.bits)
			continue;
		inner.type = member.type;
		inner.offset += member.bit / 8;
		inner.name = member_name(search, part->name, &member);
		inner.depth++;
		const char *name = find_name(search, &inner);
		if (name)
			return name;
	}
	return NULL;
}

/** Look for elements that point to the address. */
static const char *find_in_array(struct name_search *search, const struct found_part *part,
				 const struct type *plain)
{
	struct type element, inner;
	int64_t low, high;

	if (!search->by_pointer || !type_element(plain, &element) ||
	    !type_plain(&element, &inner) || !type_is_pointer(&inner) ||
	    !type_bounds(plain, &low, &high))
		return NULL;
	for (int64_t i = low; i <= high && i - low < MAX_ELEMENTS; i++) {
		uint64_t offset = (uint64_t)(i - low) * WORD_SIZE, pointer;

		if (!read_word(search, part, offset, &pointer))
			return NULL;
		if (pointer == search->address)
			return arena_printf(search->arena,
					    search->scope->unit->is_fortran ? "%s%s(%lld)" :
									      "%s%s[%lld]",
					    search->star, part->name, (long long)i);
	}
	return NULL;
}

static const char *find_name(struct name_search *search, const struct found_part *part)
{
	uint64_t begin = part->value->address + part->offset;
	struct type plain;

	if (part->depth == MAX_DEPTH || search->steps++ >= MAX_STEPS ||
	    !type_plain(&part->type, &plain))
		return NULL;
	if (part->value->is_in_memory && is_in(search->address, begin, type_size(&plain))) {
		const char *path = member_path(search->scope->unit, &part->type,
					       search->address - begin, true);

		if (!path || (!*path && ends_in_arrow(part->name)))
			return NULL;
		return arena_printf(search->arena, "%s%s", part->name,
				    ends_in_arrow(part->name) && *path == '.' ? path + 1 : path);
	}
	if (type_is_pointer(&plain))
		return find_by_pointer(search, part, &plain);
	if (type_is_reference(&plain))
		return find_by_reference(search, part, &plain);
	if (type_is_structure(&plain))
		return find_in_structure(search, part, &plain);
	return type_is_array(&plain) ? find_in_array(search, part, &plain) : NULL;
}

// ---- Variables -------------------------------------------------------------------------------

static bool read_variable(const struct scope *scope, Dwarf_Die *die, struct type *type,
			  struct value *value)
{
	if (!scope_has_in_source(scope, die) || scope_type(scope, die, type) ||
	    scope_is_mistaken(scope, die, type) || scope_is_unsure_copy(scope, die, type))
		return false;
	if (is_described(type)) {
		*value = (struct value){ .is_in_memory = true };
		return described_place(scope, die, type, &value->address);
	}
	if (!scope_value(scope, die, type, value))
		return true;
	// Where it is may be enough.
	*value = (struct value){ .is_in_memory = true };
	return scope_address(scope, die, &value->address);
}

/** Read an integer variable, or one to which a reference is. */
static bool read_integer(const struct scope *scope, Dwarf_Die *die, uint64_t *ret)
{
	struct type type, plain;
	struct value value;
	int64_t encoding;
	uint64_t address;

	if (!read_variable(scope, die, &type, &value) || !type_plain(&type, &plain))
		return false;
	if (type_is_reference(&plain) &&
	    (value_word(scope->services, &value, 0, &address) || !type_target(&plain, &plain) ||
	     !type_plain(&plain, &plain) || type_size(&plain) > WORD_SIZE ||
	     read_value(scope->services, address, (size_t)type_size(&plain), &value)))
		return false;
	if (dwarf_tag(&plain.die) != DW_TAG_base_type || !value.size || value.size > WORD_SIZE ||
	    value.num_lost || !entry_number(&plain.die, DW_AT_encoding, &encoding) ||
	    (encoding != DW_ATE_signed && encoding != DW_ATE_unsigned))
		return false;
	*ret = little_endian(value.data, value.size);
	return true;
}

/** Keep the values of integer variables, which may be indices. */
static void read_indices(struct name_search *search)
{
	struct scope_position at = { 0 };
	Dwarf_Die *die;

	while (search->num_indices < MAX_INDICES && (die = scope_next(search->scope, &at)))
		search->num_indices +=
			read_integer(search->scope, die, &search->indices[search->num_indices]);
}

/** Look at all variables, the innermost first. @p hops: pointers that are followed. */
static const char *find_in_frame(struct name_search *search, int hops)
{
	const struct scope *scope = search->scope;
	struct scope_position at = { 0 };
	const char *name = NULL;
	Dwarf_Die *die;

	search->steps = 0;
	while (!name && !is_interrupted(scope->services) && (die = scope_next(scope, &at))) {
		struct value value;
		struct found_part part = { .hops = hops,
					   .value = &value,
					   .name = variable_name(die) };

		if (read_variable(scope, die, &part.type, &value))
			name = find_name(search, &part);
	}
	return name;
}

/** Look at the variables of a frame, with more and more pointers that are followed. */
static const char *find_with_hops(struct name_search *search, int most)
{
	const char *name = NULL;

	for (int hops = 0; hops <= most && !name; hops++) {
		if (hops && !search->num_indices)
			read_indices(search);
		name = find_in_frame(search, hops);
	}
	return name;
}

/** Add the program's namespaces, or Fortran's modules, in a block to the blocks to look in. */
static void add_namespaces(struct scope *outside, Dwarf_Die *parent, int depth)
{
	Dwarf_Die child;

	for (bool more = depth < MAX_DEPTH && dwarf_child(parent, &child) == 0; more;
	     more = target_next(&child)) {
		const char *name = entry_text(&child, DW_AT_name);

		if (dwarf_tag(&child) != DW_TAG_namespace && dwarf_tag(&child) != DW_TAG_module)
			continue;
		if (outside->num_blocks == MAX_BLOCKS || (name && strcmp(name, "std") == 0))
			continue;
		outside->blocks[outside->num_blocks++] = child;
		add_namespaces(outside, &child, depth + 1);
	}
}

/** Look at the variables outside of functions, as if they were the frame's. */
static const char *find_in_unit(struct name_search *search, int most)
{
	const struct scope *inner = search->scope;
	struct scope outside = *inner;
	Dwarf_Die blocks[MAX_BLOCKS + 1];

	outside.blocks = blocks;
	outside.num_blocks = 0;
	add_namespaces(&outside, &inner->unit->die, 0);
	blocks[outside.num_blocks++] = inner->unit->die;
	search->scope = &outside;
	const char *name = find_with_hops(search, most);
	search->scope = inner;
	return name;
}

struct ompdbg_error *service_frame_name(void *context, int thread, const struct ompdbg_frame *frame,
					uint64_t address, enum ompdbg_naming naming,
					const char **ret)
{
	struct target_services *services = context;
	const struct scope *scope;
	struct ompdbg_error *error = asked_scope(services, thread, frame, &scope);

	if (error)
		return error;
	struct name_search search = {
		.scope = scope,
		.services = services,
		.arena = &services->scratch,
		.address = address,
	};
	const char *name = NULL;
	bool is_fortran = search.scope && search.scope->unit->is_fortran;
	int most = naming == OMPDBG_NAME_OF_POINTER ? MAX_HOPS : 1;

	search.star = naming != OMPDBG_NAME_OF_PLACE || is_fortran ? "" : "*";
	if (search.scope && naming != OMPDBG_NAME_OF_HOLDER)
		name = find_with_hops(&search, most);
	if (search.scope && naming == OMPDBG_NAME_OF_POINTER && !name)
		name = find_in_unit(&search, most);
	search.by_pointer = true;
	// A pointer that is far away tells little.
	if (search.scope && !name)
		name = find_with_hops(&search, 1);
	if (search.scope && naming == OMPDBG_NAME_OF_POINTER && !name)
		name = find_in_unit(&search, 0);
	*ret = arena_strdup(&services->arena, name);
	return answered(services, name ? NULL : &ompdbg_error_absent);
}
