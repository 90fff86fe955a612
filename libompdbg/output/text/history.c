// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events before the stop, newest last. What repeats is folded.

#include <math.h>
#include <string.h>

#include "diagnose/words.h"
#include "output/history_words.h"
#include "output/text/text.h"

enum { MAX_PERIOD = 3, REMEMBERED = 2 * MAX_PERIOD };

/** A line of the table: an event, or several alike. */
struct event_line {
	const struct history_event *event; // the latest
	double waited;			   // seconds that it took to come to this; NAN
	uint64_t count;			   // of events alike
	uint64_t since;			   // time of the first of these
	bool is_dropped;
};

/** The latest lines of one thread. */
struct thread_lines {
	struct event_line *latest[REMEMBERED]; // the newest first
};

struct event_table {
	struct history *history;
	struct event_line *lines;
	size_t count;
	struct thread_lines *threads; // by index in the recording
};

// ---- Folding -----------------------------------------------------------------------------------

static void push(struct thread_lines *thread, struct event_line *line)
{
	for (size_t i = REMEMBERED - 1; i; i--)
		thread->latest[i] = thread->latest[i - 1];
	thread->latest[0] = line;
}

/** Remove lines from the latest ones of a thread, from an index on. */
static void pull(struct thread_lines *thread, size_t from, size_t count)
{
	for (size_t i = 0; i < count; i++)
		thread->latest[from + i]->is_dropped = true;
	for (size_t i = from; i < REMEMBERED; i++)
		thread->latest[i] = i + count < REMEMBERED ? thread->latest[i + count] : NULL;
}

/** Check that two lines say the same but for numbers of iterations and tasks. */
static bool is_alike(const struct event_line *a, const struct event_line *b)
{
	const struct record_event *one = &a->event->event, *other = &b->event->event;

	return one->kind == other->kind && one->detail == other->detail &&
	       one->code == other->code &&
	       (!event_is_of_mutex(one) || one->object == other->object);
}

/** Fold the latest lines of a thread with those before, if these say the same. */
static void fold(struct thread_lines *thread)
{
	for (size_t period = 1; period <= MAX_PERIOD; period++) {
		bool is_repeated = true;
		for (size_t i = 0; i < period && is_repeated; i++)
			is_repeated = thread->latest[i] && thread->latest[i + period] &&
				      is_alike(thread->latest[i], thread->latest[i + period]);
		if (!is_repeated)
			continue;
		for (size_t i = 0; i < period; i++) {
			thread->latest[i]->count += thread->latest[i + period]->count;
			thread->latest[i]->since = thread->latest[i + period]->since;
			thread->latest[i]->waited = NAN;
		}
		pull(thread, period, period);
		return;
	}
}

static bool is_kind(const struct event_line *line, enum record_kind kind,
		    const struct record_event *event)
{
	return line && line->count == 1 && line->event->event.kind == kind &&
	       (line->event->event.detail == event->detail || event->kind == RECORD_NEST_BEGIN) &&
	       line->event->event.object == event->object;
}

/** Add an event of a thread. Of the two or three by which the runtime tells one thing, a line is left. */
static void add_event(struct event_table *table, const struct history_event *added)
{
	struct thread_lines *thread = &table->threads[added->thread - table->history->threads];
	struct event_line *line = &table->lines[table->count++];
	const struct record_event *event = &added->event;
	struct event_line *last = thread->latest[0];
	enum record_kind before = event->kind == RECORD_ACQUIRED ||
						  event->kind == RECORD_NEST_BEGIN ?
					  RECORD_ACQUIRE :
				  event->kind == RECORD_WAIT_BEGIN ? RECORD_SYNC_BEGIN :
				  event->kind == RECORD_SYNC_END   ? RECORD_WAIT_END :
								     RECORD_NOTHING;

	*line = (struct event_line){ added, NAN, 1, event->time, false };
	if (event->kind == RECORD_WAIT_END && is_kind(last, RECORD_WAIT_BEGIN, event))
		line->waited =
			history_seconds(table->history, last->event->event.time, event->time);
	if (before && is_kind(last, before, event)) {
		line->waited = before == RECORD_ACQUIRE ?
				       history_seconds(table->history, last->event->event.time,
						       event->time) :
				       last->waited;
		pull(thread, 0, 1);
	}
	if (event->kind == RECORD_WORK_END && is_kind(last, RECORD_WORK_BEGIN, event) &&
	    event_is_passed(event)) {
		line->is_dropped = true;
		return;
	}
	push(thread, line);
	fold(thread);
}

