// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Units of debug information, and their tables of lines.

#include "services/internal.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "ranges.h"

enum { MAX_LINES = 1 << 22 };

/** A row of the table of lines: it holds from its address on. */
struct line_row {
	uint64_t address;
	const char *file;
	int line; // 0: code has no line of its own, or none follows
	bool is_statement;
};

// ---- Units -----------------------------------------------------------------------------------

struct unit *unit_of(struct target_services *services, Dwarf_Die *die, uint64_t bias)
{
	struct unit **known =
		(struct unit **)table_put(&services->units, &services->arena, (uintptr_t)die->cu);
	int64_t language;

	if (*known)
		return *known;
	struct unit *unit = ARENA_NEW(&services->arena, struct unit);
	*unit = (struct unit){ .services = services, .die = *die, .bias = bias };
	unit->name = entry_text(die, DW_AT_name);
	unit->folder = entry_text(die, DW_AT_comp_dir);
	if (!entry_number(die, DW_AT_language, &language))
		language = 0;
	switch (language) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case 0x2b: // C++20, which older headers lack
		unit->is_cxx = true;
		break;
	case DW_LANG_Fortran77:
	case DW_LANG_Fortran90:
	case DW_LANG_Fortran95:
	case DW_LANG_Fortran03:
	case DW_LANG_Fortran08:
		unit->is_fortran = true;
		break;
	default:
		break;
	}
	*known = unit;
	return unit;
}

struct unit *unit_at(struct target_services *services, uint64_t address)
{
	ssize_t index = object_index_at(services, address);
	uint64_t bias;
	Dwarf_Die die;

	if (index < 0 || (!services->is_detailed && services->objects.all[index].is_of_system) ||
	    !target_unit_at(services->target, address, &die, &bias))
		return NULL;
	return unit_of(services, &die, bias);
}

const char *unit_producer(struct unit *unit)
{
	const char *producer = entry_text(&unit->die, DW_AT_producer);

	return producer ? producer : "";
}

size_t unit_functions(struct unit *unit, uint64_t address, Dwarf_Die *ret)
{
	Dwarf_Die scopes[MAX_SCOPES];
	size_t count = target_scopes(unit->services->target, &unit->die, address - unit->bias,
				     scopes, MAX_SCOPES);
	size_t found = 0;

	while (count--) {
		int tag = dwarf_tag(&scopes[count]);

		if (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_subprogram)
			ret[found++] = scopes[count];
		if (tag == DW_TAG_subprogram)
			break;
	}
	return found;
}

bool unit_function(struct unit *unit, uint64_t address, Dwarf_Die *ret)
{
	Dwarf_Die functions[MAX_SCOPES];
	size_t count = unit ? unit_functions(unit, address, functions) : 0;

	if (count)
		*ret = functions[count - 1];
	return count;
}

bool unit_entry(const struct unit *unit, Dwarf_Die *function, uint64_t *ret)
{
	Dwarf_Addr address, base, end;

	// A function in several parts begins where the first of them does.
	if (dwarf_entrypc(function, &address) != 0 &&
	    dwarf_ranges(function, 0, &base, &address, &end) <= 0)
		return false;
	*ret = address + unit->bias;
	return true;
}

// ---- Files -----------------------------------------------------------------------------------

/** Join a folder and a file, without "." and "..". */
static char *normal_path(struct arena *arena, const char *folder, const char *file)
{
	const char *begin = *file == '/' ? "" : folder ? folder : "";
	char *path = arena_printf(arena, "/%s/%s", begin, file); // what is written never overtakes
	char *to = path;

	for (const char *from = path; *from;) {
		size_t length;

		while (*from == '/')
			from++;
		length = strcspn(from, "/");
		if (length == 2 && memcmp(from, "..", 2) == 0) {
			while (to > path && *--to != '/')
				;
		} else if (length && !(length == 1 && *from == '.')) {
			*to++ = '/';
			memmove(to, from, length);
			to += length;
		}
		from += length;
	}
	*to = '\0';
	return path;
}

/** Name a file: the unit's own as it was named for the compiler, all others as the table has them. */
static const char *file_name(struct unit *unit, const char *file)
{
	struct arena *arena = &unit->services->arena;

	if (!file || !unit->name)
		return file;
	const char **known = (const char **)table_put(&unit->files, arena, (uintptr_t)file);
	if (!*known) {
		if (!unit->path)
			unit->path = normal_path(arena, unit->folder, unit->name);
		bool is_own = strcmp(normal_path(arena, unit->folder, file), unit->path) == 0;

		*known = is_own ? unit->name : file;
	}
	return *known;
}

