// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "gomp/gomp.h"

static uint64_t field(const struct runtime *runtime, const struct gomp_task_record *record,
		      enum gomp_field which)
{
	return gomp_get(runtime, &record->record, 0, which);
}

ompd_rc_t gomp_taskwait_flags(const struct runtime *runtime, const struct gomp_task_record *record,
			      uint32_t *ret)
{
	uint64_t taskwait = field(runtime, record, TASK(taskwait));
	uint64_t in_taskwait, in_depend_wait;

	*ret = 0;
	if (!taskwait)
		return ompd_rc_ok;
	// The flags are set by the waiting task before it sleeps, and cleared by the one that
	// wakes it (GOMP_taskwait, gomp_task_run_post_remove_parent).
	ompd_rc_t rc =
		gomp_read(runtime, taskwait, GOMP_FIELD_gomp_taskwait__in_taskwait, &in_taskwait);

	if (rc == ompd_rc_ok)
		rc = gomp_read(runtime, taskwait, GOMP_FIELD_gomp_taskwait__in_depend_wait,
			       &in_depend_wait);
	if (rc != ompd_rc_ok)
		return reason(rc, "cannot read what the task waits for");
	if (in_taskwait == 1)
		*ret |= ompd_ext_task_in_taskwait;
	if (in_depend_wait == 1)
		*ret |= ompd_ext_task_in_depend_wait;
	return ompd_rc_ok;
}

ompd_rc_t gomp_waits_in_taskgroup(const struct runtime *runtime,
				  const struct gomp_task_record *record, bool *ret)
{
	uint64_t taskgroup = field(runtime, record, TASK(taskgroup));
	uint64_t waits, outer = 0;

	*ret = false;
	if (!taskgroup)
		return ompd_rc_ok;
	ompd_rc_t rc =
		gomp_read(runtime, taskgroup, GOMP_FIELD_gomp_taskgroup__in_taskgroup_wait, &waits);

	if (rc == ompd_rc_ok && waits == 1 && record->parent)
		rc = gomp_read(runtime, record->parent, TASK(taskgroup), &outer);
	if (rc != ompd_rc_ok)
		return reason(rc, "the task's taskgroup cannot be read");
	// A task inherits the taskgroup of the task that generates it; who has another one than
	// its parent has opened it. Without a parent that cannot be told.
	*ret = waits == 1 &&
	       (record->parent ? outer != taskgroup : record->kind == GOMP_TASK_IMPLICIT);
	return ompd_rc_ok;
}

static enum ompd_ext_task_status begun_status(const struct runtime *runtime,
					      const struct activity *activity,
					      const struct gomp_task_record *record,
					      ompd_ext_task_info *ret)
{
	struct activity_entry entry;
	bool in_group;

	if (activity_find(activity, record->record.address, &entry)) {
		ret->thread_num = entry.thread_num;
		return entry.running ? ompd_ext_task_running : ompd_ext_task_suspended;
	}
	// An undeferred task lasts no longer than it is on the stack of its thread.
	if (record->kind == GOMP_TASK_UNDEFERRED && !activity->incomplete)
		return ompd_ext_task_suspended;
	if (record->kind != GOMP_TASK_TIED)
		return ompd_ext_task_unknown;
	// No thread has it as its current task. Between gomp_task_run_pre and the first
	// instruction of the task that is so too; only a task that waits is surely suspended.
	if (field(runtime, record, TASK(taskwait)) ||
	    (gomp_waits_in_taskgroup(runtime, record, &in_group) == ompd_rc_ok && in_group))
		return ompd_ext_task_suspended;
	return ompd_ext_task_started;
}

static enum ompd_ext_task_status implicit_status(const struct runtime *runtime,
						 const struct region *region,
						 const struct activity *activity,
						 const struct gomp_task_record *record,
						 ompd_ext_task_info *ret)
{
	struct thread thread;
	uint32_t number = 0;
	enum ompd_ext_task_status status = begun_status(runtime, activity, record, ret);

	gomp_implicit_task_number(runtime, region, record->record.address, &number);
	ret->thread_num = number;
	if (status == ompd_ext_task_unknown && !activity->incomplete &&
	    gomp_region_member(runtime, region, number, &thread) == ompd_rc_ok)
		return ompd_ext_task_suspended; // its thread runs a deferred task on top of it
	return status;
}