// ---- The table ---------------------------------------------------------------------------------

static const char *event_thread_text(struct arena *arena, const struct history_thread *thread)
{
	if (thread->thread)
		return thread->thread->target->label;
	return arena_printf(arena, "(%lu)", (unsigned long)thread->record.lwp);
}

static const char *time_text(const struct history *history, uint64_t time)
{
	double seconds = history_seconds(history, time, history->end);

	return isnan(seconds) ? "?" : arena_printf(&history->process->arena, "%.6f s", seconds);
}

static const char *what_text(const struct history *history, const struct event_line *line)
{
	struct arena *arena = &history->process->arena;
	const char *text = event_text(history->process, &line->event->event);

	if (line->count > 1)
		return arena_printf(arena, "%s, %s times in %s", text,
				    grouped_text(arena, line->count),
				    duration_text(arena, history_seconds(history, line->since,
									 line->event->event.time)));
	if (!isnan(line->waited))
		return arena_printf(arena, "%s after %s", text, duration_text(arena, line->waited));
	return text;
}

static void add_table(struct text *text, const struct event_table *events)
{
	struct history *history = events->history;
	const struct column columns[] = {
		NUMBER_COLUMN("Thread"),
		{ .title = history->is_end_stop ? "Before stop" : "Before end", .right = true },
		{ .title = "Event", .squeeze = 24, .paint = paint_wait },
		PLACE_COLUMN("Where", 20),
	};
	struct arena *arena = text->paper.arena;
	struct text_table table;

	text_table_init(&table, &text->paper, columns, sizeof(columns) / sizeof(*columns));
	for (size_t i = 0; i < events->count && !process_is_interrupted(text->process); i++) {
		const struct event_line *line = &events->lines[i];
		if (line->is_dropped)
			continue;
		const struct record_event *event = &line->event->event;
		TABLE_ROW(&table, event_thread_text(arena, line->event->thread),
			  time_text(history, event->time), what_text(history, line),
			  place_text(arena, construct_location(text->process, event->code)));
	}
	text_table_add(text, &table);
}

// ---- Below -------------------------------------------------------------------------------------

static void add_notes(struct text *text, struct history *history,
		      const struct view_options *options, const struct history_thread *only,
		      size_t shown)
{
	struct arena *arena = text->paper.arena;
	uint64_t there = 0, lost = 0;

	for (size_t i = 0; i < history->num_threads; i++) {
		const struct history_thread *thread = &history->threads[i];
		if (only && only != thread)
			continue;
		there += thread->written - thread->lost;
		lost += thread->lost;
	}
	if (shown < there)
		TEXT_WRAP(text, "The latest %s of %s recorded events.", grouped_text(arena, shown),
			  grouped_text(arena, there));
	if (lost && !options->last)
		TEXT_WRAP(text,
			  "Older events are gone (%s): a thread's ring has %s. From %s "
			  "on, all are there.",
			  grouped_text(arena, lost), grouped_text(arena, history->root.ring_events),
			  time_text(history, history_complete_from(history, only)));
	if (!history->is_end_stop)
		TEXT_WRAP(text,
			  "It is unknown when the program stopped. The latest event "
			  "was at %s.",
			  clock_text(history, history->end, true));
	if (history->root.threads_dropped)
		TEXT_WRAP(text, "%s not recorded: the recorder's budget is used up.",
			  counted_text(arena, history->root.threads_dropped, "thread"));
	if (history->is_damaged)
		text_wrap(text, "Parts of the recording are damaged, and left out.");
	text_unseen(text);
}

struct ompdbg_error *text_history(struct text *text, const struct view_options *options)
{
	struct arena *arena = text->paper.arena;
	struct history *history = process_history(text->process);
	const struct history_thread *only = options->thread ? history_of(options->thread) : NULL;
	struct event_table table = { .history = history };
	struct history_event *events;
	size_t count;
	struct ompdbg_error *error = history_events(history, only, options->last, &events, &count);

	if (error)
		return error;
	table.lines = ARENA_ARRAY(arena, struct event_line, count);
	table.threads = ARENA_ARRAY(arena, struct thread_lines, history->num_threads);
	for (size_t i = 0; i < count; i++)
		add_event(&table, &events[i]);
	add_table(text, &table);
	add_notes(text, history, options, only, count);
	return NULL;
}
