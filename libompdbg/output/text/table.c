// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables and lines that fit a terminal.

#include "output/text/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/foreign.h"
#include "stack/cxx_names.h"

enum {
	GAP = 2,	// columns between cells
	LEAST_NAME = 8, // of a function's name less says nothing
};

// ---- Cutting -----------------------------------------------------------------------------------

const char *cut_end(const struct paper *paper, const char *text, size_t width)
{
	return foreign_cut(paper->arena, text, width);
}

/** Cut "hang.c:12": the line is worth more than the whole name. */
static const char *cut_file(const struct paper *paper, const char *text, size_t width)
{
	const char *line = strrchr(text, ':');

	if (!line || foreign_width(text) <= width || foreign_width(line) + strlen("...") > width)
		return cut_end(paper, text, width);
	const char *file = arena_strndup(paper->arena, text, (size_t)(line - text));
	return arena_printf(paper->arena, "%s%s", cut_end(paper, file, width - foreign_width(line)),
			    line);
}

/** Leave out as many scopes of a name as it takes to fit: what is in them says most. */
static const char *without_scopes(struct arena *arena, const char *name, size_t width)
{
	const size_t blanks = strspn(name, " ");
	const char *begin = name + blanks;
	size_t left = foreign_width(name); // columns of the blanks, and of what begins there
	int depth = 0;

	for (const char *at = begin; *at && left > width; at++) {
		depth += (*at == '<' || *at == '(' || *at == '{') -
			 (*at == '>' || *at == ')' || *at == '}');
		if (!depth && at[0] == ':' && at[1] == ':' && at[2]) {
			left -= foreign_width_of(begin, (size_t)(at + 2 - begin));
			begin = at + 2;
		}
	}
	return arena_printf(arena, "%*s%s", (int)blanks, "", begin);
}

/** Shorten a function's name as far as it makes sense. */
static const char *short_function(struct arena *arena, const char *name, size_t width)
{
	const char *found = without_scopes(arena, name, width);

	return foreign_width(found) <= width ?
		       found :
		       without_scopes(arena, cxx_abbreviated(arena, name, width), width);
}

const char *cut_function(const struct paper *paper, const char *name, size_t width)
{
	return cut_end(paper, short_function(paper->arena, name, width), width);
}

const char *cut_place(const struct paper *paper, const char *text, size_t width)
{
	const char *at = NULL;

	for (const char *next = strstr(text, " at "); next; next = strstr(next + 1, " at "))
		at = next;
	if (!at || foreign_width(text) <= width)
		return cut_end(paper, text, width);
	if (foreign_width(at) + strlen("...") >= width)
		return cut_file(paper, at + strlen(" at "), width);
	const char *name = arena_strndup(paper->arena, text, (size_t)(at - text));
	size_t left = width - foreign_width(at);
	name = short_function(paper->arena, name, left);
	if (foreign_width(name) > left && left < LEAST_NAME)
		return cut_file(paper, at + strlen(" at "), width);
	return arena_printf(paper->arena, "%s%s", cut_end(paper, name, left), at);
}

/** Cut the middle of "lock cells[3].lock": what comes last distinguishes it from others. */
static const char *cut_name(const struct paper *paper, const char *name, size_t width)
{
	enum { TAIL = 8 };
	size_t length = strlen(name);

	if (!strpbrk(name, "[.>") || foreign_width(name) <= width ||
	    length != foreign_width(name) || width < TAIL + strlen("lock ..."))
		return cut_end(paper, name, width);
	return arena_printf(paper->arena, "%.*s...%s", (int)(width - TAIL - strlen("...")), name,
			    name + length - TAIL);
}

const char *cut_wait(const struct paper *paper, const char *text, size_t width)
{
	const char *whom = strstr(text, ", ");
	size_t rest = whom ? foreign_width(whom) : 0;

	if (!whom || foreign_width(text) <= width)
		return cut_name(paper, text, width);
	const char *name = arena_strndup(paper->arena, text, (size_t)(whom - text));
	if (rest + strlen("lock a...") > width)
		return cut_name(paper, name, width); // a line below says more
	return arena_printf(paper->arena, "%s%s", cut_name(paper, name, width - rest), whom);
}

const char *without_address(const struct paper *paper, const char *text)
{
	const char *address = strstr(text, " (0x"), *end = address ? strchr(address, ')') : NULL;

	return end ? arena_printf(paper->arena, "%.*s%s", (int)(address - text), text, end + 1) :
		     text;
}

const char *cut_numbers(const struct paper *paper, const char *text, size_t width)
{
	size_t end = 0;

	if (strlen(text) <= width)
		return text;
	for (size_t i = 0; i + strlen("...") < width; i++)
		end = text[i] == ',' ? i + 1 : end;
	return end ? arena_printf(paper->arena, "%.*s...", (int)end, text) :
		     cut_end(paper, text, width);
}

// ---- Tables ------------------------------------------------------------------------------------

void text_table_init(struct text_table *table, const struct paper *paper,
		     const struct column *columns, size_t num_columns)
{
	*table = (struct text_table){ .paper = paper, .num_columns = num_columns };
	memcpy(table->columns, columns, num_columns * sizeof(*columns));
}

