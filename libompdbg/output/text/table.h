// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables and lines that fit a terminal: columns give way in a set order, and no line wraps.

#ifndef OMPDBG_TABLE_TEXT_H
#define OMPDBG_TABLE_TEXT_H

#include <stdint.h>
#include <string.h>

#include "output/text/palette.h"

/** Cut a visible text down to a width. */
typedef const char *cutter(const struct paper *paper, const char *text, size_t width);
cutter cut_end;
/** Cut a function's name: its scopes first, then what is in brackets. */
cutter cut_function;
/** Cut "work at hang.c:12": the place is worth more than the name, and the line more than the file. */
cutter cut_place;
/** Cut "2-3,5,7-11" after a comma. */
cutter cut_numbers;
/** Cut "lock cells[3].lock, perhaps held by 2": for whom a thread waits, and the end of a long name, are
 *  worth more than all of it. */
cutter cut_wait;

enum {
	NEVER_CUT = 0,
	LEAST_PLACE = 11, // of "work at hang.c:12"
	LEAST_INDENTED = 20,
};

/** Remove the address of a lock that has a name. */
const char *without_address(const struct paper *paper, const char *text);

/** One column. */
struct column {
	const char *title;
	size_t squeeze; // may be cut down to this width; NEVER_CUT
	size_t least;	// and, where all are cut that far, down to this; 0: no further
	cutter *cut;	// NULL: cut_end
	const char *(*shorten)(const struct paper *paper, const char *text); // NULL: not at all
	painter *paint;							     // NULL: none
	int drop;	// which column goes first where space is short: the highest; 0: never
	bool right;	// aligned
	bool is_marked; // by the row's painter, where it has one
};

/** Columns of numbers, and of places in the source, which may be cut down to a width. */
#define NUMBER_COLUMN(name)                    \
	{                                      \
		.title = (name), .right = true \
	}
#define PLACE_COLUMN(name, width)                                                            \
	{                                                                                    \
		.title = (name), .squeeze = (width), .least = LEAST_PLACE, .cut = cut_place, \
		.paint = paint_place                                                         \
	}

enum { MAX_COLUMNS = 16 };

struct table_row {
	const char *cells[MAX_COLUMNS];
	enum style mark; // of the columns that are marked; STYLE_NONE: their own
};

/** A table that is being filled. */
struct text_table {
	const struct paper *paper;
	struct column columns[MAX_COLUMNS];
	size_t num_columns;
	struct table_row *rows;
	size_t num_rows, capacity;
	size_t num_visible; // rows whose cells were made visible
};

void text_table_init(struct text_table *table, const struct paper *paper,
		     const struct column *columns, size_t num_columns);
/** Add a row: fill the cells of the array that is given back, valid until the next row. Cells that are
 *  left NULL are empty. */
const char **text_table_row(struct text_table *table);
/** Add a row with these cells. */
#define TABLE_ROW(table, ...)                                                       \
	memcpy(text_table_row(table), ((const char *[MAX_COLUMNS]){ __VA_ARGS__ }), \
	       MAX_COLUMNS * sizeof(char *))
/** Mark the latest row: a style instead of the painters of columns that are marked. */
void text_table_mark(struct text_table *table, enum style mark);
/** Remove a column. */
void text_table_remove(struct text_table *table, size_t column);
/** Remove the columns that say nothing, unless there are no rows. */
void text_table_remove_empty(struct text_table *table);
/** Make all cells visible, and return how wide the table is if nothing is cut. */
size_t text_table_width(struct text_table *table);
/** Lay the table out. @return its lines, the head first; num_rows + 1 of them. */
const char *const *text_table_lines(struct text_table *table);

/** Return a paper for lines that are indented. */
struct paper indented_paper(const struct paper *paper, size_t indent);

/** Lines of text. */
struct lines {
	const char **lines;
	size_t count, capacity;
};
void lines_add(struct lines *lines, const struct paper *paper, const char *line);
/** Add a text broken between words, or behind the separators of a list, made visible. */
void lines_wrap(struct lines *lines, const struct paper *paper, const char *text,
		const char *between);

#endif
