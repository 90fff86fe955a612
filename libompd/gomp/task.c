// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "gomp/gomp.h"

// Every task is initialised by gomp_init_task; afterwards these hold nothing but 0 or 1.
static bool looks_like_a_task(const struct runtime *runtime, const struct gomp_record *record)
{
	static const enum gomp_field booleans[] = {
		TASK(deferred_p),      TASK(in_tied_task),	TASK(final_task),
		TASK(copy_ctors_done), TASK(parent_depends_on),
	};

	for (size_t i = 0; i < sizeof(booleans) / sizeof(booleans[0]); i++) {
		if (gomp_get(runtime, record, 0, booleans[i]) > 1)
			return false;
	}
	return gomp_get(runtime, record, 0, TASK(kind)) < GOMP_TASK_KIND_COUNT;
}

ompd_rc_t gomp_read_task(const struct runtime *runtime, uint64_t address,
			 struct gomp_task_record *ret)
{
	ompd_rc_t rc = gomp_read_record(runtime, address, GOMP_STRUCT_gomp_task, &ret->record);

	if (rc != ompd_rc_ok)
		return rc;
	if (!looks_like_a_task(runtime, &ret->record))
		return reason(ompd_rc_error, "the task at 0x%llx is damaged",
			      (unsigned long long)address);
	ret->kind = (enum gomp_task_kind)gomp_get(runtime, &ret->record, 0, TASK(kind));
	ret->parent = gomp_get(runtime, &ret->record, 0, TASK(parent));
	return ompd_rc_ok;
}

bool gomp_implicit_task_number(const struct runtime *runtime, const struct region *region,
			       uint64_t address, uint32_t *ret)
{
	uint64_t size = runtime->layout.struct_size[GOMP_STRUCT_gomp_task];
	uint64_t team = region->level ? region->team : region->artificial_team;

	if (!team)
		return false;
	uint64_t first = gomp_implicit_task_address(runtime, team, 0);

	if (address < first || (address - first) % size != 0 ||
	    (address - first) / size >= region->nthreads)
		return false;
	if (ret)
		*ret = (address - first) / size;
	return true;
}

// Complete a task that was found by a pointer in @p region: an implicit task of a parallel
// region lies in its team.
static ompd_rc_t adopt(const struct runtime *runtime, const struct region *region, uint64_t address,
		       struct task *ret)
{
	struct gomp_task_record record;

	*ret = (struct task){ .address = address, .region = *region };
	if (address == 0)
		return region->level == 0 ?
			       ompd_rc_ok :
			       reason(ompd_rc_error, "the thread's task is being changed");
	ompd_rc_t rc = gomp_read_task(runtime, address, &record);

	if (rc == ompd_rc_ok && region->level && record.kind == GOMP_TASK_IMPLICIT &&
	    !gomp_implicit_task_number(runtime, region, address, NULL))
		return reason(ompd_rc_error, "the thread's task is being changed, or damaged");
	return rc;
}

ompd_rc_t gomp_current_task(const struct runtime *runtime, const struct thread *thread,
			    struct task *ret)
{
	struct region region;
	ompd_rc_t rc = gomp_current_region(runtime, thread, &region);

	if (rc == ompd_rc_ok)
		rc = adopt(runtime, &region, thread->task, ret);
	ret->thread = thread->address;
	return rc;
}

ompd_rc_t gomp_running_task(const struct runtime *runtime, const struct thread *thread,
			    struct gomp_task_record *ret)
{
	struct task task;
	ompd_rc_t rc = ompd_rc_ok;

	if (thread->ts.level == 0 || !thread->task)
		rc = gomp_current_task(runtime, thread, &task);
	if (rc == ompd_rc_ok && !thread->task)
		return ompd_rc_unavailable;
	if (rc == ompd_rc_ok)
		rc = gomp_read_task(runtime, thread->task, ret);
	if (rc == ompd_rc_ok && thread->ts.level && ret->kind == GOMP_TASK_IMPLICIT &&
	    thread->task !=
		    gomp_implicit_task_address(runtime, thread->ts.team, thread->ts.team_id))
		return reason(ompd_rc_error, "the thread's task is being changed, or damaged");
	return rc;
}

ompd_rc_t gomp_member_task(const struct runtime *runtime, const struct thread *thread,
			   const struct region *region, struct task *ret)
{
	struct gomp_membership place;
	struct gomp_task_record inner;
	ompd_rc_t rc = gomp_find_membership(runtime, thread, region, &place);

	if (rc != ompd_rc_ok)
		return rc;
	if (!place.member)
		return reason(ompd_rc_unavailable, "the thread is not in the region");
	if (!place.inner.team)
		return adopt(runtime, region, thread->task, ret);
	// The implicit task of a region's primary thread is a child of the task that encountered
	// the region (gomp_team_start).
	rc = gomp_read_task(runtime, gomp_implicit_task_address(runtime, place.inner.team, 0),
			    &inner);
	return rc == ompd_rc_ok ? adopt(runtime, region, inner.parent, ret) : rc;
}

