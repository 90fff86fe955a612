// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks as a tree, as a list of those that wait, and counted.

#include <stdlib.h>
#include <string.h>

#include "base/foreign.h"
#include "diagnose/words.h"
#include "output/icv_rows.h"
#include "output/task_pool.h"
#include "output/text/text.h"

enum { SHOWN_ALIKE = 5, LISTED_ALIKE = 50 }; // of more tasks alike, only the number is shown

// ---- Words -------------------------------------------------------------------------------------

/** Return what is worth more than the whole name of a task: its status, and what it waits for. */
static const char *essence(struct arena *arena, struct task *task)
{
	const char *status = task_status(task);

	if (task_is_lost(task))
		return "";
	return task->info.num_predecessors ?
		       arena_printf(arena, ", %s, waits for %s", status, predecessors_text(task)) :
		       arena_printf(arena, ", %s", status);
}

static const char *details(struct arena *arena, struct task *task)
{
	const char *depends = dependences_text(task), *created = creation_text(task);
	const char *given = given_text(task), *text = "";

	if (task_is_explicit(task) && task_thread_num(task) != NOT_KNOWN)
		text = arena_printf(arena, ", %s", task_thread_text(task));
	for (size_t i = 0; i < NUM_TASK_FLAGS; i++) {
		if (task_has_flag(task, &task_flags[i]))
			text = arena_printf(arena, "%s, %s", text, task_flags[i].words);
	}
	if (task->info.priority)
		text = arena_printf(arena, "%s, priority %d", text, task->info.priority);
	if (*depends)
		text = arena_printf(arena, "%s, %s", text, depends);
	if (*given)
		text = arena_printf(arena, "%s, %s", text, given);
	if (*created)
		text = arena_printf(arena, "%s, created %s", text, created);
	return text;
}

/** Return the thread of an implicit task without children; NULL: it is another, or that is unknown. */
static struct thread *lone_thread(const struct task_pool *pool, const struct task_node *node)
{
	if (node->task->info.kind != ompd_ext_task_implicit || has_tasks_below(pool, node))
		return NULL;
	return task_runner(node->task);
}

static const char *team_line(struct task_pool *pool, const struct task *task)
{
	struct arena *arena = pool->arena;
	struct team *team = task_team(task);

	if (runtime_is_helpers(pool->runtime, task->info.parallel_id))
		return "hidden helper threads";
	if (!team)
		return arena_printf(arena, "team %#lx", (unsigned long)task->info.parallel_id);
	if (team->level == 0) {
		struct thread *primary = team_primary(team);
		return arena_printf(arena, "%soutside of parallel regions%s%s",
				    team_is_league(team) ? "in a league, " : "",
				    primary ? " of thread " : "",
				    primary ? primary->target->label : "");
	}
	return arena_printf(
		arena, "team %s: %s, level %s", team_label(team),
		team->size == NOT_KNOWN ? "? threads" :
					  counted_text(arena, (uint64_t)team->size, "thread"),
		team->level == NOT_KNOWN ? "?" : arena_printf(arena, "%d", team->level));
}

// ---- The tree ----------------------------------------------------------------------------------

/** The tasks that are still to be shown. */
struct pending {
	size_t node; // or, if alike is not NULL, that
	const struct tasks_alike *alike;
	int depth;
};

/** Return what a line of the tree begins with. It takes a third of the width at most: the depth of those
 *  that are deeper is a number. */
static const char *indentation(const struct text *text, int depth)
{
	struct arena *arena = text->paper.arena;
	int most = text->paper.width ? (int)text->paper.width / 6 : depth;

	return depth <= most ? arena_printf(arena, "%*s", 2 * depth, "") :
			       arena_printf(arena, "%*s(%d) ", 2 * most, "", depth - 1);
}

