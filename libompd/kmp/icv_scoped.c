// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ICVs of tasks and regions.

#include "kmp/icv.h"

// ---- What it is asked about ------------------------------------------------------------------

static ompd_rc_t the_task(const struct runtime *runtime, const struct object *of, struct task *ret)
{
	if (of->task) {
		*ret = *of->task;
		return ompd_rc_ok;
	}
	if (of->thread)
		return kmp_current_record(runtime, of->thread, ret);
	return reason(ompd_rc_bad_input, "the variable belongs to a task");
}

ompd_rc_t kmp_region_of(const struct runtime *runtime, const struct object *of, struct region *ret)
{
	if (of->region) {
		*ret = *of->region;
		return ompd_rc_ok;
	}
	if (of->task) {
		*ret = of->task->region;
		return ompd_rc_ok;
	}
	if (of->thread)
		return kmp_current_region(runtime, of->thread, ret);
	return reason(ompd_rc_bad_input, "the variable belongs to a parallel region");
}

// ---- Variables of the data environment: kmp_internal_control ---------------------------------

// Nested serialized regions share a task. When a variable is first set in one of them, the values
// before that are saved, with the number of the region (__kmp_save_internal_controls): those of a
// region that is not the innermost are what was saved next within it.
static ompd_rc_t saved_base(const struct runtime *runtime, const struct region *region,
			    uint64_t *base)
{
	const uint32_t number = region->team.serialized - region->above;
	struct cycle cycle = { 0 };
	uint64_t entry;
	ompd_rc_t rc = kmp_read(runtime, region->team.address, TEAM(t_control_stack_top), &entry);

	while (rc == ompd_rc_ok && entry) {
		uint64_t level;

		if (cycle_closed(&cycle, entry))
			return reason(ompd_rc_error, "a team's list of saved variables is damaged");
		rc = kmp_read(runtime, entry, ICV(serial_nesting_level), &level);
		if (rc != ompd_rc_ok || level <= number)
			break;
		*base = entry;
		rc = kmp_read(runtime, entry, ICV(next), &entry);
	}
	return rc;
}

static ompd_rc_t find_base(const struct runtime *runtime, const struct object *of, uint64_t *ret)
{
	struct task task;
	ompd_rc_t rc = the_task(runtime, of, &task);

	if (rc != ompd_rc_ok)
		return rc;
	if (!kmp_owns_tasks(&task.region) && task.region.kind == KMP_REGION_LEAGUE)
		return reason(ompd_rc_unavailable,
			      "the initial thread's variables are those of its parallel region");
	*ret = kmp_at(runtime, task.address, TASK(td_icvs));
	return task.implicit && task.region.above ? saved_base(runtime, &task.region, ret) :
						    ompd_rc_ok;
}

ompd_rc_t kmp_icv_read(const struct runtime *runtime, const struct object *of, enum kmp_field field,
		       ompd_word_t *ret)
{
	uint64_t base;
	int32_t value;
	ompd_rc_t rc = find_base(runtime, of, &base);

	if (rc == ompd_rc_ok)
		rc = kmp_read_int(runtime, base, field, &value);
	if (rc == ompd_rc_ok)
		*ret = value;
	return rc;
}

ICV_VALUE(kmp_icv_environment)
{
	static const enum kmp_field fields[ICV_COUNT] = {
		[ICV_dyn] = ICV(dynamic),
		[ICV_default_device] = ICV(default_device),
		[ICV_thread_limit] = ICV(thread_limit),
		[ICV_max_active_levels] = ICV(max_active_levels),
		[ICV_nest] = ICV(max_active_levels), // omp_get_nested()
	};
	ompd_word_t value = 0;
	ompd_rc_t rc = ompd_rc_ok;

	// The thread_limit clause of a target construct goes before, where the release has it.
	if (icv == ICV_thread_limit && kmp_has(runtime, ICV(task_thread_limit)))
		rc = kmp_icv_read(runtime, of, ICV(task_thread_limit), &value);
	if (rc == ompd_rc_ok && !value)
		rc = kmp_icv_read(runtime, of, fields[icv], &value);
	if (rc == ompd_rc_ok)
		*ret = icv == ICV_dyn ? value != 0 : icv == ICV_nest ? value > 1 : value;
	return rc;
}

// enum sched_type with what omp_get_schedule() answers for it (__kmp_get_schedule).
static const struct {
	ompd_word_t kind; // omp_sched_t, with LLVM's additions
	const char *name;
	int32_t type;
	bool has_chunk;
} schedules[] = {
	{ 1, "static", 33, true },	   { 1, "static", 34, false },
	{ 2, "dynamic", 35, true },	   { 3, "guided", 36, true },
	{ 4, "auto", 38, true },	   { 101, "trapezoidal", 39, true },
	{ 1, "static", 40, false },	   { 1, "static", 41, false },
	{ 3, "guided", 42, true },	   { 3, "guided", 43, true },
	{ 102, "static_steal", 44, true },
};

ICV_SCHEDULE(kmp_icv_schedule)
{
	enum { MONOTONIC = 1 << 29, NONMONOTONIC = 1 << 30 }; // modifiers of sched_type
	uint64_t base;
	int32_t type, chunk;
	ompd_rc_t rc = find_base(runtime, of, &base);

	if (rc != ompd_rc_ok)
		return rc;
	base = kmp_at(runtime, base, ICV(sched));
	rc = KMP_READ(runtime, base, WANT_INT(KMP_FIELD_kmp_r_sched_t__r_sched_type, &type),
		      WANT_INT(KMP_FIELD_kmp_r_sched_t__chunk, &chunk));
	if (rc != ompd_rc_ok)
		return rc;
	for (size_t i = 0; i < sizeof(schedules) / sizeof(schedules[0]); i++) {
		if (schedules[i].type != (type & ~(MONOTONIC | NONMONOTONIC)))
			continue;
		*ret = (struct icv_schedule){
			.kind = schedules[i].kind | (type & MONOTONIC ? ICV_MONOTONIC : 0),
			.name = schedules[i].name,
			.chunk = schedules[i].has_chunk ? chunk : 0,
		};
		return ompd_rc_ok;
	}
	return reason(ompd_rc_error, "run-sched-var is damaged");
}

// ---- Variables of a task, and of a region ----------------------------------------------------

ICV_VALUE(kmp_icv_task)
{
	struct kmp_task_record record;
	struct task task;
	ompd_rc_t rc = the_task(runtime, of, &task);

	if (rc == ompd_rc_ok && icv == ICV_final_task)
		rc = kmp_read_task(runtime, task.address, &record);
	if (rc == ompd_rc_ok)
		*ret = icv == ICV_final_task ? kmp_flag(runtime, record.flags, FLAG(final)) :
					       task.implicit == (icv == ICV_implicit_task);
	return rc;
}

ICV_VALUE(kmp_icv_region)
{
	static const ompd_team_generator_t generators[] = {
		[KMP_REGION_INITIAL] = ompd_generator_program,
		[KMP_REGION_PARALLEL] = ompd_generator_parallel,
		[KMP_REGION_LEAGUE] = ompd_generator_teams,
	};
	struct region region;
	ompd_rc_t rc = kmp_region_of(runtime, of, &region);

	if (rc == ompd_rc_ok)
		*ret = icv == ICV_levels	? region.level :
		       icv == ICV_active_levels ? region.active_level :
		       icv == ICV_team_size	? region.nthreads :
						  generators[region.kind];
	return rc;
}
