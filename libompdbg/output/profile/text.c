// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A profile as text: what matters most comes first, and of each table the rows with the most time.

#include <string.h>

#include "diagnose/words.h"
#include "output/history_words.h"
#include "output/profile/view.h"
#include "output/text/text.h"

enum { MOST_TREE = 40, INDENT = 2, MAX_INDENT = 40, PERCENT = 100, HOLDERS = 3 };

#define NS 1e-9

/** The text that is being written. */
struct page {
	const struct profile_view *view;
	struct text text;
	struct arena *arena;
};

// ---- Words -------------------------------------------------------------------------------------

static const char *time_text(struct arena *arena, uint64_t time)
{
	if (time == UNKNOWN_TIME)
		return "?";
	return time ? duration_text(arena, (double)time * NS) : "0";
}

/** Write the mean of a time; "?" if it is known of none. */
static const char *mean_text(struct arena *arena, const struct profile_stat *stat)
{
	return time_text(arena, stat->known ? stat->sum / stat->known : UNKNOWN_TIME);
}

static const char *share_text(struct arena *arena, uint64_t part, uint64_t whole)
{
	if (!whole)
		return "?";
	return arena_printf(arena, "%.1f%%", (double)part * PERCENT / (double)whole);
}

static const char *ratio_text(struct arena *arena, uint64_t part, uint64_t whole)
{
	return whole ? arena_printf(arena, "%.2f", (double)part / (double)whole) : "?";
}

static void title(struct page *page, const char *name)
{
	text_add(&page->text, "");
	text_add(&page->text, paint(&page->text.paper, STYLE_TITLE,
				    arena_printf(page->arena, "== %s ==", name)));
}

/** Return how many rows of a table are shown. */
static size_t shown(const struct page *page, size_t count)
{
	return page->view->top && count > page->view->top ? page->view->top : count;
}

static void add_rest(struct page *page, size_t count, const char *noun)
{
	const char *more = arena_printf(page->arena, "more %s", noun);
	size_t left = count - shown(page, count);

	if (left)
		TEXT_ADD(&page->text, "%s (--top 0 shows all)",
			 counted_text(page->arena, left, more));
}

// ---- The run -----------------------------------------------------------------------------------

static void add_head(struct page *page)
{
	const struct profile_view *view = page->view;
	const struct trace_info *info = trace_info(view->trace);
	struct arena *arena = page->arena;
	const char *runtime = profile_runtime(view);
	size_t count;
	const char *const *notes = profile_notes(view, &count);

	TEXT_WRAP(&page->text, "%s: %s", view->path,
		  *info->command ? info->command : "(command unknown)");
	TEXT_WRAP(&page->text, "Process %lu%s%s, %s, %s, %s.", (unsigned long)info->pid,
		  *info->host ? " on " : "", info->host, runtime ? runtime : "no OpenMP runtime",
		  counted_text(arena, view->profile->num_threads, "thread"),
		  time_text(arena, info->duration));
	for (size_t i = 0; i < count; i++)
		TEXT_WRAP(&page->text, "Note: %s.", notes[i]);
}

static void add_line(struct page *page, const char *name, const char *value, const char *meaning)
{
	TEXT_ADD(&page->text, "%-22s %14s%s%s", name, value, *meaning ? "  " : "", meaning);
}

static void add_summary(struct page *page)
{
	const struct profile *profile = page->view->profile;
	struct arena *arena = page->arena;
	uint64_t span = path_length(profile->path);

	title(page, "Summary");
	add_line(page, "Explicit tasks", grouped_text(arena, profile->tasks), "");
	add_line(page, "Parallel regions", grouped_text(arena, profile->regions), "");
	add_line(page, "Work", time_text(arena, profile->work), "of all threads together");
	add_line(page, "Span", time_text(arena, span), "the longest path through the run");
	add_line(page, "Parallelism", ratio_text(arena, profile->work, span),
		 "work / span: so many threads have work");
}

static void add_path(struct page *page)
{
	static const struct column columns[] = {
		{ .title = "Time", .right = true },
		{ .title = "Share", .right = true },
		{ .title = "Tasks", .right = true },
		{ .title = "Construct", .squeeze = 24, .cut = cut_place, .paint = paint_place },
	};
	const struct profile_view *view = page->view;
	struct arena *arena = page->arena;
	struct text_table table;
	size_t count;
	const struct path_part *parts = profile_sorted_path(view, &count);

	if (!count)
		return;
	title(page, "Longest path");
	text_table_init(&table, &page->text.paper, columns, sizeof(columns) / sizeof(*columns));
	for (size_t i = 0; i < shown(page, count); i++) {
		const char **row = text_table_row(&table);

		row[0] = time_text(arena, parts[i].time);
		row[1] = share_text(arena, parts[i].time, path_length(view->profile->path));
		row[2] = parts[i].tasks ? grouped_text(arena, parts[i].tasks) : "";
		row[3] = profile_title(view, parts[i].construct);
	}
	text_table_add(&page->text, &table);
	add_rest(page, count, "construct");
}

