// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Control variables and the environment.

#include <stdlib.h>
#include <string.h>

#include "diagnose/words.h"
#include "output/icv_rows.h"
#include "output/text/text.h"

enum {
	FEW_VALUES = 2,
	MAX_DIGITS = 9
}; // so many values are worth rows, of what tells threads apart

static bool is_number(const char *text)
{
	return text && *text && text[strspn(text, "0123456789")] == '\0';
}

/** Check for a variable that tells threads apart, so that there are as many values as threads. */
static bool tells_apart(const char *name)
{
	static const char *const names[] = { "thread-num-var", "team-num-var",
					     "place-partition-var", "place-assignment-var" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (strcmp(names[i], name) == 0)
			return true;
	}
	return false;
}

/** Write a value: "none" and "not set" for those that say nothing. */
static const char *value_text(const struct icv *icv)
{
	if (!icv->value)
		return "?";
	if (!*icv->value)
		return "none";
	return strcmp(icv->value, "undefined") == 0 ? "not set" : icv->value;
}

/** Write what a variable was when the program began, where it is not so now, and what set it. */
static const char *initially(struct arena *arena, const struct icv_row *rows, size_t count)
{
	const struct icv *icv = rows[0].icv;
	const char *began = icv->initial, *text = "";

	if (!began && icv->setting)
		began = icv->setting->value;
	if (began && !(count == 1 && icv->value && strcmp(icv->value, began) == 0))
		text = began;
	if (icv->setting)
		text = arena_printf(arena, "%s%sfrom %s", text, *text ? " " : "",
				    icv->setting->name);
	return text;
}

/** Write the values of one variable as a list of numbers if there are many. @return NULL: each is
 *  worth a row. */
static const char *joined_values(struct arena *arena, const struct icv_row *rows, size_t count,
				 struct thread_list *threads)
{
	int *numbers = ARENA_ARRAY(arena, int, count);

	if (!tells_apart(rows[0].icv->name) || count <= FEW_VALUES)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		if (!is_number(rows[i].icv->value) || strlen(rows[i].icv->value) > MAX_DIGITS)
			return NULL;
		numbers[i] = (int)strtol(rows[i].icv->value, NULL, 10);
		thread_list_join(threads, arena, &rows[i].threads);
	}
	return number_list(arena, numbers, count);
}

/** Add the rows of one variable. */
static void add_variable(struct text_table *table, const struct icv_row *rows, size_t count,
			 size_t everyone)
{
	struct arena *arena = table->paper->arena;
	const char *name = arena_printf(arena, "  %s", rows[0].icv->name);
	const char *began = initially(arena, rows, count);
	struct thread_list all = { 0 };
	const char *joined = joined_values(arena, rows, count, &all);

	for (size_t i = 0; i < (joined ? 1 : count); i++) {
		const struct thread_list *threads = joined ? &all : &rows[i].threads;
		TABLE_ROW(table, i ? "" : name, joined ? joined : value_text(rows[i].icv),
			  threads->count < everyone ? thread_number_list(arena, threads) : "",
			  i ? "" : began);
	}
}

/** Say why values are unknown, each reason once. */
static void add_reasons(struct text *text, const struct icv_row *rows, size_t count)
{
	struct arena *arena = text->paper.arena;
	struct folds folds = { 0 };
	const char *last = "";

	for (size_t i = 0; i < count; i++) {
		const struct icv *icv = rows[i].icv;
		if (icv->value || !icv->reason)
			continue;
		struct fold *fold = fold_of(&folds, arena, icv->reason);
		if (strcmp(last, icv->name) != 0)
			fold->items = listed_text(arena, fold->items, icv->name);
		last = icv->name;
	}
	for (size_t i = 0; i < folds.count; i++)
		TEXT_WRAP(text, "? %s: %s", folds.all[i].items, folds.all[i].text);
}

struct ompdbg_error *text_icvs(struct text *text, const struct view_options *options)
{
	static const struct column columns[] = {
		{ .title = "Variable" },
		{ .title = "Value", .squeeze = 10 },
		{ .title = "Threads", .squeeze = 16 },
		{ .title = "Initially", .squeeze = 29 },
	};
	struct arena *arena = text->paper.arena;
	size_t count, heads[NUM_ICV_SCOPES];
	const struct icv_row *rows = icv_rows(text->process, options->threads, options->num_threads,
					      options->scope, &count);
	struct text_table table;

	text_table_init(&table, &text->paper, columns, sizeof(columns) / sizeof(*columns));
	for (int i = 0; i < NUM_ICV_SCOPES; i++)
		heads[i] = SIZE_MAX;
	for (size_t i = 0, end; i < count; i = end) {
		enum icv_scope of = rows[i].icv->scope;
		for (end = i + 1; end < count && rows[end].icv->scope == of &&
				  strcmp(rows[end].icv->name, rows[i].icv->name) == 0;)
			end++;
		if (heads[of] == SIZE_MAX)
			heads[of] = table.num_rows;
		add_variable(&table, rows + i, end - i, options->num_threads);
	}
	text_table_remove_empty(&table);
	const char *const *lines = text_table_lines(&table);
	text_add(text, lines[0]);
	for (size_t i = 0; i < table.num_rows; i++) {
		for (int k = 0; k < NUM_ICV_SCOPES; k++) {
			if (heads[k] == i)
				TEXT_ADD(text, "%s:",
					 capitalized(arena, icv_scope_name((enum icv_scope)k)));
		}
		text_add(text, lines[i + 1]);
	}
	add_reasons(text, rows, count);
	return NULL;
}

// ---- The environment ---------------------------------------------------------------------------

static void add_environment(struct text *text, struct runtime *runtime, bool all)
{
	static const struct column columns[] = {
		{ .title = "Variable" },
		{ .title = "Value", .squeeze = 12 },
		{ .title = "Set to", .squeeze = 12 },
	};
	struct text_table table;
	size_t count;
	const struct control_variable *variables = runtime_control_variables(runtime, &count);

	text_table_init(&table, &text->paper, columns, sizeof(columns) / sizeof(*columns));
	for (size_t i = 0; i < count; i++) {
		const struct setting *setting = variables[i].setting;
		const char *value = variables[i].value;
		if (!all && !(value && *value) && !setting)
			continue;
		bool is_other = setting && !(value && strcmp(value, setting->value) == 0);
		TABLE_ROW(&table, variables[i].name,
			  value	  ? value :
			  setting ? "?" :
				    "",
			  is_other ? setting->value : "");
	}
	text_table_add(text, &table);
	if (table.num_rows < count)
		TEXT_ADD(text, "%zu more are not set.", count - table.num_rows);
}

struct ompdbg_error *text_environment(struct text *text, const struct view_options *options)
{
	struct process *process = text->process;

	for (size_t i = 0; i < process->num_runtimes; i++) {
		if (has_several_runtimes(process))
			TEXT_ADD(text, "-- %s --", process->runtimes[i]->title);
		add_environment(text, process->runtimes[i], options->all);
	}
	return NULL;
}