/** Add a line about a task. Where space is short its title gives way first, then what comes last. */
static void add_line(struct text *text, const char *begin, struct task *task, const char *rest,
		     const char *last)
{
	struct arena *arena = text->paper.arena;
	const struct task_function *function = task_is_explicit(task) ? task_function(task) : NULL;
	const char *title = foreign_visible(arena, task_title(task));
	size_t width = text->paper.width;
	size_t taken = foreign_width(begin) + foreign_width(rest) + (*last ? strlen("...") : 0);
	size_t room = taken + LEAST_PLACE < width ? width - taken : LEAST_PLACE;

	if (width && function && foreign_width(title) > room)
		title = foreign_visible(arena, function_place_text(arena, function));
	if (width)
		title = cut_place(&text->paper, title, room);
	text_cut(text, arena_printf(text->paper.arena, "%s%s%s%s", begin, title, rest, last),
		 paint_task);
}

static void add_task_line(struct text *text, int depth, struct task *task)
{
	struct arena *arena = text->paper.arena;
	uint64_t number = task_number(task);
	const char *begin = indentation(text, depth);

	if (number)
		begin = arena_printf(arena, "%s#%lu ", begin, (unsigned long)number);
	add_line(text, begin, task, essence(arena, task), details(arena, task));
}

static void add_more_line(struct text *text, const struct task_pool *pool, int depth,
			  const struct tasks_alike *alike)
{
	struct arena *arena = pool->arena;
	const char *begin = arena_printf(arena, "%s... and %lu more: ", indentation(text, depth),
					 (unsigned long)(alike->number - pool->keep));

	add_line(text, begin, alike->first, arena_printf(arena, ", %s", task_status(alike->first)),
		 "");
}

/** Add a task of a team with those below it. */
static void add_branch(struct text *text, struct task_pool *pool, size_t root)
{
	uint64_t team = pool->nodes[root].task->info.parallel_id;
	struct pending *stack = NULL;
	size_t count = 0, capacity = 0;

	*ARENA_APPEND(pool->arena, stack, count, capacity) =
		(struct pending){ .node = root, .depth = 1 };
	while (count) {
		struct pending now = stack[--count];
		struct task_node *node = &pool->nodes[now.node];
		if (now.alike) {
			add_more_line(text, pool, now.depth, now.alike);
			continue;
		}
		if (node->is_shown)
			continue;
		node->is_shown = true;
		add_task_line(text, now.depth, node->task);
		for (size_t i = node->num_more; i-- > 0;)
			*ARENA_APPEND(pool->arena, stack, count, capacity) =
				(struct pending){ .alike = node->more[i], .depth = now.depth + 1 };
		for (size_t i = node->num_children; i-- > 0;) {
			if (is_below_another(pool->nodes[node->children[i]].task, team))
				*ARENA_APPEND(pool->arena, stack, count, capacity) =
					(struct pending){ .node = node->children[i],
							  .depth = now.depth + 1 };
		}
	}
}

/** Check for a task that begins a tree: implicit tasks do, though a task of another team generated
 *  them. */
static bool is_root(struct task_pool *pool, const struct task *task)
{
	return task->info.kind == ompd_ext_task_implicit ||
	       task->info.kind == ompd_ext_task_initial ||
	       !task_pool_find(pool, task->info.parent_id);
}

/** The tasks of one team, and what it is sorted by. */
struct team_tasks {
	uint64_t id;
	const struct team *team;
	size_t rank;
	size_t *nodes, count, capacity;
};

static int compare_teams(const void *a, const void *b)
{
	const struct team_tasks *const *left = a, *const *right = b;

	return ((*left)->rank > (*right)->rank) - ((*left)->rank < (*right)->rank);
}

/** Tell where a team comes in the tree: those outside of regions first, unknown ones last. */
static size_t rank_of(struct text *text, const struct team *team, size_t order)
{
	size_t count, unknown = SIZE_MAX / 2;
	struct team *const *teams = process_teams(text->process, &count);

	if (!team)
		return unknown + order;
	if (team->level == 0)
		return order;
	for (size_t i = 0; i < count; i++) {
		if (teams[i] == team)
			return unknown / 2 + i;
	}
	return unknown + order;
}

