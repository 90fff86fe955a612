// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks as a tree, as a list of those that wait, and counted.

#include <stdlib.h>
#include <string.h>

#include "diagnose/words.h"
#include "output/icv_rows.h"
#include "output/task_words.h"

enum { SHOWN_ALIKE = 5, LISTED_ALIKE = 50 }; // of more tasks alike, only the number is shown

/** Tasks that are alike: they were not begun, and differ in nothing that a table shows. */
struct alike {
	struct task *first; // of those that are not kept
	uint64_t parallel_id, parent_id, function;
	uint32_t kind, status;
	uint64_t number;    // of all
	struct alike *next; // with the same hash
};

/** A task of the tree. */
struct node {
	struct task *task;
	size_t *children, num_children, capacity; // indices of nodes
	struct alike **more;
	size_t num_more, more_capacity;
	bool is_shown;
};

/** The tasks of one runtime; of many tasks alike only the first few are kept. */
struct pool {
	struct runtime *runtime;
	struct arena *arena;
	uint64_t keep; // of tasks alike
	struct node *nodes;
	size_t count, capacity;
	struct table by_id;    // -> index + 1
	struct table alike;    // hash -> struct alike *
	struct alike **groups; // of which some were left out
	size_t num_groups, group_capacity;
	uint64_t total;
	int64_t unreached;
	bool is_damaged;
};

// ---- Reading -----------------------------------------------------------------------------------

static struct alike *alike_of(struct pool *pool, const ompd_ext_task_info *info)
{
	uint64_t hash = info->parallel_id;
	struct alike **first;

	hash = hash * 31 + info->parent_id;
	hash = hash * 31 + info->function;
	hash = hash * 31 + info->status;
	first = (struct alike **)table_put(&pool->alike, pool->arena, hash * 31 + info->kind);
	for (struct alike *one = *first; one; one = one->next) {
		if (one->parallel_id == info->parallel_id && one->parent_id == info->parent_id &&
		    one->function == info->function && one->status == info->status &&
		    one->kind == info->kind)
			return one;
	}
	struct alike *found = ARENA_NEW(pool->arena, struct alike);
	found->parallel_id = info->parallel_id;
	found->parent_id = info->parent_id;
	found->function = info->function;
	found->status = info->status;
	found->kind = info->kind;
	found->next = *first;
	*first = found;
	return found;
}

static struct ompdbg_error *add_task(void *context, struct task *task)
{
	struct pool *pool = context;

	if (pool->total++ % 1024 == 0 && process_is_interrupted(pool->runtime->process))
		return &ompdbg_error_interrupted;
	if (!task_has_begun(task)) {
		struct alike *alike = alike_of(pool, &task->info);
		if (++alike->number > pool->keep) {
			if (alike->number == pool->keep + 1) {
				alike->first = task_keep(task);
				*ARENA_APPEND(pool->arena, pool->groups, pool->num_groups,
					      pool->group_capacity) = alike;
			}
			return NULL;
		}
	}
	ARENA_APPEND(pool->arena, pool->nodes, pool->count, pool->capacity)->task = task_keep(task);
	*table_put(&pool->by_id, pool->arena, task->info.id) = (void *)(uintptr_t)pool->count;
	return NULL;
}

static struct node *node_of(struct pool *pool, uint64_t id)
{
	size_t index = id ? (uintptr_t)table_get(&pool->by_id, id) : 0;

	return index ? &pool->nodes[index - 1] : NULL;
}

static struct ompdbg_error *read_pool(struct runtime *runtime, uint64_t keep, struct pool *pool)
{
	struct ompdbg_error *error;

	*pool = (struct pool){ .runtime = runtime,
			       .arena = &runtime->process->arena,
			       .keep = keep };
	error = tasks_visit(runtime, add_task, pool, &pool->is_damaged, &pool->unreached);
	if (error)
		return error;
	for (size_t i = 0; i < pool->count; i++) {
		struct node *parent = node_of(pool, pool->nodes[i].task->info.parent_id);
		if (parent)
			*ARENA_APPEND(pool->arena, parent->children, parent->num_children,
				      parent->capacity) = i;
	}
	for (size_t i = 0; i < pool->num_groups; i++) {
		struct node *parent = node_of(pool, pool->groups[i]->parent_id);
		if (parent)
			*ARENA_APPEND(pool->arena, parent->more, parent->num_more,
				      parent->more_capacity) = pool->groups[i];
	}
	return NULL;
}

// ---- Words -------------------------------------------------------------------------------------

static const char *describe(struct arena *arena, struct task *task)
{
	const char *text = arena_printf(arena, "%s, %s", numbered_title(task), task_status(task));
	const char *depends = dependences_text(task), *created = creation_text(task);
	const char *given = given_text(task);

	if (task->info.num_predecessors)
		text = arena_printf(arena, "%s, waits for %s", text, predecessors_text(task));
	if (task_is_explicit(task) && task_thread_num(task) != NOT_KNOWN)
		text = arena_printf(arena, "%s, %s", text, task_thread_text(task));
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

static const char *more_text(struct pool *pool, const struct alike *alike)
{
	return arena_printf(pool->arena, "... and %lu more: %s, %s",
			    (unsigned long)(alike->number - pool->keep), task_title(alike->first),
			    task_status(alike->first));
}

static const char *team_line(struct pool *pool, const struct task *task)
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
	const struct alike *alike;
	int depth;
};

static void add_indented(struct text *text, int depth, const char *line)
{
	text_cut(text, arena_printf(text->paper.arena, "%*s%s", 2 * depth, "", line), paint_task);
}

