// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every task of a region, each once: the implicit tasks, those in the deques, those that depend on
// others, the threads' current tasks, and the ancestors of all of these. Nothing leads to a
// task without dependences that no thread and no deque has, and none of whose children is met: a
// detached one, say; the tasks' counts of their children tell how many there are.

#include "kmp/tasks.h"

/** A task that is still to be told of. */
struct source {
	uint64_t task;
	bool met; // it counts as met, and so do its ancestors
};

struct walk {
	const struct runtime *runtime;
	struct region region;
	struct activity activity;
	struct idmap met, seen; // seen: those that were on the stack
	struct idmap depends;	// nodes, with how many clauses of theirs are recorded
	struct idmap queued;	// tasks in deques
	struct kmp_deques deques;
	struct source *sources; // a stack
	size_t source_count, source_capacity;
	uint32_t implicit;	   // implicit tasks taken so far
	size_t begun;		   // position in the activity
	int64_t children, counted; // counted by their parents, and met of those
	bool damaged;		   // or where a list is is not proven
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

static ompd_rc_t damaged(struct walk *walk)
{
	walk->damaged = true;
	return ompd_rc_stale_handle;
}

// Check whether the task's parent counts it (__kmp_track_children_task).
static bool is_counted(const struct runtime *runtime, const struct kmp_task_record *record)
{
	return record->is_explicit && !kmp_flag(runtime, record->flags, FLAG(complete)) &&
	       (!(kmp_flag(runtime, record->flags, FLAG(team_serial)) ||
		  kmp_flag(runtime, record->flags, FLAG(tasking_ser))) ||
		kmp_flag(runtime, record->flags, FLAG(proxy)) ||
		kmp_flag(runtime, record->flags, FLAG(detachable)) ||
		kmp_flag(runtime, record->flags, FLAG(hidden_helper)));
}

static ompd_rc_t push_candidate(struct walk *walk, uint64_t task)
{
	bool added = false;
	ompd_rc_t rc = idmap_add(&walk->seen, &walk->runtime->target, task, 0, &added);

	return rc == ompd_rc_ok && added ? push(walk, &(struct source){ .task = task }) : rc;
}

// Children with dependences.
static ompd_rc_t count_clause(struct walk *walk, uint64_t node)
{
	bool added;
	ompd_rc_t rc = idmap_add(&walk->depends, &walk->runtime->target, node, 1, &added);

	if (rc == ompd_rc_ok && !added)
		++*idmap_value(&walk->depends, node);
	return rc;
}

static ompd_rc_t push_children(struct walk *walk, uint64_t parent)
{
	struct kmp_dephash hash;
	struct kmp_depnode node;
	ompd_rc_t rc = kmp_dephash_open(walk->runtime, parent, &hash);

	while (rc == ompd_rc_ok) {
		uint64_t task = 0;

		rc = kmp_dephash_next(walk->runtime, &hash, &node);
		if (rc == ompd_rc_ok)
			rc = kmp_depnode_task(walk->runtime, node.address, &task);
		if (rc == ompd_rc_ok && task)
			rc = count_clause(walk, node.address);
		if (rc == ompd_rc_ok && task)
			rc = push_candidate(walk, task);
	}
	walk->damaged |= rc != ompd_rc_unavailable;
	return rc == ompd_rc_nomem ? rc : ompd_rc_ok;
}

static ompd_rc_t push_dependers(struct walk *walk, uint64_t task)
{
	struct kmp_successors list;
	uint64_t depender;
	ompd_rc_t rc = kmp_successors_open(walk->runtime, task, &list);

	while (rc == ompd_rc_ok) {
		rc = kmp_successors_next(walk->runtime, &list, &depender);
		if (rc == ompd_rc_ok)
			rc = push_candidate(walk, depender);
	}
	walk->damaged |= rc != ompd_rc_unavailable;
	return rc == ompd_rc_nomem ? rc : ompd_rc_ok;
}

static ompd_rc_t emit(struct walk *walk, const struct kmp_task_record *record,
		      ompd_ext_task_info *ret)
{
	uint64_t node = 0, clauses;
	int32_t children = 0;

	if (kmp_describe_task(walk->runtime, &walk->region, &walk->activity, record,
			      idmap_find(&walk->queued, record->address, NULL), ret) != ompd_rc_ok)
		return damaged(walk);
	// Its parent was told of before it, and so the parent's hash was looked through.
	if (kmp_doubts(walk->runtime, TASK(td_depnode)))
		walk->damaged = true;
	else if (kmp_read(walk->runtime, record->address, TASK(td_depnode), &node) != ompd_rc_ok)
		return damaged(walk);
	if (node && record->is_explicit && idmap_find(&walk->depends, node, &clauses))
		ret->num_depends = (uint32_t)clauses;
	walk->counted += is_counted(walk->runtime, record);
	if (!kmp_owns_tasks(&walk->region))
		return ompd_rc_ok;
	walk->damaged |= kmp_read_int(walk->runtime, record->address,
				      TASK(td_incomplete_child_tasks), &children) != ompd_rc_ok;
	walk->children += children;
	ompd_rc_t rc = push_children(walk, record->address);

	if (rc == ompd_rc_ok && record->is_explicit)
		rc = push_dependers(walk, record->address);
	return rc;
}

// A task that was met by its address, after those of its ancestors that were not. stale_handle:
// it is known, or none of this region.
static ompd_rc_t meet(struct walk *walk, uint64_t address, ompd_ext_task_info *ret)
{
	const struct runtime *runtime = walk->runtime;
	struct kmp_task_record record, parent;
	bool added;

	if (kmp_read_task(runtime, address, &record) != ompd_rc_ok)
		return damaged(walk);
	if (record.team != walk->region.team.address)
		return ompd_rc_stale_handle;
	ompd_rc_t rc = idmap_add(&walk->met, &runtime->target, address, 0, &added);

	if (rc != ompd_rc_ok || !added)
		return rc == ompd_rc_ok ? ompd_rc_stale_handle : rc;
	while (record.is_explicit && !idmap_find(&walk->met, record.parent, NULL)) {
		if (kmp_read_task(runtime, record.parent, &parent) != ompd_rc_ok) {
			walk->damaged = true;
			break;
		}
		// The parent of a hidden helper's task belongs to another team.
		if (parent.team != record.team)
			break;
		rc = idmap_add(&walk->met, &runtime->target, parent.address, 0, NULL);
		if (rc == ompd_rc_ok)
			rc = push(walk, &(struct source){ .task = record.address, .met = true });
		if (rc != ompd_rc_ok)
			return rc;
		record = parent;
	}
	return emit(walk, &record, ret);
}

// ---- Steps -----------------------------------------------------------------------------------

static ompd_rc_t take_source(struct walk *walk, ompd_ext_task_info *ret)
{
	const struct source source = walk->sources[--walk->source_count];
	struct kmp_task_record record;

	if (!source.met)
		return meet(walk, source.task, ret);
	if (kmp_read_task(walk->runtime, source.task, &record) != ompd_rc_ok)
		return damaged(walk);
	return emit(walk, &record, ret);
}

static ompd_rc_t take_implicit(struct walk *walk, ompd_ext_task_info *ret)
{
	struct task task;

	if (kmp_implicit_task(walk->runtime, &walk->region, walk->implicit++, &task) != ompd_rc_ok)
		return damaged(walk);
	return meet(walk, task.address, ret);
}

// Take one step. ompd_rc_stale_handle: nothing new was met, go on.
static ompd_rc_t step(struct walk *walk, ompd_ext_task_info *ret)
{
	uint64_t begun;

	if (walk->implicit < walk->region.nthreads)
		return take_implicit(walk, ret);
	if (walk->source_count)
		return take_source(walk, ret);
	if (activity_next(&walk->activity, &walk->begun, &begun))
		return meet(walk, begun, ret);
	return reason(ompd_rc_unavailable, "no more tasks");
}

ompd_rc_t kmp_walk_next(struct walk *walk, ompd_ext_task_info *ret, bool *damaged)
{
	ompd_rc_t rc;

	do
		rc = step(walk, ret);
	while (rc == ompd_rc_stale_handle);
	*damaged |= walk->damaged;
	return rc;
}

// Remember which tasks are in deques, and that they are to be reported, the first last.
static ompd_rc_t collect_queued(struct walk *walk)
{
	uint64_t task;
	ompd_rc_t rc;

	while ((rc = kmp_deques_next(walk->runtime, &walk->region, &walk->deques, &task)) ==
	       ompd_rc_ok) {
		rc = idmap_add(&walk->queued, &walk->runtime->target, task, 0, NULL);
		if (rc == ompd_rc_ok)
			rc = push_candidate(walk, task);
		if (rc != ompd_rc_ok)
			return rc;
	}
	walk->damaged |= walk->deques.damaged;
	for (size_t i = 0; i < walk->source_count / 2; i++) {
		struct source *other = &walk->sources[walk->source_count - 1 - i];
		const struct source source = walk->sources[i];

		walk->sources[i] = *other;
		*other = source;
	}
	return kmp_or_none(rc);
}

ompd_rc_t kmp_walk_open(const struct runtime *runtime, const struct region *region,
			struct walk **ret)
{
	struct walk *walk;

