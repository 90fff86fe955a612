// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions and blocks that code belongs to. Functions that GCC made of constructs lie within
// the entry of the function that they are cut from, though their code does not.

#include "internal.h"

#include <dwarf.h>

enum { MAX_NESTING = 200 }; // of entries: damaged ones may go round in circles

static bool may_hold_functions(int tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_namespace || tag == DW_TAG_module ||
	       tag == DW_TAG_lexical_block;
}

/** The function with code at an address, the innermost of those that are nested. */
static bool find_function(Dwarf_Die *parent, uint64_t address, Dwarf_Die *ret, int depth)
{
	Dwarf_Die child;

	if (depth == MAX_NESTING || dwarf_child(parent, &child) != 0)
		return false;
	do {
		int tag = dwarf_tag(&child);

		if (!may_hold_functions(tag))
			continue;
		if (find_function(&child, address, ret, depth + 1))
			return true;
		if (tag == DW_TAG_subprogram && dwarf_haspc(&child, address) > 0) {
			*ret = child;
			return true;
		}
	} while (dwarf_siblingof(&child, &child) == 0);
	return false;
}

static bool is_scope(int tag)
{
	return tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine;
}

/** Some blocks have no code of their own, but blocks that have. */
static bool is_transparent(Dwarf_Die *die)
{
	return !dwarf_hasattr(die, DW_AT_low_pc) && !dwarf_hasattr(die, DW_AT_ranges);
}

/** Adds the scopes within @p parent, outermost first. @return how many there are then. */
static size_t descend(Dwarf_Die *parent, uint64_t address, Dwarf_Die *scopes, size_t count,
		      size_t max, int depth)
{
	Dwarf_Die child;

	if (depth == MAX_NESTING || dwarf_child(parent, &child) != 0)
		return count;
	do {
		if (count == max || !is_scope(dwarf_tag(&child)))
			continue;
		if (dwarf_haspc(&child, address) > 0) {
			scopes[count] = child;
			return descend(&child, address, scopes, count + 1, max, depth + 1);
		}
		if (is_transparent(&child)) {
			size_t found = descend(&child, address, scopes, count, max, depth + 1);

			if (found != count)
				return found;
		}
	} while (dwarf_siblingof(&child, &child) == 0);
	return count;
}

size_t target_scopes(Dwarf_Die *unit, uint64_t address, Dwarf_Die *scopes, size_t max)
{
	if (!max || !find_function(unit, address, &scopes[0], 0))
		return 0;
	return descend(&scopes[0], address, scopes, 1, max, 0);
}