static void add_threads(struct page *page)
{
	static const struct column columns[] = {
		{ .title = "Thread", .right = true },  { .title = "LWP", .right = true, .drop = 1 },
		{ .title = "Time", .right = true },    { .title = "Work", .right = true },
		{ .title = "Barrier", .right = true }, { .title = "Tasks", .right = true },
		{ .title = "Lock", .right = true },    { .title = "Runtime", .right = true },
		{ .title = "Idle", .right = true },
	};
	const struct profile *profile = page->view->profile;
	struct arena *arena = page->arena;
	struct text_table table;
	size_t count;
	const struct trace_thread *threads = trace_threads(page->view->trace, &count);

	title(page, "Threads: where their time went");
	text_table_init(&table, &page->text.paper, columns, sizeof(columns) / sizeof(*columns));
	for (size_t i = 0; i < shown(page, profile->num_threads); i++) {
		const struct profile_lane_times *times = &profile->times[i];
		const char **row = text_table_row(&table);

		row[0] = arena_printf(arena, "%zu", i);
		row[1] = threads[i].lwp ?
				 arena_printf(arena, "%lu", (unsigned long)threads[i].lwp) :
				 "?";
		row[2] = time_text(arena, times->end - times->begin);
		for (size_t k = 0; k < NUM_LANES; k++)
			row[3 + k] = share_text(arena, times->lanes[k], times->end - times->begin);
	}
	text_table_add(&page->text, &table);
	add_rest(page, profile->num_threads, "thread");
}

// ---- Tasks -------------------------------------------------------------------------------------

static const struct {
	const char *name;
	size_t offset;
} phases[] = {
	{ "creation", offsetof(struct profile_tasks, creation) },
	{ "in the pool", offsetof(struct profile_tasks, pool) },
	{ "execution", offsetof(struct profile_tasks, execution) },
	{ "suspension", offsetof(struct profile_tasks, suspension) },
	{ "completion", offsetof(struct profile_tasks, completion) },
	{ "life", offsetof(struct profile_tasks, life) },
};
enum { NUM_PHASES = sizeof(phases) / sizeof(*phases), NUM_MEANS = 5 };

static const struct profile_stat *phase_of(const struct profile_tasks *tasks, size_t phase)
{
	return (const struct profile_stat *)((const char *)tasks + phases[phase].offset);
}

/** Add all that is known of a construct's tasks. */
static void add_phases(struct page *page, uint32_t construct)
{
	static const struct column columns[] = {
		{ .title = "Phase" },
		{ .title = "Known of", .right = true },
		{ .title = "Sum", .right = true },
		{ .title = "Mean", .right = true },
		{ .title = "Least", .right = true },
		{ .title = "Most", .right = true },
	};
	const struct profile_tasks *tasks = page->view->profile->constructs[construct].tasks;
	struct arena *arena = page->arena;
	struct text_table table;

	text_add(&page->text, "");
	TEXT_CUT(&page->text, paint_place, "%s: %s", profile_title(page->view, construct),
		 counted_text(arena, tasks->instances, "task"));
	TEXT_WRAP(&page->text, "%s ended, %s undeferred, %s untied, %s cancelled; suspended %s",
		  grouped_text(arena, tasks->ended), grouped_text(arena, tasks->undeferred),
		  grouped_text(arena, tasks->untied), grouped_text(arena, tasks->cancelled),
		  counted_text(arena, tasks->suspensions, "time"));
	text_table_init(&table, &page->text.paper, columns, sizeof(columns) / sizeof(*columns));
	for (size_t i = 0; i < NUM_PHASES; i++) {
		const struct profile_stat *stat = phase_of(tasks, i);
		const char **row = text_table_row(&table);

		row[0] = phases[i].name;
		row[1] = grouped_text(arena, stat->known);
		row[2] = time_text(arena, stat->known ? stat->sum : UNKNOWN_TIME);
		row[3] = mean_text(arena, stat);
		row[4] = time_text(arena, stat->known ? stat->min : UNKNOWN_TIME);
		row[5] = time_text(arena, stat->known ? stat->max : UNKNOWN_TIME);
	}
	text_table_add(&page->text, &table);
}

