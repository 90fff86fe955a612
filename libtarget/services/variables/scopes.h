// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The variables that a frame has at its place in the code, and where they are.

#ifndef OMPDBG_TARGET_SCOPES_H
#define OMPDBG_TARGET_SCOPES_H

#include "services/debug_info/types.h"
#include "services/values/expression.h"

/** Clang's variable of a task, with the addresses of what the task shares. */
extern const char CONTEXT_NAME[];

/** The source of the bounds of an array. */
struct bound_source {
	const struct scope *scope;
	const uint64_t *object; // address of the array or its descriptor; NULL: unknown
};

/** Entries of debug information. */
struct entries {
	size_t count, max;
	Dwarf_Die *all;
};

/** The place of a frame. */
struct scope {
	struct frame_context *context;
	struct target_services *services;
	struct unit *unit;
	size_t thread, level;
	const char *symbol; // of the function; NULL
	bool is_construct;  // outlined code
	Dwarf_Die *blocks;  // the innermost first; the last is the function
	size_t num_blocks;
	struct bound_source bounds; // of variables of this frame
};

/** List the blocks of a function at an address, from the innermost to the function. @p within: how
 *  many functions are inlined there, which have blocks of their own. @p ret has room for MAX_SCOPES.
 *  @return how many there are. */
size_t scope_blocks(struct unit *unit, uint64_t address, size_t within, Dwarf_Die *ret);
/** Find what is known of a frame's place. NULL: nothing. */
struct scope *scope_of(struct target_services *services, size_t thread,
		       const struct ompdbg_frame *frame);
/** List the variables of a block, also those that the compiler left out of this copy of it. */
const struct entries *scope_variables(const struct scope *scope, size_t block);
/** A position among all variables of a scope; all zero before the first. */
struct scope_position {
	size_t block, index;
};
/** Go to the next variable of a scope, those of the innermost block first. NULL: there are no more. */
Dwarf_Die *scope_next(const struct scope *scope, struct scope_position *at);
bool entry_is_variable(Dwarf_Die *die);
/** Check for a block without code of its own. */
bool block_is_transparent(Dwarf_Die *die);
/** Return the name of a variable; "" if it has none. */
const char *variable_name(Dwarf_Die *die);
/** Check for a name that a compiler gave: of closures, of range-based loops, of constructors, of
 *  arrays whose length is computed. No identifier contains a dot. */
bool is_generated_name(const char *name);
/** Check for a variable that the source has, too. */
bool scope_has_in_source(const struct scope *scope, Dwarf_Die *die);
/** Read the type of a variable, of an array with the bounds that are computed here. */
const char *scope_type(const struct scope *scope, Dwarf_Die *die, struct type *ret);
/** Find the expression of a variable's place at this point of the code. */
bool scope_location(const struct scope *scope, Dwarf_Die *die, struct target_location *ret);
/** Find where a variable is in memory, if it is. */
bool scope_address(const struct scope *scope, Dwarf_Die *die, uint64_t *ret);
/** Read a variable that may be in memory or not. */
const char *scope_value(const struct scope *scope, Dwarf_Die *die, const struct type *type,
			struct value *ret);
/** Return the size of a type whose values can be read. */
const char *value_size(struct target_services *services, const struct type *type, uint64_t *ret);
/** Check for the variable of a task of Clang's whose type is wrong: it takes what the task shares for
 *  the reference that is to it. */
bool scope_is_mistaken(const struct scope *scope, Dwarf_Die *die, const struct type *type);
/** Check for what Clang has in place of a loop's variable where it checks whether the loop runs at all. Debug
 *  information has no other variable of that name, which is the loop's. */
bool scope_is_of_precondition(const struct scope *scope, Dwarf_Die *die);
/** Check whether an array may be a copy of some elements only (`reduction(+: a[2:5])`). (copies.c) */
bool scope_is_unsure_copy(const struct scope *scope, Dwarf_Die *die, const struct type *type);
/** Check for a reference of the compiler's to what the code has a copy of, by the same name. (copies.c) */
bool scope_has_copy_of(const struct scope *scope, Dwarf_Die *die);
/** Check whether Clang passes lengths of arrays to the function, and then of these only the place of
 *  the first element. */
bool scope_takes_lengths(const struct scope *scope);

// ---- Bounds (bounds.c) -----------------------------------------------------------------------

/** Compute a number of an array: by an expression, or from a variable of the compiler's. */
bool bound_source_number(const struct bound_source *source, Dwarf_Die *die, unsigned int name,
			 int64_t *ret);

#endif
