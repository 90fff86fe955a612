// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kmp/kmp.h"

// ---- Records ---------------------------------------------------------------------------------

static uint32_t taskdata_size(const struct runtime *runtime)
{
	return runtime->layout.struct_size[KMP_STRUCT_kmp_taskdata_t];
}

uint64_t kmp_taskdata_of(const struct runtime *runtime, uint64_t task)
{
	return task - taskdata_size(runtime);
}

uint64_t kmp_task_behind(const struct runtime *runtime, uint64_t taskdata)
{
	return taskdata + taskdata_size(runtime);
}

ompd_rc_t kmp_read_behind(const struct runtime *runtime, uint64_t taskdata, enum kmp_field field,
			  uint64_t *ret)
{
	return kmp_read(runtime, kmp_task_behind(runtime, taskdata), field, ret);
}

// Check what holds for every task from its creation to its end.
static bool looks_like_a_task(const struct runtime *runtime, const struct kmp_task_record *record)
{
	uint32_t flags = record->flags;
	bool begun = kmp_flag(runtime, flags, FLAG(started));

	if (record->team == 0 || record->team % 64 || record->parent % 8 ||
	    (record->is_explicit && record->parent == 0))
		return false;
	if (kmp_know_flags(runtime) != ompd_rc_ok)
		return true;
	if (kmp_flag(runtime, flags, FLAG(freed)) ||
	    (kmp_flag(runtime, flags, FLAG(executing)) && !begun))
		return false;
	return record->is_explicit || (begun && kmp_flag(runtime, flags, FLAG(tiedness)) &&
				       kmp_flag(runtime, flags, FLAG(task_serial)));
}

// Tell whether a task is explicit: by its flag, or where that is not proven by its place. Implicit tasks
// lie in an array of their team, and an explicit task's parent is of the same team. error: neither.
static ompd_rc_t tell_type(const struct runtime *runtime, struct kmp_task_record *record)
{
	uint64_t first, count, size = taskdata_size(runtime), parents_team = 0;

	record->is_explicit = kmp_flag(runtime, record->flags, FLAG(tasktype));
	if (!kmp_doubts(runtime, FLAG(tasktype)))
		return ompd_rc_ok;
	ompd_rc_t rc = KMP_READ(runtime, record->team, WANT(TEAM(t_implicit_task_taskdata), &first),
				WANT(TEAM(t_nproc), &count));

	if (rc == ompd_rc_ok && record->address >= first && (record->address - first) % size == 0 &&
	    (record->address - first) / size < count)
		return ompd_rc_ok;
	record->is_explicit = true;
	if (rc == ompd_rc_ok && record->parent)
		rc = kmp_read(runtime, record->parent, TASK(td_team), &parents_team);
	return rc == ompd_rc_ok && parents_team != record->team ? ompd_rc_error : rc;
}

ompd_rc_t kmp_read_task(const struct runtime *runtime, uint64_t address,
			struct kmp_task_record *ret)
{
	uint64_t flags;
	ompd_rc_t rc = ompd_rc_error;

	ret->address = address;
	if (address)
		rc = KMP_READ(runtime, address, WANT(TASK(td_flags), &flags),
			      WANT(TASK(td_team), &ret->team), WANT(TASK(td_parent), &ret->parent));
	if (rc != ompd_rc_ok)
		return reason(rc == ompd_rc_unsupported ? rc : ompd_rc_error,
			      "the task at 0x%llx cannot be read", (unsigned long long)address);
	ret->flags = (uint32_t)flags;
	return tell_type(runtime, ret) == ompd_rc_ok && looks_like_a_task(runtime, ret) ?
		       ompd_rc_ok :
		       reason(ompd_rc_error, "the task at 0x%llx is being changed, or damaged",
			      (unsigned long long)address);
}

bool kmp_implicit_task_number(const struct runtime *runtime, const struct region *region,
			      uint64_t address, uint32_t *ret)
{
	uint64_t first = region->team.implicit_tasks, size = taskdata_size(runtime);

	if (address < first || (address - first) % size != 0 ||
	    (address - first) / size >= region->nthreads)
		return false;
	if (ret)
		*ret = (uint32_t)((address - first) / size);
	return true;
}

uint64_t kmp_task_id(const struct task *task)
{
	// Nested serialized regions share the record of their implicit tasks.
	uint64_t nested = kmp_region_id(&task->region) ^ task->region.team.address;

	return task->implicit ? task->address | nested : task->address;
}

bool kmp_owns_tasks(const struct region *region)
{
	if (region->kind == KMP_REGION_LEAGUE)
		return region->team.level == region->level;
	return region->above == 0;
}

// ---- From a region to its tasks --------------------------------------------------------------

// Return the task at @p address, which something in @p region pointed to.
static ompd_rc_t adopt(const struct runtime *runtime, const struct region *region, uint64_t address,
		       struct task *ret)
{
	struct kmp_task_record record;
	ompd_rc_t rc = kmp_read_task(runtime, address, &record);

