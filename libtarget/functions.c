// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which function code belongs to: an index of each unit, made when it is asked for. Functions that
// GCC made of constructs lie within the entry of the function that they are cut from, and those of
// lambda expressions within a class, though their code does not.

#include "internal.h"

#include <dwarf.h>
#include <stdlib.h>

enum { MAX_FUNCTIONS = 1 << 22 };

struct function_range {
	uint64_t start, end; // without the bias
	Dwarf_Off function;
};

struct unit_functions {
	const Dwarf_CU *unit;
	struct function_range *ranges; // by address
	size_t num_ranges;
};

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

static bool add_ranges(struct unit_functions *functions, Dwarf_Die *function)
{
	Dwarf_Addr base, start, end;

	for (ptrdiff_t at = 0; functions->num_ranges < MAX_FUNCTIONS;) {
		at = dwarf_ranges(function, at, &base, &start, &end);
		if (at <= 0)
			return true;
		if (start >= end)
			continue;
		struct function_range *range = GROW(functions->ranges, functions->num_ranges);
		if (!range)
			return false;
		*range = (struct function_range){ start, end, dwarf_dieoffset(function) };
	}
	return false;
}

static bool add_functions(struct unit_functions *functions, Dwarf_Die *parent, int depth)
{
	Dwarf_Die child;

	if (depth == MAX_NESTING || dwarf_child(parent, &child) != 0)
		return true;
	do {
		int tag = dwarf_tag(&child);

		if (tag == DW_TAG_subprogram && !add_ranges(functions, &child))
			return false;
		if (may_hold_functions(tag) && !add_functions(functions, &child, depth + 1))
			return false;
	} while (target_next(&child));
	return true;
}

static int by_start(const void *a, const void *b)
{
	const struct function_range *one = a, *other = b;

	return (one->start > other->start) - (one->start < other->start);
}

static const struct unit_functions *functions_of(struct target *target, Dwarf_Die *unit)
{
	for (size_t i = target->num_functions; i; i--) {
		if (target->functions[i - 1].unit == unit->cu)
			return &target->functions[i - 1];
	}
	struct unit_functions *found = GROW(target->functions, target->num_functions);
	if (!found)
		return NULL;
	found->unit = unit->cu;
	add_functions(found, unit, 0);
	if (found->num_ranges)
		qsort(found->ranges, found->num_ranges, sizeof(*found->ranges), by_start);
	return found;
}

bool function_at(struct target *target, Dwarf_Die *unit, uint64_t address, Dwarf_Die *ret)
{
	const struct unit_functions *functions = functions_of(target, unit);
	size_t low = 0, high = functions ? functions->num_ranges : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (functions->ranges[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || address >= functions->ranges[low - 1].end)
		return false;
	return dwarf_offdie(dwarf_cu_getdwarf(unit->cu), functions->ranges[low - 1].function,
			    ret) != NULL;
}

void functions_deinit(struct target *target)
{
	for (size_t i = 0; i < target->num_functions; i++)
		free(target->functions[i].ranges);
	free(target->functions);
}
