// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layout of the runtime's structures as debug information tells it.
//
// An OMPD library asks for it by the names of variables: `ompd_access__STRUCTURE__FIELD` holds a
// field's offset, `ompd_sizeof__STRUCTURE__FIELD` its size, `ompd_bitfield__STRUCTURE__FIELD` the
// bits that a bit field takes in its structure, `ompd_sizeof__STRUCTURE` the size of the structure.
// LLVM's runtime has such variables; where the debugger knows the types instead, it answers for
// them, with addresses that no program can have. By `ompd_debug_info__access__STRUCTURE__FIELD`,
// and so on, nobody but the debugger is asked.
//
// `ompd_newest_gcc` holds the latest release of GCC that is in the program, or the library, that
// has libgomp: of a libgomp that is linked statically, nothing else tells how late it can be.

#include <string.h>

#include "base/text.h"
#include "ompd/room.h"

#define PREFIX "ompd_"
#define ALONE "ompd_debug_info__"
#define MARK "ompd_layout_from_debug_info"
#define NEWEST_GCC "ompd_newest_gcc"
#define ENTRY_OF_LIBGOMP "GOMP_parallel"

enum { WORD_BITS = 64 }; // of a variable that holds the bits of a bit field

bool layout_is_alone(const char *name)
{
	return starts_with(name, ALONE);
}

/** Take what is unknown for absent; only the user's wish to end is an error. */
static struct ompdbg_error *or_absent(struct ompdbg_error *error)
{
	if (!error || ends_command(error))
		return error;
	ompdbg_error_destroy(error);
	return &ompdbg_error_absent;
}

static struct ompdbg_error *newest_gcc(struct space *space, uint64_t *ret)
{
	uint64_t entry;
	int release;
	struct ompdbg_error *error =
		SERVICE(space, symbol_address, ENTRY_OF_LIBGOMP, NULL, 0, &entry);

	if (!error)
		error = SERVICE(space, newest_gcc, entry, &release);
	if (!error)
		*ret = (uint64_t)release;
	return or_absent(error);
}

/** Tell of a field's layout what the variable of this kind holds. */
static bool fact_of_field(const char *kind, const struct ompdbg_layout *layout, uint64_t *ret)
{
	if (strcmp(kind, "bitfield") == 0) {
		uint64_t bit = layout->offset * 8 + layout->bit_offset;

		if (!layout->bit_size || layout->offset >= WORD_BITS / 8 ||
		    bit + layout->bit_size > WORD_BITS)
			return false;
		*ret = (UINT64_MAX >> (WORD_BITS - layout->bit_size)) << bit;
		return true;
	}
	if (layout->bit_size)
		return false;
	*ret = strcmp(kind, "access") == 0 ? layout->offset : layout->size;
	return strcmp(kind, "access") == 0 || strcmp(kind, "sizeof") == 0;
}

/** Split "KIND__STRUCTURE__FIELD", which is changed. @return false: it is no such name. */
static bool split(char *name, const char **structure, const char **field)
{
	char *end = strstr(name, "__");

	if (!end || !end[2])
		return false;
	*end = 0;
	*structure = end + 2;
	end = strstr(end + 2, "__");
	if (end)
		*end = 0;
	*field = end && end[2] ? end + 2 : NULL;
	return **structure != 0;
}

static struct ompdbg_error *fact(struct space *space, const char *name, const char *object,
				 uint64_t *ret)
{
	char *kind = arena_strdup(&space->arena, name);
	const char *structure, *field;
	struct ompdbg_layout layout = { 0 };

	if (!split(kind, &structure, &field) || (!field && strcmp(kind, "sizeof") != 0))
		return &ompdbg_error_absent;
	struct ompdbg_error *error = SERVICE(space, layout, structure, field, object, &layout);
	if (error)
		return or_absent(error);
	if (!field)
		*ret = layout.size;
	else if (!fact_of_field(kind, &layout, ret))
		return &ompdbg_error_absent;
	return NULL;
}

struct ompdbg_error *layout_variable(struct space *space, const char *name, const char *object,
				     uint64_t *ret)
{
	struct layout_variables *variables = &space->layout;
	bool is_alone = layout_is_alone(name), is_layout = false;
	struct ompdbg_error *error = &ompdbg_error_absent;
	uint64_t value = 0;

	if (!starts_with(name, PREFIX) || (object && !is_alone))
		return error;
	if (strcmp(name, MARK) == 0) {
		value = 1;
		error = variables->has_layout ? NULL : &ompdbg_error_absent;
	} else if (strcmp(name, NEWEST_GCC) == 0) {
		error = newest_gcc(space, &value);
	} else {
		name += strlen(is_alone ? ALONE : PREFIX);
		error = fact(space, name, object, &value);
		is_layout = !error;
	}
	if (error)
		return error;
	*ret = LAYOUT_BASE + LAYOUT_STRIDE * variables->count;
	*ARENA_APPEND(&space->arena, variables->values, variables->count, variables->capacity) =
		value;
	variables->has_layout |= is_layout;
	return NULL;
}

bool layout_read(const struct space *space, uint64_t address, void *buffer, size_t size)
{
	uint64_t index = (address - LAYOUT_BASE) / LAYOUT_STRIDE;
	uint64_t offset = address % LAYOUT_STRIDE;

	if (address < LAYOUT_BASE || index >= space->layout.count || size > LAYOUT_STRIDE - offset)
		return false;
	// The machine is little endian; the rest of the page is zero.
	memset(buffer, 0, size);
	if (offset < sizeof(uint64_t)) {
		size_t length = sizeof(uint64_t) - offset;

		memcpy(buffer, (const char *)&space->layout.values[index] + offset,
		       size < length ? size : length);
	}
	return true;
}
