// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of what OMPT answers.

#include <ctype.h>
#include <string.h>

#include "diagnose/words.h"
#include "model/inquiry.h"
#include "output/icv_rows.h"
#include "output/text/text.h"

enum { MAX_TITLES = 8 };

/** The columns of a kind of inquiry. */
struct titles {
	struct {
		enum answer answer;
		const char *title;
	} columns[MAX_TITLES];
	size_t count;
};

static const struct titles titles[] = {
	[INQUIRY_THREAD] = { { { ANSWER_STATE, "State" },
			       { ANSWER_WAIT_ID, "Wait id" },
			       { ANSWER_DATA, "Tool data" },
			       { ANSWER_PLACE, "Place" },
			       { ANSWER_PARTITION, "Partition" },
			       { ANSWER_PROCESSOR, "Processor" } },
			     6 },
	[INQUIRY_TASK] = { { { ANSWER_TYPE, "Type" },
			     { ANSWER_THREAD_NUM, "Num" },
			     { ANSWER_DATA, "Tool data" },
			     { ANSWER_PARALLEL_DATA, "Region's data" },
			     { ANSWER_EXIT_FRAME, "Exit frame" },
			     { ANSWER_ENTER_FRAME, "Enter frame" } },
			   6 },
	[INQUIRY_PARALLEL] = { { { ANSWER_TEAM_SIZE, "Threads" }, { ANSWER_DATA, "Tool data" } },
			       2 },
};

/** The inquiries of a command. */
struct inquiries {
	const struct inquiry *found;
	size_t count, capacity;
	uint32_t shown; // 1 << enum answer for each column
	const struct titles *titles;
};

static bool has_level(const struct inquiry *inquiry)
{
	return !inquiry->reasons[ANSWER_LEVEL];
}

static const char *lower(struct arena *arena, const char *text)
{
	char *copy = arena_strdup(arena, text);

	for (char *letter = copy; *letter; letter++)
		*letter = (char)tolower((unsigned char)*letter);
	return copy;
}

// ---- Cells -------------------------------------------------------------------------------------

static const char *type_text(struct arena *arena, uint32_t type)
{
	const char *names[MAX_TYPE_NAMES], *text = "";
	size_t count = task_type_names(type, names, MAX_TYPE_NAMES);
	bool is_explicit = false;

	for (size_t i = 0; i < count; i++)
		is_explicit |= strcmp(names[i], "explicit") == 0;
	if (count && !is_explicit) // of implicit tasks the rest is always the same
		return names[0];
	for (size_t i = 0; i < count; i++)
		text = listed_text(arena, text, names[i]);
	return text;
}

static const char *answer_text(struct arena *arena, const struct inquiry *inquiry,
			       enum answer answer)
{
	uint64_t number = inquiry->numbers[answer];

	if (!(inquiry->known >> answer & 1))
		return "?";
	switch (answer) {
	case ANSWER_STATE:
		return inquiry->state;
	case ANSWER_TYPE:
		return type_text(arena, inquiry->type);
	case ANSWER_PARTITION:
		if (inquiry->partition[0] == inquiry->partition[1])
			return arena_printf(arena, "%d", inquiry->partition[0]);
		return arena_printf(arena, "%d-%d", inquiry->partition[0], inquiry->partition[1]);
	case ANSWER_WAIT_ID:
	case ANSWER_EXIT_FRAME:
	case ANSWER_ENTER_FRAME:
		return number ? arena_printf(arena, "%#lx", (unsigned long)number) : "-";
	case ANSWER_DATA:
	case ANSWER_PARALLEL_DATA:
		return arena_printf(arena, "%#lx", (unsigned long)number);
	default:
		return arena_printf(arena, "%ld", (long)number);
	}
}

static bool is_frame(enum answer answer)
{
	return answer == ANSWER_EXIT_FRAME || answer == ANSWER_ENTER_FRAME;
}

// ---- The table ---------------------------------------------------------------------------------

