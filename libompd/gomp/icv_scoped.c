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

ompd_rc_t gomp_region_of(const struct runtime *runtime, const struct object *of, struct region *ret)
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
		base = gomp_at(runtime, task.address, TASK(icv));
	if (!base)
		return reason(ompd_rc_unsupported, "the initial values cannot be found");
	return gomp_read(runtime, base, field, ret);
}

static ompd_rc_t has_further_level(const struct runtime *runtime, const struct object *of,
				   ompd_word_t *ret)
{
	ompd_word_t levels;
	ompd_rc_t rc = gomp_icv_environment(runtime, ICV_max_active_levels, of, ret);

	if (rc == ompd_rc_ok)
		rc = gomp_icv_region(runtime, ICV_active_levels, of, &levels);
	if (rc == ompd_rc_ok)
		*ret = *ret > 1 && *ret > levels;
	return rc;
}

ICV_VALUE(gomp_icv_environment)
{
	static const enum gomp_field fields[ICV_COUNT] = {
		[ICV_dyn] = ICV(dyn_var),
		[ICV_default_device] = ICV(default_device_var),
		[ICV_thread_limit] = ICV(thread_limit_var),
		[ICV_max_active_levels] = ICV(max_active_levels_var),
		[ICV_nest] = ICV(nest_var),
	};
	uint64_t value;
	ompd_rc_t rc;

	// omp_get_nested(): since GCC 11 whether one more active region could be begun.
	if (icv == ICV_nest && !gomp_has(runtime, fields[icv]))
		return has_further_level(runtime, of, ret);
	// Before GCC 11 a variable of the process.
	if (icv == ICV_max_active_levels && !gomp_has(runtime, fields[icv]))
		rc = gomp_read_global(runtime, GOMP_GLOBAL_gomp_max_active_levels_var, 8, &value);
	else
		rc = gomp_icv_read(runtime, of, fields[icv], &value);
	if (rc != ompd_rc_ok)
		return rc;
	if (icv == ICV_default_device && (int32_t)value == INT_MIN)
		return reason(ompd_rc_unavailable,
			      "decided when the first target construct is met");
	if (icv == ICV_default_device)
		*ret = (int32_t)value;
	else if (icv == ICV_dyn || icv == ICV_nest)
		*ret = value != 0;
	else
		*ret = value > INT_MAX ? INT_MAX : (ompd_word_t)value;
	return ompd_rc_ok;
}

ICV_SCHEDULE(gomp_icv_schedule)
{
	static const char *const kinds[] = { "runtime", "static", "dynamic", "guided", "auto" };
	uint64_t kind, chunk;
	ompd_rc_t rc = gomp_icv_read(runtime, of, ICV(run_sched_var), &kind);

	if (rc == ompd_rc_ok)
		rc = gomp_icv_read(runtime, of, ICV(run_sched_chunk_size), &chunk);
	if (rc != ompd_rc_ok)
		return rc;
	const uint32_t number = (uint32_t)kind & ~ICV_MONOTONIC;

	*ret = (struct icv_schedule){
		.kind = (ompd_word_t)kind,
		.name = number < sizeof(kinds) / sizeof(kinds[0]) ? kinds[number] : NULL,
		.chunk = (int32_t)chunk,
	};
	return ompd_rc_ok;
}

// ---- Variables of a task ---------------------------------------------------------------------

// The initial task may have no record.
ICV_VALUE(gomp_icv_task)
{
	struct task task;
	struct gomp_task_record record;
	bool implicit = true, final = false;
	ompd_rc_t rc = the_task(runtime, of, &task);

	if (rc == ompd_rc_ok && task.address) {
		rc = gomp_read_task(runtime, task.address, &record);
		implicit = rc != ompd_rc_ok || record.kind == GOMP_TASK_IMPLICIT;
		final = rc == ompd_rc_ok &&
			gomp_get(runtime, &record.record, 0, TASK(final_task)) != 0;
	}
	*ret = icv == ICV_final_task ? final : implicit == (icv == ICV_implicit_task);
	return rc;
}

// ---- Variables of a thread -------------------------------------------------------------------

ICV_VALUE(gomp_icv_allocator)
{
	const struct thread *thread;
	uint64_t value;

	if (!gomp_has(runtime, STATE(def_allocator)))
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

ICV_VALUE(gomp_icv_thread_num)
{
	const struct thread *thread;
	uint32_t number = 0;

	// The number of an implicit task's thread is its place in the team.
	if (of->task) {
		ompd_word_t implicit = 0;
		ompd_rc_t rc = gomp_icv_task(runtime, ICV_implicit_task, of, &implicit);

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

ICV_TEXT(gomp_icv_places)
{
	const struct thread *thread;
	ompd_rc_t rc = bound_thread(runtime, of, &thread);

	if (rc != ompd_rc_ok)
		return rc;
	const unsigned long long first = thread->ts.place_partition_off;
	const unsigned long long length = thread->ts.place_partition_len;

	// As numbers of places, first to last; the processors of each are the system's affair.
	if (length <= 1)
		snprintf(ret, ICV_TEXT_MAX, "%llu", first);
	else
		snprintf(ret, ICV_TEXT_MAX, "%llu-%llu", first, first + length - 1);
	return ompd_rc_ok;
}

ICV_VALUE(gomp_icv_place)
{
	const struct thread *thread;
	ompd_rc_t rc = bound_thread(runtime, of, &thread);

	if (rc == ompd_rc_ok)
		*ret = (ompd_word_t)thread->place - 1;
	return rc;
}

ICV_VALUE(gomp_icv_league)
{
	const bool size = icv == ICV_league_size;
	const struct thread *thread;

	if (!gomp_has(runtime, size ? THREAD(num_teams) : THREAD(team_num)))
		return gomp_icv_not_kept();
	ompd_rc_t rc = the_thread(runtime, of, &thread);

	if (rc == ompd_rc_ok)
		*ret = size ? (ompd_word_t)thread->num_teams + 1 : thread->team_num;
	return rc;
}

// ---- Variables of a region -------------------------------------------------------------------

static ompd_rc_t find_generator(const struct runtime *runtime, const struct region *region,
				ompd_word_t *ret)
{
	struct thread root;

	if (region->level) {
		*ret = ompd_generator_parallel;
		return ompd_rc_ok;
	}
	ompd_rc_t rc = gomp_read_thread(runtime, region->group.root, &root);

	if (rc != ompd_rc_ok)
		return rc;
	if (!gomp_has(runtime, THREAD(num_teams)) || root.num_teams == 0)
		return reason(ompd_rc_unavailable,
			      "libgomp keeps the same for the program's own team, a league of one "
			      "and a target region on the host");
	*ret = ompd_generator_teams;
	return ompd_rc_ok;
}

ICV_VALUE(gomp_icv_region)
{
	struct region region;
	ompd_rc_t rc = gomp_region_of(runtime, of, &region);

	if (rc != ompd_rc_ok)
		return rc;
	if (icv == ICV_team_generator)
		return find_generator(runtime, &region, ret);
	*ret = icv == ICV_levels	? region.level :
	       icv == ICV_active_levels ? region.active_level :
					  region.nthreads;
	return ompd_rc_ok;
}
