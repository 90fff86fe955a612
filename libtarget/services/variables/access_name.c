// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of what an instruction accesses. The way there leads from a variable over pointers: types tell
// which member or element is at each offset. Where a union, a cast or a missing type leaves a doubt, there
// is no name.

#include "scopes.h"

#include <inttypes.h>
#include <string.h>

enum { MAX_DEPTH = 16 };

/** The way, and what there must be at its end. */
struct way {
	struct target_services *services;
	struct arena *arena;
	const struct ompdbg_pointer *pointers;
	size_t count;
	uint64_t address;
	unsigned int width;
	uint64_t pc;
};

/** A pointer or another number, and how the source writes it. */
struct designated {
	struct type type; // without qualifiers
	const char *text;
};

// ---- What is in a value ------------------------------------------------------------------------

/** Find the one member that covers an offset. */
static bool member_at(const struct type *structure, uint64_t offset, struct member *ret)
{
	struct member member = { 0 };
	size_t count = 0;

	while (type_next_member(structure, &member)) {
		uint64_t begin = member.bit / BITS;
		if (member.bits || offset < begin || offset - begin >= type_size(&member.type))
			continue;
		*ret = member;
		count++;
	}
	return count == 1;
}

/** Go from a value to the number of @p width bytes that is at an offset in it. @p dot: what stands before
 *  a member. */
static bool go_within(struct arena *arena, const struct type *type, uint64_t offset,
		      unsigned int width, const char *dot, struct designated *way)
{
	struct type at = *type, plain;

	for (int depth = 0; depth < MAX_DEPTH && type_plain(&at, &plain); depth++) {
		if (type_is_structure(&plain)) {
			struct member member;
			if (!member_at(&plain, offset, &member))
				return false;
			offset -= member.bit / BITS;
			at = member.type;
			if (member.is_base || !member.name || !*member.name)
				continue;
			way->text = arena_printf(arena, "%s%s%s", way->text, dot, member.name);
			dot = ".";
		} else if (type_is_array(&plain)) {
			struct type element;
			uint64_t size = type_element(&plain, &element) ? type_size(&element) : 0;
			if (!size)
				return false;
			way->text =
				arena_printf(arena, "%s[%" PRIu64 "]", way->text, offset / size);
			dot = ".";
			offset %= size;
			at = element;
		} else {
			way->type = plain;
			return !offset && type_size(&plain) == width;
		}
	}
	return false;
}

/** Go from a pointer to the number of @p width bytes at an offset from where it points. */
static bool go_on(struct arena *arena, struct designated *way, int64_t offset, unsigned int width)
{
	bool is_reference = type_is_reference(&way->type);
	struct type target, plain;

	if ((!is_reference && !type_is_pointer(&way->type)) || !type_target(&way->type, &target) ||
	    !type_plain(&target, &plain))
		return false;
	const int64_t size = (int64_t)type_size(&target);
	if (size <= 0)
		return false;
	int64_t index = offset / size - (offset % size < 0);
	if (is_reference)
		return !index && go_within(arena, &target, (uint64_t)offset, width, ".", way);
	if (*way->text == '*')
		way->text = arena_printf(arena, "(%s)", way->text);
	if (!index && type_is_structure(&plain))
		return go_within(arena, &target, (uint64_t)offset, width, "->", way);
	way->text = index || type_is_array(&plain) ?
			    arena_printf(arena, "%s[%" PRId64 "]", way->text, index) :
			    arena_printf(arena, "*%s", way->text);
	return go_within(arena, &target, (uint64_t)(offset - index * size), width, ".", way);
}

// ---- Where the way begins ----------------------------------------------------------------------

static bool is_in_register(const struct scope *scope, Dwarf_Die *die, enum ompdbg_register wanted)
{
	struct target_location location;
	uint64_t number;

	return scope_location(scope, die, &location) && location.count == 1 &&
	       operation_register(&location.operations[0], &number) && number == wanted;
}

