// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tree of parallel regions.

#include <string.h>

#include "base/foreign.h"
#include "diagnose/words.h"
#include "output/text/text.h"

enum { INDENT = 2, LEAST_WIDTH = 20 };

enum { COUNT, STATE, WHERE, THREADS, NUM_COLUMNS };
static const struct column columns[NUM_COLUMNS] = {
	[COUNT] = NUMBER_COLUMN("Count"),
	[STATE] = { .title = "State",
		    .squeeze = 16,
		    .cut = cut_wait,
		    .shorten = without_address,
		    .paint = paint_wait,
		    .is_marked = true },
	[WHERE] = PLACE_COLUMN("Where", 20),
	[THREADS] = { .title = "Threads", .squeeze = 7, .cut = cut_numbers },
};

/** Regions that say the same, and enclose no others. */
struct alike {
	struct region **regions;
	size_t count;
};

static const char *spaces(struct arena *arena, size_t count)
{
	return arena_printf(arena, "%*s", (int)count, "");
}

// ---- Loops and progress ------------------------------------------------------------------------

static const char *loop_text(struct arena *arena, const struct loop *loop)
{
	const char *noun = loop->is_sections ? "section" : "iteration";
	const char *text = loop->is_sections ? "sections" :
			   loop->is_ordered  ? "ordered loop" :
					       "loop";

	if (loop->schedule && !loop->is_sections)
		text = arena_printf(arena, "%s %s", text, loop->schedule);
	if (loop->schedule && !loop->is_sections && loop->chunk != NOT_KNOWN)
		text = arena_printf(arena, "%s,%ld", text, (long)loop->chunk);
	if (loop->remaining == NOT_KNOWN && loop->total != NOT_KNOWN)
		text = arena_printf(arena, "%s: %s", text,
				    counted_text(arena, (uint64_t)loop->total, noun));
	else if (loop->remaining != NOT_KNOWN &&
		 (loop->total == NOT_KNOWN || loop->remaining_is_least))
		text = arena_printf(arena, "%s: %s%s left", text,
				    counted_text(arena, (uint64_t)loop->remaining, noun),
				    loop->remaining_is_least ? " or more" : "");
	else if (loop->remaining != NOT_KNOWN)
		text = arena_printf(arena, "%s: %ld of %s left", text, (long)loop->remaining,
				    counted_text(arena, (uint64_t)loop->total, noun));
	return text;
}

/** Add a loop, with the threads that are in it if not all of the region are. */
static void add_loop(struct text *text, const char *indent, const struct alike *alike, size_t index)
{
	struct arena *arena = text->paper.arena;
	struct thread_list threads = { 0 };
	const char *line = NULL;

	for (size_t i = 0; i < alike->count; i++) {
		size_t count;
		const struct loop *loop = &region_loops(alike->regions[i], &count)[index];
		if (!line)
			line = loop_text(arena, loop);
		thread_list_join(&threads, arena, &loop->threads);
	}
	if (threads.count != alike->count * (size_t)alike->regions[0]->team->size)
		line = arena_printf(arena, "%s, for %s", line, threads_text(arena, &threads));
	TEXT_CUT(text, "%s%s", indent, line);
}

static void add_arrived(struct text *text, const char *indent, const char *where, int number,
			const struct progress *progress)
{
	TEXT_CUT(text, "%s%s: %d of %d %s arrived", indent, where, number, progress->total,
		 number == 1 ? "has" : "have");
}

/** Write how many threads may have just left a barrier; LLVM's runtime does not count those that have not. */
static void add_unsure(struct text *text, const char *indent, const char *where,
		       const struct progress *progress)
{
	const int number = progress->unsure;
	const char *of = arena_printf(text->paper.arena, "of %d", progress->total);

	TEXT_CUT(text, "%s%s: %d %s %s %s or %s just left it", indent, where, number,
		 progress->arrived || progress->arrived_end ? "more" : of,
		 number == 1 ? "is" : "are", progress->is_counted ? "about to arrive" : "there",
		 number == 1 ? "has" : "have");
}