static void add_tasks(struct page *page)
{
	static const struct column columns[] = {
		{ .title = "Task", .squeeze = 20, .cut = cut_place, .paint = paint_place },
		{ .title = "Count", .right = true },
		{ .title = "Creation", .right = true },
		{ .title = "Pool", .right = true },
		{ .title = "Execution", .right = true },
		{ .title = "Suspended", .right = true },
		{ .title = "Completion", .right = true },
	};
	const struct profile_view *view = page->view;
	struct arena *arena = page->arena;
	struct text_table table;
	size_t count;
	const uint32_t *rows = profile_sorted(view, TABLE_TASKS, &count);

	if (!count)
		return;
	title(page, view->full ? "Tasks" : "Tasks: mean times");
	text_table_init(&table, &page->text.paper, columns, sizeof(columns) / sizeof(*columns));
	for (size_t i = 0; i < shown(page, count); i++) {
		const struct profile_tasks *tasks = view->profile->constructs[rows[i]].tasks;

		if (view->full) {
			add_phases(page, rows[i]);
			continue;
		}
		const char **row = text_table_row(&table);
		row[0] = profile_title(view, rows[i]);
		row[1] = grouped_text(arena, tasks->instances);
		for (size_t k = 0; k < NUM_MEANS; k++)
			row[2 + k] = mean_text(arena, phase_of(tasks, k));
	}
	if (!view->full)
		text_table_add(&page->text, &table);
	add_rest(page, count, "construct");
}

// ---- Regions, waits, loops, locks --------------------------------------------------------------

static void add_regions(struct page *page)
{
	static const struct column columns[] = {
		{ .title = "Region", .squeeze = 20, .cut = cut_place, .paint = paint_place },
		{ .title = "Count", .right = true },
		{ .title = "Threads", .right = true },
		{ .title = "Time", .right = true },
		{ .title = "Parallelism", .right = true },
		{ .title = "Barrier", .right = true },
		{ .title = "Imbalance", .right = true },
	};
	const struct profile_view *view = page->view;
	struct arena *arena = page->arena;
	struct text_table table;
	size_t count;
	const uint32_t *rows = profile_sorted(view, TABLE_REGIONS, &count);

	if (!count)
		return;
	title(page, "Parallel regions");
	text_table_init(&table, &page->text.paper, columns, sizeof(columns) / sizeof(*columns));
	for (size_t i = 0; i < shown(page, count); i++) {
		const struct profile_regions *region = view->profile->constructs[rows[i]].regions;
		const char **row = text_table_row(&table);
		bool is_known = region->time.known != 0;

		row[0] = profile_title(view, rows[i]);
		row[1] = grouped_text(arena, region->instances);
		row[2] = !is_known ? "?" :
			 region->threads_min == region->threads_max ?
				     arena_printf(arena, "%u", region->threads_max) :
				     arena_printf(arena, "%u-%u", region->threads_min,
						  region->threads_max);
		row[3] = time_text(arena, is_known ? region->time.sum : UNKNOWN_TIME);
		row[4] = ratio_text(arena, region->work, region->span);
		row[5] = share_text(arena, region->barrier_wait, region->thread_time);
		row[6] = share_text(arena, region->slowest - region->average, region->slowest);
	}
	text_table_add(&page->text, &table);
	add_rest(page, count, "region");
}

static void add_waits(struct page *page)
{
	static const struct column columns[] = {
		{ .title = "Wait" },
		{ .title = "Place", .squeeze = 20, .cut = cut_place, .paint = paint_place },
		{ .title = "Count", .right = true },
		{ .title = "Sum", .right = true },
		{ .title = "Mean", .right = true },
		{ .title = "Most", .right = true },
	};
	const struct profile_view *view = page->view;
	struct arena *arena = page->arena;
	struct text_table table;
	size_t count;
	const uint32_t *rows = profile_sorted(view, TABLE_WAITS, &count);

	if (!count)
		return;
	title(page, "Waits, of all threads");
	text_table_init(&table, &page->text.paper, columns, sizeof(columns) / sizeof(*columns));
	for (size_t i = 0; i < shown(page, count); i++) {
		const struct profile_construct *construct = &view->profile->constructs[rows[i]];
		const char **row = text_table_row(&table);

		row[0] = profile_kind_name(construct->kind);
		row[1] = profile_title(view, rows[i]);
		row[2] = grouped_text(arena, construct->waits->count);
		row[3] = time_text(arena, construct->waits->wait.sum);
		row[4] = mean_text(arena, &construct->waits->wait);
		row[5] = time_text(arena, construct->waits->wait.max);
	}
	text_table_add(&page->text, &table);
	add_rest(page, count, "place");
}

