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

/** Write a figure of a time; "?" if it is known of none. */
static const char *known_text(struct arena *arena, const struct profile_stat *stat, uint64_t time)
{
	return time_text(arena, stat->known ? time : UNKNOWN_TIME);
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

static void begin_table(struct page *page, struct text_table *table, const char *name,
			const struct column *columns, size_t num_columns)
{
	title(page, name);
	text_table_init(table, &page->text.paper, columns, num_columns);
}

/** Add a table, and how many rows it has not. */
static void end_table(struct page *page, struct text_table *table, size_t count, const char *noun)
{
	text_table_add(&page->text, table);
	add_rest(page, count, noun);
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
		NUMBER_COLUMN("Time"),
		NUMBER_COLUMN("Share"),
		NUMBER_COLUMN("Tasks"),
		PLACE_COLUMN("Construct", 24),
	};
	const struct profile_view *view = page->view;
	struct arena *arena = page->arena;
	struct text_table table;
	size_t count;
	const struct path_part *parts = profile_sorted_path(view, &count);

	if (!count)
		return;
	begin_table(page, &table, "Longest path", columns, sizeof(columns) / sizeof(*columns));
	for (size_t i = 0; i < shown(page, count); i++)
		TABLE_ROW(&table, time_text(arena, parts[i].time),
			  share_text(arena, parts[i].time, path_length(view->profile->path)),
			  parts[i].tasks ? grouped_text(arena, parts[i].tasks) : "",
			  profile_title(view, parts[i].construct));
	end_table(page, &table, count, "construct");
}

static void add_threads(struct page *page)
{
	static const struct column columns[] = {
		NUMBER_COLUMN("Thread"),  { .title = "LWP", .right = true, .drop = 1 },
		NUMBER_COLUMN("Time"),	  NUMBER_COLUMN("Work"),
		NUMBER_COLUMN("Barrier"), NUMBER_COLUMN("Tasks"),
		NUMBER_COLUMN("Lock"),	  NUMBER_COLUMN("Runtime"),
		NUMBER_COLUMN("Idle"),
	};
	const struct profile *profile = page->view->profile;
	struct arena *arena = page->arena;
	struct text_table table;
	size_t count;
	const struct trace_thread *threads = trace_threads(page->view->trace, &count);

	begin_table(page, &table, "Threads: where their time went", columns,
		    sizeof(columns) / sizeof(*columns));
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
	end_table(page, &table, profile->num_threads, "thread");
}

// ---- Tasks -------------------------------------------------------------------------------------

/** Name a time for people. */
static const char *time_name(size_t time)
{
	return time == TIME_POOL ? "in the pool" : task_time_name((enum task_time)time);
}

/** Add all that is known of a construct's tasks. */
static void add_phases(struct page *page, uint32_t construct)
{
	static const struct column columns[] = {
		{ .title = "Phase" },  NUMBER_COLUMN("Known of"), NUMBER_COLUMN("Sum"),
		NUMBER_COLUMN("Mean"), NUMBER_COLUMN("Least"),	  NUMBER_COLUMN("Most"),
	};
	const struct profile_tasks *tasks = page->view->profile->constructs[construct].tasks;
	struct arena *arena = page->arena;
	struct text_table table;

	text_add(&page->text, "");
	text_cut(&page->text,
		 arena_printf(page->arena, "%s: %s", profile_title(page->view, construct),
			      counted_text(arena, tasks->instances, "task")),
		 paint_place);
	TEXT_WRAP(&page->text, "%s ended, %s undeferred, %s untied, %s cancelled; suspended %s",
		  grouped_text(arena, tasks->ended), grouped_text(arena, tasks->undeferred),
		  grouped_text(arena, tasks->untied), grouped_text(arena, tasks->cancelled),
		  counted_text(arena, tasks->suspensions, "time"));
	text_table_init(&table, &page->text.paper, columns, sizeof(columns) / sizeof(*columns));
	for (size_t i = 0; i < NUM_TASK_TIMES; i++) {
		const struct profile_stat *stat = &tasks->times[i];

		TABLE_ROW(&table, time_name(i), grouped_text(arena, stat->known),
			  known_text(arena, stat, stat->sum), mean_text(arena, stat),
			  known_text(arena, stat, stat->min), known_text(arena, stat, stat->max));
	}
	text_table_add(&page->text, &table);
}

