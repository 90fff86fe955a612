// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions and blocks that code belongs to, and what lies in and around them.

#include "internal.h"

#include <dwarf.h>
#include <stdlib.h>

bool target_next(Dwarf_Die *die)
{
	const void *before = die->addr;

	return dwarf_siblingof(die, die) == 0 && (uintptr_t)die->addr > (uintptr_t)before;
}

static bool is_scope(int tag)
{
	return tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine;
}

/** Check whether a block has no code of its own, but blocks that have. */
static bool is_transparent(Dwarf_Die *die)
{
	return !dwarf_hasattr(die, DW_AT_low_pc) && !dwarf_hasattr(die, DW_AT_ranges);
}

/** Add the scopes within @p parent, outermost first. @return how many there are then. */
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
	} while (target_next(&child));
	return count;
}

size_t target_scopes(struct target *target, Dwarf_Die *unit, uint64_t address, Dwarf_Die *scopes,
		     size_t max)
{
	if (!max || !function_at(target, unit, address, &scopes[0]))
		return 0;
	return descend(&scopes[0], address, scopes, 1, max, 0);
}

size_t target_parents(Dwarf_Die *die, Dwarf_Die *parents, size_t max)
{
	Dwarf_Die *found = NULL;
	int count = dwarf_getscopes_die(die, &found);
	size_t kept = 0;

	// The first is the entry itself.
	for (int i = 1; i < count && kept < max; i++)
		parents[kept++] = found[i];
	free(found);
	return kept;
}

// ---- Calls -----------------------------------------------------------------------------------

/** GNU's extension of DWARF 4 has other names for the same. */
static bool read_call(Dwarf_Die *die, struct target_call *ret)
{
	bool is_gnu = dwarf_tag(die) == DW_TAG_GNU_call_site;
	Dwarf_Attribute attribute;
	Dwarf_Addr address;

	if (!dwarf_attr(die, is_gnu ? DW_AT_low_pc : DW_AT_call_return_pc, &attribute) ||
	    dwarf_formaddr(&attribute, &address) != 0)
		return false;
	*ret = (struct target_call){
		.entry = *die,
		.returns = address,
		.is_tail = dwarf_hasattr(die, is_gnu ? DW_AT_GNU_tail_call : DW_AT_call_tail_call),
	};
	ret->has_callee =
		dwarf_attr(die, is_gnu ? DW_AT_abstract_origin : DW_AT_call_origin, &attribute) &&
		dwarf_formref_die(&attribute, &ret->callee);
	return true;
}

static bool visit_calls(Dwarf_Die *parent, target_call_visitor *visit, void *context, int depth)
{
	struct target_call call;
	Dwarf_Die child;

	if (depth == MAX_NESTING || dwarf_child(parent, &child) != 0)
		return true;
	do {
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site ?
			    read_call(&child, &call) && !visit(context, &call) :
			    is_scope(tag) && !visit_calls(&child, visit, context, depth + 1))
			return false;
	} while (target_next(&child));
	return true;
}

void target_visit_calls(Dwarf_Die *function, target_call_visitor *visit, void *context)
{
	visit_calls(function, visit, context, 0);
}

// ---- Variables -------------------------------------------------------------------------------

bool target_variable_address(Dwarf_Die *die, uint64_t *ret)
{
	Dwarf_Attribute attribute, indirect;
	Dwarf_Op *ops;
	size_t count;

	if (!dwarf_attr(die, DW_AT_location, &attribute) ||
	    dwarf_getlocation(&attribute, &ops, &count) != 0 || count != 1)
		return false;
	*ret = ops[0].number;
	if (ops[0].atom == DW_OP_addr)
		return true;
	return (ops[0].atom == DW_OP_addrx || ops[0].atom == DW_OP_GNU_addr_index) &&
	       dwarf_getlocation_attr(&attribute, ops, &indirect) == 0 &&
	       dwarf_formaddr(&indirect, ret) == 0;
}