/** Add a task of a team with those below it. */
static void add_branch(struct text *text, struct pool *pool, size_t root)
{
	uint64_t team = pool->nodes[root].task->info.parallel_id;
	struct pending *stack = NULL;
	size_t count = 0, capacity = 0;

	*ARENA_APPEND(pool->arena, stack, count, capacity) =
		(struct pending){ .node = root, .depth = 1 };
	while (count) {
		struct pending now = stack[--count];
		struct node *node = &pool->nodes[now.node];
		if (now.alike) {
			add_indented(text, now.depth, more_text(pool, now.alike));
			continue;
		}
		if (node->is_shown)
			continue;
		node->is_shown = true;
		add_indented(text, now.depth, describe(pool->arena, node->task));
		for (size_t i = node->num_more; i-- > 0;)
			*ARENA_APPEND(pool->arena, stack, count, capacity) =
				(struct pending){ .alike = node->more[i], .depth = now.depth + 1 };
		for (size_t i = node->num_children; i-- > 0;) {
			const struct task *child = pool->nodes[node->children[i]].task;
			if (child->info.parallel_id == team &&
			    child->info.kind != ompd_ext_task_implicit)
				*ARENA_APPEND(pool->arena, stack, count, capacity) =
					(struct pending){ .node = node->children[i],
							  .depth = now.depth + 1 };
		}
	}
}

/** Check for a task that begins a tree: implicit tasks do, though a task of another team generated
 *  them. */
static bool is_root(struct pool *pool, const struct task *task)
{
	return task->info.kind == ompd_ext_task_implicit ||
	       task->info.kind == ompd_ext_task_initial || !node_of(pool, task->info.parent_id);
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

static struct team_tasks **tasks_by_team(struct text *text, struct pool *pool, size_t *count)
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

static void add_team(struct text *text, struct pool *pool, const struct team_tasks *team)
{
	text_cut(text, team_line(pool, pool->nodes[team->nodes[0]].task), paint_plain);
	for (size_t i = 0; i < team->count; i++) {
		if (is_root(pool, pool->nodes[team->nodes[i]].task))
			add_branch(text, pool, team->nodes[i]);
	}
	// Parents in a circle: the runtime's memory is damaged.
	for (size_t i = 0; i < team->count; i++) {
		if (!pool->nodes[team->nodes[i]].is_shown)
			add_branch(text, pool, team->nodes[i]);
	}
	for (size_t i = 0; i < pool->num_groups; i++) {
		if (pool->groups[i]->parallel_id == team->id &&
		    !node_of(pool, pool->groups[i]->parent_id))
			add_indented(text, 1, more_text(pool, pool->groups[i]));
	}
}

static const char *damage(const struct pool *pool)
{
	return pool->is_damaged ? "; not all lists of the runtime can be read" : "";
}

static void add_tree(struct text *text, struct pool *pool)
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
	text_cut(text,
		 arena_printf(pool->arena, "%s%s%s", counted_text(pool->arena, pool->total, "task"),
			      unreached, damage(pool)),
		 paint_plain);
}

// ---- Lists -------------------------------------------------------------------------------------

static void add_queued(struct text *text, struct pool *pool)
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
		const struct node *parent = node_of(pool, task->info.parent_id);
		if (task_has_begun(task))
			continue;
		const char **row = text_table_row(&table);
		row[0] = task_team(task) ? team_label(task_team(task)) : "?";
		row[1] = numbered_title(task);
		row[2] = task_status(task);
		row[3] = parent ? numbered_title(parent->task) : "";
		row[4] = task->info.priority ?
				 arena_printf(pool->arena, "%d", task->info.priority) :
				 "";
		row[5] = dependences_text(task);
		count++;
	}
	if (table.num_rows) {
		text_table_remove_empty(&table);
		text_table_add(text, &table);
	}
	for (size_t i = 0; i < pool->num_groups; i++) {
		count += pool->groups[i]->number - pool->keep;
		text_cut(text, more_text(pool, pool->groups[i]), paint_task);
	}
	text_cut(text,
		 arena_printf(pool->arena, "%s queued or blocked%s",
			      counted_text(pool->arena, count, "task"), damage(pool)),
		 paint_plain);
}

struct ompdbg_error *text_tasks(struct text *text, bool queued)
{
	struct process *process = text->process;

	for (size_t i = 0; i < process->num_runtimes; i++) {
		struct pool pool;
		struct ompdbg_error *error =
			read_pool(process->runtimes[i], queued ? LISTED_ALIKE : SHOWN_ALIKE, &pool);
		if (error)
			return error;
		if (has_several_runtimes(process))
			text_add(text,
				 arena_printf(pool.arena, "-- %s --", process->runtimes[i]->title));
		if (queued)
			add_queued(text, &pool);
		else
			add_tree(text, &pool);
	}
	return NULL;
}

struct ompdbg_error *text_tasks_by_function(struct text *text)
{
	static const struct column columns[] = {
		{ .title = "Tasks", .right = true },
		{ .title = "Kind" },
		{ .title = "Status" },
		{ .title = "Function", .squeeze = 20, .cut = cut_place, .paint = paint_place },
	};
	struct arena *arena = text->paper.arena;
	struct task_count *counts;
	struct text_table table;
	uint64_t total = 0;
	size_t count;
	struct ompdbg_error *error = process_task_counts(text->process, &counts, &count);

	if (error)
		return error;
	text_table_init(&table, &text->paper, columns, sizeof(columns) / sizeof(*columns));
	for (size_t i = 0; i < count; i++) {
		const char **row = text_table_row(&table);
		row[0] = arena_printf(arena, "%lu", (unsigned long)counts[i].number);
		row[1] = counts[i].kind;
		row[2] = counts[i].status;
		row[3] = function_place_text(arena, counts[i].function);
		total += counts[i].number;
	}
	if (count)
		text_table_add(text, &table);
	text_add(text, counted_text(arena, total, "task"));
	return NULL;
}