static enum ompd_ext_task_status status_of(const struct runtime *runtime,
					   const struct region *region,
					   const struct activity *activity,
					   const struct gomp_task_record *record,
					   ompd_ext_task_info *ret)
{
	switch (record->kind) {
	case GOMP_TASK_IMPLICIT:
		return implicit_status(runtime, region, activity, record, ret);
	case GOMP_TASK_WAITING:
		return ret->num_predecessors ? ompd_ext_task_blocked : ompd_ext_task_queued;
	case GOMP_TASK_DETACHED:
		return ompd_ext_task_detached;
	case GOMP_TASK_ASYNC_RUNNING:
		return ompd_ext_task_started;
	case GOMP_TASK_UNDEFERRED:
		// A deferred task looks undeferred while its arguments are copied (GOMP_task).
		if (field(runtime, record, TASK(deferred_p)))
			return ompd_ext_task_creating;
		return begun_status(runtime, activity, record, ret);
	default:
		return begun_status(runtime, activity, record, ret);
	}
}

// Do what gomp_generating_task() does, without a look at the parent itself.
static uint64_t parent_id(const struct region *region, const struct gomp_task_record *record)
{
	bool implicit = record->kind == GOMP_TASK_IMPLICIT;

	if (implicit && region->level == 0)
		return 0;
	if (record->parent)
		return record->parent;
	// The initial task may have no record.
	if ((implicit && region->level == 1) ||
	    (record->kind == GOMP_TASK_UNDEFERRED && region->level == 0))
		return gomp_task_id(&(struct task){ .region.group.root = region->group.root });
	return 0;
}

void gomp_describe_task(const struct runtime *runtime, const struct region *region,
			const struct activity *activity, const struct gomp_task_record *record,
			ompd_ext_task_info *ret)
{
	bool implicit = record->kind == GOMP_TASK_IMPLICIT;
	bool in_group = false;
	uint32_t waits;

	*ret = (ompd_ext_task_info){
		.id = record->record.address,
		.parent_id = parent_id(region, record),
		.parallel_id = gomp_region_id(region),
		.taskgroup = field(runtime, record, TASK(taskgroup)),
		.kind = implicit && region->level == 0 ? ompd_ext_task_initial :
			implicit		       ? ompd_ext_task_implicit :
							 ompd_ext_task_explicit,
		.flags_known = ompd_ext_task_final | ompd_ext_task_undeferred,
		.thread_num = -1,
	};
	if (gomp_is_deferred(record)) {
		ret->num_depends = field(runtime, record, TASK(depend_count));
		if (gomp_deferred_function(runtime, record, &ret->function) == ompd_rc_ok &&
		    !ret->function)
			ret->kind = ompd_ext_task_target;
		if (ret->function)
			gomp_deferred_data(runtime, record, &ret->argument);
	}
	if (!implicit)
		ret->priority = (int32_t)field(runtime, record, TASK(priority));
	// The count is set for tasks with depend clauses only (gomp_task_handle_depend).
	if (record->kind == GOMP_TASK_WAITING && ret->num_depends)
		ret->num_predecessors = field(runtime, record, TASK(num_dependees));
	if (field(runtime, record, TASK(final_task)))
		ret->flags |= ompd_ext_task_final;
	if (record->kind == GOMP_TASK_UNDEFERRED)
		ret->flags |= ompd_ext_task_undeferred;
	if (gomp_has(runtime, TASK(detach_team))) {
		ret->flags_known |= ompd_ext_task_detachable;
		if (field(runtime, record, TASK(detach_team)))
			ret->flags |= ompd_ext_task_detachable;
	}
	if (gomp_taskwait_flags(runtime, record, &waits) == ompd_rc_ok) {
		ret->flags_known |= ompd_ext_task_in_taskwait | ompd_ext_task_in_depend_wait;
		ret->flags |= waits;
	}
	ret->status = status_of(runtime, region, activity, record, ret);
	if (ret->status == ompd_ext_task_creating) {
		ret->flags &= ~ompd_ext_task_undeferred;
		ret->thread_num = -1;
	}
	if (ret->status > ompd_ext_task_suspended ||
	    gomp_waits_in_taskgroup(runtime, record, &in_group) == ompd_rc_ok)
		ret->flags_known |= ompd_ext_task_in_taskgroup_wait;
	if (in_group)
		ret->flags |= ompd_ext_task_in_taskgroup_wait;
	reason_clear();
}

void gomp_describe_initial_task(const struct region *region, const struct activity *activity,
				ompd_ext_task_info *ret)
{
	struct activity_entry entry;
	bool running = activity_find(activity, 0, &entry) && entry.running;

	*ret = (ompd_ext_task_info){
		.id = gomp_task_id(&(struct task){ .region = *region }),
		.parallel_id = gomp_region_id(region),
		.kind = ompd_ext_task_initial,
		.status = running	       ? ompd_ext_task_running :
			  activity->incomplete ? ompd_ext_task_unknown :
						 ompd_ext_task_suspended,
		.flags_known = ompd_ext_task_final | ompd_ext_task_undeferred,
	};
}