static void add_progress(struct text *text, const char *indent, struct region *region)
{
	const struct progress *progress = region->progress;
	bool is_one_number = progress && !(progress->arrived && progress->arrived_end);
	const char *where = is_one_number && is_at_several_barriers(region) ? "different barriers" :
									      "barrier";

	if (!progress)
		return;
	if (progress->tasks_left)
		TEXT_CUT(text, "%sbarrier: all %d have arrived, tasks are left", indent,
			 progress->total);
	else if (progress->arrived)
		add_arrived(text, indent, where, progress->arrived, progress);
	if (progress->arrived_end && !progress->tasks_left)
		add_arrived(text, indent, "end of region", progress->arrived_end, progress);
	if (progress->unsure && !progress->tasks_left)
		add_unsure(text, indent, where, progress);
	if (progress->is_cancelled)
		TEXT_CUT(text, "%scancelled", indent);
}

/** Write a member of a region: "thread 3 (1/4)". */
static const char *member_text(struct arena *arena, const struct region *region, size_t number)
{
	const struct thread *thread = region->members[number];

	return arena_printf(arena, "thread %s (%zu/%zu)", thread ? thread->target->label : "?",
			    number, region->num_members);
}

/** Add when a region began, and when the first and the last thread came to its barrier. */
static void add_record(struct text *text, const char *indent, struct region *region,
		       bool is_one_of_several)
{
	struct arena *arena = text->paper.arena;
	const struct history *history = process_history(text->process);
	const struct region_record *record = history ? region_record(region) : NULL;
	size_t first = 0, last = 0, count = 0;
	const char *line;

	if (!record || !*ago_text(history, record->since))
		return;
	for (size_t i = 0; i < region->num_members; i++) {
		uint64_t time = record->arrived[i];
		if (!time)
			continue;
		if (!count || time < record->arrived[first])
			first = i;
		if (!count || time > record->arrived[last])
			last = i;
		count++;
	}
	line = arena_printf(arena, "%s%s%sbegan%s", indent,
			    is_one_of_several ? team_label(region->team) : "",
			    is_one_of_several ? ": " : "", ago_text(history, record->since));
	if (count)
		line = arena_printf(arena, "%s; first at the barrier: %s,%s", line,
				    member_text(arena, region, first),
				    ago_text(history, record->arrived[first]));
	if (count > 1)
		line = arena_printf(arena, "%s; last: %s,%s", line,
				    member_text(arena, region, last),
				    ago_text(history, record->arrived[last]));
	text_cut(text, line, NULL);
}

// ---- Groups ------------------------------------------------------------------------------------

static const char *inner_text(const struct thread_list *threads)
{
	return threads->count == 1 ? "in an inner region" : "in inner regions";
}

static const char *doing(const struct region_group *group)
{
	return group->inner ? inner_text(&group->threads) :
			      thread_doing(group->threads.all[0])->text;
}

/** A row of the table: those of whom it says the same. */
struct row {
	const char *doing, *where;
	struct thread_list threads;
	bool is_inner;
	enum style style; // of what they do
};

/** Add a group to the row that says the same. */
static void add_group(struct text *text, struct row *rows, size_t *num_rows,
		      const struct region_group *group)
{
	bool is_inner = group->inner;
	const char *what = is_inner ? "" : doing(group);
	const char *where = is_inner ? "" : where_text(group->threads.all[0]);
	size_t k = 0;

	while (k < *num_rows &&
	       !(rows[k].is_inner == is_inner && strcmp(rows[k].doing, what) == 0 &&
		 strcmp(rows[k].where, where) == 0))
		k++;
	if (k == *num_rows)
		rows[(*num_rows)++] = (struct row){
			.doing = what, .where = where, .is_inner = is_inner, .style = STYLE_NONE
		};
	if (!is_inner)
		rows[k].style = thread_style(text, group->threads.all[0]);
	thread_list_join(&rows[k].threads, text->paper.arena, &group->threads);
}

