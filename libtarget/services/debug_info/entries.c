// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attributes of entries of debug information, with the type that each must have: debug information
// may be damaged.

#include "services/internal.h"

#include <dwarf.h>
#include <limits.h>

const char *entry_text(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(die, name, &attribute) ? dwarf_formstring(&attribute) : NULL;
}

/** Read a number of any form. A flag is none, nor is the place of a list in another section. */
static bool read_number(Dwarf_Attribute *attribute, int64_t *ret)
{
	unsigned int form = dwarf_whatform(attribute);
	Dwarf_Sword number;
	Dwarf_Word word;

	if (form == DW_FORM_flag || form == DW_FORM_flag_present || form == DW_FORM_sec_offset)
		return false;
	if ((form == DW_FORM_sdata || form == DW_FORM_implicit_const) &&
	    dwarf_formsdata(attribute, &number) == 0) {
		*ret = number;
		return true;
	}
	if (dwarf_formudata(attribute, &word) != 0 && dwarf_formaddr(attribute, &word) != 0)
		return false;
	*ret = (int64_t)word;
	return true;
}

bool entry_number(Dwarf_Die *die, unsigned int name, int64_t *ret)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(die, name, &attribute) && read_number(&attribute, ret);
}

int entry_line(Dwarf_Die *die, unsigned int name)
{
	int64_t line;

	return entry_number(die, name, &line) && line > 0 && line <= INT_MAX ? (int)line : 0;
}

bool entry_flag(Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attribute;
	bool flag;

	return dwarf_attr_integrate(die, name, &attribute) &&
	       dwarf_formflag(&attribute, &flag) == 0 && flag;
}

bool entry_referred(Dwarf_Die *die, unsigned int name, Dwarf_Die *ret)
{
	Dwarf_Attribute attribute;

	return dwarf_attr_integrate(die, name, &attribute) && dwarf_formref_die(&attribute, ret);
}

bool entry_own_referred(Dwarf_Die *die, unsigned int name, Dwarf_Die *ret)
{
	Dwarf_Attribute attribute;

	return dwarf_attr(die, name, &attribute) && dwarf_formref_die(&attribute, ret);
}