/** Write what threads had least and most of in a loop. */
static const char *spread_text(struct page *page, const struct profile_loops *loops)
{
	uint64_t least = UINT64_MAX, most = 0;

	for (size_t i = 0; i < loops->num_shares; i++) {
		uint64_t time = loops->shares[i].time;

		if (!loops->shares[i].is_in)
			continue;
		least = time < least ? time : least;
		most = time > most ? time : most;
	}
	return least > most ? "?" :
			      arena_printf(page->arena, "%s-%s", time_text(page->arena, least),
					   time_text(page->arena, most));
}

static void add_loops(struct page *page)
{
	static const struct column columns[] = {
		{ .title = "Worksharing" },
		{ .title = "Place", .squeeze = 20, .cut = cut_place, .paint = paint_place },
		{ .title = "Count", .right = true },
		{ .title = "Iterations", .right = true },
		{ .title = "Chunks", .right = true },
		{ .title = "Size", .right = true },
		{ .title = "Threads' times", .right = true },
	};
	const struct profile_view *view = page->view;
	struct arena *arena = page->arena;
	struct text_table table;
	size_t count;
	const uint32_t *rows = profile_sorted(view, TABLE_LOOPS, &count);

	if (!count)
		return;
	title(page, "Loops and other worksharing");
	text_table_init(&table, &page->text.paper, columns, sizeof(columns) / sizeof(*columns));
	for (size_t i = 0; i < shown(page, count); i++) {
		const struct profile_construct *construct = &view->profile->constructs[rows[i]];
		const struct profile_loops *loops = construct->loops;
		const char *untold = construct->kind == PROFILE_LOOP ? "?" : "";
		const char **row = text_table_row(&table);

		row[0] = loops->schedule ?
				 arena_printf(arena, "%s, %s", profile_kind_name(construct->kind),
					      loops->schedule) :
				 profile_kind_name(construct->kind);
		row[1] = profile_title(view, rows[i]);
		row[2] = grouped_text(arena, loops->instances);
		row[3] = loops->is_uncounted ? "?" : grouped_text(arena, loops->iterations);
		row[4] = loops->chunks ? grouped_text(arena, loops->chunks) : untold;
		row[5] = !loops->chunks ?
				 untold :
			 loops->chunk_min == loops->chunk_max ?
				 grouped_text(arena, loops->chunk_max) :
				 arena_printf(arena, "%s-%s", grouped_text(arena, loops->chunk_min),
					      grouped_text(arena, loops->chunk_max));
		row[6] = spread_text(page, loops);
	}
	text_table_add(&page->text, &table);
	add_rest(page, count, "construct");
}

static const char *lock_text(struct page *page, const struct profile_lock *lock)
{
	return mutex_title(page->arena, profile_kind_name(lock->kind),
			   profile_lock_name(page->view, lock),
			   lock->kind == PROFILE_LOCK || lock->kind == PROFILE_NEST_LOCK,
			   lock->object);
}

static void add_locks(struct page *page)
{
	static const struct column columns[] = {
		{ .title = "Lock", .squeeze = 16, .paint = paint_wait },
		{ .title = "Taken", .right = true },
		{ .title = "Waited", .right = true },
		{ .title = "at most", .right = true },
		{ .title = "Held", .right = true },
		{ .title = "at most", .right = true },
		{ .title = "Place", .squeeze = 20, .cut = cut_place, .paint = paint_place },
	};
	const struct profile_view *view = page->view;
	struct arena *arena = page->arena;
	const struct profile_lock *const *locks = profile_sorted_locks(view);
	size_t count = view->profile->num_locks;
	struct text_table table;

	if (!count)
		return;
	title(page, "Locks");
	text_table_init(&table, &page->text.paper, columns, sizeof(columns) / sizeof(*columns));
	for (size_t i = 0; i < shown(page, count); i++) {
		const struct profile_lock *lock = locks[i];

		for (size_t k = 0; k < lock->num_places && (view->full || k < HOLDERS); k++) {
			const struct profile_lock_place *place = &lock->places[k];
			const char **row = text_table_row(&table);

			row[0] = k ? "" : lock_text(page, lock);
			row[1] = grouped_text(arena, place->count);
			row[2] = time_text(arena,
					   place->wait.known ? place->wait.sum : UNKNOWN_TIME);
			row[3] = time_text(arena,
					   place->wait.known ? place->wait.max : UNKNOWN_TIME);
			row[4] = time_text(arena,
					   place->hold.known ? place->hold.sum : UNKNOWN_TIME);
			row[5] = time_text(arena,
					   place->hold.known ? place->hold.max : UNKNOWN_TIME);
			row[6] = profile_title(view, place->construct);
		}
	}
	text_table_add(&page->text, &table);
	add_rest(page, count, "lock");
}