static void add_groups(struct text *text, const char *indent, const struct alike *alike)
{
	struct arena *arena = text->paper.arena;
	struct text_table table;
	size_t num_groups, num_rows = 0;
	struct row *rows;

	region_groups(alike->regions[0], &num_groups); // as many as in the others
	rows = ARENA_ARRAY(arena, struct row, num_groups * alike->count);
	for (size_t i = 0; i < alike->count; i++) {
		const struct region_group *groups = region_groups(alike->regions[i], &num_groups);
		for (size_t k = 0; k < num_groups; k++)
			add_group(text, rows, &num_rows, &groups[k]);
	}

	struct paper paper = indented_paper(&text->paper, strlen(indent));
	text_table_init(&table, &paper, columns, NUM_COLUMNS);
	for (int inner = 0; inner < 2; inner++) { // those in inner regions last
		for (size_t k = 0; k < num_rows; k++) {
			if (rows[k].is_inner != inner)
				continue;
			const struct thread_list *list = &rows[k].threads;
			const char **cells = text_table_row(&table);
			text_table_mark(&table, rows[k].style);
			cells[COUNT] = arena_printf(arena, "%zu", list->count);
			cells[STATE] = inner ? inner_text(list) : rows[k].doing;
			cells[WHERE] = rows[k].where;
			cells[THREADS] = thread_numbers(arena, list);
		}
	}
	const char *const *lines = text_table_lines(&table);
	for (size_t i = 0; i <= table.num_rows && table.num_rows; i++)
		TEXT_ADD(text, "%s%s", indent, lines[i]);
}

// ---- Regions -----------------------------------------------------------------------------------

static void add_head(struct text *text, const char *indent, const struct alike *alike)
{
	struct arena *arena = text->paper.arena;
	struct team *team = alike->regions[0]->team;
	const char *labels = "", *name, *line;
	const char *opened = foreign_visible(arena, place_text(arena, team_opened(team)));
	size_t width = text->paper.width;

	for (size_t i = 0; i < alike->count; i++)
		labels = listed_text(arena, labels, team_label(alike->regions[i]->team));
	name = arena_printf(arena, "%sRegion%s %s", indent, alike->count == 1 ? "" : "s", labels);
	line = arena_printf(arena, ": %s%s",
			    team->size == NOT_KNOWN ?
				    "? threads" :
				    counted_text(arena, (uint64_t)team->size, "thread"),
			    alike->count == 1 ? "" : " each");
	if (has_several_runtimes(text->process))
		line = arena_printf(arena, "%s of %s", line, team->runtime->name);
	if (*opened)
		line = arena_printf(arena, "%s, opened in ", line);
	if (width && *opened && foreign_width(name) + foreign_width(line) + LEAST_WIDTH > width) {
		name = cut_end(&text->paper, name,
			       width > LEAST_WIDTH + 2 ? width - LEAST_WIDTH - 2 : 0);
		line = ", ";
	} else if (width && !*opened) {
		line = cut_end(&text->paper, line,
			       width > foreign_width(name) ? width - foreign_width(name) : 0);
	}
	if (width && *opened) {
		size_t used = foreign_width(name) + foreign_width(line);
		opened = cut_place(&text->paper, opened, width > used ? width - used : 0);
	}
	TEXT_ADD(text, "%s%s%s%s", indent, paint(&text->paper, STYLE_TITLE, name + strlen(indent)),
		 line, *opened ? paint_place(&text->paper, opened) : "");
}

static void add_region(struct text *text, const struct alike *alike)
{
	struct arena *arena = text->paper.arena;
	struct region *region = alike->regions[0];
	size_t depth = team_depth(region->team), num_loops;
	const char *outer = spaces(arena, INDENT * depth);
	const char *inner = spaces(arena, INDENT * (depth + 1));

	region_loops(region, &num_loops);
	add_head(text, outer, alike);
	add_groups(text, inner, alike);
	for (size_t i = 0; i < num_loops; i++)
		add_loop(text, inner, alike, i);
	add_progress(text, inner, region);
	for (size_t i = 0; i < alike->count; i++)
		add_record(text, inner, alike->regions[i], alike->count > 1);
}

static bool is_same_progress(const struct progress *a, const struct progress *b)
{
	if (!a || !b)
		return a == b;
	return a->total == b->total && a->arrived == b->arrived &&
	       a->arrived_end == b->arrived_end && a->unsure == b->unsure &&
	       a->is_counted == b->is_counted && a->tasks_left == b->tasks_left &&
	       a->is_cancelled == b->is_cancelled;
}