static bool is_number(enum answer answer)
{
	return answer == ANSWER_PLACE || answer == ANSWER_PROCESSOR ||
	       answer == ANSWER_THREAD_NUM || answer == ANSWER_TEAM_SIZE;
}

static void fill(struct text_table *table, const struct paper *paper, const struct inquiries *all,
		 bool with_levels, bool with_frames)
{
	struct column columns[MAX_COLUMNS] = { { .title = "Thread" } };
	enum answer answers[MAX_COLUMNS];
	const struct thread *last = NULL;
	size_t first = 1, count;

	if (with_levels)
		columns[first++] = (struct column){ .title = "Level", .right = true };
	count = first;
	for (size_t i = 0; i < all->titles->count; i++) {
		enum answer answer = all->titles->columns[i].answer;
		if (!(all->shown >> answer & 1) || (is_frame(answer) && !with_frames))
			continue;
		answers[count] = answer;
		columns[count++] = (struct column){
			.title = all->titles->columns[i].title,
			.right = is_number(answer),
			.squeeze = answer == ANSWER_STATE || answer == ANSWER_TYPE ? 8 : NEVER_CUT,
		};
	}
	text_table_init(table, paper, columns, count);
	for (size_t i = 0; i < all->count; i++) {
		const struct inquiry *one = &all->found[i];
		if (!has_level(one))
			continue;
		const char **row = text_table_row(table);
		row[0] = one->thread != last ? one->thread->target->label : "";
		if (with_levels)
			row[1] = arena_printf(paper->arena, "%d", one->level);
		for (size_t k = first; k < count; k++)
			row[k] = answer_text(paper->arena, one, answers[k]);
		last = one->thread;
	}
}

/** Add what has no column. */
static void add_details(struct text *text, const struct inquiry *one, bool with_frames)
{
	struct arena *arena = text->paper.arena;

	if (with_frames && (one->numbers[ANSWER_EXIT_FRAME] || one->numbers[ANSWER_ENTER_FRAME]))
		TEXT_ADD(text, "%15sexit frame %s, enter frame %s", "",
			 answer_text(arena, one, ANSWER_EXIT_FRAME),
			 answer_text(arena, one, ANSWER_ENTER_FRAME));
	if (one->known >> ANSWER_MEMORY & 1)
		TEXT_ADD(text, "%15s%lu bytes of memory at %#lx", "",
			 (unsigned long)one->memory_size,
			 (unsigned long)one->numbers[ANSWER_MEMORY]);
}

static void add_table(struct text *text, const struct inquiries *all)
{
	struct text_table table;
	bool with_levels = false, is_folded, has_frames;
	size_t row = 1;

	for (size_t i = 0; i < all->count; i++)
		with_levels |= has_level(&all->found[i]) && all->found[i].level != NOT_KNOWN;
	has_frames = all->shown & (1U << ANSWER_EXIT_FRAME | 1U << ANSWER_ENTER_FRAME);
	fill(&table, &text->paper, all, with_levels, true);
	is_folded = has_frames && text->paper.width && text_table_width(&table) > text->paper.width;
	if (is_folded)
		fill(&table, &text->paper, all, with_levels, false);
	const char *const *lines = text_table_lines(&table);
	text_add(text, lines[0]);
	for (size_t i = 0; i < all->count; i++) {
		if (!has_level(&all->found[i]))
			continue;
		text_add(text, lines[row++]);
		add_details(text, &all->found[i], is_folded);
	}
}

// ---- Reasons -----------------------------------------------------------------------------------

static const char *title_of(const struct inquiries *all, enum answer answer)
{
	for (size_t i = 0; i < all->titles->count; i++) {
		if (all->titles->columns[i].answer == answer)
			return all->titles->columns[i].title;
	}
	return NULL;
}

static void add_once(struct text *text, struct folds *told, const char *line)
{
	if (!fold_of(told, text->paper.arena, line)->count++)
		text_wrap(text, line);
}

