// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of the values that an expression has in threads.

#include <string.h>

#include "base/foreign.h"
#include "diagnose/words.h"
#include "output/text/text.h"
#include "stack/cxx_names.h"

enum { OUTLIER, THREAD, NUMBER, VALUE, FUNCTION, NUM_COLUMNS };
enum {
	LEAST_VALUE = 24,   // columns, before others give way
	MOST_LINES = 12,    // of a value
	MOST_FUNCTION = 24, // columns, where a value is long
	MOST_NUMBERS = 24,  // columns of a list of threads
};

static const char *paint_function(const struct paper *paper, const char *text)
{
	return paint(paper, STYLE_FUNCTION, text);
}

static const struct column columns[NUM_COLUMNS] = {
	[OUTLIER] = { .title = "" },
	[THREAD] = { .title = "Thread", .squeeze = 14, .right = true },
	[NUMBER] = { .title = "OMP", .squeeze = 11 },
	[VALUE] = { .title = "Value", .squeeze = LEAST_VALUE },
	[FUNCTION] = { .title = "In",
		       .squeeze = 10,
		       .drop = 1,
		       .cut = cut_function,
		       .paint = paint_function },
};

static const char *numbers_of(const struct paper *paper, const struct thread_list *threads)
{
	if (threads->count == 1)
		return threads->all[0]->target->label;
	return cut_numbers(paper, thread_numbers(paper->arena, threads), MOST_NUMBERS);
}

/** Write the cells of a group. */
static void fill(const char **row, const struct paper *paper, const struct value_group *group)
{
	struct arena *arena = paper->arena;
	const struct thread_value *first = group->first;

	row[OUTLIER] = group->is_outlier ? "!" : "";
	row[THREAD] = numbers_of(paper, &group->threads);
	row[NUMBER] = group->threads.count == 1 ?
			      number_text(arena, first->thread) :
			      counted_text(arena, group->threads.count, "thread");
	row[VALUE] = first->value.text ? first->value.text : first->value.problem;
	row[FUNCTION] = first->location && first->location->function ?
				cxx_shown(arena, first->location->function) :
				"";
	for (size_t k = 0; k < NUM_COLUMNS; k++)
		row[k] = foreign_visible(arena, row[k]);
}

/** Return how many columns are left for values; 0: as many as they need. */
static size_t value_width(const struct text *text, const struct values *values)
{
	static const size_t most[NUM_COLUMNS] = {
		[OUTLIER] = 1, [THREAD] = MOST_NUMBERS, [NUMBER] = 11, [FUNCTION] = MOST_FUNCTION
	};
	size_t widths[NUM_COLUMNS] = { [THREAD] = 6, [NUMBER] = 3, [FUNCTION] = 2 }, sum = 0;
	const char *row[MAX_COLUMNS];

	for (size_t i = 0; i < values->num_groups; i++) {
		fill(row, &text->paper, &values->groups[i]);
		for (size_t k = 0; k < NUM_COLUMNS; k++) {
			size_t width = foreign_width(row[k]);

			if (k != VALUE && width > most[k])
				width = most[k];
			if (k != VALUE && width > widths[k])
				widths[k] = width;
		}
	}
	for (size_t k = 0; k < NUM_COLUMNS; k++)
		sum += k != VALUE && widths[k] ? widths[k] + 2 : 0;
	return text->paper.width > sum + LEAST_VALUE ? text->paper.width - sum : LEAST_VALUE;
}

/** Return the length of the words of a value that have room in a line, at least one of them. */
static size_t length_of_line(struct arena *arena, const char *value, size_t width)
{
	size_t length = strcspn(value, " ");

	while (value[length]) {
		size_t next = length + 1 + strcspn(value + length + 1, " ");

		if (foreign_width(arena_strndup(arena, value, next)) > width)
			break;
		length = next;
	}
	return length;
}

/** Add the row of a group, and more for a value that is too long for one. */
static void add_rows(struct text_table *table, const struct value_group *group, size_t width)
{
	struct arena *arena = table->paper->arena;
	const char **row = text_table_row(table);

	fill(row, table->paper, group);
	const char *rest = row[VALUE];
	for (int lines = 1; foreign_width(rest) > width && lines < MOST_LINES; lines++) {
		size_t length = length_of_line(arena, rest, width);

		row[VALUE] = foreign_cut(arena, arena_strndup(arena, rest, length), width);
		rest += length;
		if (!*rest)
			return;
		row = text_table_row(table);
		for (size_t k = 0; k < NUM_COLUMNS; k++)
			row[k] = "";
		row[VALUE] = ++rest;
	}
	row[VALUE] = foreign_cut(arena, rest, width);
}

/** Write "8 threads: 7 have the same value, 1 differs (!)". */
static const char *summary(struct arena *arena, const struct values *values)
{
	const char *text = counted_text(arena, values->num_threads, "thread");
	size_t lack = values->num_threads - values->num_with_value, outliers = 0;

	for (size_t i = 0; i < values->num_groups; i++)
		outliers += values->groups[i].is_outlier ? values->groups[i].threads.count : 0;
	if (outliers)
		text = arena_printf(arena, "%s: %zu have the same value, %zu differ%s (!)", text,
				    values->num_with_value - outliers, outliers,
				    outliers == 1 ? "s" : "");
	else
		text = arena_printf(arena, "%s: %s", text,
				    values->num_with_value ?
					    counted_text(arena, values->num_different, "value") :
					    "no value");
	return lack && values->num_with_value ? arena_printf(arena, "%s, %zu without", text, lack) :
						text;
}

/** Write "minimum -1.5 in thread 3 (1/4)". */
static const char *extreme(struct text *text, const struct values *values, const char *name,
			   const struct value_group *group)
{
	struct arena *arena = text->paper.arena;
	struct thread_list threads =
		values_threads_with(text->process, values, group->first->value.number);
	const char *list = numbers_of(&text->paper, &threads);
	const char *noun = threads.count == 1  ? "thread" :
			   strstr(list, "...") ? counted_text(arena, threads.count, "thread") :
						 "threads";
	const char *found =
		arena_printf(arena, "%s %s in %s %s", name, group->first->value.text, noun, list);
	const char *number = threads.count == 1 ? number_text(arena, threads.all[0]) : "";

	return *number ? arena_printf(arena, "%s (%s)", found, number) : found;
}

struct ompdbg_error *text_values(struct text *text, const struct view_options *options)
{
	const struct values *values = options->values;
	size_t width = value_width(text, values);
	struct text_table table;

	text_table_init(&table, &text->paper, columns, NUM_COLUMNS);
	for (size_t i = 0; i < values->num_groups; i++)
		add_rows(&table, &values->groups[i], width);
	table.num_visible = table.num_rows;
	text_table_remove_empty(&table);
	text_table_add(text, &table);
	text_wrap(text, summary(text->paper.arena, values));
	if (values->least && values->num_different > 1)
		TEXT_WRAP(text, "%s, %s", extreme(text, values, "Minimum", values->least),
			  extreme(text, values, "maximum", values->greatest));
	if (values->option)
		TEXT_WRAP(text,
			  "\"%s\" was taken for a part of the expression (options go before it)",
			  values->option);
	return NULL;
}