const char *unit_file(struct unit *unit, Dwarf_Die *die, unsigned int name)
{
	Dwarf_Files *files;
	int64_t number;
	size_t count;

	if (!entry_number(die, name, &number) ||
	    dwarf_getsrcfiles(&unit->die, &files, &count) != 0 || number < 0 ||
	    (uint64_t)number >= count)
		return NULL;
	return file_name(unit, dwarf_filesrc(files, (size_t)number, NULL, NULL));
}

struct ompdbg_error *service_source_path(void *context, uint64_t address, const char *file,
					 const char **ret)
{
	struct target_services *services = context;
	struct unit *unit = unit_at(services, address);

	if (!unit || (*file != '/' && !unit->folder))
		return &ompdbg_error_absent;
	*ret = normal_path(&services->arena, unit->folder, file);
	return NULL;
}

// ---- Rows ------------------------------------------------------------------------------------

/** Read the table, which libdw has sorted: where one sequence ends and another begins, the end comes
 *  first. */
static void read_rows(struct unit *unit)
{
	Dwarf_Lines *lines;
	size_t count;

	unit->has_rows = true;
	if (dwarf_getsrclines(&unit->die, &lines, &count) != 0)
		return;
	if (count > MAX_LINES)
		count = MAX_LINES;
	unit->rows = ARENA_ARRAY(&unit->services->arena, struct line_row, count);
	for (size_t i = 0; i < count; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);
		bool ends = false, is_statement = false;
		Dwarf_Addr address;
		int number = 0;

		if (dwarf_lineaddr(line, &address) != 0)
			continue;
		dwarf_lineno(line, &number);
		dwarf_lineendsequence(line, &ends);
		dwarf_linebeginstatement(line, &is_statement);
		unit->rows[unit->num_rows++] = (struct line_row){
			.address = address + unit->bias,
			.file = file_name(unit, dwarf_linesrc(line, NULL, NULL)),
			.line = ends || number < 0 ? 0 : number,
			.is_statement = is_statement,
		};
	}
}

/** Return the index of the first row past an address. */
static size_t rows_past(struct unit *unit, uint64_t address)
{
	if (!unit->has_rows)
		read_rows(unit);
	return RANGES_BEGUN(unit->rows, unit->num_rows, address);
}

struct place unit_place(struct unit *unit, uint64_t address)
{
	size_t index = rows_past(unit, address);
	const struct line_row *rows = unit->rows;

	if (!index || !rows[--index].line)
		return (struct place){ NULL, 0 };
	size_t best = index;
	while (!rows[best].is_statement && index && rows[index - 1].address == rows[best].address) {
		index--;
		if (rows[index].is_statement && rows[index].line)
			best = index;
	}
	return (struct place){ rows[best].file, rows[best].line };
}

struct place unit_inlined_place(struct unit *unit, uint64_t address, Dwarf_Die *inlined)
{
	struct place place = unit_place(unit, address);

	for (size_t i = rows_past(unit, address); i && !place.line; i--) {
		const struct line_row *row = &unit->rows[i - 1];

		if (dwarf_haspc(inlined, row->address - unit->bias) <= 0)
			break;
		if (row->line)
			place = (struct place){ row->file, row->line };
	}
	return place;
}

struct place unit_first_line(struct unit *unit, uint64_t start)
{
	const struct line_row *first = NULL, *end = NULL;

	for (size_t i = start ? rows_past(unit, start - 1) : 0; i < unit->num_rows; i++) {
		const struct line_row *row = &unit->rows[i];

		if (!first && row->address != start)
			break;
		if (row->line && row->is_statement && !first)
			first = row;
		end = row;
		if (first && row->line && row->line != first->line &&
		    is_same_text(row->file, first->file))
			break;
	}
	if (!first)
		return (struct place){ NULL, 0 };
	if (unit->is_fortran && end->line && end->line < first->line &&
	    is_same_text(end->file, first->file))
		first = end;
	return (struct place){ first->file, first->line };
}

bool unit_next_line(struct unit *unit, size_t *position, uint64_t *address, struct place *ret)
{
	size_t i = *position;

	if (!unit->has_rows)
		read_rows(unit);
	ret->line = 0;
	while (i < unit->num_rows && !ret->line) {
		*address = unit->rows[i].address;
		for (; i < unit->num_rows && unit->rows[i].address == *address; i++) {
			if (unit->rows[i].line > 0)
				*ret = (struct place){ unit->rows[i].file, unit->rows[i].line };
		}
	}
	*position = i;
	return ret->line != 0;
}
