// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which unit of debug information is about an address. Not every compiler writes the table that
// tells; for what it lacks, another is made here from the units themselves.

#include "internal.h"

#include <stdlib.h>

enum { MAX_RANGES = 1 << 22 };

static int by_start(const void *a, const void *b)
{
	const struct unit_range *one = a, *other = b;

	return (one->start > other->start) - (one->start < other->start);
}

static void add_ranges(struct mapped_file *file, Dwarf_Die *unit)
{
	Dwarf_Addr base, start, end;

	for (ptrdiff_t at = 0; file->num_ranges < MAX_RANGES;) {
		at = dwarf_ranges(unit, at, &base, &start, &end);
		if (at <= 0)
			return;
		if (start >= end)
			continue;
		struct unit_range *range = GROW(file->ranges, file->num_ranges);
		if (!range)
			return;
		*range = (struct unit_range){ start, end, dwarf_dieoffset(unit) };
	}
}

static void find_ranges(struct mapped_file *file)
{
	Dwarf_Die *unit = NULL;
	Dwarf_Addr bias;

	file->has_ranges = true;
	while ((unit = dwfl_module_nextcu(file->module, unit, &bias)))
		add_ranges(file, unit);
	if (file->num_ranges)
		qsort(file->ranges, file->num_ranges, sizeof(*file->ranges), by_start);
}

void units_deinit(struct mapped_file *file)
{
	free(file->ranges);
}

Dwarf *target_dwarf(struct target *target, size_t file, uint64_t *bias)
{
	Dwfl_Module *module = target->files[file].module;

	return module ? dwfl_module_getdwarf(module, bias) : NULL;
}

/** Find the unit by the compiler's table, which is there at once. */
static bool told_at(Dwarf *dwarf, uint64_t address, Dwarf_Die *ret)
{
	return dwarf_addrdie(dwarf, address, ret) != NULL;
}

bool target_unit_at(struct target *target, uint64_t address, Dwarf_Die *ret, uint64_t *bias)
{
	ssize_t index = target_file_index(target, address);
	Dwarf *dwarf = index >= 0 ? target_dwarf(target, (size_t)index, bias) : NULL;

	if (!dwarf)
		return false;
	struct mapped_file *file = &target->files[index];
	if (told_at(dwarf, address - *bias, ret))
		return true;
	if (!file->has_ranges)
		find_ranges(file);
	size_t low = 0, high = file->num_ranges;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (file->ranges[middle].start <= address - *bias)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || address - *bias >= file->ranges[low - 1].end)
		return false;
	return dwarf_offdie(dwarf, file->ranges[low - 1].unit, ret) != NULL;
}