static struct team_tasks **tasks_by_team(struct text *text, struct task_pool *pool, size_t *count)
{
	struct table by_id = { 0 };
	struct team_tasks **teams = NULL;
	size_t capacity = 0;

	*count = 0;
	for (size_t i = 0; i < pool->count; i++) {
		const struct task *task = pool->nodes[i].task;
		struct team_tasks **team = (struct team_tasks **)table_put(&by_id, pool->arena,
									   task->info.parallel_id);
		if (!*team) {
			*team = ARENA_NEW(pool->arena, struct team_tasks);
			(*team)->id = task->info.parallel_id;
			(*team)->team = task_team(task);
			(*team)->rank = rank_of(text, (*team)->team, *count);
			*ARENA_APPEND(pool->arena, teams, *count, capacity) = *team;
		}
		*ARENA_APPEND(pool->arena, (*team)->nodes, (*team)->count, (*team)->capacity) = i;
	}
	if (*count)
		qsort(teams, *count, sizeof(struct team_tasks *), compare_teams);
	return teams;
}

/** Add the tasks from @p first on that have nothing below them and differ only in their threads as one
 *  line. @return whether there are several. */
static bool add_implicit_alike(struct text *text, struct task_pool *pool,
			       const struct team_tasks *team, size_t first)
{
	struct arena *arena = pool->arena;
	struct task_node *model = &pool->nodes[team->nodes[first]];
	struct thread_list threads = { 0 };
	const char *said;

	if (!lone_thread(pool, model))
		return false;
	said = details(arena, model->task);
	for (size_t i = first; i < team->count; i++) {
		struct task_node *node = &pool->nodes[team->nodes[i]];
		struct thread *thread = node->is_shown ? NULL : lone_thread(pool, node);

		if (!thread || strcmp(task_status(node->task), task_status(model->task)) != 0 ||
		    strcmp(details(arena, node->task), said) != 0)
			continue;
		node->is_shown = true;
		thread_list_append(&threads, arena, thread);
	}
	if (threads.count == 1)
		model->is_shown = false;
	else
		text_cut(text,
			 arena_printf(text->paper.arena, "%s%zu implicit tasks, %s%s, threads %s",
				      indentation(text, 1), threads.count, task_status(model->task),
				      said, thread_numbers(arena, &threads)),
			 paint_task);
	return threads.count > 1;
}

static void add_team(struct text *text, struct task_pool *pool, const struct team_tasks *team)
{
	text_cut(text, team_line(pool, pool->nodes[team->nodes[0]].task), NULL);
	for (size_t i = 0; i < team->count; i++) {
		struct task_node *node = &pool->nodes[team->nodes[i]];

		if (is_root(pool, node->task) && !node->is_shown &&
		    !add_implicit_alike(text, pool, team, i))
			add_branch(text, pool, team->nodes[i]);
	}
	// Parents in a circle: the runtime's memory is damaged.
	for (size_t i = 0; i < team->count; i++) {
		if (!pool->nodes[team->nodes[i]].is_shown)
			add_branch(text, pool, team->nodes[i]);
	}
	for (size_t i = 0; i < pool->num_groups; i++) {
		if (pool->groups[i]->parallel_id == team->id &&
		    !task_pool_find(pool, pool->groups[i]->parent_id))
			add_more_line(text, pool, 1, pool->groups[i]);
	}
}

// "12 tasks", "at least 12 tasks". Where lists cannot be read, none found says nothing of how many
// there are.
static const char *number_found(struct arena *arena, uint64_t count, bool is_damaged)
{
	if (!is_damaged)
		return counted_text(arena, count, "task");
	return count ? arena_printf(arena, "at least %s", counted_text(arena, count, "task")) :
		       "no task found";
}

static const char *damage(bool is_damaged)
{
	return is_damaged ? "; not all lists of the runtime can be read" : "";
}

