// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ICVs of tasks and regions.

#include <stdio.h>

#include "kmp/icv.h"

// ---- What it is asked about ------------------------------------------------------------------

ompd_rc_t kmp_icv_task(const struct runtime *runtime, const struct object *of, struct task *ret)
{
	if (of->task) {
		*ret = *of->task;
		return ompd_rc_ok;
	}
	if (of->thread)
		return kmp_current_record(runtime, of->thread, ret);
	return reason(ompd_rc_bad_input, "the variable belongs to a task");
}

ompd_rc_t kmp_icv_region(const struct runtime *runtime, const struct object *of, struct region *ret)
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

ompd_rc_t kmp_icv_base(const struct runtime *runtime, const struct object *of, uint64_t *ret)
{
	struct task task;
	ompd_rc_t rc = kmp_icv_task(runtime, of, &task);

	if (rc != ompd_rc_ok)
		return rc;
	if (!kmp_owns_tasks(&task.region) && task.region.kind == KMP_REGION_LEAGUE)
		return reason(ompd_rc_unavailable,
			      "the initial thread's variables are those of its parallel region");
	*ret = kmp_at(runtime, task.address, TASK(td_icvs));
	return task.implicit && task.region.above ? saved_base(runtime, &task.region, ret) :
						    ompd_rc_ok;
}

static ompd_rc_t read_icv(const struct runtime *runtime, const struct object *of,
			  enum kmp_field field, int32_t *ret)
{
	uint64_t base;
	ompd_rc_t rc = kmp_icv_base(runtime, of, &base);

	return rc == ompd_rc_ok ? kmp_read_int(runtime, base, field, ret) : rc;
}

ompd_rc_t kmp_icv_read(const struct runtime *runtime, const struct object *of, enum kmp_field field,
		       ompd_word_t *ret)
{
	int32_t value;
	ompd_rc_t rc = read_icv(runtime, of, field, &value);

	if (rc == ompd_rc_ok)
		*ret = value;
	return rc;
}

KMP_ICV_READER(dyn)
{
	ompd_word_t value;
	ompd_rc_t rc = kmp_icv_read(runtime, of, ICV(dynamic), &value);

	if (rc == ompd_rc_ok)
		*ret = value != 0;
	return rc;
}

KMP_ICV_READER(default_device)
{
	return kmp_icv_read(runtime, of, ICV(default_device), ret);
}

KMP_ICV_READER(max_active_levels)
{
	return kmp_icv_read(runtime, of, ICV(max_active_levels), ret);
}

// omp_get_nested()
KMP_ICV_READER(nest)
{
	ompd_rc_t rc = kmp_icv_read(runtime, of, ICV(max_active_levels), ret);

	if (rc == ompd_rc_ok)
		*ret = *ret > 1;
	return rc;
}

KMP_ICV_READER(thread_limit)
{
	// The thread_limit clause of a target construct goes before, where the release has it.
	if (kmp_has(runtime, ICV(task_thread_limit))) {
		ompd_rc_t rc = kmp_icv_read(runtime, of, ICV(task_thread_limit), ret);

		if (rc != ompd_rc_ok || *ret)
			return rc;
	}
	return kmp_icv_read(runtime, of, ICV(thread_limit), ret);
}

// enum sched_type with what omp_get_schedule() answers for it (__kmp_get_schedule).
static const struct {
	ompd_word_t kind; // omp_sched_t, with LLVM's additions
	int32_t type;
	bool has_chunk;
} schedules[] = {
	{ 1, 33, true }, { 1, 34, false },  { 2, 35, true },   { 3, 36, true },
	{ 4, 38, true }, { 101, 39, true }, { 1, 40, false },  { 1, 41, false },
	{ 3, 42, true }, { 3, 43, true },   { 102, 44, true },
};

static ompd_rc_t schedule(const struct runtime *runtime, const struct object *of, ompd_word_t *kind,
			  int32_t *chunk)
{
	enum { MONOTONIC = 1 << 29, NONMONOTONIC = 1 << 30 }; // modifiers of sched_type
	const ompd_word_t omp_sched_monotonic = 0x80000000;
	uint64_t base;
	int32_t type;
	ompd_rc_t rc = kmp_icv_base(runtime, of, &base);

	if (rc != ompd_rc_ok)
		return rc;
	base = kmp_at(runtime, base, ICV(sched));
	rc = kmp_read_int(runtime, base, KMP_FIELD_kmp_r_sched_t__r_sched_type, &type);
	if (rc == ompd_rc_ok)
		rc = kmp_read_int(runtime, base, KMP_FIELD_kmp_r_sched_t__chunk, chunk);
	if (rc != ompd_rc_ok)
		return rc;
	for (size_t i = 0; i < sizeof(schedules) / sizeof(schedules[0]); i++) {
		if (schedules[i].type != (type & ~(MONOTONIC | NONMONOTONIC)))
			continue;
		*kind = schedules[i].kind | (type & MONOTONIC ? omp_sched_monotonic : 0);
		if (!schedules[i].has_chunk)
			*chunk = 0;
		return ompd_rc_ok;
	}
	return reason(ompd_rc_error, "run-sched-var is damaged");
}

