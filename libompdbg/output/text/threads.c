// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of threads.

#include <stdlib.h>
#include <string.h>

#include "base/foreign.h"
#include "diagnose/words.h"
#include "output/text/text.h"

enum {
	SHOWN_REASONS = 8,
	FOLD_FROM = 32, // threads in all: fewer have a row each
	FOLD_ALIKE = 4, // threads alike that share one
};

enum { THREAD, NUMBER, RUNTIME, LEVEL, TEAM, STATE, SINCE, TASK, WHERE, NUM_COLUMNS };
static const struct column columns[NUM_COLUMNS] = {
	[THREAD] = NUMBER_COLUMN("Thread"),
	[NUMBER] = NUMBER_COLUMN("OMP"),
	[RUNTIME] = { .title = "Runtime" },
	[LEVEL] = NUMBER_COLUMN("Level"),
	[TEAM] = { .title = "Team", .squeeze = 8 },
	[STATE] = { .title = "State",
		    .squeeze = 22,
		    .least = 14,
		    .cut = cut_wait,
		    .shorten = without_address,
		    .paint = paint_wait,
		    .is_marked = true },
	[SINCE] = { .title = "For", .right = true, .drop = 2 },
	[TASK] = { .title = "Task", .drop = 1 },
	[WHERE] = PLACE_COLUMN("Where", 26),
};

static const char *runtime_of(struct thread *thread)
{
	// Shown only where there are several.
	if (!has_several_runtimes(thread->runtime->process) || thread_is_openmp(thread) != YES)
		return "";
	return thread->runtime->name ? thread->runtime->name : "?";
}

/** Write a task in a narrow column: "implicit", or the number of an explicit one, "#17". */
static const char *task_cell(struct arena *arena, const struct task *task)
{
	uint64_t number = task_number(task);

	return number ? arena_printf(arena, "#%lu", (unsigned long)number) : task_kind(task);
}

static void add_row(struct text_table *table, struct thread *thread)
{
	struct arena *arena = table->paper->arena;
	const char **row = text_table_row(table);
	const struct record_wait *recorded = recorded_wait(thread);
	const struct task *task = thread_task(thread);
	int level = thread_level(thread);

	row[THREAD] = thread->target->selected ?
			      arena_printf(arena, "* %s", thread->target->label) :
			      thread->target->label;
	row[NUMBER] = number_text(arena, thread);
	row[RUNTIME] = runtime_of(thread);
	row[LEVEL] = level == NOT_KNOWN ? "" : arena_printf(arena, "%d", level);
	row[TEAM] = thread->team ? team_label(thread->team) : "";
	row[STATE] = thread_doing(thread)->text;
	row[SINCE] = recorded ?
			     age_text(process_history(thread->runtime->process), recorded->since) :
			     "";
	row[TASK] = task ? task_cell(arena, task) : "";
	row[WHERE] = where_text(thread);
}

// ---- Threads alike -----------------------------------------------------------------------------

/** Threads whose rows differ in their numbers only. */
struct alike {
	const char *const *row; // of the first
	int *numbers;
	size_t count, capacity;
	bool is_shown;
};

/** Check whether the cells of two rows say the same. Explicit tasks differ in their numbers only. */
static bool is_same_cell(int column, const char *one, const char *other)
{
	if (column == TASK && *one == '#' && *other == '#')
		return true;
	return column == SINCE || strcmp(one, other) == 0;
}

static bool are_alike(const char *const *one, const char *const *other)
{
	for (int column = RUNTIME; column < NUM_COLUMNS; column++) {
		if (!is_same_cell(column, one[column], other[column]))
			return false;
	}
	return true;
}

/** Put the threads of a table into groups. The selected thread is in none. @return the group of each
 *  row. */
static struct alike **group_rows(const struct text_table *table, struct thread *const *threads)
{
	struct arena *arena = table->paper->arena;
	struct alike **groups = ARENA_ARRAY(arena, struct alike *, table->num_rows);
	struct alike **known = ARENA_ARRAY(arena, struct alike *, table->num_rows);
	size_t num_known = 0;

	for (size_t i = 0; i < table->num_rows; i++) {
		size_t k = 0;
		if (threads[i]->target->selected)
			continue;
		while (k < num_known && !are_alike(known[k]->row, table->rows[i].cells))
			k++;
		if (k == num_known) {
			known[num_known++] = ARENA_NEW(arena, struct alike);
			known[k]->row = table->rows[i].cells;
		}
		groups[i] = known[k];
		*ARENA_APPEND(arena, groups[i]->numbers, groups[i]->count, groups[i]->capacity) =
			threads[i]->target->number;
	}
	return groups;
}

/** Write the numbers of many threads in few columns: "5-56,...". */
static const char *first_range(struct arena *arena, const struct alike *group)
{
	const char *all = ranges_text(arena, group->numbers, group->count);
	int size = (int)strcspn(all, ",");

	return all[size] ? arena_printf(arena, "%.*s,...", size, all) : all;
}

