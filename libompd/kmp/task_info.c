// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kmp/tasks.h"

// ---- Status ----------------------------------------------------------------------------------

// Tell whether the place of something is not proven that tells in what status a task is.
static bool doubts_status(const struct runtime *runtime)
{
	return kmp_know_flags(runtime) != ompd_rc_ok || kmp_doubts(runtime, TASK(td_depnode)) ||
	       kmp_doubts(runtime, KMP_FIELD_kmp_base_depnode_t__npredecessors) ||
	       kmp_doubts(runtime, KMP_FIELD_kmp_base_task_team_t__tt_task_pri_list);
}

// Of an explicit task that no thread has as its current one.
static enum ompd_ext_task_status resting_status(const struct runtime *runtime,
						const struct activity *activity,
						const struct kmp_task_record *record, bool queued,
						int32_t predecessors)
{
	bool begun = kmp_flag(runtime, record->flags, FLAG(started));

	// What is not proven is not told: that leaves where the task was met.
	if (doubts_status(runtime))
		return queued ? ompd_ext_task_queued : ompd_ext_task_unknown;
	if (kmp_flag(runtime, record->flags, FLAG(complete)))
		return ompd_ext_task_completed;
	if (queued)
		return ompd_ext_task_queued;
	// A proxy task's thread calls its code, which only sets the work going, without ado.
	if (!begun && predecessors == 0 && kmp_flag(runtime, record->flags, FLAG(proxy)))
		return ompd_ext_task_started;
	if (!begun)
		return predecessors > 0 ? ompd_ext_task_blocked :
		       predecessors < 0 ? ompd_ext_task_creating :
					  ompd_ext_task_unknown; // between two of these
	// When the body of a detachable task is done and its event is not fulfilled, the runtime
	// goes on as with a proxy task (__kmp_task_finish).
	if (kmp_flag(runtime, record->flags, FLAG(detachable)) &&
	    kmp_flag(runtime, record->flags, FLAG(proxy)))
		return ompd_ext_task_detached;
	// A thread that is just entering or leaving the team, or can't be read, may be at it.
	if (activity->damaged)
		return ompd_ext_task_unknown;
	if (kmp_flag(runtime, record->flags, FLAG(executing)) || activity->incomplete)
		return ompd_ext_task_started;
	return ompd_ext_task_suspended;
}

static enum ompd_ext_task_status status_of(const struct runtime *runtime,
					   const struct region *region,
					   const struct activity *activity,
					   const struct kmp_task_record *record, bool queued,
					   int32_t predecessors, int32_t *thread_num)
{
	struct activity_entry entry;
	uint32_t number;
	bool begun = activity_find(activity, record->address, &entry);

	if (begun)
		*thread_num = (int32_t)entry.thread_num;
	if (!record->is_explicit) {
		if (kmp_implicit_task_number(runtime, region, record->address, &number))
			*thread_num = (int32_t)number;
		// Its thread runs explicit tasks on top of it, unless it is about to come or go.
		if (!begun)
			return activity->incomplete ? ompd_ext_task_unknown :
						      ompd_ext_task_suspended;
	}
	if (begun)
		return entry.running ? ompd_ext_task_running : ompd_ext_task_suspended;
	return resting_status(runtime, activity, record, queued, predecessors);
}

// ---- Waits -----------------------------------------------------------------------------------

// A task that waits in a taskwait, at the end of a taskgroup or in a taskyield stores its thread's
// number, and turns the sign afterwards. What it can wait for tells some of these apart.
ompd_rc_t kmp_task_waits(const struct runtime *runtime, const struct task *task,
			 ompd_ext_task_info *ret)
{
	const uint32_t taskwait = ompd_ext_task_in_taskwait;
	const uint32_t group_end = ompd_ext_task_in_taskgroup_wait;
	int32_t thread, children, members = 0;
	uint64_t group = 0;
	ompd_rc_t rc = KMP_READ(runtime, task->address, WANT_INT(TASK(td_taskwait_thread), &thread),
				WANT_INT(TASK(td_incomplete_child_tasks), &children),
				WANT(TASK(td_taskgroup), &group));

	if (rc == ompd_rc_ok && thread > 0 && group)
		rc = kmp_read_int(runtime, group, KMP_FIELD_kmp_taskgroup_t__count, &members);
	if (rc != ompd_rc_ok)
		return rc;
	ret->flags_known |= ompd_ext_task_in_wait;
	if (thread <= 0) {
		ret->flags_known |= taskwait | group_end;
		return ompd_rc_ok;
	}
	ret->flags |= ompd_ext_task_in_wait;
	if (children == 0)
		ret->flags_known |= taskwait;
	if (members == 0)
		ret->flags_known |= group_end;
	// A taskyield ends at once if its thread finds no other task.
	if (ret->status == ompd_ext_task_running && children > 0 && members == 0) {
		ret->flags |= taskwait;
		ret->flags_known |= taskwait;
	} else if (ret->status == ompd_ext_task_running && children == 0 && members > 0) {
		ret->flags |= group_end;
		ret->flags_known |= group_end;
	}
	return ompd_rc_ok;
}