// The kind; a chunk size comes after it.
KMP_ICV_READER(run_sched)
{
	int32_t chunk;
	ompd_rc_t rc = schedule(runtime, of, ret, &chunk);

	return rc == ompd_rc_ok && chunk > 0 ?
		       reason(ompd_rc_incomplete, "the schedule has a chunk size") :
		       rc;
}

KMP_ICV_WRITER(run_sched)
{
	static const char *const kinds[] = { "?", "static", "dynamic", "guided", "auto" };
	enum { MONOTONIC = 0x80000000u, TRAPEZOIDAL = 101, STATIC_STEAL = 102 };
	ompd_word_t value;
	int32_t chunk;
	ompd_rc_t rc = schedule(runtime, of, &value, &chunk);

	if (rc != ompd_rc_ok)
		return rc;
	const uint64_t kind = (uint64_t)value & ~(uint64_t)MONOTONIC & 0xffffffffu;
	const char *name = kind < sizeof(kinds) / sizeof(kinds[0]) ? kinds[kind] :
			   kind == TRAPEZOIDAL			   ? "trapezoidal" :
			   kind == STATIC_STEAL			   ? "static_steal" :
								     "?";
	int used = snprintf(text, ICV_TEXT_MAX, "%s%s",
			    (uint64_t)value & MONOTONIC ? "monotonic:" : "", name);

	if (chunk > 0)
		snprintf(text + used, ICV_TEXT_MAX - used, ",%d", chunk);
	return ompd_rc_ok;
}

// ---- Variables of a task ---------------------------------------------------------------------

KMP_ICV_READER(final_task)
{
	struct task task;
	struct kmp_task_record record;
	ompd_rc_t rc = kmp_icv_task(runtime, of, &task);

	if (rc == ompd_rc_ok)
		rc = kmp_read_task(runtime, task.address, &record);
	if (rc == ompd_rc_ok)
		*ret = kmp_flag(runtime, record.flags, FLAG(final));
	return rc;
}

KMP_ICV_READER(implicit_task)
{
	struct task task;
	ompd_rc_t rc = kmp_icv_task(runtime, of, &task);

	if (rc == ompd_rc_ok)
		*ret = task.implicit;
	return rc;
}

KMP_ICV_READER(explicit_task)
{
	struct task task;
	ompd_rc_t rc = kmp_icv_task(runtime, of, &task);

	if (rc == ompd_rc_ok)
		*ret = !task.implicit;
	return rc;
}

// ---- Variables of a region -------------------------------------------------------------------

KMP_ICV_READER(levels)
{
	struct region region;
	ompd_rc_t rc = kmp_icv_region(runtime, of, &region);

	if (rc == ompd_rc_ok)
		*ret = region.level;
	return rc;
}

KMP_ICV_READER(active_levels)
{
	struct region region;
	ompd_rc_t rc = kmp_icv_region(runtime, of, &region);

	if (rc == ompd_rc_ok)
		*ret = region.active_level;
	return rc;
}

KMP_ICV_READER(team_size)
{
	struct region region;
	ompd_rc_t rc = kmp_icv_region(runtime, of, &region);

	if (rc == ompd_rc_ok)
		*ret = region.nthreads;
	return rc;
}

KMP_ICV_READER(team_generator)
{
	static const ompd_team_generator_t generators[] = {
		[KMP_REGION_INITIAL] = ompd_generator_program,
		[KMP_REGION_PARALLEL] = ompd_generator_parallel,
		[KMP_REGION_LEAGUE] = ompd_generator_teams,
	};
	struct region region;
	ompd_rc_t rc = kmp_icv_region(runtime, of, &region);

	if (rc == ompd_rc_ok)
		*ret = generators[region.kind];
	return rc;
}

ompd_rc_t kmp_initial_icv_text(const struct runtime *runtime, enum icv icv, char *text)
{
	const struct object of = { 0 };

	return kmp_icv_text(runtime, icv, &of, text);
}