// ---- Tables of constructs ----------------------------------------------------------------------

static void task_row(struct page *page, uint32_t construct, const char **row)
{
	const struct profile_tasks *tasks = page->view->profile->constructs[construct].tasks;

	row[0] = profile_title(page->view, construct);
	row[1] = grouped_text(page->arena, tasks->instances);
	for (size_t k = 0; k < TIME_LIFE; k++)
		row[2 + k] = mean_text(page->arena, &tasks->times[k]);
}

static void region_row(struct page *page, uint32_t construct, const char **row)
{
	const struct profile_regions *region = page->view->profile->constructs[construct].regions;
	struct arena *arena = page->arena;

	row[0] = profile_title(page->view, construct);
	row[1] = grouped_text(arena, region->instances);
	row[2] = !region->time.known ?
			 "?" :
		 region->threads_min == region->threads_max ?
			 arena_printf(arena, "%u", region->threads_max) :
			 arena_printf(arena, "%u-%u", region->threads_min, region->threads_max);
	row[3] = known_text(arena, &region->time, region->time.sum);
	row[4] = ratio_text(arena, region->work, region->span);
	row[5] = share_text(arena, region->barrier_wait, region->thread_time);
	row[6] = share_text(arena, region->slowest - region->average, region->slowest);
}

static void wait_row(struct page *page, uint32_t construct, const char **row)
{
	const struct profile_construct *waited = &page->view->profile->constructs[construct];
	const struct profile_stat *wait = &waited->waits->wait;

	row[0] = profile_kind_name(waited->kind);
	row[1] = profile_title(page->view, construct);
	row[2] = grouped_text(page->arena, waited->waits->count);
	row[3] = time_text(page->arena, wait->sum);
	row[4] = mean_text(page->arena, wait);
	row[5] = time_text(page->arena, wait->max);
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

static void loop_row(struct page *page, uint32_t construct, const char **row)
{
	const struct profile_construct *loop = &page->view->profile->constructs[construct];
	const struct profile_loops *loops = loop->loops;
	const char *untold = loop->kind == PROFILE_LOOP ? "?" : "";
	struct arena *arena = page->arena;

	row[0] = loops->schedule ? arena_printf(arena, "%s, %s", profile_kind_name(loop->kind),
						loops->schedule) :
				   profile_kind_name(loop->kind);
	row[1] = profile_title(page->view, construct);
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

/** A table with a row for each construct that has figures of a kind. */
struct construct_table {
	enum profile_table which;
	const char *title, *noun;
	void (*fill)(struct page *page, uint32_t construct, const char **row);
	struct column columns[MAX_COLUMNS];
	size_t num_columns;
};

static const struct construct_table construct_tables[] = {
	{ TABLE_TASKS,
	  "Tasks: mean times",
	  "construct",
	  task_row,
	  { PLACE_COLUMN("Task", 20), NUMBER_COLUMN("Count"), NUMBER_COLUMN("Creation"),
	    NUMBER_COLUMN("Pool"), NUMBER_COLUMN("Execution"), NUMBER_COLUMN("Suspended"),
	    NUMBER_COLUMN("Completion") },
	  7 },
	{ TABLE_REGIONS,
	  "Parallel regions",
	  "region",
	  region_row,
	  { PLACE_COLUMN("Region", 20), NUMBER_COLUMN("Count"), NUMBER_COLUMN("Threads"),
	    NUMBER_COLUMN("Time"), NUMBER_COLUMN("Parallelism"), NUMBER_COLUMN("Barrier"),
	    NUMBER_COLUMN("Imbalance") },
	  7 },
	{ TABLE_WAITS,
	  "Waits, of all threads",
	  "place",
	  wait_row,
	  { { .title = "Wait" },
	    PLACE_COLUMN("Place", 20),
	    NUMBER_COLUMN("Count"),
	    NUMBER_COLUMN("Sum"),
	    NUMBER_COLUMN("Mean"),
	    NUMBER_COLUMN("Most") },
	  6 },
	{ TABLE_LOOPS,
	  "Loops and other worksharing",
	  "construct",
	  loop_row,
	  { { .title = "Worksharing" },
	    PLACE_COLUMN("Place", 20),
	    NUMBER_COLUMN("Count"),
	    NUMBER_COLUMN("Iterations"),
	    NUMBER_COLUMN("Chunks"),
	    NUMBER_COLUMN("Size"),
	    NUMBER_COLUMN("Threads' times") },
	  7 },
};

static void add_construct_table(struct page *page, const struct construct_table *what)
{
	bool in_full = page->view->full && what->which == TABLE_TASKS;
	struct text_table table;
	size_t count;
	const uint32_t *rows = profile_sorted(page->view, what->which, &count);

	if (!count)
		return;
	begin_table(page, &table, in_full ? "Tasks" : what->title, what->columns,
		    what->num_columns);
	for (size_t i = 0; i < shown(page, count); i++) {
		if (in_full)
			add_phases(page, rows[i]);
		else
			what->fill(page, rows[i], text_table_row(&table));
	}
	if (in_full)
		add_rest(page, count, what->noun);
	else
		end_table(page, &table, count, what->noun);
}

// ---- Locks -------------------------------------------------------------------------------------

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
		NUMBER_COLUMN("Taken"),
		NUMBER_COLUMN("Waited"),
		NUMBER_COLUMN("at most"),
		NUMBER_COLUMN("Held"),
		NUMBER_COLUMN("at most"),
		PLACE_COLUMN("Place", 20),
	};
	const struct profile_view *view = page->view;
	struct arena *arena = page->arena;
	const struct profile_lock *const *locks = profile_sorted_locks(view);
	size_t count = view->profile->num_locks;
	struct text_table table;

	if (!count)
		return;
	begin_table(page, &table, "Locks", columns, sizeof(columns) / sizeof(*columns));
	for (size_t i = 0; i < shown(page, count); i++) {
		const struct profile_lock *lock = locks[i];

		for (size_t k = 0; k < lock->num_places && (view->full || k < HOLDERS); k++) {
			const struct profile_lock_place *place = &lock->places[k];

			TABLE_ROW(&table, k ? "" : lock_text(page, lock),
				  grouped_text(arena, place->count),
				  known_text(arena, &place->wait, place->wait.sum),
				  known_text(arena, &place->wait, place->wait.max),
				  known_text(arena, &place->hold, place->hold.sum),
				  known_text(arena, &place->hold, place->hold.max),
				  profile_title(view, place->construct));
		}
	}
	end_table(page, &table, count, "lock");
}