// ---- The record ------------------------------------------------------------------------------

static ompd_rc_t read_priority(const struct runtime *runtime, const struct kmp_task_record *record,
			       int32_t *ret)
{
	uint64_t priority = 0;
	ompd_rc_t rc = ompd_rc_ok;

	// The second of two words that follow the function.
	if (kmp_flag(runtime, record->flags, FLAG(priority_specified)))
		rc = kmp_read_behind(runtime, record->address, KMP_FIELD_kmp_task_t__data2,
				     &priority);
	*ret = (int32_t)priority;
	return rc;
}

// What cannot be read is not told: the object that it was in may be gone, or its place is not proven.
static ompd_rc_t read_source(const struct runtime *runtime, const struct kmp_task_record *record,
			     uint64_t *ret)
{
	uint64_t ident = 0;
	ompd_rc_t rc = ompd_rc_ok;

	if (!kmp_doubts(runtime, TASK(td_ident)))
		rc = kmp_read(runtime, record->address, TASK(td_ident), &ident);

	if (rc == ompd_rc_ok &&
	    (!ident || kmp_read(runtime, ident, KMP_FIELD_ident_t__psource, ret) != ompd_rc_ok))
		*ret = 0;
	return rc;
}

static ompd_rc_t read_parent(const struct runtime *runtime, const struct task *task, uint64_t *ret)
{
	struct task parent;
	ompd_rc_t rc = kmp_generating_task(runtime, task, &parent);

	*ret = rc == ompd_rc_ok ? kmp_task_id(&parent) : 0;
	return kmp_or_none(rc);
}

// GCC's code gets its copies and addresses of variables, Clang's the task's record.
static ompd_rc_t read_argument(const struct runtime *runtime, const struct kmp_task_record *record,
			       uint64_t *ret)
{
	if (!kmp_has(runtime, FLAG(native)) || kmp_doubts(runtime, FLAG(native)))
		return ompd_rc_ok;
	if (kmp_flag(runtime, record->flags, FLAG(native)))
		return kmp_read_behind(runtime, record->address, KMP_FIELD_kmp_task_t__shareds,
				       ret);
	*ret = kmp_task_behind(runtime, record->address);
	return ompd_rc_ok;
}

// Tell what the bits of a task say that are in the release, and whose places are proven.
static void read_flags(const struct runtime *runtime, const struct kmp_task_record *record,
		       ompd_ext_task_info *ret)
{
	static const struct {
		enum kmp_field bit;
		bool means; // the value that the flag stands for
		uint32_t flag;
	} rows[] = {
		{ FLAG(task_serial), true, ompd_ext_task_undeferred },
		{ FLAG(tiedness), false, ompd_ext_task_untied },
		{ FLAG(detachable), true, ompd_ext_task_detachable },
		{ FLAG(proxy), true, ompd_ext_task_proxy },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!kmp_has(runtime, rows[i].bit) || kmp_doubts(runtime, rows[i].bit))
			continue;
		ret->flags_known |= rows[i].flag;
		if (kmp_flag(runtime, record->flags, rows[i].bit) == rows[i].means)
			ret->flags |= rows[i].flag;
	}
	// The runtime makes detachable tasks such ones at the end of their code.
	if (ret->flags & ompd_ext_task_detachable)
		ret->flags &= ~(uint32_t)ompd_ext_task_proxy;
}

static ompd_rc_t read_dependences(const struct runtime *runtime,
				  const struct kmp_task_record *record, int32_t *predecessors,
				  ompd_ext_task_info *ret)
{
	const bool doubted = kmp_doubts(runtime, TASK(td_depnode));
	uint64_t depnode = 0;
	ompd_rc_t rc = ompd_rc_ok;

	if (!doubted)
		rc = kmp_read(runtime, record->address, TASK(td_depnode), &depnode);
	// What a later sibling names again is forgotten (kmp/depend.c).
	ret->flags_known |= ompd_ext_task_depends_lost;
	if (depnode || doubted)
		ret->flags |= ompd_ext_task_depends_lost;
	return rc == ompd_rc_ok && !doubts_status(runtime) ?
		       kmp_task_predecessors(runtime, record->address, predecessors) :
		       rc;
}

