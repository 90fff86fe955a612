// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types of debug information.

#ifndef OMPDBG_TARGET_TYPES_H
#define OMPDBG_TARGET_TYPES_H

#include "services/internal.h"

struct bound_source;

/** A type. Of an array with several dimensions, what is left of them. */
struct type {
	Dwarf_Die die;
	struct unit *unit; // with the entry; NULL: what is only declared there is not looked up
	size_t inner;	   // dimensions that were taken off
	const struct bound_source *bounds; // scopes.h: of other bounds; NULL: unknown
};

/** A member of a structure, or what it inherits from. */
struct member {
	const char *name; // NULL: it has none
	struct type type;
	uint64_t bit;  // where it begins
	uint64_t bits; // of a bit field; else 0
	bool is_base;

	bool is_begun;
	Dwarf_Die die;
};

/** Read the type of a variable or member. */
bool type_of(Dwarf_Die *die, struct unit *unit, struct type *ret);
/** Take qualifiers and typedefs off. A structure that is only declared is looked up in other units. */
bool type_plain(const struct type *type, struct type *ret);
/** Return the name with which a type is declared, not that behind a typedef; NULL. */
const char *type_declared_name(const struct type *type);
/** Take the outermost typedef off. @return false: there is none. */
bool type_without_typedef(const struct type *type, struct type *ret);
/** Look a structure up that is only declared. It stays as it is if nothing is found. (structures.c) */
void structure_complete(struct type *type);
bool type_is_array(const struct type *plain);
bool type_is_structure(const struct type *plain);
bool type_is_pointer(const struct type *plain);
bool type_is_reference(const struct type *plain);
bool type_is_pointer_to_array(const struct type *plain);
/** Check for the same type, whatever the qualifiers are. */
bool type_is_same(const struct type *one, const struct type *other);
/** Read the first argument of a template. */
bool type_template_argument(const struct type *plain, struct type *ret);
/** Read the type to which a pointer or reference is. @return false for void. */
bool type_target(const struct type *plain, struct type *ret);
/** Return the size of a type; 0 if it is unknown. */
uint64_t type_size(const struct type *type);
/** Find what an array consists of: of several dimensions, an array of the others. */
bool type_element(const struct type *array, struct type *ret);
/** Find the entry of the outermost dimension that is left of an array. */
bool type_dimension(const struct type *array, Dwarf_Die *ret);
/** Find the numbers of the first and the last element; one of open length has no last. */
bool type_bounds(const struct type *array, int64_t *first, int64_t *last);
/** Read a member that has a place. Static ones have none. */
bool type_read_member(Dwarf_Die *die, struct unit *unit, struct member *ret);
/** Go to the next member with a place. @p member: all zero at first. */
bool type_next_member(const struct type *structure, struct member *member);

// ---- Members (members.c) ---------------------------------------------------------------------

/**
 * Write the way to what begins @p offset bytes into a value of a type: "[3].lock". @p is_lock: to the
 * innermost member or element that may be a lock; else to the outermost.
 * @return NULL if nothing begins there.
 */
const char *member_path(struct unit *unit, const struct type *type, uint64_t offset, bool is_lock);
/** Find a member by its name, also in an unnamed structure or union. */
bool member_named(const struct type *structure, const char *name, size_t length,
		  struct ompdbg_layout *ret, struct type *type);

#endif