const char **text_table_row(struct text_table *table)
{
	struct table_row *row =
		ARENA_APPEND(table->paper->arena, table->rows, table->num_rows, table->capacity);

	row->mark = STYLE_NONE;
	return row->cells;
}

void text_table_mark(struct text_table *table, enum style mark)
{
	table->rows[table->num_rows - 1].mark = mark;
}

void text_table_remove(struct text_table *table, size_t column)
{
	size_t after = table->num_columns - column - 1;

	memmove(&table->columns[column], &table->columns[column + 1],
		after * sizeof(*table->columns));
	for (size_t i = 0; i < table->num_rows; i++)
		memmove(&table->rows[i].cells[column], &table->rows[i].cells[column + 1],
			after * sizeof(*table->rows[i].cells));
	table->num_columns--;
}

void text_table_remove_empty(struct text_table *table)
{
	for (size_t column = table->num_columns; column-- > 0 && table->num_rows;) {
		bool is_empty = true;
		for (size_t i = 0; i < table->num_rows && is_empty; i++)
			is_empty = !table->rows[i].cells[column] || !*table->rows[i].cells[column];
		if (is_empty)
			text_table_remove(table, column);
	}
}

static void make_visible(struct text_table *table)
{
	for (size_t i = table->num_visible; i < table->num_rows; i++) {
		for (size_t k = 0; k < table->num_columns; k++) {
			const char *cell = table->rows[i].cells[k];
			table->rows[i].cells[k] =
				cell ? foreign_visible(table->paper->arena, cell) : "";
		}
	}
	table->num_visible = table->num_rows;
}

static void find_widths(const struct text_table *table, size_t widths[MAX_COLUMNS])
{
	for (size_t k = 0; k < table->num_columns; k++) {
		widths[k] = strlen(table->columns[k].title);
		for (size_t i = 0; i < table->num_rows; i++) {
			size_t width = foreign_width(table->rows[i].cells[k]);
			if (width > widths[k])
				widths[k] = width;
		}
	}
}

static size_t total(const struct text_table *table, const size_t widths[MAX_COLUMNS])
{
	size_t sum = table->num_columns ? GAP * (table->num_columns - 1) : 0;

	for (size_t k = 0; k < table->num_columns; k++)
		sum += widths[k];
	return sum;
}

size_t text_table_width(struct text_table *table)
{
	size_t widths[MAX_COLUMNS];

	make_visible(table);
	find_widths(table, widths);
	return total(table, widths);
}

/** A cell, and shorter words for it. */
struct cell {
	const char **place, *whole, *brief;
};

static int compare_cells(const void *a, const void *b)
{
	return strcmp(((const struct cell *)a)->brief, ((const struct cell *)b)->brief);
}

/** Say the same in shorter words in a column, save where what differs would then be alike. */
static void shorten_column(struct text_table *table, size_t column)
{
	struct cell *cells = ARENA_ARRAY(table->paper->arena, struct cell, table->num_rows);
	size_t count = table->num_rows;

	for (size_t i = 0; i < count; i++) {
		const char **place = &table->rows[i].cells[column];
		cells[i] = (struct cell){ place, *place,
					  table->columns[column].shorten(table->paper, *place) };
	}
	if (count)
		qsort(cells, count, sizeof(*cells), compare_cells);
	for (size_t begin = 0, end; begin < count; begin = end) {
		bool is_same = true;
		for (end = begin; end < count && !compare_cells(&cells[begin], &cells[end]); end++)
			is_same &= strcmp(cells[begin].whole, cells[end].whole) == 0;
		for (size_t i = begin; i < end && is_same; i++)
			*cells[i].place = cells[i].brief;
	}
}

/** Say the same in shorter words where the table is too wide. */
static void shorten(struct text_table *table, size_t widths[MAX_COLUMNS])
{
	if (total(table, widths) <= table->paper->width)
		return;
	for (size_t k = 0; k < table->num_columns; k++) {
		if (table->columns[k].shorten)
			shorten_column(table, k);
	}
	find_widths(table, widths);
}

/** Return the width to which a column may be cut down. */
static size_t least_width(const struct column *column, size_t natural)
{
	size_t title = strlen(column->title);
	size_t least = column->squeeze > title ? column->squeeze : title;

	return column->squeeze == NEVER_CUT || natural < least ? natural : least;
}

/** Remove columns until the rest can be cut down to the paper's width. */
static void drop_columns(struct text_table *table, size_t widths[MAX_COLUMNS])
{
	for (;;) {
		size_t sum = table->num_columns ? GAP * (table->num_columns - 1) : 0;
		size_t first = 0;
		find_widths(table, widths);
		for (size_t k = 0; k < table->num_columns; k++) {
			sum += least_width(&table->columns[k], widths[k]);
			if (table->columns[k].drop > table->columns[first].drop)
				first = k;
		}
		if (sum <= table->paper->width || !table->num_columns ||
		    !table->columns[first].drop)
			return;
		text_table_remove(table, first);
	}
}

