// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kmp/kmp.h"

static bool has_flag(const struct kmp_runtime *runtime, const struct kmp_task_record *record,
		     enum kmp_field bit)
{
	return kmp_flag(runtime, record->flags, bit);
}

// ---- Status ----------------------------------------------------------------------------------

// Of an explicit task that no thread has as its current one.
static enum ompd_ext_task_status resting_status(const struct kmp_runtime *runtime,
						const struct kmp_activity *activity,
						const struct kmp_task_record *record, bool queued,
						int32_t predecessors)
{
	bool begun = has_flag(runtime, record, FLAG(started));

	if (has_flag(runtime, record, FLAG(complete)))
		return ompd_ext_task_completed;
	if (queued)
		return ompd_ext_task_queued;
	if (!begun)
		return predecessors > 0 ? ompd_ext_task_blocked :
		       predecessors < 0 ? ompd_ext_task_creating :
					  ompd_ext_task_unknown; // between two of these
	// When the body of a detachable task is done and its event is not fulfilled, the runtime
	// goes on as with a proxy task (__kmp_task_finish).
	if (has_flag(runtime, record, FLAG(detachable)) && has_flag(runtime, record, FLAG(proxy)))
		return ompd_ext_task_detached;
	if (has_flag(runtime, record, FLAG(executing)) || activity->incomplete)
		return ompd_ext_task_started;
	return ompd_ext_task_suspended;
}

