// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values as text, on one line, as GDB writes them.

#ifndef OMPDBG_TARGET_VALUES_H
#define OMPDBG_TARGET_VALUES_H

#include "base/buffer.h"
#include "services/variables/scopes.h"

enum { MOST_SHOWN = 200 }; // elements and characters of one

// ---- Scalars (scalars.c) ---------------------------------------------------------------------

/** Write a value of a base type. @p name: what its type was declared with; NULL. @return false: an
 *  unknown type. */
bool write_base(struct buffer *out, Dwarf_Die *die, const uint8_t *data, size_t size,
		const char *name, bool is_fortran);
/** Write a number, pointer or enumerator as an integer: @p format as of value_text(). @return false: it
 *  is no integer. */
bool write_formatted(struct buffer *out, Dwarf_Die *die, const uint8_t *data, size_t size,
		     char format);
/** Read a value of a base type that is a number: an integer or one with a point. */
bool base_number(Dwarf_Die *die, const uint8_t *data, size_t size, long double *ret);
/** Check for a type of which strings are made. */
bool is_character_type(Dwarf_Die *die);
/** Write a string in quotes; a character that comes many times is counted. @p goes_on: the string has
 *  more than is given. */
void write_string(struct buffer *out, const uint8_t *data, size_t size, bool goes_on, char quote);
/** Write the name of a value of an enumeration, or the names that it is made of. */
bool write_enumeration(struct buffer *out, struct unit *unit, Dwarf_Die *die, const uint8_t *data,
		       size_t size);

// ---- Values (values.c) -----------------------------------------------------------------------

/** Write a value, or why there is none. @p format: x, d, u, o or t, as GDB writes integers with it; 0.
 *  Lives until `scratch` is cleared. */
const char *value_text(struct unit *unit, const struct type *type, const struct value *value,
		       char format);
/** Write an address, and the symbol there. */
const char *address_text(struct target_services *services, uint64_t address);
/** Write @p count values that lie one after another, as an array. */
const char *elements_text(struct unit *unit, const struct type *element, const struct value *value,
			  uint64_t count, char format);
/** Take the bits of a bit field that begin at a bit of a value. */
const char *bits_value(struct target_services *services, const struct member *member,
		       const struct value *value, uint64_t bit, struct value *ret);

// ---- Variables of a frame (frame_variables.c) -------------------------------------------------

/** A variable of a frame, as it was read. Lives until `scratch` is cleared. */
struct found_variable {
	const char *name;
	const char *text; // its value, or why there is none
	bool has_value;	  // else `value` may still say where it is in memory
	struct type type;
	struct value value;
	const struct scope *scope; // in which it is
	Dwarf_Die die;
};

/** Read a variable, and write its value, or why there is none. @p is_referred: where the compiler made a
 *  reference of it, what that is to. */
struct found_variable variable_read(const struct scope *scope, Dwarf_Die *die, bool is_referred);
/** Find the variable that a name stands for in a frame. */
bool frame_variable_named(const struct scope *scope, const char *name, struct found_variable *ret);

// ---- Arrays with descriptors (descriptors.c) --------------------------------------------------

enum { MAX_DIMENSIONS = 64 };

/** An array with a descriptor, or with bounds of its own. */
struct described {
	struct type type, element;
	uint64_t begin; // address of the first element; 0 of an array with bounds of its own
	uint64_t size;	// of an element
	size_t count;	// dimensions, that of the nearest elements last
	int64_t lows[MAX_DIMENSIONS], lengths[MAX_DIMENSIONS];
	int64_t strides[MAX_DIMENSIONS]; // in bytes
};

/** Read a descriptor at an address. */
const char *described_read(const struct scope *scope, const struct type *type, uint64_t address,
			   struct described *ret);
/** Read the dimensions of an array without a descriptor. */
bool array_read(const struct type *type, struct described *ret);
/** Read the elements, as if they lay one after another. */
const char *described_gather(struct target_services *services, const struct described *array,
			     struct value *ret);
/** Check for the type of an array of Fortran that has a descriptor. */
bool is_described(const struct type *type);
/** Find where the first element of an array with a descriptor is. */
bool described_address(const struct scope *scope, Dwarf_Die *die, uint64_t *ret);
/** Read an array with a descriptor, as if its elements lay one after another. */
const char *described_value(const struct scope *scope, Dwarf_Die *die, struct type *type,
			    struct value *ret);
/** Find an array with a descriptor whose elements lie one after another. */
bool described_place(const struct scope *scope, Dwarf_Die *die, struct type *type, uint64_t *begin);

// ---- Tasks that have not begun (task_variables.c, clang_tasks.c) ------------------------------

enum { MAX_GIVEN = 256 };

/** Write the value at an address, or why there is none. */
const char *given_value(struct unit *unit, const struct type *type, uint64_t address);
/** List the variables that are in the record of a task of Clang's. @p function: what the runtime calls;
 *  @p record: its second argument. @return how many there are. */
size_t given_by_clang(struct unit *unit, Dwarf_Die *function, uint64_t record,
		      const struct ompdbg_given **ret);

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