/** Check whether two regions around no others say the same. */
static bool is_alike(struct arena *arena, struct region *a, struct region *b)
{
	size_t num_a, num_b, loops_a, loops_b;
	const struct region_group *groups = region_groups(a, &num_a);
	const struct region_group *others = region_groups(b, &num_b);

	if (team_parent(a->team) != team_parent(b->team) || !team_parent(a->team) ||
	    a->team->size != b->team->size || num_a != num_b ||
	    strcmp(place_text(arena, team_opened(a->team)),
		   place_text(arena, team_opened(b->team))) != 0)
		return false;
	for (size_t i = 0; i < num_a; i++) {
		if (strcmp(doing(&groups[i]), doing(&others[i])) != 0 ||
		    strcmp(place_text(arena, groups[i].location),
			   place_text(arena, others[i].location)) != 0 ||
		    groups[i].threads.count != others[i].threads.count ||
		    memcmp(groups[i].numbers, others[i].numbers,
			   groups[i].threads.count * sizeof(int)) != 0)
			return false;
	}
	const struct loop *one = region_loops(a, &loops_a), *other = region_loops(b, &loops_b);
	if (loops_a != loops_b || !is_same_progress(a->progress, b->progress))
		return false;
	for (size_t i = 0; i < loops_a; i++) {
		if (strcmp(loop_text(arena, &one[i]), loop_text(arena, &other[i])) != 0 ||
		    one[i].threads.count != other[i].threads.count ||
		    memcmp(one[i].numbers, other[i].numbers, one[i].threads.count * sizeof(int)) !=
			    0)
			return false;
	}
	return true;
}

static bool is_around_others(struct region *regions, size_t count, const struct region *region)
{
	for (size_t i = 0; i < count; i++) {
		if (team_parent(regions[i].team) == region->team)
			return true;
	}
	return false;
}

/** Say what the threads do that are in no region. */
static void add_outside(struct text *text)
{
	struct process *process = text->process;
	struct arena *arena = text->paper.arena;
	struct folds folds = { 0 };
	const char *states = "";
	size_t total = 0;

	for (size_t i = 0; i < process->num_targets; i++) {
		struct thread *thread = process->threads[i];
		if (thread_level(thread) > 0 || thread->target->running || thread->error)
			continue;
		fold_of(&folds, arena, thread_doing(thread)->text)->count++;
		total++;
	}
	for (size_t i = 0; i < folds.count; i++)
		states = listed_text(arena, states,
				     total == 1 ? folds.all[i].text :
						  arena_printf(arena, "%zu %s", folds.all[i].count,
							       doing_text(arena, folds.all[i].text,
									  folds.all[i].count)));
	if (total)
		TEXT_WRAP(text, "%s outside of regions: %s", counted_text(arena, total, "thread"),
			  states);
}

struct ompdbg_error *text_regions(struct text *text, const struct view_options *options)
{
	struct arena *arena = text->paper.arena;
	size_t count;
	struct region *regions = process_regions(text->process, &count);
	bool *is_shown = ARENA_ARRAY(arena, bool, count);

	(void)options;
	for (size_t i = 0; i < count && !process_is_interrupted(text->process); i++) {
		struct alike alike = { .regions = ARENA_ARRAY(arena, struct region *, count - i) };
		bool is_inner = !is_around_others(regions, count, &regions[i]);
		if (is_shown[i])
			continue;
		for (size_t k = i; k < count; k++) {
			if (k > i && (!is_inner || is_shown[k] ||
				      is_around_others(regions, count, &regions[k]) ||
				      !is_alike(arena, &regions[i], &regions[k])))
				continue;
			alike.regions[alike.count++] = &regions[k];
			is_shown[k] = true;
		}
		add_region(text, &alike);
	}
	if (!count && process_is_seen_whole(text->process))
		text_add(text, "No parallel region is active.");
	else if (!count)
		text_nobody(text, "is in a parallel region");
	add_outside(text);
	text_unseen(text);
	return NULL;
}