ompd_rc_t gomp_implicit_task(const struct runtime *runtime, const struct region *region,
			     uint32_t thread_num, struct task *ret)
{
	if (thread_num >= region->nthreads)
		return reason(ompd_rc_bad_input, "the team has %u threads", region->nthreads);
	if (region->level) {
		*ret = (struct task){
			.address = gomp_implicit_task_address(runtime, region->team, thread_num),
			.region = *region,
		};
		return ompd_rc_ok;
	}

	// The initial task: the last of the parents of the root thread's task at level 0.
	struct thread root;
	struct cycle cycle = { 0 };
	ompd_rc_t rc = gomp_read_thread(runtime, region->group.root, &root);

	if (rc == ompd_rc_ok)
		rc = gomp_member_task(runtime, &root, region, ret);
	while (rc == ompd_rc_ok && ret->address) {
		struct gomp_task_record record;

		rc = gomp_read_task(runtime, ret->address, &record);
		if (rc != ompd_rc_ok || record.kind == GOMP_TASK_IMPLICIT)
			break;
		if (cycle_closed(&cycle, ret->address))
			return reason(ompd_rc_error, "a chain of parent tasks does not end");
		ret->address = record.parent;
	}
	return rc;
}

ompd_rc_t gomp_generating_task(const struct runtime *runtime, const struct task *task,
			       struct task *ret)
{
	struct gomp_task_record record;
	struct region outer;

	if (task->address == 0)
		return reason(ompd_rc_unavailable, "no task generated the initial task");
	ompd_rc_t rc = gomp_read_task(runtime, task->address, &record);

	if (rc != ompd_rc_ok)
		return rc;
	if (record.kind == GOMP_TASK_IMPLICIT) {
		if (task->region.level == 0)
			return reason(ompd_rc_unavailable, "no task generated the initial task");
		rc = gomp_enclosing_region(runtime, &task->region, &outer);
		return rc == ompd_rc_ok ? adopt(runtime, &outer, record.parent, ret) : rc;
	}
	// When a task ends, its queued children lose their parent (gomp_clear_parent); an
	// undeferred task is in no queue and keeps it, null for an initial task without a record.
	if (task->orphan || (record.parent == 0 &&
			     (record.kind != GOMP_TASK_UNDEFERRED || task->region.level != 0)))
		return reason(ompd_rc_unavailable, "the generating task has ended");
	return adopt(runtime, &task->region, record.parent, ret);
}

ompd_rc_t gomp_scheduling_task(const struct runtime *runtime, const struct task *task,
			       struct task *ret)
{
	struct gomp_task_record record;

	if (task->address == 0)
		return reason(ompd_rc_unavailable, "implicit tasks have no scheduling task");
	ompd_rc_t rc = gomp_read_task(runtime, task->address, &record);

	if (rc != ompd_rc_ok)
		return rc;
	if (record.kind == GOMP_TASK_IMPLICIT)
		return reason(ompd_rc_unavailable, "implicit tasks have no scheduling task");
	// An undeferred task runs on top of the task that generated it. What a deferred task runs on
	// top of is not recorded.
	return record.kind == GOMP_TASK_UNDEFERRED ?
		       gomp_generating_task(runtime, task, ret) :
		       reason(ompd_rc_unavailable,
			      "libgomp does not record on top of which task a deferred task runs");
}

ompd_rc_t gomp_task_function(struct runtime *runtime, const struct task *task, uint64_t *ret)
{
	struct gomp_task_record record;

	if (task->address == 0)
		return reason(ompd_rc_unavailable, "the initial task has no outlined function");
	ompd_rc_t rc = gomp_read_task(runtime, task->address, &record);

	if (rc != ompd_rc_ok)
		return rc;
	if (!gomp_is_deferred(&record))
		return reason(ompd_rc_unavailable,
			      "libgomp keeps the function of deferred tasks only");
	rc = gomp_deferred_function(runtime, &record, ret);
	if (rc == ompd_rc_ok && *ret == 0)
		return reason(ompd_rc_unavailable, "a target task has no function on the host");
	return rc;
}

uint64_t gomp_task_id(const struct task *task)
{
	// Every structure of the runtime is aligned: an odd number can only be the initial task of
	// the thread at the address before it.
	return task->address ? task->address : task->region.group.root + 1;
}

const struct region *gomp_task_region(const struct task *task)
{
	return &task->region;
}

void gomp_task_of_info(const struct region *region, const ompd_ext_task_info *info,
		       struct task *ret)
{
	*ret = (struct task){
		.address = info->id,
		.region = *region,
		.orphan = info->kind == ompd_ext_task_explicit && !info->parent_id,
	};
	// The initial task without a record is the one whose identity is no address.
	if (info->id == gomp_task_id(&(struct task){ .region = *region }))
		ret->address = 0;
}
