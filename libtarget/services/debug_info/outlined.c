// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that Clang made of the code of constructs. Before Clang 17 their names do not tell the
// function of the source: all are called ".omp_outlined.". Debug information has the line of the
// construct, and of every function, inlined ones too, the lines that belong to it.

#include "services/internal.h"

#include <dwarf.h>
#include <string.h>

/** The lines of a file that belong to a function. */
struct span {
	const char *name, *file;
	int first, last;
};

static bool is_unnamed(const char *name)
{
	return starts_with(name, ".omp_outlined.") || starts_with(name, ".omp_task_entry.");
}

/** Check for a function that Clang made: ".omp_combiner.", ".red_init.". */
static bool is_generated(const char *name)
{
	return *name == '.' || starts_with(name, "__omp_offloading_");
}

bool is_outlined(const char *name)
{
	return strstr(name, "._omp_fn.") || strstr(name, "._omp_cpyfn.") ||
	       strstr(name, ".omp_outlined") || strstr(name, ".omp_task_entry") ||
	       strstr(name, "..omp_par") || starts_with(name, "__omp_offloading_");
}

/** Check that a line of inlined code is that of the call, or that where the function around the call
 *  begins. */
static bool is_of_caller(struct unit *unit, Dwarf_Die *functions, size_t count, uint64_t address,
			 int line)
{
	uint64_t entry;

	if (dwarf_tag(&functions[0]) != DW_TAG_inlined_subroutine)
		return false;
	return line == entry_line(&functions[0], DW_AT_call_line) || count < 2 ||
	       (unit_entry(unit, &functions[1], &entry) && entry == address);
}

/** Check for a line before that of a function's declaration: of a construct around a lambda expression,
 *  whose reductions it takes part in. */
static bool is_before(struct unit *unit, Dwarf_Die *function, const struct place *place)
{
	return place->line < entry_line(function, DW_AT_decl_line) &&
	       is_same_text(place->file, unit_file(unit, function, DW_AT_decl_file));
}

/** Find the first and the last line of each function of a unit. */
static void find_spans(struct unit *unit)
{
	struct arena *arena = &unit->services->arena;
	struct string_table known = { 0 };
	size_t position = 0, max_spans = 0;
	Dwarf_Die functions[MAX_SCOPES];
	struct place place;
	uint64_t address;

	unit->num_spans = 0;
	while (unit_next_line(unit, &position, &address, &place) &&
	       !is_interrupted(unit->services)) {
		size_t count = unit_functions(unit, address, functions);

		if (!count || is_of_caller(unit, functions, count, address, place.line) ||
		    is_before(unit, &functions[0], &place))
			continue;
		const char *name = entry_text(&functions[0], DW_AT_linkage_name);
		if (!name)
			name = entry_text(&functions[0], DW_AT_name);
		if (!name || is_generated(name))
			continue;
		// One more than the index: spans move when there are more of them.
		void **number = string_table_put(&known, arena, name);
		if (!*number) {
			*ARENA_APPEND(arena, unit->spans, unit->num_spans, max_spans) =
				(struct span){ name, place.file, place.line, place.line };
			*number = (void *)(uintptr_t)unit->num_spans;
		}
		struct span *span = &unit->spans[(uintptr_t)*number - 1];
		if (!is_same_text(span->file, place.file))
			continue;
		if (place.line < span->first)
			span->first = place.line;
		if (place.line > span->last)
			span->last = place.line;
	}
	unit->has_spans = !is_interrupted(unit->services);
}

/** Find the function around a line; else, as it may have no code of its own any more after the
 *  construct, the one that begins last before it, if that is no function within another. */
static const struct span *nearest_span(const struct unit *unit, const char *file, int line)
{
	const struct span *around = NULL, *before = NULL;

	for (size_t i = 0; i < unit->num_spans; i++) {
		const struct span *span = &unit->spans[i];

		if (span->first > line || !is_same_text(span->file, file))
			continue;
		if (!before || span->first > before->first)
			before = span;
		if (line <= span->last && (!around || span->first > around->first))
			around = span;
	}
	if (around || !before)
		return around;
	return strstr(before->name, "Ul") ? NULL : before; // a lambda's mangled name
}

const char *outlined_full_name(struct unit *unit, const char *name, const char *file, int line)
{
	if (!line || !is_unnamed(name))
		return name;
	if (!unit->has_spans)
		find_spans(unit);
	const struct span *span = nearest_span(unit, file ? file : unit->name, line);
	if (!span)
		return name;
	return arena_printf(&unit->services->arena, "%s.omp_outlined%s", span->name,
			    strstr(name, "_debug__") ? "_debug__" : "");
}
