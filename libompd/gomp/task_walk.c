// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every task of a region, each once. Tasks hang together by the queues of children, of the team
// and of taskgroups, by the vectors of tasks that depend on another, and by the threads that run
// them; no one of these holds all. The walk follows all of them from the implicit tasks on, and
// remembers which tasks it met.

#include "gomp/gomp.h"
#include "gomp/task_vectors.h"

/** enum priority_queue_type: which of a task's nodes links it into which kind of queue. */
enum queue_type { QUEUE_TEAM, QUEUE_CHILDREN, QUEUE_TASKGROUP };

/** A place where more tasks are to be found. */
struct source {
	enum { SOURCE_LIST, SOURCE_TREE, SOURCE_TASK } kind;
	enum queue_type queue; // lists and trees
	uint64_t head;	       // list: first node; tree: the node; task: itself
	uint64_t next;	       // list: next node to take, 0: the first
	struct cycle cycle;    // list
	uint64_t parent;       // task: the parent
};

struct walk {
	const struct runtime *runtime;
	struct region region;
	uint64_t team; // whose queues are walked; 0: none
	struct activity activity;
	struct idmap met;	// tasks, and taskgroups
	struct source *sources; // a stack
	size_t source_count, source_capacity;
	uint32_t implicit;	     // implicit tasks taken so far
	size_t begun;		     // position in the activity
	uint32_t counted;	     // tasks met that the team counts
	bool damaged;		     // a list was; the rest is still walked
	struct task_vectors vectors; // taken when the stack is empty
};

static ompd_rc_t push(struct walk *walk, const struct source *source)
{
	struct source *sources = target_grow(&walk->runtime->target, walk->sources,
					     walk->source_count, &walk->source_capacity,
					     sizeof(*sources));

	if (!sources)
		return ompd_rc_nomem;
	walk->sources = sources;
	walk->sources[walk->source_count++] = *source;
	return ompd_rc_ok;
}

// A queue is a tree of lists by priority if there is more than one priority, else one list.
static ompd_rc_t push_queue(struct walk *walk, enum queue_type type, uint64_t root, uint64_t tasks)
{
	if (root)
		return push(walk,
			    &(struct source){ .kind = SOURCE_TREE, .queue = type, .head = root });
	if (tasks)
		return push(walk,
			    &(struct source){ .kind = SOURCE_LIST, .queue = type, .head = tasks });
	return ompd_rc_ok;
}

static ompd_rc_t push_queue_at(struct walk *walk, enum queue_type type, uint64_t queue)
{
	const struct runtime *runtime = walk->runtime;
	uint64_t root, tasks;
	ompd_rc_t rc = target_read_pointer(
		&runtime->target, gomp_at(runtime, queue, GOMP_FIELD_priority_queue__t), &root);

	if (rc == ompd_rc_ok)
		rc = gomp_read(runtime, gomp_at(runtime, queue, GOMP_FIELD_priority_queue__l),
			       GOMP_FIELD_priority_list__tasks, &tasks);
	return rc == ompd_rc_ok ? push_queue(walk, type, root, tasks) : rc;
}

static uint32_t node_offset(const struct runtime *runtime, enum queue_type queue)
{
	return runtime->layout.field[TASK(pnode)].offset +
	       queue * runtime->layout.struct_size[GOMP_STRUCT_priority_node];
}