static enum ompd_ext_task_status status_of(const struct kmp_runtime *runtime,
					   const struct kmp_region *region,
					   const struct kmp_activity *activity,
					   const struct kmp_task_record *record, bool queued,
					   int32_t predecessors, int32_t *thread_num)
{
	struct kmp_activity_entry entry;
	uint32_t number;
	bool begun = kmp_activity_find(activity, record->address, &entry);

	if (begun)
		*thread_num = (int32_t)entry.thread_num;
	if (!kmp_is_explicit(runtime, record)) {
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
ompd_rc_t kmp_task_waits(const struct kmp_runtime *runtime, const struct kmp_task *task,
			 ompd_ext_task_info *ret)
{
	const uint32_t taskwait = ompd_ext_task_in_taskwait;
	const uint32_t group_end = ompd_ext_task_in_taskgroup_wait;
	int32_t thread, children, members = 0;
	uint64_t group = 0;
	ompd_rc_t rc = kmp_read_int(runtime, task->address, TASK(td_taskwait_thread), &thread);

	if (rc == ompd_rc_ok)
		rc = kmp_read_int(runtime, task->address, TASK(td_incomplete_child_tasks),
				  &children);
	if (rc == ompd_rc_ok)
		rc = kmp_read(runtime, task->address, TASK(td_taskgroup), &group);
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

static int32_t priority_of(const struct kmp_runtime *runtime, const struct kmp_task_record *record)
{
	uint64_t priority;

	// The second of two words that follow the function, after the destructors.
	if (!has_flag(runtime, record, FLAG(priority_specified)) ||
	    kmp_read_behind(runtime, record->address, KMP_FIELD_kmp_task_t__data2, &priority) !=
		    ompd_rc_ok)
		return 0;
	return (int32_t)priority;
}

static uint64_t source_of(const struct kmp_runtime *runtime, const struct kmp_task_record *record)
{
	uint64_t ident, text;

	if (kmp_read(runtime, record->address, TASK(td_ident), &ident) != ompd_rc_ok || !ident ||
	    kmp_read(runtime, ident, KMP_FIELD_ident_t__psource, &text) != ompd_rc_ok)
		return 0;
	return text;
}

static uint64_t parent_id(const struct kmp_runtime *runtime, const struct kmp_region *region,
			  const struct kmp_task_record *record)
{
	struct kmp_task task = {
		.address = record->address,
		.implicit = !kmp_is_explicit(runtime, record),
		.region = *region,
	};
	struct kmp_task parent;

	return kmp_generating_task(runtime, &task, &parent) == ompd_rc_ok ? kmp_task_id(&parent) :
									    0;
}

static size_t number_of_depends(const struct kmp_runtime *runtime, const struct kmp_region *region,
				const struct kmp_task_record *record)
{
	const struct kmp_task task = { .address = record->address, .region = *region };
	size_t count = 0;

	kmp_task_depends(runtime, &task, NULL, 0, &count);
	return count;
}

static void describe_explicit(const struct kmp_runtime *runtime, const struct kmp_region *region,
			      const struct kmp_task_record *record, ompd_ext_task_info *ret)
{
	uint64_t node = 0;

	ret->kind = has_flag(runtime, record, FLAG(target)) ? ompd_ext_task_target :
							      ompd_ext_task_explicit;
	ret->flags_known |= ompd_ext_task_undeferred | ompd_ext_task_untied;
	if (has_flag(runtime, record, FLAG(task_serial)))
		ret->flags |= ompd_ext_task_undeferred;
	if (!has_flag(runtime, record, FLAG(tiedness)))
		ret->flags |= ompd_ext_task_untied;
	if (kmp_has(runtime, FLAG(detachable))) {
		ret->flags_known |= ompd_ext_task_detachable;
		if (has_flag(runtime, record, FLAG(detachable)))
			ret->flags |= ompd_ext_task_detachable;
	}
	ret->priority = priority_of(runtime, record);
	if (kmp_read_behind(runtime, record->address, KMP_FIELD_kmp_task_t__routine,
			    &ret->function) != ompd_rc_ok)
		ret->function = 0;
	if (kmp_read(runtime, record->address, TASK(td_depnode), &node) == ompd_rc_ok && node)
		ret->num_depends = (uint32_t)number_of_depends(runtime, region, record);
}

void kmp_describe_task(const struct kmp_runtime *runtime, const struct kmp_region *region,
		       const struct kmp_activity *activity, const struct kmp_task_record *record,
		       bool queued, ompd_ext_task_info *ret)
{
	const struct kmp_task task = {
		.address = record->address,
		.implicit = !kmp_is_explicit(runtime, record),
		.region = *region,
	};
	int32_t predecessors = 0;

	*ret = (ompd_ext_task_info){
		.id = kmp_task_id(&task),
		.parent_id = parent_id(runtime, region, record),
		.parallel_id = kmp_region_id(region),
		.kind = region->kind == KMP_REGION_PARALLEL ? ompd_ext_task_implicit :
							      ompd_ext_task_initial,
		.flags_known = ompd_ext_task_final,
		.thread_num = -1,
		.source = source_of(runtime, record),
	};
	if (kmp_read(runtime, record->address, TASK(td_taskgroup), &ret->taskgroup) != ompd_rc_ok)
		ret->taskgroup = 0;
	if (has_flag(runtime, record, FLAG(final)))
		ret->flags |= ompd_ext_task_final;
	if (!task.implicit) {
		describe_explicit(runtime, region, record, ret);
		if (kmp_task_predecessors(runtime, record->address, &predecessors) != ompd_rc_ok)
			predecessors = 0;
	}
	ret->status = status_of(runtime, region, activity, record, queued, predecessors,
				&ret->thread_num);
	if (ret->status == ompd_ext_task_blocked)
		ret->num_predecessors = (uint32_t)predecessors;
	kmp_task_waits(runtime, &task, ret); // without these flags if they cannot be read
}

static ompd_rc_t is_queued(const struct kmp_runtime *runtime, const struct kmp_task *task,
			   bool *ret)
{
	struct kmp_deques deques = { .count = 0 };
	uint64_t found;
	ompd_rc_t rc;

	*ret = false;
	do
		rc = kmp_deques_next(runtime, &task->region, &deques, &found);
	while (rc == ompd_rc_ok && found != task->address);
	*ret = rc == ompd_rc_ok;
	kmp_deques_close(runtime, &deques);
	return rc == ompd_rc_nomem ? rc : ompd_rc_ok;
}

ompd_rc_t kmp_task_info(const struct kmp_runtime *runtime, const struct kmp_task *task,
			ompd_ext_task_info *ret)
{
	struct kmp_task_record record;
	struct kmp_activity activity;
	bool queued = false;
	ompd_rc_t rc = kmp_read_task(runtime, task->address, &record);

	if (rc == ompd_rc_ok)
		rc = kmp_activity_open(runtime, &task->region, &activity);
	if (rc != ompd_rc_ok)
		return rc;
	if (!task->implicit)
		rc = is_queued(runtime, task, &queued);
	if (rc == ompd_rc_ok)
		kmp_describe_task(runtime, &task->region, &activity, &record, queued, ret);
	kmp_activity_close(runtime, &activity);
	return rc;
}