	if (rc != ompd_rc_ok)
		return rc;
	*ret = (struct task){
		.address = address,
		.implicit = !record.is_explicit,
		.region = *region,
	};
	if (record.team != region->team.address ||
	    (ret->implicit && !kmp_implicit_task_number(runtime, region, address, &ret->likely)))
		return reason(ompd_rc_error, "the thread's task is being changed, or damaged");
	return ompd_rc_ok;
}

// A region within others of one thread gets no record of a task: an explicit task may be in the
// innermost of them, or have encountered it. A tool learns that it is in the innermost. In a
// league's own region there are no explicit tasks.
static ompd_rc_t check_innermost(const struct runtime *runtime, const struct region *region,
				 const struct task *task)
{
	bool in_league = region->teams_level >= 0 &&
			 region->level == (uint32_t)region->teams_level + 1;

	if (task->implicit || in_league || kmp_team_regions(&region->team) == 1 ||
	    kmp_tool_active(runtime) == ompd_rc_ok)
		return ompd_rc_ok;
	return reason(ompd_rc_unavailable,
		      "the runtime keeps one task for nested regions of one thread");
}

ompd_rc_t kmp_current_record(const struct runtime *runtime, const struct thread *thread,
			     struct task *ret)
{
	struct region region;
	uint64_t task;
	ompd_rc_t rc = kmp_current_region(runtime, thread, &region);

	if (rc == ompd_rc_ok)
		rc = kmp_check_number(runtime, thread, &region);
	if (rc == ompd_rc_ok)
		rc = kmp_thread_task(runtime, thread, &task);
	if (rc == ompd_rc_ok)
		rc = adopt(runtime, &region, task, ret);
	if (rc == ompd_rc_ok && !ret->implicit)
		ret->likely = thread->tid;
	return rc;
}

ompd_rc_t kmp_current_task(const struct runtime *runtime, const struct thread *thread,
			   struct task *ret)
{
	ompd_rc_t rc = kmp_current_record(runtime, thread, ret);

	return rc == ompd_rc_ok ? check_innermost(runtime, &ret->region, ret) : rc;
}

// The task that encountered @p inner, in the region @p outer around it. Only the primary thread's
// record is sure to name it: another thread's names that of the region for which it came to the
// team, which may long be over (__kmp_push_current_task_to_thread).
static ompd_rc_t encountering_task(const struct runtime *runtime, const struct region *inner,
				   const struct region *outer, uint64_t record_of_inner,
				   struct task *ret)
{
	struct kmp_task_record record;
	struct kmp_team league;
	uint64_t address = inner->team.implicit_tasks;
	ompd_rc_t rc;

	if (inner->team.address == outer->team.address) {
		// Both share the record of the thread that encountered the inner one, with further
		// threads or alone. If there is an explicit task, nothing tells to which of them it
		// belongs.
		if (!kmp_implicit_task_number(runtime, inner, record_of_inner, NULL))
			return reason(
				ompd_rc_unavailable,
				"the runtime keeps one task for nested regions of one thread");
		return adopt(runtime, outer, outer->team.implicit_tasks, ret);
	}
	// The league's implicit task stands between (__kmp_teams_master).
	if (inner->kind == KMP_REGION_LEAGUE) {
		rc = kmp_league_team(runtime, inner, &league);
		if (rc != ompd_rc_ok)
			return rc;
		if (league.address != inner->team.address)
			address = league.implicit_tasks;
	}
	rc = kmp_read_task(runtime, address, &record);
	if (rc == ompd_rc_ok)
		rc = adopt(runtime, outer, record.parent, ret);
	return rc == ompd_rc_ok ? check_innermost(runtime, outer, ret) : rc;
}

ompd_rc_t kmp_member_task(const struct runtime *runtime, const struct thread *thread,
			  const struct region *region, struct task *ret, bool *running)
{
	struct kmp_place place;
	uint64_t task;
	ompd_rc_t rc = kmp_find_place(runtime, thread, region, &place);

	if (rc == ompd_rc_ok)
		rc = kmp_thread_task(runtime, thread, &task);
	if (rc != ompd_rc_ok)
		return rc;
	*running = place.innermost;
	if (!place.member)
		return reason(ompd_rc_unavailable, "the thread is not in the region");
	if (place.innermost) {
		rc = adopt(runtime, region, task, ret);
		return rc == ompd_rc_ok ? check_innermost(runtime, region, ret) : rc;
	}
	uint64_t record = place.inner.team.implicit_tasks;

	// Of the regions of the thread's own team the current task is the record.
	if (place.inner.team.address == thread->team && !place.inner_is_left)
		record = task;
	return encountering_task(runtime, &place.inner, region, record, ret);
}

ompd_rc_t kmp_implicit_task(const struct runtime *runtime, const struct region *region,
			    uint32_t thread_num, struct task *ret)
{
	if (thread_num >= region->nthreads)
		return reason(ompd_rc_bad_input, "the team has %u threads", region->nthreads);
	return adopt(runtime, region,
		     region->team.implicit_tasks + (uint64_t)thread_num * taskdata_size(runtime),
		     ret);
}