// Remember what hangs from a task that was just met.
static ompd_rc_t push_neighbours(struct walk *walk, const struct gomp_task_record *task)
{
	const struct runtime *runtime = walk->runtime;
	const struct gomp_record *record = &task->record;
	const struct layout_field *fields = runtime->layout.field;
	uint32_t queue = fields[TASK(children_queue)].offset;
	uint64_t taskgroup = gomp_get(runtime, record, 0, TASK(taskgroup));
	uint64_t vector = gomp_get(runtime, record, 0, TASK(dependers));
	ompd_rc_t rc = ompd_rc_ok;
	bool added = false;

	if (taskgroup)
		rc = idmap_add(&walk->met, &runtime->target, taskgroup, 0, &added);
	if (rc == ompd_rc_ok && added)
		rc = push_queue_at(walk, QUEUE_TASKGROUP,
				   gomp_at(runtime, taskgroup,
					   GOMP_FIELD_gomp_taskgroup__taskgroup_queue));
	if (rc == ompd_rc_ok && vector)
		rc = task_vectors_add(&walk->vectors, runtime, vector, task->parent);
	if (rc != ompd_rc_ok)
		return rc;
	uint64_t root = gomp_get(runtime, record, queue, GOMP_FIELD_priority_queue__t);
	uint64_t tasks = gomp_get(runtime, record,
				  queue + fields[GOMP_FIELD_priority_queue__l].offset,
				  GOMP_FIELD_priority_list__tasks);

	return push_queue(walk, QUEUE_CHILDREN, root, tasks);
}

static void pop(struct walk *walk)
{
	walk->source_count--;
}

// Give up the list on top of the stack.
static ompd_rc_t damaged(struct walk *walk)
{
	pop(walk);
	walk->damaged = true;
	return ompd_rc_stale_handle;
}

// Replace a tree node by its list and its subtrees.
static ompd_rc_t expand_tree(struct walk *walk)
{
	const struct runtime *runtime = walk->runtime;
	struct source tree = walk->sources[walk->source_count - 1];
	uint64_t children[2], tasks;

	if (gomp_read(runtime, tree.head, GOMP_FIELD_prio_splay_tree_node_s__left, &children[0]) !=
		    ompd_rc_ok ||
	    gomp_read(runtime, tree.head, GOMP_FIELD_prio_splay_tree_node_s__right, &children[1]) !=
		    ompd_rc_ok ||
	    gomp_read(runtime, gomp_at(runtime, tree.head, GOMP_FIELD_prio_splay_tree_node_s__key),
		      GOMP_FIELD_priority_list__tasks, &tasks) != ompd_rc_ok)
		return damaged(walk);
	pop(walk);

	ompd_rc_t rc = ompd_rc_ok;

	for (int i = 0; i < 2 && rc == ompd_rc_ok; i++) {
		bool added = false;

		// The same node is a key of its own in each kind of queue; a tree that bites its
		// tail is met twice.
		if (children[i])
			rc = idmap_add(&walk->met, &runtime->target, children[i], 0, &added);
		walk->damaged |= children[i] && !added;
		if (rc == ompd_rc_ok && added)
			rc = push(walk, &(struct source){ .kind = SOURCE_TREE,
							  .queue = tree.queue,
							  .head = children[i] });
	}
	if (rc == ompd_rc_ok && tasks)
		rc = push(walk, &(struct source){
					.kind = SOURCE_LIST, .queue = tree.queue, .head = tasks });
	return rc;
}

// Take the next task of the list on top of the stack.
static ompd_rc_t next_of_list(struct walk *walk, struct gomp_task_record *record)
{
	const struct runtime *runtime = walk->runtime;
	struct source *list = &walk->sources[walk->source_count - 1];
	uint64_t node = list->next ? list->next : list->head;
	uint32_t offset = node_offset(runtime, list->queue);
	bool added;

	if (gomp_read_task(runtime, node - offset, record) != ompd_rc_ok)
		return damaged(walk);
	ompd_rc_t rc = idmap_add(&walk->met, &runtime->target, node - offset, 0, &added);

	if (rc != ompd_rc_ok)
		return rc;
	const uint8_t *bytes = record->record.bytes + offset +
			       runtime->layout.field[GOMP_FIELD_priority_node__next].offset;

	// Lists are rings. A ring that does not come back to its head is cut off where it meets
	// itself.
	list->next = target_uint(bytes, 8);
	if (list->next == list->head)
		pop(walk);
	else if (!list->next || cycle_closed(&list->cycle, list->next))
		damaged(walk);
	return added ? ompd_rc_ok : ompd_rc_stale_handle;
}

