// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ICVs of threads, regions and tasks.

#include <limits.h>
#include <stdio.h>

#include "gomp/icv.h"

// ---- What it is asked about ------------------------------------------------------------------

static ompd_rc_t the_thread(const struct runtime *runtime, const struct object *of,
			    const struct thread **ret)
{
	bool idle;

	*ret = of->thread;
	if (!of->thread)
		return reason(ompd_rc_bad_input, "the variable belongs to a thread");
	ompd_rc_t rc = gomp_is_idle(runtime, of->thread, &idle);

	return rc == ompd_rc_ok && idle ?
		       reason(ompd_rc_unavailable, "the thread is idle in its pool") :
		       rc;
}

static ompd_rc_t the_task(const struct runtime *runtime, const struct object *of, struct task *ret)
{
	if (of->task) {
		*ret = *of->task;
		return ompd_rc_ok;
	}
	if (of->thread)
		return gomp_current_task(runtime, of->thread, ret);
	return reason(ompd_rc_bad_input, "the variable belongs to a task");
}

ompd_rc_t gomp_icv_region(const struct runtime *runtime, const struct object *of,
			  struct region *ret)
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
		return gomp_current_region(runtime, of->thread, ret);
	return reason(ompd_rc_bad_input, "the variable belongs to a parallel region");
}

// ---- Variables of the data environment: struct gomp_task_icv ---------------------------------

ompd_rc_t gomp_icv_read(const struct runtime *runtime, const struct object *of,
			enum gomp_field field, uint64_t *ret)
{
	uint64_t base = runtime->layout.global[GOMP_GLOBAL_gomp_global_icv];
	struct task task;
	ompd_rc_t rc = the_task(runtime, of, &task);

	if (rc != ompd_rc_ok)
		return rc;
	// A thread without a task record uses the global variables (gomp_icv).
	if (task.address)
		base = gomp_at(runtime, task.address, GOMP_FIELD_gomp_task__icv);
	if (!base)
		return reason(ompd_rc_unsupported, "the initial values cannot be found");
	return gomp_read(runtime, base, field, ret);
}

GOMP_ICV_READER(dyn)
{
	uint64_t value;
	ompd_rc_t rc = gomp_icv_read(runtime, of, GOMP_FIELD_gomp_task_icv__dyn_var, &value);

	if (rc == ompd_rc_ok)
		*ret = value != 0;
	return rc;
}

GOMP_ICV_READER(default_device)
{
	uint64_t value;
	ompd_rc_t rc =
		gomp_icv_read(runtime, of, GOMP_FIELD_gomp_task_icv__default_device_var, &value);

	if (rc == ompd_rc_ok && (int32_t)value == INT_MIN)
		return reason(ompd_rc_unavailable,
			      "decided when the first target construct is met");
	if (rc == ompd_rc_ok)
		*ret = gomp_icv_signed(value, 32);
	return rc;
}

static ompd_rc_t schedule(const struct runtime *runtime, const struct object *of, uint64_t *kind,
			  int32_t *chunk)
{
	uint64_t value;
	ompd_rc_t rc = gomp_icv_read(runtime, of, GOMP_FIELD_gomp_task_icv__run_sched_var, kind);

	if (rc == ompd_rc_ok)
		rc = gomp_icv_read(runtime, of, GOMP_FIELD_gomp_task_icv__run_sched_chunk_size,
				   &value);
	if (rc == ompd_rc_ok)
		*chunk = (int32_t)value;
	return rc;
}

// The kind; a chunk size comes after it.
GOMP_ICV_READER(run_sched)
{
	uint64_t kind;
	int32_t chunk;
	ompd_rc_t rc = schedule(runtime, of, &kind, &chunk);

	if (rc != ompd_rc_ok)
		return rc;
	*ret = (ompd_word_t)kind;
	return chunk > 0 ? reason(ompd_rc_incomplete, "the schedule has a chunk size") : ompd_rc_ok;
}

GOMP_ICV_WRITER(run_sched)
{
	static const char *const kinds[] = { "runtime", "static", "dynamic", "guided", "auto" };
	enum { MONOTONIC = 0x80000000u };
	uint64_t value;
	int32_t chunk;
	ompd_rc_t rc = schedule(runtime, of, &value, &chunk);

	if (rc != ompd_rc_ok)
		return rc;
	const uint64_t kind = value & ~(uint64_t)MONOTONIC & 0xffffffffu;
	int used = snprintf(text, ICV_TEXT_MAX, "%s", value & MONOTONIC ? "monotonic:" : "");

	if (kind < sizeof(kinds) / sizeof(kinds[0]))
		used += snprintf(text + used, ICV_TEXT_MAX - used, "%s", kinds[kind]);
	else
		used += snprintf(text + used, ICV_TEXT_MAX - used, "%llu",
				 (unsigned long long)kind);
	if (chunk > 0)
		snprintf(text + used, ICV_TEXT_MAX - used, ",%d", chunk);
	return ompd_rc_ok;
}