// ---- From a task to another ------------------------------------------------------------------

// The region of a team, by its primary thread; of one that stands for one region only.
static ompd_rc_t region_of_team(const struct runtime *runtime, uint64_t address, struct region *ret)
{
	struct thread primary;
	struct kmp_team team;
	uint64_t thread;
	ompd_rc_t rc = kmp_read_team(runtime, address, &team);

	if (rc == ompd_rc_ok && kmp_team_regions(&team) != 1)
		rc = ompd_rc_unavailable;
	if (rc == ompd_rc_ok)
		rc = kmp_read_element(runtime, team.threads, 0, &thread);
	if (rc == ompd_rc_ok)
		rc = kmp_read_thread(runtime, thread, &primary);
	if (rc == ompd_rc_ok)
		rc = kmp_current_region(runtime, &primary, ret);
	while (rc == ompd_rc_ok && ret->team.address != address) {
		struct region inner = *ret;

		rc = kmp_enclosing_region(runtime, &inner, ret);
	}
	return rc == ompd_rc_unavailable ?
		       reason(rc, "the generating task belongs to another team") :
		       rc;
}

ompd_rc_t kmp_generating_task(const struct runtime *runtime, const struct task *task,
			      struct task *ret)
{
	struct kmp_task_record record;
	struct region outer;
	ompd_rc_t rc = kmp_read_task(runtime, task->address, &record);

	if (rc != ompd_rc_ok)
		return rc;
	if (!task->implicit) {
		// The task of a hidden helper thread has its parent in another team.
		struct kmp_task_record parent;

		outer = task->region;
		rc = kmp_read_task(runtime, record.parent, &parent);
		if (rc == ompd_rc_ok && parent.team != record.team)
			rc = region_of_team(runtime, parent.team, &outer);
		return rc == ompd_rc_ok ? adopt(runtime, &outer, record.parent, ret) : rc;
	}
	rc = kmp_enclosing_region(runtime, &task->region, &outer);
	if (rc == ompd_rc_unavailable)
		return reason(rc, "no task generated the initial task");
	return rc == ompd_rc_ok ?
		       encountering_task(runtime, &task->region, &outer, task->address, ret) :
		       rc;
}

// Read on top of which task one began: the runtime keeps that if a tool is active.
static ompd_rc_t recorded_parent(const struct runtime *runtime, const struct task *task,
				 struct task *ret)
{
	uint64_t info, parent;
	ompd_rc_t rc = kmp_ompt_task(runtime, task, &info);

	if (rc == ompd_rc_ok)
		rc = kmp_read(runtime, info, KMP_FIELD_ompt_task_info_t__scheduling_parent,
			      &parent);
	if (rc == ompd_rc_ok && !parent)
		return ompd_rc_unavailable;
	return rc == ompd_rc_ok ? adopt(runtime, &task->region, parent, ret) : rc;
}

ompd_rc_t kmp_scheduling_task(const struct runtime *runtime, const struct task *task,
			      struct task *ret)
{
	struct kmp_task_record record;

	if (task->implicit)
		return reason(ompd_rc_unavailable, "implicit tasks have no scheduling task");
	ompd_rc_t rc = kmp_know_flags(runtime);

	if (rc == ompd_rc_ok)
		rc = kmp_read_task(runtime, task->address, &record);
	if (rc != ompd_rc_ok)
		return rc;
	if (!kmp_flag(runtime, record.flags, FLAG(started)))
		return reason(ompd_rc_unavailable, "the task has not begun");
	const ompd_rc_t recorded = recorded_parent(runtime, task, ret);

	if (recorded != ompd_rc_unavailable && recorded != ompd_rc_unsupported &&
	    recorded != ompd_rc_needs_state_tracking)
		return recorded;
	// A task that is not deferred runs on top of the one that generated it.
	if (kmp_flag(runtime, record.flags, FLAG(task_serial)))
		return kmp_generating_task(runtime, task, ret);
	return reason(recorded,
		      "%s records on top of which task a deferred task runs only if a tool is "
		      "active",
		      runtime->name);
}

ompd_rc_t kmp_task_function(struct runtime *runtime, const struct task *task, uint64_t *ret)
{
	if (task->implicit)
		return kmp_region_function(runtime, &task->region, ret);
	ompd_rc_t rc = kmp_read_behind(runtime, task->address, KMP_FIELD_kmp_task_t__routine, ret);

	if (rc == ompd_rc_ok && *ret == 0)
		return reason(ompd_rc_unavailable, "the task has no function on the host");
	return rc;
}

const struct region *kmp_task_region(const struct task *task)
{
	return &task->region;
}

void kmp_task_of_info(const struct region *region, const ompd_ext_task_info *info, struct task *ret)
{
	const bool implicit = info->kind <= ompd_ext_task_implicit;
	const uint64_t addresses = (UINT64_C(1) << 47) - 1;

	// Implicit tasks of nested serialized regions have the number of theirs in their identity.
	*ret = (struct task){
		.address = implicit ? info->id & addresses : info->id,
		.implicit = implicit,
		.region = *region,
	};
}