// Take the next task that depends on another.
static ompd_rc_t next_of_vectors(struct walk *walk, struct gomp_task_record *record)
{
	const struct runtime *runtime = walk->runtime;
	size_t left = walk->vectors.count;
	uint64_t address, parent;
	bool added;

	if (task_vectors_take(&walk->vectors, runtime, &address, &parent) != ompd_rc_ok ||
	    gomp_read_task(runtime, address, record) != ompd_rc_ok) {
		// One bad element, and the number of elements is not to be believed either.
		if (walk->vectors.count == left)
			task_vectors_drop(&walk->vectors);
		walk->damaged = true;
		return ompd_rc_stale_handle;
	}
	ompd_rc_t rc = idmap_add(&walk->met, &runtime->target, address, 0, &added);

	if (rc != ompd_rc_ok)
		return rc;
	// Tasks that depend on one another are siblings. When their parent ends, libgomp clears the
	// pointer to it in those that are queued, and not in those that still wait for others.
	record->parent = parent;
	return added ? ompd_rc_ok : ompd_rc_stale_handle;
}

static ompd_rc_t emit(struct walk *walk, const struct gomp_task_record *record,
		      ompd_ext_task_info *ret)
{
	gomp_describe_task(walk->runtime, &walk->region, &walk->activity, record, ret);
	// What gomp_team.task_count counts: tasks that entered the team's queue and have not ended.
	walk->counted += ret->kind >= ompd_ext_task_explicit &&
			 record->kind != GOMP_TASK_UNDEFERRED &&
			 ret->status != ompd_ext_task_blocked;
	ompd_rc_t rc = push_neighbours(walk, record);

	if (rc == ompd_rc_nomem)
		return rc;
	walk->damaged |= rc != ompd_rc_ok;
	return ompd_rc_ok;
}

// A task that was just met, after those of its ancestors that were not: an undeferred task below a
// deferred one is in no queue, and no thread's current task.
static ompd_rc_t emit_after_ancestors(struct walk *walk, struct gomp_task_record *record,
				      ompd_ext_task_info *ret)
{
	const struct target *target = &walk->runtime->target;

	while (record->parent && record->kind != GOMP_TASK_IMPLICIT &&
	       !idmap_find(&walk->met, record->parent, NULL)) {
		struct gomp_task_record parent;

		if (gomp_read_task(walk->runtime, record->parent, &parent) != ompd_rc_ok ||
		    parent.kind == GOMP_TASK_IMPLICIT) {
			walk->damaged = true;
			break;
		}
		ompd_rc_t rc = idmap_add(&walk->met, target, record->parent, 0, NULL);

		if (rc == ompd_rc_ok)
			rc = push(walk, &(struct source){ .kind = SOURCE_TASK,
							  .head = record->record.address,
							  .parent = record->parent });
		if (rc != ompd_rc_ok)
			return rc;
		*record = parent;
	}
	return emit(walk, record, ret);
}

// Take the task on top of the stack, whose ancestors have all been met.
static ompd_rc_t emit_source(struct walk *walk, ompd_ext_task_info *ret)
{
	const struct source top = walk->sources[walk->source_count - 1];
	struct gomp_task_record record;

	pop(walk);
	if (gomp_read_task(walk->runtime, top.head, &record) != ompd_rc_ok) {
		walk->damaged = true;
		return ompd_rc_stale_handle;
	}
	record.parent = top.parent;
	return emit(walk, &record, ret);
}

static ompd_rc_t emit_address(struct walk *walk, uint64_t address, ompd_ext_task_info *ret)
{
	struct gomp_task_record record;
	bool added;
	ompd_rc_t rc = idmap_add(&walk->met, &walk->runtime->target, address, 0, &added);

	if (rc != ompd_rc_ok || !added)
		return rc == ompd_rc_ok ? ompd_rc_stale_handle : rc;
	if (address == 0) {
		gomp_describe_initial_task(&walk->region, &walk->activity, ret);
		return ompd_rc_ok;
	}
	if (gomp_read_task(walk->runtime, address, &record) != ompd_rc_ok) {
		walk->damaged = true;
		return ompd_rc_stale_handle;
	}
	return emit_after_ancestors(walk, &record, ret);
}