GOMP_ICV_READER(thread_limit)
{
	uint64_t value;
	ompd_rc_t rc =
		gomp_icv_read(runtime, of, GOMP_FIELD_gomp_task_icv__thread_limit_var, &value);

	if (rc == ompd_rc_ok)
		*ret = value > INT_MAX ? INT_MAX : (ompd_word_t)value;
	return rc;
}

GOMP_ICV_READER(max_active_levels)
{
	uint64_t value;
	ompd_rc_t rc;

	// Since GCC 11 a variable of the data environment, before one of the process.
	if (gomp_has(runtime, GOMP_FIELD_gomp_task_icv__max_active_levels_var))
		rc = gomp_icv_read(runtime, of, GOMP_FIELD_gomp_task_icv__max_active_levels_var,
				   &value);
	else
		rc = gomp_read_global(runtime, GOMP_GLOBAL_gomp_max_active_levels_var, 8, &value);
	if (rc == ompd_rc_ok)
		*ret = value > INT_MAX ? INT_MAX : (ompd_word_t)value;
	return rc;
}

// omp_get_nested(): since GCC 11 whether one more active region could be begun.
GOMP_ICV_READER(nest)
{
	ompd_word_t levels;
	uint64_t value;
	ompd_rc_t rc;

	if (gomp_has(runtime, GOMP_FIELD_gomp_task_icv__nest_var)) {
		rc = gomp_icv_read(runtime, of, GOMP_FIELD_gomp_task_icv__nest_var, &value);
		if (rc == ompd_rc_ok)
			*ret = value != 0;
		return rc;
	}
	rc = gomp_icv_max_active_levels(runtime, of, ret);
	if (rc == ompd_rc_ok)
		rc = gomp_icv_active_levels(runtime, of, &levels);
	if (rc == ompd_rc_ok)
		*ret = *ret > 1 && *ret > levels;
	return rc;
}

// ---- Variables of a task ---------------------------------------------------------------------

GOMP_ICV_READER(final_task)
{
	struct task task;
	struct gomp_task_record record;
	ompd_rc_t rc = the_task(runtime, of, &task);

	*ret = 0;
	if (rc != ompd_rc_ok || task.address == 0)
		return rc;
	rc = gomp_read_task(runtime, task.address, &record);
	if (rc == ompd_rc_ok)
		*ret = gomp_get(runtime, &record.record, 0, GOMP_FIELD_gomp_task__final_task) != 0;
	return rc;
}

GOMP_ICV_READER(implicit_task)
{
	struct task task;
	struct gomp_task_record record;
	ompd_rc_t rc = the_task(runtime, of, &task);

	*ret = 1;
	if (rc != ompd_rc_ok || task.address == 0)
		return rc;
	rc = gomp_read_task(runtime, task.address, &record);
	if (rc == ompd_rc_ok)
		*ret = record.kind == GOMP_TASK_IMPLICIT;
	return rc;
}

GOMP_ICV_READER(explicit_task)
{
	ompd_rc_t rc = gomp_icv_implicit_task(runtime, of, ret);

	if (rc == ompd_rc_ok)
		*ret = !*ret;
	return rc;
}

// ---- Variables of a thread -------------------------------------------------------------------

GOMP_ICV_READER(def_allocator)
{
	const struct thread *thread;
	uint64_t value;

	if (!gomp_has(runtime, GOMP_FIELD_gomp_team_state__def_allocator))
		return reason(ompd_rc_unsupported, "this release of libgomp has no allocators");
	if (of->task)
		return reason(ompd_rc_unavailable, "libgomp keeps it for a thread, not for a task");
	ompd_rc_t rc = the_thread(runtime, of, &thread);

	if (rc != ompd_rc_ok)
		return rc;
	*ret = (ompd_word_t)thread->ts.def_allocator;
	if (*ret)
		return ompd_rc_ok;
	rc = gomp_read_global(runtime, GOMP_GLOBAL_gomp_def_allocator, 8, &value);
	if (rc == ompd_rc_ok)
		*ret = (ompd_word_t)value;
	return rc;
}

GOMP_ICV_READER(thread_num)
{
	const struct thread *thread;
	uint32_t number = 0;

	// The number of an implicit task's thread is its place in the team.
	if (of->task) {
		ompd_word_t implicit = 0;
		ompd_rc_t rc = gomp_icv_implicit_task(runtime, of, &implicit);

		if (rc != ompd_rc_ok)
			return rc;
		if (!implicit)
			return reason(ompd_rc_unavailable, "explicit tasks have no thread number");
		if (of->task->region.level)
			gomp_implicit_task_number(runtime, &of->task->region, of->task->address,
						  &number);
		*ret = number;
		return ompd_rc_ok;
	}
	ompd_rc_t rc = the_thread(runtime, of, &thread);

	if (rc == ompd_rc_ok)
		*ret = thread->ts.team_id;
	return rc;
}