/** Add what is not known at all, each reason once: "No tool data and no frames: ...". */
static void add_missing_columns(struct text *text, const struct inquiries *all)
{
	struct arena *arena = text->paper.arena;
	struct folds folds = { 0 };

	for (int answer = 0; answer < ANSWER_LEVEL; answer++) {
		const char *title = title_of(all, (enum answer)answer);
		bool is_missing = title && !(all->shown >> answer & 1);
		for (size_t i = 0; is_missing && i < all->count; i++) {
			const char *reason = all->found[i].reasons[answer];
			struct fold *fold = reason && has_level(&all->found[i]) ?
						    fold_of(&folds, arena, reason) :
						    NULL;
			if (!fold || fold->count >> answer & 1)
				continue;
			fold->count |= 1U << answer;
			fold->items = arena_printf(arena, *fold->items ? "%s and no %s" : "%sNo %s",
						   fold->items, lower(arena, title));
		}
	}
	for (size_t i = 0; i < folds.count; i++) {
		// A runtime that keeps nothing of a tool keeps no frames for it.
		bool lacks_frames = folds.all[i].count >> ANSWER_DATA & 1 &&
				    title_of(all, ANSWER_EXIT_FRAME) &&
				    !(all->shown >> ANSWER_EXIT_FRAME & 1);
		TEXT_WRAP(text, "%s%s: %s.", folds.all[i].items,
			  lacks_frames ? " and no frames" : "", folds.all[i].text);
	}
}

static void add_reasons(struct text *text, const struct inquiries *all)
{
	struct arena *arena = text->paper.arena;
	struct folds told = { 0 };

	add_missing_columns(text, all);
	for (size_t i = 0; i < all->count; i++) {
		const struct inquiry *one = &all->found[i];
		if (!has_level(one))
			continue;
		for (int answer = 0; answer < NUM_ANSWERS; answer++) {
			const char *reason = one->reasons[answer];
			const char *title = title_of(all, (enum answer)answer);
			if (!reason)
				continue;
			if (answer == ANSWER_NEXT)
				add_once(text, &told,
					 arena_printf(arena,
						      "Thread %s: cannot read below level %d: %s.",
						      one->thread->target->label, one->level,
						      reason));
			else if (all->shown >> answer & 1 || !title)
				add_once(text, &told,
					 arena_printf(
						 arena, "%s ?: %s.",
						 title ? title :
							 capitalized(
								 arena,
								 answer_name((enum answer)answer)),
						 reason));
		}
	}
}

/** Add which threads have no such level. */
static void add_missing_levels(struct text *text, const struct inquiries *all)
{
	struct arena *arena = text->paper.arena;
	struct folds folds = { 0 };

	for (size_t i = 0; i < all->count; i++) {
		const struct inquiry *one = &all->found[i];
		if (has_level(one))
			continue;
		struct fold *fold = fold_of(&folds, arena,
					    arena_printf(arena, "no level %d: %s", one->level,
							 one->reasons[ANSWER_LEVEL]));
		fold->items = listed_text(arena, fold->items, one->thread->target->label);
		fold->count++;
	}
	for (size_t i = 0; i < folds.count; i++)
		TEXT_WRAP(text, "Thread%s %s: %s.", folds.all[i].count > 1 ? "s" : "",
			  folds.all[i].items, folds.all[i].text);
}

struct ompdbg_error *text_inquiries(struct text *text, const struct view_options *options)
{
	struct inquiries all = { .titles = &titles[options->inquiry] };
	struct inquiry *found = NULL;
	bool is_any = false;

	for (size_t i = 0; i < options->num_threads && !process_is_interrupted(text->process);
	     i++) {
		size_t count;
		const struct inquiry *of =
			inquiries_of(options->threads[i], options->inquiry, options->level, &count);
		for (size_t k = 0; k < count; k++)
			*ARENA_APPEND(text->paper.arena, found, all.count, all.capacity) = of[k];
	}
	all.found = found;
	for (size_t i = 0; i < all.count; i++) {
		is_any |= has_level(&found[i]);
		if (has_level(&found[i]))
			all.shown |= found[i].known;
	}
	if (is_any)
		add_table(text, &all);
	add_reasons(text, &all);
	add_missing_levels(text, &all);
	return NULL;
}
