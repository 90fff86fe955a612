// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks, and why a program does not go on.

#include <string.h>

#include "diagnose/words.h"
#include "output/text/text.h"

enum { INDENT = 2 };
enum { EACH_WITH_ITS = 3 }; // of more waits for tasks it isn't told who waits for which thread
enum { MOST_IN_FULL = 32, SHOWN = 8 }; // of a longer deadlock so many threads and locks are shown

// ---- Locks -------------------------------------------------------------------------------------

static const char *owner_text(struct arena *arena, const struct lock *lock)
{
	if (lock->owner)
		return lock->owner->target->label;
	if (lock->owner_ended)
		return lock->source == OWNER_HISTORY ? "ended" : "perhaps ended";
	if (lock->is_held == NO)
		return "none";
	if (lock->num_candidates == 1)
		return arena_printf(arena, "perhaps %s", lock->candidates[0].thread->target->label);
	return "?";
}

struct ompdbg_error *text_locks(struct text *text, const struct view_options *options)
{
	static const struct column columns[] = {
		{ .title = "Lock",
		  .squeeze = 16,
		  .cut = cut_wait,
		  .shorten = without_address,
		  .paint = paint_wait },
		{ .title = "Owner", .squeeze = NEVER_CUT },
		{ .title = "Waiters", .squeeze = 8 },
		PLACE_COLUMN("Where the owner is", 20),
	};
	struct arena *arena = text->paper.arena;
	struct text_table table;
	size_t count;
	const struct lock *locks = process_locks(text->process, &count);

	(void)options;
	if (!count) {
		text_nobody(text, "was found waiting for a lock");
		text_unseen(text);
		return NULL;
	}
	text_table_init(&table, &text->paper, columns, sizeof(columns) / sizeof(*columns));
	for (size_t i = 0; i < count; i++) {
		const struct lock *lock = &locks[i];
		struct thread *owner = lock->owner		 ? lock->owner :
				       lock->num_candidates == 1 ? lock->candidates[0].thread :
								   NULL;
		TABLE_ROW(&table, lock->title, owner_text(arena, lock),
			  thread_numbers(arena, &lock->waiters), owner ? where_text(owner) : "");
	}
	text_table_add(text, &table);
	for (size_t i = 0; i < count; i++) {
		const struct lock *lock = &locks[i];
		const char *title = capitalized(arena, lock->title);
		const char *reason = lock_reason_text(arena, lock);
		const char *held = held_text(text->process, lock);
		if (lock->owner && *held)
			TEXT_WRAP(text, "%s: held by thread %s%s", title,
				  lock->owner->target->label, held);
		if (lock->contradiction)
			TEXT_WRAP(text, "%s: %s", title, lock->contradiction);
		// Of a lock that somebody perhaps holds, that it has no owner says nothing more.
		if (reason && (!lock->num_candidates || is_system_lock_kind(lock->kind)))
			TEXT_WRAP(text, "%s: %s", title, reason);
		size_t num_texts;
		const char *const *texts = candidate_texts(arena, lock, &num_texts);
		for (size_t k = 0; k < num_texts; k++)
			text_wrap(text, texts[k]);
	}
	text_unseen(text);
	return NULL;
}

// ---- Why: rows ---------------------------------------------------------------------------------

/** A row below a headline: what some threads do, and where. */
struct row {
	struct thread_list threads;
	const char *what, *where;
};

/** Write how long the threads of a row wait: the one that began first. */
static const char *waiting_text(const struct row *row)
{
	const struct record_wait *first = NULL;

	for (size_t i = 0; i < row->threads.count; i++) {
		const struct record_wait *wait = recorded_wait(row->threads.all[i]);
		if (wait && (!first || wait->since < first->since))
			first = wait;
	}
	if (!first)
		return "";
	const struct history *history = process_history(row->threads.all[0]->runtime->process);
	const char *age = age_text(history, first->since);
	return *age ? arena_printf(&history->process->arena, "waits %s%s",
				   history->is_end_stop ? "" : "since ", age) :
		      "";
}

/** Write for whom a thread waits: ", for threads 1-2". */
static const char *for_whom(struct arena *arena, const struct edge *edges, size_t count)
{
	struct thread_list list = { 0 };
	const struct lock *lock;

	if (!count)
		return "";
	for (size_t i = 0; i < count; i++) {
		if (edges[i].thread)
			thread_list_add(&list, arena, edges[i].thread);
	}
	lock = edges[0].kind == EDGE_LOCK ? edges[0].lock : NULL;
	if (lock)
		return list.count ?
			       arena_printf(arena, ", %sheld by %s", lock->owner ? "" : "perhaps ",
					    list.all[0] == edges[0].waiter ?
						    "itself" :
						    list.all[0]->target->label) :
			       "";
	if (list.count)
		return arena_printf(arena, ", for %s", threads_text(arena, &list));
	return edges[0].kind == EDGE_EVENT ? ", for an event" : "";
}