static ompd_rc_t describe_explicit(const struct runtime *runtime,
				   const struct kmp_task_record *record, int32_t *predecessors,
				   ompd_ext_task_info *ret)
{
	ret->kind = kmp_flag(runtime, record->flags, FLAG(target)) ||
				    kmp_flag(runtime, record->flags, FLAG(hidden_helper)) ?
			    ompd_ext_task_target :
			    ompd_ext_task_explicit;
	read_flags(runtime, record, ret);
	ompd_rc_t rc = read_priority(runtime, record, &ret->priority);

	if (rc == ompd_rc_ok)
		rc = read_dependences(runtime, record, predecessors, ret);
	if (rc == ompd_rc_ok)
		rc = kmp_read_behind(runtime, record->address, KMP_FIELD_kmp_task_t__routine,
				     &ret->function);
	return rc == ompd_rc_ok ? read_argument(runtime, record, &ret->argument) : rc;
}

ompd_rc_t kmp_describe_task(const struct runtime *runtime, const struct region *region,
			    const struct activity *activity, const struct kmp_task_record *record,
			    bool queued, ompd_ext_task_info *ret)
{
	const struct task task = {
		.address = record->address,
		.implicit = !record->is_explicit,
		.region = *region,
	};
	int32_t predecessors = 0;

	*ret = (ompd_ext_task_info){
		.id = kmp_task_id(&task),
		.parallel_id = kmp_region_id(region),
		.kind = region->kind == KMP_REGION_PARALLEL ? ompd_ext_task_implicit :
							      ompd_ext_task_initial,
		.flags_known = ompd_ext_task_final,
		.thread_num = -1,
	};
	if (kmp_flag(runtime, record->flags, FLAG(final)))
		ret->flags |= ompd_ext_task_final;
	ompd_rc_t rc = read_parent(runtime, &task, &ret->parent_id);

	if (rc == ompd_rc_ok)
		rc = read_source(runtime, record, &ret->source);
	if (rc == ompd_rc_ok)
		rc = kmp_read(runtime, record->address, TASK(td_taskgroup), &ret->taskgroup);
	if (rc == ompd_rc_ok && !task.implicit)
		rc = describe_explicit(runtime, record, &predecessors, ret);
	if (rc != ompd_rc_ok)
		return rc;
	ret->status = status_of(runtime, region, activity, record, queued, predecessors,
				&ret->thread_num);
	if (ret->status == ompd_ext_task_blocked)
		ret->num_predecessors = (uint32_t)predecessors;
	return kmp_task_waits(runtime, &task, ret);
}

static ompd_rc_t is_queued(const struct runtime *runtime, const struct task *task, bool *ret)
{
	struct kmp_deques deques = { .count = 0 };
	uint64_t found;
	ompd_rc_t rc;

	do
		rc = kmp_deques_next(runtime, &task->region, &deques, &found);
	while (rc == ompd_rc_ok && found != task->address);
	*ret = rc == ompd_rc_ok;
	kmp_deques_close(runtime, &deques);
	if (rc == ompd_rc_unavailable && deques.damaged && !doubts_status(runtime))
		return reason(ompd_rc_error, "a queue of tasks is being changed, or damaged");
	return kmp_or_none(rc);
}

// Fill in what needs no look at the threads.
static ompd_rc_t complete_info(const struct runtime *runtime, const struct task *task,
			       const struct activity *activity, ompd_ext_task_info *ret)
{
	struct kmp_task_record record;
	struct activity_entry begun;
	size_t depends = 0;
	bool queued = false;
	ompd_rc_t rc = kmp_read_task(runtime, task->address, &record);

	if (rc == ompd_rc_ok && !task->implicit && !activity_find(activity, task->address, &begun))
		rc = is_queued(runtime, task, &queued);
	if (rc == ompd_rc_ok)
		rc = kmp_describe_task(runtime, &task->region, activity, &record, queued, ret);
	if (rc != ompd_rc_ok)
		return rc;
	rc = kmp_task_depends(runtime, task, NULL, 0, &depends);
	ret->num_depends = (uint32_t)depends;
	// Where they are kept is not proven: the flag says that there may be some.
	return rc == ompd_rc_incomplete || rc == ompd_rc_unsupported ? ompd_rc_ok : rc;
}

ompd_rc_t kmp_task_info(const struct runtime *runtime, const struct task *task,
			ompd_ext_task_info *ret)
{
	struct activity activity;
	ompd_rc_t rc = kmp_activity_of_task(runtime, task, &activity);

	if (rc != ompd_rc_ok)
		return rc;
	rc = complete_info(runtime, task, &activity, ret);
	activity_close(&runtime->target, &activity);
	return rc;
}