// The thread, if it has a partition of places.
static ompd_rc_t bound_thread(const struct runtime *runtime, const struct object *of,
			      const struct thread **ret)
{
	uint64_t places;
	ompd_rc_t rc = the_thread(runtime, of, ret);

	if (rc == ompd_rc_ok)
		rc = gomp_read_global(runtime, GOMP_GLOBAL_gomp_places_list, 8, &places);
	if (rc != ompd_rc_ok)
		return rc;
	if (places == 0)
		return reason(ompd_rc_unavailable, "the program has no places (OMP_PLACES)");
	// Until then the partition is not set (omp_get_partition_num_places).
	return (*ret)->place ?
		       ompd_rc_ok :
		       reason(ompd_rc_unavailable, "the thread is not bound to a place yet");
}

GOMP_ICV_WRITER(place_partition)
{
	const struct thread *thread;
	ompd_rc_t rc = bound_thread(runtime, of, &thread);

	if (rc != ompd_rc_ok)
		return rc;
	const unsigned long long first = thread->ts.place_partition_off;
	const unsigned long long length = thread->ts.place_partition_len;

	// As numbers of places, first to last; the processors of each are the system's affair.
	if (length <= 1)
		snprintf(text, ICV_TEXT_MAX, "%llu", first);
	else
		snprintf(text, ICV_TEXT_MAX, "%llu-%llu", first, first + length - 1);
	return ompd_rc_ok;
}

GOMP_ICV_READER(place_assignment)
{
	const struct thread *thread;
	ompd_rc_t rc = bound_thread(runtime, of, &thread);

	if (rc == ompd_rc_ok)
		*ret = (ompd_word_t)thread->place - 1;
	return rc;
}

GOMP_ICV_READER(team_num)
{
	const struct thread *thread;

	if (!gomp_has(runtime, GOMP_FIELD_gomp_thread__team_num))
		return gomp_icv_not_kept(runtime, of, ret);
	ompd_rc_t rc = the_thread(runtime, of, &thread);

	if (rc == ompd_rc_ok)
		*ret = thread->team_num;
	return rc;
}

GOMP_ICV_READER(league_size)
{
	const struct thread *thread;

	if (!gomp_has(runtime, GOMP_FIELD_gomp_thread__num_teams))
		return gomp_icv_not_kept(runtime, of, ret);
	ompd_rc_t rc = the_thread(runtime, of, &thread);

	if (rc == ompd_rc_ok)
		*ret = (ompd_word_t)thread->num_teams + 1;
	return rc;
}

// ---- Variables of a region -------------------------------------------------------------------

GOMP_ICV_READER(levels)
{
	struct region region;
	ompd_rc_t rc = gomp_icv_region(runtime, of, &region);

	if (rc == ompd_rc_ok)
		*ret = region.level;
	return rc;
}

GOMP_ICV_READER(active_levels)
{
	struct region region;
	ompd_rc_t rc = gomp_icv_region(runtime, of, &region);

	if (rc == ompd_rc_ok)
		*ret = region.active_level;
	return rc;
}

GOMP_ICV_READER(team_size)
{
	struct region region;
	ompd_rc_t rc = gomp_icv_region(runtime, of, &region);

	if (rc == ompd_rc_ok)
		*ret = region.nthreads;
	return rc;
}

GOMP_ICV_READER(team_generator)
{
	struct region region;
	struct thread root;
	ompd_rc_t rc = gomp_icv_region(runtime, of, &region);

	if (rc == ompd_rc_ok && region.level) {
		*ret = ompd_generator_parallel;
		return ompd_rc_ok;
	}
	if (rc == ompd_rc_ok)
		rc = gomp_read_thread(runtime, region.group.root, &root);
	if (rc != ompd_rc_ok)
		return rc;
	if (!gomp_has(runtime, GOMP_FIELD_gomp_thread__num_teams) || root.num_teams == 0)
		return reason(ompd_rc_unavailable,
			      "libgomp keeps the same for the program's own team, a league of one "
			      "and a target region on the host");
	*ret = ompd_generator_teams;
	return ompd_rc_ok;
}

ompd_rc_t gomp_initial_icv_text(const struct runtime *runtime, enum icv icv, char *text)
{
	// The task without a record: its values are those of the process.
	const struct task initial = { .region = { .nthreads = 1 } };
	const struct object of = { .task = &initial };

	return gomp_icv_text(runtime, icv, &of, text);
}