/** Write what a thread does and, unless the headline has said it, for whom it waits. */
static const char *what_text(struct arena *arena, struct thread *thread, const struct edge *edges,
			     size_t count, bool is_said)
{
	const struct wait *wait = thread_wait(thread);

	if (thread_signal(thread) || !wait)
		return thread_doing(thread)->text;
	return is_said ? wait->title :
			 arena_printf(arena, "%s%s", wait->title, for_whom(arena, edges, count));
}

/** Leave most numbers out of "192 threads (1, 3-5, 7-9, ...)". */
static const char *with_few_numbers(const struct paper *paper, const char *text)
{
	const char *numbers = strchr(text, '('), *second = numbers ? strchr(numbers, ',') : NULL;

	second = second ? strchr(second + 1, ',') : NULL;
	return second ? arena_printf(paper->arena, "%.*s, ...)", (int)(second - text), text) : text;
}

static void add_rows(struct text *text, const struct row *rows, size_t count)
{
	static const struct column columns[] = {
		{ .title = "", .squeeze = 10, .shorten = with_few_numbers },
		{ .title = "",
		  .squeeze = 16,
		  .shorten = without_address,
		  .cut = cut_wait,
		  .paint = paint_wait },
		{ .title = "", .right = true, .drop = 1 },
		PLACE_COLUMN("", 20),
	};
	struct arena *arena = text->paper.arena;
	struct paper paper = indented_paper(&text->paper, INDENT);
	struct text_table table;
	const char *const *lines;

	text_table_init(&table, &paper, columns, sizeof(columns) / sizeof(*columns));
	for (size_t i = 0; i < count; i++) {
		TABLE_ROW(&table, threads_text(arena, &rows[i].threads),
			  doing_text(arena, rows[i].what, rows[i].threads.count),
			  waiting_text(&rows[i]), rows[i].where);
	}
	text_table_remove_empty(&table);
	lines = text_table_lines(&table);
	for (size_t i = 1; i <= table.num_rows; i++)
		TEXT_ADD(text, "%*s%s", INDENT, "", lines[i]);
}

/** Return how many of a list are shown. */
static size_t num_shown(size_t count)
{
	return count > MOST_IN_FULL ? SHOWN : count;
}

/** Say how many of a list are not shown. */
static void add_rest(struct text *text, size_t count, const char *what)
{
	if (num_shown(count) < count)
		TEXT_ADD(text, "%*s... and %zu more %s", INDENT, "", count - num_shown(count),
			 what);
}

/** Add the threads of a deadlock, in the order of its cycle. */
static void add_cycle(struct text *text, const struct finding *finding)
{
	struct arena *arena = text->paper.arena;
	size_t count = num_shown(finding->num_edges);
	struct row *rows = ARENA_ARRAY(arena, struct row, count);

	for (size_t i = 0; i < count; i++) {
		thread_list_add(&rows[i].threads, arena, finding->edges[i]->waiter);
		rows[i].what =
			what_text(arena, finding->edges[i]->waiter, finding->edges[i], 1, false);
		rows[i].where = where_text(finding->edges[i]->waiter);
	}
	add_rows(text, rows, count);
	add_rest(text, finding->num_edges, "threads");
}

/** Check whether the headline of a finding says for whom a thread waits. */
static bool is_in_headline(const struct finding *finding, const struct edge *edge)
{
	if (edge->kind == EDGE_BARRIER)
		return finding->rule == RULE_BARRIER || finding->rule == RULE_DIFFERENT_BARRIERS;
	return finding->rule == RULE_LOCK && edge->kind == EDGE_LOCK && edge->lock == finding->lock;
}

