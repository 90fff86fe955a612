// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tasks for which threads wait.

#include "diagnose/room.h"

enum { MAX_TASKS = 100000 }; // more are not looked at one by one

/** The tasks of one runtime that are kept. */
struct kept_tasks {
	struct runtime *runtime;
	struct task **tasks;
	size_t count, capacity;
	bool has_before;
	struct table before; // identity of a blocked task -> struct task_list * that it waits for
};

struct task_list {
	struct task **tasks;
	size_t count, capacity;
	size_t num_links; // LLVM's runtime may count a task more than once, for several dependences
};

// ---- Tasks -------------------------------------------------------------------------------------

static struct ompdbg_error *keep_task(void *context, struct task *task)
{
	struct kept_tasks *kept = context;
	struct arena *arena = &kept->runtime->process->arena;

	if (kept->count == MAX_TASKS)
		return &ompdbg_error_absent; // no more are wanted
	*ARENA_APPEND(arena, kept->tasks, kept->count, kept->capacity) = task_keep(task);
	return process_is_interrupted(kept->runtime->process) ? interruption() : NULL;
}

/** Note for each blocked task the unfinished ones that it waits for directly. */
static void find_predecessors(struct kept_tasks *kept)
{
	struct arena *arena = &kept->runtime->process->arena;
	bool is_any_blocked = false;

	if (kept->has_before)
		return;
	kept->has_before = true;
	for (size_t i = 0; i < kept->count; i++)
		is_any_blocked |= kept->tasks[i]->info.status == ompd_ext_task_blocked;
	for (size_t i = 0; i < kept->count && is_any_blocked; i++) {
		const uint64_t *ids;
		size_t count;
		task_dependers(kept->tasks[i], &ids, &count); // task_predecessors() counts
		for (size_t k = 0; k < count; k++) {
			struct task_list **list =
				(struct task_list **)table_put(&kept->before, arena, ids[k]);
			if (!*list)
				*list = ARENA_NEW(arena, struct task_list);
			(*list)->num_links++;
			if ((*list)->count && (*list)->tasks[(*list)->count - 1] == kept->tasks[i])
				continue;
			*ARENA_APPEND(arena, (*list)->tasks, (*list)->count, (*list)->capacity) =
				kept->tasks[i];
		}
	}
}

static struct kept_tasks *keep_tasks(struct runtime *runtime)
{
	struct process *process = runtime->process;
	struct kept_tasks **kept = (struct kept_tasks **)table_put(
		&diagnose_room(process)->tasks, &process->arena, (uint64_t)(uintptr_t)runtime);

	if (!*kept) {
		*kept = ARENA_NEW(&process->arena, struct kept_tasks);
		(*kept)->runtime = runtime;
		ompdbg_error_destroy(tasks_visit(runtime, keep_task, *kept, NULL, NULL));
	}
	return *kept;
}

static struct kept_tasks *tasks_of(struct runtime *runtime)
{
	struct kept_tasks *kept = keep_tasks(runtime);

	find_predecessors(kept);
	return kept;
}

bool task_predecessors(struct task *task, struct task *const **ret, size_t *count)
{
	struct kept_tasks *kept = keep_tasks(task->runtime);
	const struct task_list *before;

	*ret = NULL;
	*count = 0;
	if (task->info.status != ompd_ext_task_blocked)
		return true;
	find_predecessors(kept);
	before = table_get(&kept->before, task->info.id);
	if (before) {
		*ret = before->tasks;
		*count = before->count;
	}
	return (before ? before->num_links : 0) == task->info.num_predecessors;
}

struct task *const *graph_tasks(struct runtime *runtime, size_t *count)
{
	struct kept_tasks *kept = tasks_of(runtime);

	*count = kept->count;
	return kept->tasks;
}

static bool is_unfinished(const struct task *task)
{
	return (task->info.kind == ompd_ext_task_explicit ||
		task->info.kind == ompd_ext_task_target) &&
	       task->info.status != ompd_ext_task_completed;
}

// ---- Edges -------------------------------------------------------------------------------------

/** Add an edge for a task that is not blocked. */
static void add_edge_to(struct graph *graph, struct wait_node *node, struct task *task,
			struct task *through, bool is_certain)
{
	struct thread *runner = NULL;
	enum edge_kind kind;

	if (task->info.status == ompd_ext_task_detached) {
		kind = EDGE_EVENT;
	} else if (task->info.status == ompd_ext_task_queued) {
		kind = EDGE_QUEUED;
	} else if (task->info.status == ompd_ext_task_blocked) {
		kind = EDGE_BLOCKED;
	} else {
		kind = EDGE_TASK;
		runner = task_runner(task);
		if (!runner || runner == node->thread) {
			kind = EDGE_SUSPENDED;
			runner = NULL;
		}
	}
	struct edge *edge = edge_add(graph, node, kind, runner, is_certain);
	edge->task = task;
	edge->through = through;
}