ompd_rc_t gomp_task_info(const struct runtime *runtime, const struct task *task,
			 ompd_ext_task_info *ret)
{
	struct region region = task->region;
	struct gomp_task_record record;
	struct activity activity;
	ompd_rc_t rc = gomp_activity_open_for(runtime, task, &activity);

	if (rc != ompd_rc_ok)
		return rc;
	if (task->address == 0) {
		gomp_describe_initial_task(&region, &activity, ret);
	} else {
		rc = gomp_read_task(runtime, task->address, &record);
		if (task->orphan)
			record.parent = 0;
		if (rc == ompd_rc_ok && !record.parent)
			rc = gomp_know_parent(runtime, &region);
		if (rc == ompd_rc_ok)
			gomp_describe_task(runtime, &region, &activity, &record, ret);
	}
	activity_close(&runtime->target, &activity);
	return rc;
}

// Return the type that libgomp would tell tools, if it told them any.
ompd_rc_t gomp_ompt_task_type(const struct runtime *runtime, const struct task *task, uint32_t *ret)
{
	static const uint32_t kinds[] = {
		[ompd_ext_task_initial] = 0x1,
		[ompd_ext_task_implicit] = 0x2,
		[ompd_ext_task_explicit] = 0x4,
		[ompd_ext_task_target] = 0x8,
	};
	ompd_ext_task_info info;
	ompd_rc_t rc = gomp_task_info(runtime, task, &info);

	if (rc != ompd_rc_ok)
		return rc;
	*ret = kinds[info.kind] | (info.flags & ompd_ext_task_undeferred ? 0x08000000 : 0) |
	       (info.flags & ompd_ext_task_untied ? 0x10000000 : 0) |
	       (info.flags & ompd_ext_task_final ? 0x20000000 : 0);
	return ompd_rc_ok;
}

enum {
	MAX_DEPENDS = 1 << 24, // more are taken for damage
};

ompd_rc_t gomp_task_depends(const struct runtime *runtime, const struct task *task,
			    ompd_ext_depend *depends, size_t max, size_t *count)
{
	struct gomp_task_record record;

	*count = 0;
	if (task->address == 0)
		return ompd_rc_ok;
	ompd_rc_t rc = gomp_read_task(runtime, task->address, &record);

	if (rc != ompd_rc_ok || record.kind == GOMP_TASK_IMPLICIT ||
	    record.kind == GOMP_TASK_UNDEFERRED)
		return rc;
	uint64_t number = field(runtime, &record, TASK(depend_count));
	uint64_t entry = gomp_at(runtime, task->address, TASK(depend));

	if (number > MAX_DEPENDS)
		return reason(ompd_rc_error, "the task's list of dependences is damaged");
	*count = number;
	for (size_t i = 0; i < number && i < max; i++) {
		uint64_t address, is_in;

		rc = gomp_read(runtime, entry, GOMP_FIELD_gomp_task_depend_entry__addr, &address);
		if (rc == ompd_rc_ok)
			rc = gomp_read(runtime, entry, GOMP_FIELD_gomp_task_depend_entry__is_in,
				       &is_in);
		if (rc != ompd_rc_ok)
			return rc;
		depends[i] = (ompd_ext_depend){
			.address = address,
			.kind = is_in == 2   ? ompd_ext_depend_inoutset :
				is_in	     ? ompd_ext_depend_in :
				address == 0 ? ompd_ext_depend_all_memory :
					       ompd_ext_depend_out,
		};
		entry += runtime->layout.struct_size[GOMP_STRUCT_gomp_task_depend_entry];
	}
	return ompd_rc_ok;
}

ompd_rc_t gomp_task_dependers(const struct runtime *runtime, const struct task *task, uint64_t *ids,
			      size_t max, size_t *count)
{
	uint64_t vector = 0, number;

	*count = 0;
	if (task->address == 0)
		return ompd_rc_ok;
	ompd_rc_t rc = gomp_read(runtime, task->address, TASK(dependers), &vector);

	if (rc != ompd_rc_ok || vector == 0)
		return rc;
	rc = gomp_read(runtime, vector, GOMP_FIELD_gomp_dependers_vec__n_elem, &number);
	if (rc != ompd_rc_ok)
		return rc;
	if (number > MAX_DEPENDS)
		return reason(ompd_rc_error, "the task's list of dependers is damaged");
	*count = number;
	for (size_t i = 0; i < number && i < max && rc == ompd_rc_ok; i++)
		rc = target_read_pointer(
			&runtime->target,
			gomp_at(runtime, vector, GOMP_FIELD_gomp_dependers_vec__elem) + 8 * i,
			&ids[i]);
	return rc;
}