/** Add the threads that have to do with a finding; those of which it says the same share a row. */
static void add_threads(struct text *text, const struct finding *finding)
{
	struct arena *arena = text->paper.arena;
	struct graph *graph = process_graph(text->process);
	struct thread_list list = { 0 };
	struct row *rows;
	size_t count = 0;
	bool has_many_tasks = finding->rule == RULE_TASK && finding->num_edges > EACH_WITH_ITS;

	thread_list_join(&list, arena, &finding->waiters);
	thread_list_join(&list, arena, &finding->others);
	rows = ARENA_ARRAY(arena, struct row, list.count);
	for (size_t i = 0; i < list.count; i++) {
		struct thread *thread = list.all[i];
		const struct wait_node *node = graph_node(graph, thread);
		size_t k = 0;
		bool is_said = node->num_edges &&
			       (has_many_tasks || is_in_headline(finding, &node->edges[0]));
		const char *what = what_text(arena, thread, node->edges, node->num_edges, is_said);
		const char *where = where_text(thread);
		while (k < count &&
		       !(strcmp(rows[k].what, what) == 0 && strcmp(rows[k].where, where) == 0))
			k++;
		if (k == count) {
			rows[count].what = what;
			rows[count++].where = where;
		}
		thread_list_append(&rows[k].threads, arena, thread);
	}
	add_rows(text, rows, count);
}

// ---- Why ---------------------------------------------------------------------------------------

/** Check whether an earlier finding tells for what each thread of this one waits: tasks stay queued because
 *  the threads that could run them wait. */
static bool is_consequence(struct graph *graph, const struct finding *findings, size_t index)
{
	const struct finding *finding = &findings[index];

	if (finding->rule != RULE_QUEUED)
		return false;
	for (size_t i = 0; i < finding->waiters.count; i++) {
		struct thread_list chain = graph_chain(graph, finding->waiters.all[i]);
		bool is_known = false;

		for (size_t k = 0; k < index && !is_known; k++) {
			for (size_t m = 0; m < chain.count && !is_known; m++)
				is_known = thread_list_has(&findings[k].waiters, chain.all[m]);
		}
		if (!is_known)
			return false;
	}
	return true;
}

/** Add a text below a headline, indented. */
static void add_note(struct text *text, const char *note)
{
	struct paper paper = indented_paper(&text->paper, INDENT);
	struct lines lines = { 0 };

	lines_wrap(&lines, &paper, note, " ");
	for (size_t i = 0; i < lines.count; i++)
		TEXT_ADD(text, "%*s%s", INDENT, "", lines.lines[i]);
}

static void add_headline(struct text *text, const struct finding *finding)
{
	enum style style = finding->severity == SEVERITY_STUCK ? STYLE_STUCK : STYLE_TITLE;
	struct lines lines = { 0 };

	lines_wrap(&lines, &text->paper, finding->text, " ");
	for (size_t i = 0; i < lines.count; i++)
		text_add(text, paint(&text->paper, style, lines.lines[i]));
}

/** Add a row for a thread, and for each for which it waits. */
static void add_chain(struct text *text, struct thread *thread)
{
	struct arena *arena = text->paper.arena;
	struct graph *graph = process_graph(text->process);
	struct thread_list list = graph_chain(graph, thread);
	struct row *rows = ARENA_ARRAY(arena, struct row, list.count);

	for (size_t i = 0; i < list.count; i++) {
		const struct wait_node *node = graph_node(graph, list.all[i]);
		thread_list_add(&rows[i].threads, arena, list.all[i]);
		rows[i].what = what_text(arena, list.all[i], node->edges, node->num_edges, false);
		rows[i].where = where_text(list.all[i]);
	}
	add_rows(text, rows, list.count);
}

/** Check for a thread that a signal has reached: the line of the crash has been written. */
static bool has_crashed(const struct process *process)
{
	for (size_t i = 0; i < process->num_targets; i++) {
		if (thread_signal(process->threads[i]))
			return true;
	}
	return false;
}

struct ompdbg_error *text_why(struct text *text, const struct view_options *options)
{
	const struct finding *findings = options->findings;
	struct thread *thread = options->thread;

	if (thread && !thread->target->running)
		add_chain(text, thread);
	for (size_t i = 0; i < options->num_findings; i++) {
		if (findings[i].rule == RULE_SIGNAL)
			continue; // it has been written
		add_headline(text, &findings[i]);
		if (findings[i].rule == RULE_DEADLOCK)
			add_cycle(text, &findings[i]);
		else if (!is_consequence(process_graph(text->process), findings, i))
			add_threads(text, &findings[i]);
		for (size_t k = 0; k < num_shown(findings[i].num_notes); k++)
			add_note(text, findings[i].notes[k]);
		add_rest(text, findings[i].num_notes, "of these");
	}
	if (!text->lines.count && !has_crashed(text->process))
		text_nobody(text, "was found waiting for another");
	text_unseen(text);
	return NULL;
}