/** Write for how long the one of a group's threads waits that began first. */
static const char *longest_wait(struct thread *const *threads, struct alike *const *groups,
				const struct alike *group, size_t count)
{
	const struct record_wait *first = NULL;
	const struct history *history = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct record_wait *wait = groups[i] == group ? recorded_wait(threads[i]) :
								      NULL;
		if (!wait || (first && first->since <= wait->since))
			continue;
		first = wait;
		history = process_history(threads[i]->runtime->process);
	}
	return first ? age_text(history, first->since) : "";
}

/** Leave one row for many threads alike. */
static void fold(struct text_table *table, struct thread *const *threads)
{
	struct arena *arena = table->paper->arena;
	struct alike **groups = group_rows(table, threads);
	size_t kept = 0;

	for (size_t i = 0; i < table->num_rows; i++) {
		struct alike *group = groups[i];
		bool is_folded = group && group->count >= FOLD_ALIKE;
		if (is_folded && group->is_shown)
			continue;
		if (i != kept)
			table->rows[kept] = table->rows[i];
		if (is_folded) {
			table->rows[kept].cells[THREAD] = first_range(arena, group);
			table->rows[kept].cells[NUMBER] =
				counted_text(arena, group->count, "thread");
			if (*table->rows[kept].cells[TASK] == '#') // each has its own
				table->rows[kept].cells[TASK] = "explicit";
			table->rows[kept].cells[SINCE] =
				longest_wait(threads, groups, group, table->num_rows);
			group->is_shown = true;
		}
		kept++;
	}
	table->num_rows = kept;
}

/** Fit the table: the name of a team tells its level. */
static void fit(struct text_table *table)
{
	size_t width = table->paper->width;

	if (width && text_table_width(table) > width)
		text_table_remove(table, LEVEL);
}

// ---- Lines below -------------------------------------------------------------------------------

/** Compare states by their threads: the most frequent first, else in the order in which they came. */
static int compare_counts(const void *a, const void *b)
{
	const struct fold *left = a, *right = b;

	if (left->count != right->count)
		return left->count < right->count ? 1 : -1;
	return left->threads.all[0]->target < right->threads.all[0]->target ? -1 : 1;
}

/** Sum up: "8 threads: 5 barrier, 2 work, 1 no OpenMP thread". */
static const char *summary(struct arena *arena, const struct view_options *options)
{
	const char *text = counted_text(arena, options->num_threads, "thread");
	struct folds folds = { 0 };

	for (size_t i = 0; i < options->num_threads; i++) {
		struct thread *thread = options->threads[i];
		const char *state = thread_is_openmp(thread) == NO ? "no OpenMP thread" :
								     thread_doing(thread)->word;
		struct fold *fold = fold_of(&folds, arena, state);
		if (!fold->count++)
			thread_list_append(&fold->threads, arena, thread);
	}
	if (folds.count)
		qsort(folds.all, folds.count, sizeof(*folds.all), compare_counts);
	for (size_t i = 0; i < folds.count; i++)
		text = arena_printf(arena, "%s%s%zu %s", text, i ? ", " : ": ", folds.all[i].count,
				    doing_text(arena, folds.all[i].text, folds.all[i].count));
	return text;
}

static bool is_unknown(struct thread *thread)
{
	return !thread->target->running && thread_is_openmp(thread) != NO && !thread_state(thread);
}

/** Say why states are unknown, each reason once. */
static void add_reasons(struct text *text, const struct view_options *options)
{
	struct arena *arena = text->paper.arena;
	struct folds folds = { 0 };

	for (size_t i = 0; i < options->num_threads; i++) {
		struct thread *thread = options->threads[i];
		const char *reason = thread_state_reason(thread);
		if (reason && is_unknown(thread))
			thread_list_append(&fold_of(&folds, arena, reason)->threads, arena, thread);
	}
	for (size_t i = 0; i < folds.count && i < SHOWN_REASONS; i++)
		TEXT_WRAP(text, "? %s: %s", threads_text(arena, &folds.all[i].threads),
			  foreign_visible(arena, folds.all[i].text));
}

struct ompdbg_error *text_threads(struct text *text, const struct view_options *options)
{
	struct text_table table;

	text_table_init(&table, &text->paper, columns, NUM_COLUMNS);
	for (size_t i = 0; i < options->num_threads; i++) {
		if (process_is_interrupted(text->process))
			return NULL;
		add_row(&table, options->threads[i]);
		text_table_mark(&table, thread_style(text, options->threads[i]));
	}
	// Who has chosen threads wants to see each.
	if (options->num_threads >= FOLD_FROM && options->num_threads == text->process->num_targets)
		fold(&table, options->threads);
	const struct history *history = process_history(text->process);
	if (history && !history->is_end_stop)
		table.columns[SINCE].title = "Since";
	fit(&table);
	text_table_remove_empty(&table);
	text_table_add(text, &table);
	lines_wrap(&text->lines, &text->paper, summary(text->paper.arena, options), ", ");
	add_reasons(text, options);
	return NULL;
}
