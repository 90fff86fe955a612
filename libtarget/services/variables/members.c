// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is within a variable: where a member is, and how the source language writes what is there:
// `locks[3]`, `account.lock`, `heat::cells(2,4)`.

#include "services/debug_info/types.h"

#include <inttypes.h>
#include <string.h>

// Damaged types may go round in circles.
enum { MAX_DEPTH = 64, MAX_STEPS = 1 << 16 };

/** A search in a variable. */
struct path_search {
	struct arena *arena;
	bool is_fortran;
	bool is_lock; // a lock is looked for
	int steps;
};

/** Check for a type of locks, also one that is called by another name. */
static bool has_lock_name(const struct type *type)
{
	static const char *const names[] = {
		"omp_lock_t",	      "omp_nest_lock_t",
		"pthread_mutex_t",    "pthread_rwlock_t",
		"std::mutex",	      "mutex",
		"recursive_mutex",    "timed_mutex",
		"shared_mutex",	      "recursive_timed_mutex",
		"shared_timed_mutex",
	};
	struct type inner = *type;

	for (int i = 0; i < MAX_DEPTH; i++) {
		const char *name = type_declared_name(&inner);

		for (size_t k = 0; name && k < sizeof(names) / sizeof(*names); k++) {
			if (strcmp(name, names[k]) == 0)
				return true;
		}
		if (!type_without_typedef(&inner, &inner))
			return false;
	}
	return false;
}

static const char *find_path(struct path_search *search, const struct type *type, uint64_t offset,
			     bool has_name, int depth);

static const char *path_in_array(struct path_search *search, const struct type *plain,
				 uint64_t offset, int depth)
{
	struct type element, within;
	int64_t low, high, number;

	if (!type_element(plain, &element) || !type_bounds(plain, &low, &high))
		return NULL;
	uint64_t size = type_size(&element), index = size ? offset / size : 0;
	if (index > INT64_MAX / 2 || __builtin_add_overflow(low, (int64_t)index, &number))
		return NULL;
	if (low <= high && high < number)
		return NULL; // an array of open length has no bound
	const char *rest = find_path(search, &element, offset - index * size, true, depth);
	if (!rest)
		return NULL;
	if (!search->is_fortran)
		return arena_printf(search->arena, "[%" PRId64 "]%s", number, rest);
	if (!*rest || !type_plain(&element, &within) || !type_is_array(&within))
		return arena_printf(search->arena, "(%" PRId64 ")%s", number, rest);
	// The first dimension comes first: "(2)%lock" becomes "(2,4)%lock".
	int length = (int)strcspn(rest, ")");
	return arena_printf(search->arena, "%.*s,%" PRId64 "%s", length, rest, number,
			    rest + length);
}

static const char *path_in_member(struct path_search *search, const struct member *member,
				  uint64_t offset, int depth)
{
	uint64_t size = type_size(&member->type), begin = member->bit / BITS;

	if (member->bits || offset < begin || offset - begin >= (size ? size : 1))
		return NULL;
	bool has_name = !member->is_base && member->name && *member->name;
	const char *rest = find_path(search, &member->type, offset - begin, has_name, depth);
	if (!rest || !has_name)
		return rest;
	return arena_printf(search->arena, "%c%s%s", search->is_fortran ? '%' : '.', member->name,
			    rest);
}

/** Follow the member that has the place. If several of a union do, take the first that is a lock. */
static const char *path_in_structure(struct path_search *search, const struct type *plain,
				     uint64_t offset, int depth)
{
	for (int others = 0; others < 2; others++) {
		struct member member = { 0 };

		while (type_next_member(plain, &member) && search->steps++ < MAX_STEPS) {
			if (has_lock_name(&member.type) == (bool)others)
				continue;
			const char *path = path_in_member(search, &member, offset, depth);
			if (path)
				return path;
		}
	}
	return NULL;
}

/** Find the way from a value on. A base or unnamed member has no name by which it could be the end. */
static const char *find_path(struct path_search *search, const struct type *type, uint64_t offset,
			     bool has_name, int depth)
{
	struct type plain;

	if (depth == MAX_DEPTH || search->steps++ >= MAX_STEPS || !type_plain(type, &plain))
		return NULL;
	bool is_whole = !type_is_structure(&plain) && !type_is_array(&plain);
	bool is_lock = has_lock_name(type);
	// In Fortran locks are integers.
	if (!offset && has_name && (!search->is_lock || is_lock || is_whole))
		return "";
	if (is_lock || is_whole) // nothing has a name within a lock
		return NULL;
	if (type_is_array(&plain))
		return path_in_array(search, &plain, offset, depth + 1);
	return path_in_structure(search, &plain, offset, depth + 1);
}

const char *member_path(struct unit *unit, const struct type *type, uint64_t offset, bool is_lock)
{
	struct path_search search = { &unit->services->arena, unit->is_fortran, is_lock, 0 };

	return find_path(&search, type, offset, true, 0);
}

// ---- Where a member is -----------------------------------------------------------------------

static bool is_named(const struct member *member, const char *name, size_t length)
{
	return member->name && strncmp(member->name, name, length) == 0 && !member->name[length];
}

/** Tell where a bit field is in the unit that holds it, of the size of its type. */
static void place_bits(const struct member *member, uint64_t bit, struct ompdbg_layout *ret)
{
	uint64_t size = type_size(&member->type), unit;

	if (!size || size > sizeof(uint64_t))
		size = 1;
	unit = bit / BITS / size * size;
	if (bit + member->bits > (unit + size) * BITS) // a packed one lies in two units
		unit = bit / BITS;
	*ret = (struct ompdbg_layout){
		.offset = unit,
		.size = size,
		.bit_offset = (uint32_t)(bit - unit * BITS),
		.bit_size = (uint32_t)member->bits,
	};
}

static bool find_member(const struct type *structure, const char *name, size_t length,
			uint64_t base, int depth, struct ompdbg_layout *ret, struct type *type)
{
	struct member member = { 0 };

	for (int i = 0; i < MAX_STEPS && type_next_member(structure, &member); i++) {
		uint64_t bit = base + member.bit;
		struct type plain;

		if (is_named(&member, name, length)) {
			*type = member.type;
			*ret = (struct ompdbg_layout){ bit / BITS, type_size(type), 0, 0 };
			if (member.bits)
				place_bits(&member, bit, ret);
			return true;
		}
		if ((!member.name || !*member.name) && type_plain(&member.type, &plain) &&
		    type_is_structure(&plain) && depth < MAX_DEPTH &&
		    find_member(&plain, name, length, bit, depth + 1, ret, type))
			return true;
	}
	return false;
}

bool member_named(const struct type *structure, const char *name, size_t length,
		  struct ompdbg_layout *ret, struct type *type)
{
	return find_member(structure, name, length, 0, 0, ret, type);
}