/** Cut columns down, the last ones first. @p is_last: to the least width that they may have. */
static void squeeze(struct text_table *table, size_t widths[MAX_COLUMNS], bool is_last)
{
	size_t sum = total(table, widths), width = table->paper->width;

	for (size_t k = table->num_columns; k-- > 0 && sum > width;) {
		const struct column *column = &table->columns[k];
		size_t least = least_width(column, widths[k]);
		if (is_last && column->least && column->least < least)
			least = column->least;
		size_t given = widths[k] - least < sum - width ? widths[k] - least : sum - width;
		if (!given)
			continue;
		widths[k] -= given;
		sum -= given;
		for (size_t i = 0; i < table->num_rows; i++)
			table->rows[i].cells[k] = (column->cut ? column->cut : cut_end)(
				table->paper, table->rows[i].cells[k], widths[k]);
	}
}

static void put_spaces(struct buffer *line, size_t count)
{
	while (count--)
		buffer_put_bytes(line, " ", 1);
}

static const char *lay_out(const struct text_table *table, const struct table_row *row,
			   const size_t widths[MAX_COLUMNS], bool is_head)
{
	const char *const *cells = row->cells;
	struct buffer line = { 0 };
	const char *found;

	for (size_t k = 0; k < table->num_columns; k++) {
		const struct column *column = &table->columns[k];
		enum style style = is_head	     ? STYLE_TITLE :
				   column->is_marked ? row->mark :
						       STYLE_NONE;
		size_t width = foreign_width(cells[k]);
		size_t space = width < widths[k] ? widths[k] - width : 0;
		bool is_last = true;
		for (size_t i = k + 1; i < table->num_columns && is_last; i++)
			is_last = !*cells[i];
		if (is_last && !*cells[k])
			break;
		if (column->right)
			put_spaces(&line, space);
		if (style != STYLE_NONE || !column->paint)
			buffer_put(&line, paint(table->paper, style, cells[k]));
		else
			buffer_put(&line, column->paint(table->paper, cells[k]));
		if (!is_last)
			put_spaces(&line, (column->right ? 0 : space) + GAP);
	}
	found = arena_strdup(table->paper->arena, line.data ? line.data : "");
	buffer_deinit(&line);
	return found;
}

const char *const *text_table_lines(struct text_table *table)
{
	const struct paper *paper = table->paper;
	const char **lines = ARENA_ARRAY(paper->arena, const char *, table->num_rows + 1);
	struct table_row titles = { 0 };
	size_t widths[MAX_COLUMNS];
	struct paper plain = *paper;

	make_visible(table);
	find_widths(table, widths);
	if (paper->width) {
		shorten(table, widths);
		drop_columns(table, widths);
		squeeze(table, widths, false);
		squeeze(table, widths, true);
	}
	// Too narrow even for the least widths: whole lines are cut.
	bool is_cut = paper->width && total(table, widths) > paper->width;
	plain.color = false;
	if (is_cut)
		table->paper = &plain;
	for (size_t k = 0; k < table->num_columns; k++)
		titles.cells[k] = table->columns[k].title;
	lines[0] = lay_out(table, &titles, widths, true);
	for (size_t i = 0; i < table->num_rows; i++)
		lines[i + 1] = lay_out(table, &table->rows[i], widths, false);
	for (size_t i = 0; i <= table->num_rows && is_cut; i++)
		lines[i] = cut_end(paper, lines[i], paper->width);
	table->paper = paper;
	return lines;
}

struct paper indented_paper(const struct paper *paper, size_t indent)
{
	struct paper narrower = *paper;

	if (paper->width)
		narrower.width = paper->width > indent + LEAST_INDENTED ? paper->width - indent :
									  LEAST_INDENTED;
	return narrower;
}

// ---- Lines -------------------------------------------------------------------------------------

void lines_add(struct lines *lines, const struct paper *paper, const char *line)
{
	*ARENA_APPEND(paper->arena, lines->lines, lines->count, lines->capacity) = line;
}

void lines_wrap(struct lines *lines, const struct paper *paper, const char *text,
		const char *between)
{
	const char *visible = foreign_visible(paper->arena, text), *line = "";
	size_t separator = strlen(between), shown = separator;
	bool is_first = true;

	while (shown && between[shown - 1] == ' ')
		shown--; // of the separator, what stays at the end of a line
	if (!paper->width || foreign_width(visible) <= paper->width) {
		lines_add(lines, paper, visible);
		return;
	}
	while (visible) {
		const char *end = strstr(visible, between);
		const char *word = end ? arena_strndup(paper->arena, visible,
						       (size_t)(end - visible) + shown) :
					 visible;
		const char *joined = is_first ? word :
						arena_printf(paper->arena, "%s %s", line, word);
		visible = end ? end + separator : NULL;
		if (is_first || foreign_width(joined) <= paper->width) {
			line = joined;
		} else {
			lines_add(lines, paper, cut_end(paper, line, paper->width));
			line = arena_printf(paper->arena, "  %s", word);
		}
		is_first = false;
	}
	lines_add(lines, paper, cut_end(paper, line, paper->width));
}
