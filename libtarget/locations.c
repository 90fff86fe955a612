// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Expressions of debug information that tell where values are.

#include "internal.h"

#include <dwarf.h>

/** Find the expression of an attribute, which may have a list of them for ranges of code. */
bool target_location(Dwarf_Die *die, unsigned int name, uint64_t address,
		     struct target_location *ret)
{
	if (!dwarf_attr_integrate(die, name, &ret->attribute))
		return false;
	return dwarf_getlocation_addr(&ret->attribute, address, &ret->operations, &ret->count, 1) ==
		       1 &&
	       ret->count;
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