// ---- One task, and the tree --------------------------------------------------------------------

static uint64_t phase_time(const struct profile_task *task, size_t phase)
{
	const uint64_t times[NUM_MEANS] = { task->creation, task->pool, task->execution,
					    task->suspension, task->completion };

	return times[phase];
}

static void add_task(struct page *page)
{
	const struct profile_task *task = page->view->profile->task;
	struct arena *arena = page->arena;
	const char *children = "", *threads = "";

	for (size_t i = 0; i < task->num_child_ids; i++)
		children = arena_printf(arena, "%s%s%lu", children, i ? ", " : "",
					(unsigned long)task->child_ids[i]);
	for (size_t i = 0; i < task->num_threads; i++)
		threads = arena_printf(arena, "%s%s%u", threads, i ? ", " : "", task->threads[i]);
	TEXT_CUT(&page->text, paint_place, "Task %lu: %s", (unsigned long)task->id,
		 profile_title(page->view, task->construct));
	add_line(page, "parent",
		 task->parent ? arena_printf(arena, "%lu", (unsigned long)task->parent) : "none",
		 task->parent ? "" : "created by an implicit task");
	add_line(page, "created by thread", arena_printf(arena, "%u", task->creator),
		 arena_printf(arena, "%s after the start", time_text(arena, task->created)));
	add_line(page, "run by thread", *threads ? threads : "?",
		 arena_printf(arena, "%s after the start", time_text(arena, task->begun)));
	for (size_t i = 0; i < NUM_MEANS; i++)
		add_line(page, phases[i].name, time_text(arena, phase_time(task, i)), "");
	add_line(page, "tasks below", grouped_text(arena, task->below), "");
	TEXT_WRAP(&page->text, "%s%s%s%s", counted_text(arena, task->children, "child task"),
		  task->children ? ": " : "", children,
		  task->children > task->num_child_ids ? ", ..." : "");
}

/** Add a task of the tree, and those below it. @return how many lines. */
static size_t add_branch(struct page *page, const struct profile_task *task, size_t first,
			 size_t depth, size_t lines)
{
	const struct profile *profile = page->view->profile;
	struct arena *arena = page->arena;
	size_t most = page->view->top ? MOST_TREE : SIZE_MAX, added = 0;

	for (size_t i = first; i < profile->num_tree && lines + added < most; i++) {
		const struct profile_task *child = profile->tree[i];
		size_t indent = depth * INDENT < MAX_INDENT ? depth * INDENT : MAX_INDENT;

		if (child->kept_parent != task)
			continue;
		TEXT_CUT(&page->text, paint_plain, "%*s%lu  %s, %s%s", (int)indent, "",
			 (unsigned long)child->id, profile_title(page->view, child->construct),
			 time_text(arena, child->execution),
			 child->below ? arena_printf(arena, ", %s below",
						     grouped_text(arena, child->below)) :
					"");
		added++;
		added += add_branch(page, child, i + 1, depth + 1, lines + added);
	}
	return added;
}

static void add_tree(struct page *page)
{
	const struct profile *profile = page->view->profile;
	size_t lines;

	title(page, "Tree of tasks: number, place, execution");
	lines = add_branch(page, NULL, 0, 0, 0);
	if (!profile->tasks)
		text_add(&page->text, "No explicit task was created.");
	if (lines < profile->tasks)
		TEXT_ADD(&page->text, "%s (--task ID shows one)",
			 counted_text(page->arena, profile->tasks - lines, "more task"));
}

struct ompdbg_error *print_profile(const struct profile_view *view, const struct form *form,
				   struct sink *sink)
{
	struct page page = { .view = view, .arena = &view->process->arena };

	text_init(&page.text, view->process, form);
	if (view->task) {
		add_task(&page);
		return text_write(&page.text, sink);
	}
	add_head(&page);
	if (view->tree) {
		add_tree(&page);
		return text_write(&page.text, sink);
	}
	add_summary(&page);
	add_path(&page);
	add_threads(&page);
	add_tasks(&page);
	add_regions(&page);
	add_waits(&page);
	add_loops(&page);
	add_locks(&page);
	return text_write(&page.text, sink);
}