	walk = target_alloc(&runtime->target, sizeof(*walk));
	if (!walk)
		return ompd_rc_nomem;
	walk->runtime = runtime;
	walk->region = *region;
	walk->met.is_set = walk->seen.is_set = walk->queued.is_set = true;
	ompd_rc_t rc = kmp_activity_open(runtime, region, &walk->activity);

	walk->damaged = walk->activity.damaged || kmp_know_flags(runtime) != ompd_rc_ok;
	if (rc == ompd_rc_ok && kmp_owns_tasks(region))
		rc = collect_queued(walk);
	if (rc == ompd_rc_ok)
		*ret = walk;
	else
		kmp_walk_close(walk);
	return rc;
}

// The team of the hidden helper threads; unavailable if there is none, or it is that of the walk.
static ompd_rc_t helpers_region(const struct walk *walk, struct region *ret)
{
	const struct runtime *runtime = walk->runtime;
	struct thread thread;
	uint64_t gtid = 1, address;
	bool helper;

	ompd_rc_t rc = kmp_is_helper(runtime, gtid, &helper);

	if (rc == ompd_rc_ok && !helper)
		return ompd_rc_unavailable;
	if (rc == ompd_rc_ok)
		rc = kmp_next_listed(runtime, &gtid, &address);
	if (rc == ompd_rc_ok)
		rc = kmp_read_thread(runtime, address, &thread);
	if (rc == ompd_rc_ok && thread.gtid != 1)
		return ompd_rc_unavailable; // no target task was created so far
	if (rc == ompd_rc_ok)
		rc = kmp_current_region(runtime, &thread, ret);
	if (rc == ompd_rc_ok && ret->team.address == walk->region.team.address)
		rc = ompd_rc_unavailable;
	return rc;
}

// Target tasks that tasks of the region generated: they are of the team of the helpers.
static ompd_rc_t count_given_away(const struct walk *walk, int64_t *ret)
{
	const struct runtime *runtime = walk->runtime;
	struct kmp_task_record task, parent;
	struct walk *helpers;
	struct region region;
	ompd_ext_task_info info;
	bool damaged = false;
	ompd_rc_t rc = helpers_region(walk, &region);

	*ret = 0;
	if (rc == ompd_rc_ok)
		rc = kmp_walk_open(runtime, &region, &helpers);
	if (rc != ompd_rc_ok)
		return kmp_or_none(rc);
	while ((rc = kmp_walk_next(helpers, &info, &damaged)) == ompd_rc_ok) {
		if (info.kind == ompd_ext_task_implicit)
			continue;
		rc = kmp_read_task(runtime, info.id, &task);
		if (rc == ompd_rc_ok)
			rc = kmp_read_task(runtime, task.parent, &parent);
		if (rc != ompd_rc_ok)
			break;
		*ret += parent.team == walk->region.team.address && is_counted(runtime, &task);
	}
	if (damaged)
		rc = ompd_rc_error;
	kmp_walk_close(helpers);
	return kmp_or_none(rc);
}

ompd_rc_t kmp_walk_unreached(const struct walk *walk, uint32_t *ret)
{
	int64_t missing = walk->children - walk->counted, given = 0;
	bool damaged = walk->damaged;

	if (!damaged && missing > 0)
		damaged = count_given_away(walk, &given) != ompd_rc_ok;
	missing -= given;
	*ret = missing > 0 && !damaged ? (uint32_t)missing : 0;
	return damaged ? reason(ompd_rc_unavailable, "the team's tasks are being changed") :
			 ompd_rc_ok;
}

void kmp_walk_close(struct walk *walk)
{
	const struct runtime *runtime = walk->runtime;

	activity_close(&runtime->target, &walk->activity);
	kmp_deques_close(runtime, &walk->deques);
	idmap_close(&walk->queued, &runtime->target);
	idmap_close(&walk->met, &runtime->target);
	idmap_close(&walk->seen, &runtime->target);
	idmap_close(&walk->depends, &runtime->target);
	target_free(&runtime->target, walk->sources);
	target_free(&runtime->target, walk);
}