/** Check whether a variable is, or has, a pointer. */
static bool has_pointer(const struct way *way, const struct scope *scope, Dwarf_Die *die,
			const struct ompdbg_pointer *pointer, struct designated *ret)
{
	struct type type;
	uint64_t begin;

	if (!scope_has_in_source(scope, die) || scope_type(scope, die, &type) ||
	    scope_is_mistaken(scope, die, &type) || scope_is_unsure_copy(scope, die, &type))
		return false;
	ret->text = variable_name(die);
	if (!*ret->text)
		return false;
	if (pointer->in_register && is_in_register(scope, die, pointer->reg))
		return go_within(way->arena, &type, 0, WORD_SIZE, ".", ret);
	return pointer->address && scope_address(scope, die, &begin) && begin <= pointer->address &&
	       pointer->address - begin < type_size(&type) &&
	       go_within(way->arena, &type, pointer->address - begin, WORD_SIZE, ".", ret);
}

/** Find the variable that is, or has, a pointer. */
static bool find_variable(const struct way *way, const struct scope *scope,
			  const struct ompdbg_pointer *pointer, struct designated *ret)
{
	struct scope_position at = { 0 };
	struct type type;
	struct unit *unit;
	Dwarf_Die die, *one;

	while ((one = scope_next(scope, &at))) {
		if (has_pointer(way, scope, one, pointer, ret))
			return true;
	}
	unit = pointer->address ? variable_unit(way->services, pointer->address, way->pc, &die) :
				  NULL;
	if (!unit || !type_of(&die, unit, &type))
		return false;
	ret->text = variable_name(&die);
	return *ret->text && go_within(way->arena, &type, 0, WORD_SIZE, ".", ret);
}

// ---- The way -----------------------------------------------------------------------------------

/** Check that the pointers lead to the address. */
static bool leads_there(const struct way *way, const struct scope *scope, size_t first)
{
	uint64_t at = 0;

	for (size_t i = first; i < way->count; i++) {
		const struct ompdbg_pointer *pointer = &way->pointers[i];
		struct value value;
		uint64_t words[2] = { 0 };
		if (i > first && pointer->address != at)
			return false;
		if (pointer->address) {
			if (read_value(way->services, pointer->address, WORD_SIZE, &value))
				return false;
			words[0] = little_endian(value.data, WORD_SIZE);
		} else if (context_register(scope->context, pointer->reg, words)) {
			return false;
		}
		at = words[0] + (uint64_t)pointer->offset;
	}
	return at == way->address;
}

/** Name the way from one of the pointers on. */
static bool name_from(const struct way *way, const struct scope *scope, size_t first,
		      const char **ret, const char **last)
{
	struct designated designated;

	if (!find_variable(way, scope, &way->pointers[first], &designated) ||
	    !leads_there(way, scope, first))
		return false;
	for (size_t i = first; i < way->count; i++) {
		bool is_last = i + 1 == way->count;
		*last = designated.text;
		if (!go_on(way->arena, &designated, way->pointers[i].offset,
			   is_last ? way->width : WORD_SIZE))
			return false;
	}
	*ret = designated.text;
	return true;
}

struct ompdbg_error *service_access_name(void *context, int thread,
					 const struct ompdbg_frame *frame,
					 const struct ompdbg_pointer *pointers, size_t count,
					 uint64_t address, unsigned int width, const char **ret,
					 const char **last)
{
	struct target_services *services = context;
	struct way way = {
		services, &services->scratch, pointers, count, address, width, frame->pc
	};
	const struct scope *scope;
	struct ompdbg_error *error = asked_scope(services, thread, frame, &scope);
	bool has_name = false;

	if (error)
		return error;
	for (size_t i = count; scope && !scope->unit->is_fortran && i-- > 0 && !has_name;)
		has_name = name_from(&way, scope, i, ret, last);
	if (has_name) {
		*ret = arena_strdup(&services->arena, *ret);
		*last = arena_strdup(&services->arena, *last);
	}
	return answered(services, has_name ? NULL : &ompdbg_error_absent);
}