static void add_tree(struct text *text, struct task_pool *pool)
{
	size_t num_teams;
	struct team_tasks **teams = tasks_by_team(text, pool, &num_teams);
	const char *unreached = "";

	for (size_t i = 0; i < num_teams && !process_is_interrupted(text->process); i++)
		add_team(text, pool, teams[i]);
	// The runtime does not keep detached tasks in a list, nor one that is just being made.
	if (pool->unreached > 0)
		unreached = arena_printf(pool->arena, ", and %ld in no list (for example detached)",
					 (long)pool->unreached);
	TEXT_CUT(text, "%s%s%s", number_found(pool->arena, pool->total, pool->is_damaged),
		 unreached, damage(pool->is_damaged));
}

// ---- Lists -------------------------------------------------------------------------------------

static void add_queued(struct text *text, struct task_pool *pool)
{
	static const struct column columns[] = {
		{ .title = "Team", .squeeze = 8 },
		{ .title = "Task", .squeeze = 28, .cut = cut_place, .paint = paint_task },
		{ .title = "Status" },
		{ .title = "Created by",
		  .squeeze = 16,
		  .cut = cut_place,
		  .paint = paint_task,
		  .drop = 2 },
		{ .title = "Priority", .right = true, .drop = 1 },
		{ .title = "Dependences", .squeeze = 16 },
	};
	struct text_table table;
	uint64_t count = 0;

	text_table_init(&table, &text->paper, columns, sizeof(columns) / sizeof(*columns));
	for (size_t i = 0; i < pool->count; i++) {
		struct task *task = pool->nodes[i].task;
		const struct task_node *parent = task_pool_find(pool, task->info.parent_id);
		if (task_has_begun(task))
			continue;
		TABLE_ROW(&table, task_team(task) ? team_label(task_team(task)) : "?",
			  numbered_title(task), task_status(task),
			  parent ? numbered_title(parent->task) : "",
			  task->info.priority ?
				  arena_printf(pool->arena, "%d", task->info.priority) :
				  "",
			  dependences_text(task));
		count++;
	}
	if (table.num_rows) {
		text_table_remove_empty(&table);
		text_table_add(text, &table);
	}
	for (size_t i = 0; i < pool->num_groups; i++) {
		count += pool->groups[i]->number - pool->keep;
		add_more_line(text, pool, 0, pool->groups[i]);
	}
	TEXT_CUT(text, "%s queued or blocked%s", number_found(pool->arena, count, pool->is_damaged),
		 damage(pool->is_damaged));
}

struct ompdbg_error *text_tasks(struct text *text, const struct view_options *options)
{
	struct process *process = text->process;

	for (size_t i = 0; i < process->num_runtimes; i++) {
		struct task_pool pool;
		struct ompdbg_error *error = task_pool_read(
			process->runtimes[i], options->queued ? LISTED_ALIKE : SHOWN_ALIKE, &pool);
		if (error)
			return error;
		if (has_several_runtimes(process))
			TEXT_ADD(text, "-- %s --", process->runtimes[i]->title);
		if (options->queued)
			add_queued(text, &pool);
		else
			add_tree(text, &pool);
	}
	return NULL;
}

struct ompdbg_error *text_task_counts(struct text *text, const struct view_options *options)
{
	static const struct column columns[] = {
		NUMBER_COLUMN("Tasks"),
		{ .title = "Kind" },
		{ .title = "Status" },
		PLACE_COLUMN("Function", 20),
	};
	struct arena *arena = text->paper.arena;
	struct task_count *counts;
	struct text_table table;
	uint64_t total = 0;
	size_t count;
	bool damaged;
	struct ompdbg_error *error = process_task_counts(text->process, &counts, &count, &damaged);

	(void)options;
	if (error)
		return error;
	text_table_init(&table, &text->paper, columns, sizeof(columns) / sizeof(*columns));
	for (size_t i = 0; i < count; i++) {
		TABLE_ROW(&table, arena_printf(arena, "%lu", (unsigned long)counts[i].number),
			  counts[i].kind, counts[i].status,
			  function_place_text(arena, counts[i].function));
		total += counts[i].number;
	}
	if (count)
		text_table_add(text, &table);
	TEXT_CUT(text, "%s%s", number_found(arena, total, damaged), damage(damaged));
	return NULL;
}
