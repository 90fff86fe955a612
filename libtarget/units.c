// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which unit of debug information code belongs to, and which function of the unit.
//
// Not every compiler writes the table that tells units; for what it lacks, another is made here from the
// units themselves. Of functions an index of each unit is made when it is asked for: functions that GCC
// made of constructs lie within the entry of the function that they are cut from, and those of lambda
// expressions within a class, though their code does not.

#include "internal.h"

#include <dwarf.h>
#include <stdlib.h>

enum { MAX_RANGES = 1 << 22 };

/** The code of an entry. */
struct code_range {
	uint64_t start, end; // without the bias
	Dwarf_Off entry;
};

struct unit_functions {
	const Dwarf_CU *unit;
	struct code_ranges code;
};

/** Add the code of an entry. @return false: there is no room for more. */
static bool add_ranges(struct code_ranges *ranges, Dwarf_Die *entry)
{
	Dwarf_Addr base, start, end;

	for (ptrdiff_t at = 0; ranges->count < MAX_RANGES;) {
		at = dwarf_ranges(entry, at, &base, &start, &end);
		if (at <= 0)
			return true;
		if (start >= end)
			continue;
		struct code_range *range = GROW(ranges->all, ranges->count);
		*range = (struct code_range){ start, end, dwarf_dieoffset(entry) };
	}
	return false;
}

/** Find the entry with code at an address. */
static bool entry_at(const struct code_ranges *ranges, uint64_t address, Dwarf *dwarf,
		     Dwarf_Die *ret)
{
	const struct code_range *range = RANGE_AT(ranges->all, ranges->count, address);

	return range && dwarf_offdie(dwarf, range->entry, ret);
}

// ---- Units -----------------------------------------------------------------------------------

void units_deinit(struct mapped_file *file)
{
	free(file->units.all);
}

Dwarf *target_dwarf(struct target *target, size_t file, uint64_t *bias)
{
	Dwfl_Module *module = target->files[file].module;

	return module ? dwfl_module_getdwarf(module, bias) : NULL;
}

bool target_unit_at(struct target *target, uint64_t address, Dwarf_Die *ret, uint64_t *bias)
{
	ssize_t index = target_file_index(target, address);
	Dwarf *dwarf = index >= 0 ? target_dwarf(target, (size_t)index, bias) : NULL;
	Dwarf_Die *unit = NULL;
	Dwarf_Addr unused;

	if (!dwarf)
		return false;
	struct mapped_file *file = &target->files[index];
	// By the compiler's table, which is there at once.
	if (dwarf_addrdie(dwarf, address - *bias, ret)) {
		split_unit(target, file, ret);
		return true;
	}
	if (!file->has_units) {
		while ((unit = dwfl_module_nextcu(file->module, unit, &unused)))
			add_ranges(&file->units, unit);
		RANGES_SORT(file->units.all, file->units.count);
		file->has_units = true;
	}
	if (!entry_at(&file->units, address - *bias, dwarf, ret))
		return false;
	split_unit(target, file, ret);
	return true;
}

bool target_next_unit(struct target *target, size_t file, Dwarf_CU **unit, Dwarf_Die *ret,
		      uint64_t *bias)
{
	Dwarf *dwarf = target_dwarf(target, file, bias);

	if (!dwarf || dwarf_get_units(dwarf, *unit, unit, NULL, NULL, ret, NULL) != 0)
		return false;
	split_unit(target, &target->files[file], ret);
	return true;
}

// ---- Functions -------------------------------------------------------------------------------

static bool may_hold_functions(int tag)
{
	switch (tag) {
	case DW_TAG_subprogram:
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_lexical_block:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		return true;
	default:
		return false;
	}
}

static bool add_functions(struct code_ranges *ranges, Dwarf_Die *parent, int depth)
{
	Dwarf_Die child;

	if (depth == MAX_NESTING || dwarf_child(parent, &child) != 0)
		return true;
	do {
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_subprogram && !add_ranges(ranges, &child))
			return false;
		if (may_hold_functions(tag) && !add_functions(ranges, &child, depth + 1))
			return false;
	} while (target_next(&child));
	return true;
}

static const struct unit_functions *functions_of(struct target *target, Dwarf_Die *unit)
{
	for (size_t i = target->num_functions; i; i--) {
		if (target->functions[i - 1].unit == unit->cu)
			return &target->functions[i - 1];
	}
	struct unit_functions *found = GROW(target->functions, target->num_functions);
	found->unit = unit->cu;
	add_functions(&found->code, unit, 0);
	RANGES_SORT(found->code.all, found->code.count);
	return found;
}

bool function_at(struct target *target, Dwarf_Die *unit, uint64_t address, Dwarf_Die *ret)
{
	const struct unit_functions *functions = functions_of(target, unit);

	return entry_at(&functions->code, address, dwarf_cu_getdwarf(unit->cu), ret);
}

void functions_deinit(struct target *target)
{
	for (size_t i = 0; i < target->num_functions; i++)
		free(target->functions[i].code.all);
	free(target->functions);
}