// Take one step. ompd_rc_stale_handle: nothing new was met, go on.
static ompd_rc_t step(struct walk *walk, ompd_ext_task_info *ret)
{
	struct gomp_task_record record;
	struct task task;
	uint64_t begun;

	if (walk->implicit < walk->region.nthreads) {
		ompd_rc_t rc =
			gomp_implicit_task(walk->runtime, &walk->region, walk->implicit++, &task);

		if (rc == ompd_rc_ok)
			return emit_address(walk, task.address, ret);
		walk->damaged = true;
		return ompd_rc_stale_handle;
	}
	if (walk->source_count) {
		if (walk->sources[walk->source_count - 1].kind == SOURCE_TREE) {
			ompd_rc_t rc = expand_tree(walk);

			return rc == ompd_rc_ok ? ompd_rc_stale_handle : rc;
		}
		if (walk->sources[walk->source_count - 1].kind == SOURCE_TASK)
			return emit_source(walk, ret);
	}
	if (walk->source_count || walk->vectors.count) {
		ompd_rc_t rc = walk->source_count ? next_of_list(walk, &record) :
						    next_of_vectors(walk, &record);

		return rc == ompd_rc_ok ? emit_after_ancestors(walk, &record, ret) : rc;
	}
	// What no queue knows: undeferred tasks, and running tasks whose parent has ended.
	if (activity_next(&walk->activity, &walk->begun, &begun))
		return emit_address(walk, begun, ret);
	return reason(ompd_rc_unavailable, "no more tasks");
}

ompd_rc_t gomp_walk_next(struct walk *walk, ompd_ext_task_info *ret, bool *damaged)
{
	ompd_rc_t rc;

	do
		rc = step(walk, ret);
	while (rc == ompd_rc_stale_handle);
	*damaged |= walk->damaged;
	return rc;
}

ompd_rc_t gomp_walk_open(const struct runtime *runtime, const struct region *region,
			 struct walk **ret)
{
	struct walk *walk = target_alloc(&runtime->target, sizeof(*walk));

	if (!walk)
		return ompd_rc_nomem;
	walk->runtime = runtime;
	walk->region = *region;
	walk->met.is_set = true;
	walk->team = region->level ? region->team : region->artificial_team;
	ompd_rc_t rc = gomp_know_parent(runtime, &walk->region);

	if (rc == ompd_rc_ok)
		rc = gomp_activity_open(runtime, region, &walk->activity);

	walk->damaged = walk->activity.damaged;
	if (rc == ompd_rc_ok && walk->team) {
		rc = push_queue_at(walk, QUEUE_TEAM,
				   gomp_at(runtime, walk->team, TEAM(task_queue)));
		walk->damaged |= rc != ompd_rc_ok;
		rc = rc == ompd_rc_nomem ? rc : ompd_rc_ok;
	}
	if (rc != ompd_rc_ok) {
		gomp_walk_close(walk);
		return rc;
	}
	*ret = walk;
	return ompd_rc_ok;
}

ompd_rc_t gomp_walk_unreached(const struct walk *walk, uint32_t *ret)
{
	uint64_t lock, count;

	*ret = 0;
	if (!walk->team)
		return ompd_rc_ok;
	ompd_rc_t rc = gomp_read(walk->runtime, walk->team, TEAM(task_lock), &lock);

	if (rc == ompd_rc_ok)
		rc = gomp_read(walk->runtime, walk->team, TEAM(task_count), &count);
	if (rc != ompd_rc_ok)
		return rc;
	if (lock)
		return reason(ompd_rc_unavailable, "the team's tasks are being changed");
	*ret = count > walk->counted ? count - walk->counted : 0;
	return ompd_rc_ok;
}

void gomp_walk_close(struct walk *walk)
{
	const struct target *target = &walk->runtime->target;

	activity_close(target, &walk->activity);
	idmap_close(&walk->met, target);
	task_vectors_close(&walk->vectors, walk->runtime);
	target_free(target, walk->sources);
	target_free(target, walk);
}