// ---- One task, and the tree --------------------------------------------------------------------

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
	text_cut(&page->text,
		 arena_printf(page->arena, "Task %lu: %s", (unsigned long)task->id,
			      profile_title(page->view, task->construct)),
		 paint_place);
	add_line(page, "parent",
		 task->parent ? arena_printf(arena, "%lu", (unsigned long)task->parent) : "none",
		 task->parent ? "" : "created by an implicit task");
	add_line(page, "created by thread", arena_printf(arena, "%u", task->creator),
		 arena_printf(arena, "%s after the start", time_text(arena, task->created)));
	add_line(page, "run by thread", *threads ? threads : "?",
		 arena_printf(arena, "%s after the start", time_text(arena, task->begun)));
	for (size_t i = 0; i < TIME_LIFE; i++)
		add_line(page, time_name(i), time_text(arena, task->times[i]), "");
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
		TEXT_CUT(&page->text, "%*s%lu  %s, %s%s", (int)indent, "", (unsigned long)child->id,
			 profile_title(page->view, child->construct),
			 time_text(arena, child->times[TIME_EXECUTION]),
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
	for (size_t i = 0; i < sizeof(construct_tables) / sizeof(*construct_tables); i++)
		add_construct_table(&page, &construct_tables[i]);
	add_locks(&page);
	return text_write(&page.text, sink);
}
