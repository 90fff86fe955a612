// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values as text, on one line, as GDB writes them.

#ifndef OMPDBG_TARGET_VALUES_H
#define OMPDBG_TARGET_VALUES_H

#include "base/buffer.h"
#include "scopes.h"

enum { MOST_SHOWN = 200 }; // elements and characters of one

// ---- Scalars (scalars.c) ---------------------------------------------------------------------

/** Write a value of a base type. @p name: what its type was declared with; NULL. @return false: an
 *  unknown type. */
bool write_base(struct buffer *out, Dwarf_Die *die, const uint8_t *data, size_t size,
		const char *name, bool is_fortran);
/** Check for a type of which strings are made. */
bool is_character_type(Dwarf_Die *die);
/** Write a string in quotes; a character that comes many times is counted. @p goes_on: the string has
 *  more than is given. */
void write_string(struct buffer *out, const uint8_t *data, size_t size, bool goes_on, char quote);
/** Write the name of a value of an enumeration, or the names that it is made of. */
bool write_enumeration(struct buffer *out, struct unit *unit, Dwarf_Die *die, const uint8_t *data,
		       size_t size);

// ---- Values (values.c) -----------------------------------------------------------------------

/** Write a value, or why there is none. Lives until `scratch` is cleared. */
const char *value_text(struct unit *unit, const struct type *type, const struct value *value);

// ---- Arrays with descriptors (descriptors.c) --------------------------------------------------

/** Check for the type of an array of Fortran that has a descriptor. */
bool is_described(const struct type *type);
/** Find where the first element of an array with a descriptor is. */
bool described_address(const struct scope *scope, Dwarf_Die *die, uint64_t *ret);
/** Read an array with a descriptor, as if its elements lay one after another. */
const char *described_value(const struct scope *scope, Dwarf_Die *die, struct type *type,
			    struct value *ret);
/** Find an array with a descriptor whose elements lie one after another. */
bool described_place(const struct scope *scope, Dwarf_Die *die, struct type *type, uint64_t *begin);

// ---- Variables of constructs (enclosing.c) ----------------------------------------------------

/** A variable in the frame in which it lives. */
struct living {
	Dwarf_Die die;
	const struct scope *scope;
};

/** Find the variable of a name at an address that a construct uses. */
bool enclosing_find(const struct scope *inner, const char *name, uint64_t address,
		    struct living *ret);
/** Find the variables of the function around a task of Clang's whose addresses are in @p size bytes at
 *  @p context. @p ret is in `scratch`. @return how many there are. */
size_t enclosing_shared(const struct scope *inner, uint64_t context, uint64_t size,
			struct living **ret);

#endif
