// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions of debug information that tell where values are, and the calls that tell what was
// passed.

#include "internal.h"

#include <dwarf.h>

/** Find the expression of an attribute, which may have a list of them for ranges of code. */
bool target_location(Dwarf_Die *die, unsigned int name, uint64_t address,
		     struct target_location *ret)
{
	if (!dwarf_attr_integrate(die, name, &ret->attribute))
		return false;
	return dwarf_getlocation_addr(&ret->attribute, address, &ret->operations, &ret->count, 1) ==
	       1;
}

bool target_location_within(struct target_location *location, size_t index,
			    struct target_location *ret)
{
	return dwarf_getlocation_attr(&location->attribute, &location->operations[index],
				      &ret->attribute) == 0 &&
	       dwarf_getlocation(&ret->attribute, &ret->operations, &ret->count) == 0;
}

bool target_location_address(struct target_location *location, size_t index, uint64_t *ret)
{
	Dwarf_Attribute attribute;

	return dwarf_getlocation_attr(&location->attribute, &location->operations[index],
				      &attribute) == 0 &&
	       dwarf_formaddr(&attribute, ret) == 0;
}

bool target_location_bytes(struct target_location *location, size_t index, Dwarf_Block *ret)
{
	return dwarf_getlocation_implicit_value(&location->attribute, &location->operations[index],
						ret) == 0;
}

static bool returns_to(Dwarf_Die *call, uint64_t address)
{
	bool is_gnu = dwarf_tag(call) == DW_TAG_GNU_call_site;
	Dwarf_Attribute attribute;
	Dwarf_Addr found;

	return dwarf_attr(call, is_gnu ? DW_AT_low_pc : DW_AT_call_return_pc, &attribute) &&
	       dwarf_formaddr(&attribute, &found) == 0 && found == address;
}

static bool find_call(Dwarf_Die *parent, uint64_t address, Dwarf_Die *ret, int depth)
{
	Dwarf_Die child;

	if (depth == MAX_NESTING || dwarf_child(parent, &child) != 0)
		return false;
	do {
		int tag = dwarf_tag(&child);

		if ((tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site) &&
		    returns_to(&child, address)) {
			*ret = child;
			return true;
		}
		if ((tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine) &&
		    find_call(&child, address, ret, depth + 1))
			return true;
	} while (target_next(&child));
	return false;
}

bool target_call_site(Dwarf_Die *function, uint64_t returns, Dwarf_Die *ret)
{
	return find_call(function, returns, ret, 0);
}