/** Add edges for the tasks that must end before a blocked one, those before them among them. */
static void add_edges_before(struct graph *graph, struct wait_node *node, struct kept_tasks *kept,
			     struct task *task, bool is_certain)
{
	struct arena *arena = &graph->process->arena;
	struct task_list found = { 0 };
	struct table seen = { 0 };
	size_t edges = node->num_edges;

	*table_put(&seen, arena, task->info.id) = task;
	*ARENA_APPEND(arena, found.tasks, found.count, found.capacity) = task;
	for (size_t i = 0; i < found.count; i++) {
		const struct task_list *before = table_get(&kept->before, found.tasks[i]->info.id);
		for (size_t k = 0; before && k < before->count; k++) {
			struct task *one = before->tasks[k];
			if (table_get(&seen, one->info.id))
				continue;
			*table_put(&seen, arena, one->info.id) = one;
			*ARENA_APPEND(arena, found.tasks, found.count, found.capacity) = one;
			if (one->info.status != ompd_ext_task_blocked) // its own are listed, too
				add_edge_to(graph, node, one, task, is_certain);
		}
	}
	if (node->num_edges == edges)
		add_edge_to(graph, node, task, NULL, is_certain);
}

static void add_edges_for(struct graph *graph, struct wait_node *node, struct kept_tasks *kept,
			  struct task *const *wanted, size_t count, bool is_certain)
{
	for (size_t i = 0; i < count; i++) {
		if (wanted[i]->info.status == ompd_ext_task_blocked)
			add_edges_before(graph, node, kept, wanted[i], is_certain);
		else
			add_edge_to(graph, node, wanted[i], NULL, is_certain);
	}
}

// ---- Detached tasks of which LLVM's runtime keeps no list --------------------------------------
//
// It counts the children of a task that are not done, and notes that a region has such tasks. If fewer
// than it counts are queued, blocked or begun, the rest wait for their events, but for one that a thread
// is just about to begin or to end.

/** Count the tasks that a thread waits for besides those that are listed. */
static uint64_t count_unlisted(struct thread *thread, uint64_t listed, bool is_group)
{
	struct task *current = thread_task(thread);
	ompd_ext_task_counts counts;
	uint64_t all;

	if (!current)
		return 0;
	counts = task_counts(current);
	all = is_group ? counts.taskgroup : counts.children;
	return counts.detached && all > listed ? all - listed : 0;
}

/** Check for such tasks of the implicit tasks of a region, whose threads wait at a barrier. */
static bool has_unlisted(struct region *region, struct task *const *listed, size_t count)
{
	for (size_t i = 0; i < region->num_members; i++) {
		struct thread *thread = region->members[i];
		struct task *current = thread ? thread_task(thread) : NULL;
		uint64_t own = 0;
		if (!current || current->info.kind != ompd_ext_task_implicit)
			continue;
		for (size_t k = 0; k < count; k++)
			own += listed[k]->info.parent_id == current->info.id;
		if (count_unlisted(thread, own, false))
			return true;
	}
	return false;
}

// ---- Waits -------------------------------------------------------------------------------------

void add_edges_to_left_tasks(struct graph *graph, struct wait_node *node, struct region *region)
{
	struct kept_tasks *kept = tasks_of(node->thread->runtime);
	struct task **left = ARENA_ARRAY(&graph->process->arena, struct task *, kept->count);
	size_t count = 0;

	for (size_t i = 0; i < kept->count; i++) {
		if (is_unfinished(kept->tasks[i]) &&
		    kept->tasks[i]->info.parallel_id == region->team->id)
			left[count++] = kept->tasks[i];
	}
	add_edges_for(graph, node, kept, left, count, true);
	if (has_unlisted(region, left, count))
		edge_add(graph, node, EDGE_EVENT, NULL, false);
}

void add_task_edges(struct graph *graph, struct wait_node *node, uint32_t kind)
{
	struct kept_tasks *kept = tasks_of(node->thread->runtime);
	struct task *current = thread_task(node->thread);
	struct task **wanted = ARENA_ARRAY(&graph->process->arena, struct task *, kept->count);
	bool is_group = kind == ompd_ext_wait_taskgroup;
	bool is_dependences = kind == ompd_ext_wait_dependences;
	size_t count = 0;

	if (!current)
		return;
	for (size_t i = 0; i < kept->count; i++) {
		struct task *task = kept->tasks[i];
		bool is_wanted = is_group ?
					 current->info.taskgroup &&
						 task->info.taskgroup == current->info.taskgroup :
					 task->info.parent_id == current->info.id;
		if (!is_wanted || task->info.id == current->info.id || !is_unfinished(task) ||
		    (is_dependences && task->info.status == ompd_ext_task_blocked))
			continue;
		wanted[count++] = task;
	}
	// It waits for some of the children; which, is not recorded for all of them.
	add_edges_for(graph, node, kept, wanted, count, !is_dependences || count == 1);
	if (!is_dependences && count_unlisted(node->thread, count, is_group))
		edge_add(graph, node, EDGE_EVENT, NULL, false);
}
