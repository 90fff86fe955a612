// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ICVs of threads, regions and tasks.

#include <limits.h>
#include <string.h>

#include "gomp/icv.h"
#include "target/environ.h"

// ---- What the query is about -----------------------------------------------------------------

static ompd_rc_t the_thread(const struct gomp_icv_query *query, const struct gomp_thread **ret)
{
	bool idle;

	*ret = query->thread;
	if (!query->thread)
		return reason(ompd_rc_bad_input, "the variable belongs to a thread");
	ompd_rc_t rc = gomp_is_idle(query->runtime, query->thread, &idle);

	return rc == ompd_rc_ok && idle ?
		       reason(ompd_rc_unavailable, "the thread is idle in its pool") :
		       rc;
}

static ompd_rc_t the_task(const struct gomp_icv_query *query, struct gomp_task *ret)
{
	if (query->task) {
		*ret = *query->task;
		return ompd_rc_ok;
	}
	if (query->thread)
		return gomp_current_task(query->runtime, query->thread, ret);
	return reason(ompd_rc_bad_input, "the variable belongs to a task");
}

static ompd_rc_t the_region(const struct gomp_icv_query *query, struct gomp_region *ret)
{
	if (query->region) {
		*ret = *query->region;
		return ompd_rc_ok;
	}
	if (query->task) {
		*ret = query->task->region;
		return ompd_rc_ok;
	}
	if (query->thread)
		return gomp_current_region(query->runtime, query->thread, ret);
	return reason(ompd_rc_bad_input, "the variable belongs to a parallel region");
}

// ---- Variables of the data environment: struct gomp_task_icv ---------------------------------

static ompd_rc_t read_icv(const struct gomp_icv_query *query, enum gomp_field field, uint64_t *ret)
{
	const struct gomp_runtime *runtime = query->runtime;
	uint64_t base = runtime->layout.global[GOMP_GLOBAL_gomp_global_icv];
	struct gomp_task task;
	ompd_rc_t rc = the_task(query, &task);

	if (rc != ompd_rc_ok)
		return rc;
	// A thread without a task record uses the global variables (gomp_icv).
	if (task.address)
		base = gomp_at(runtime, task.address, GOMP_FIELD_gomp_task__icv);
	if (!base)
		return reason(ompd_rc_unavailable, "the initial values cannot be found");
	return gomp_read(runtime, base, field, ret);
}

GOMP_ICV_READER(dyn)
{
	uint64_t value;
	ompd_rc_t rc = read_icv(query, GOMP_FIELD_gomp_task_icv__dyn_var, &value);

	if (rc == ompd_rc_ok)
		*ret = value != 0;
	return rc;
}

GOMP_ICV_READER(default_device)
{
	uint64_t value;
	ompd_rc_t rc = read_icv(query, GOMP_FIELD_gomp_task_icv__default_device_var, &value);

	if (rc == ompd_rc_ok && (int32_t)value == INT_MIN)
		return reason(ompd_rc_unavailable,
			      "decided when the first target construct is met");
	if (rc == ompd_rc_ok)
		*ret = gomp_icv_signed(value, 32);
	return rc;
}

GOMP_ICV_READER(run_sched)
{
	uint64_t value;
	ompd_rc_t rc = read_icv(query, GOMP_FIELD_gomp_task_icv__run_sched_var, &value);

	if (rc == ompd_rc_ok)
		*ret = (ompd_word_t)value;
	return rc;
}

GOMP_ICV_READER(thread_limit)
{
	uint64_t value;
	ompd_rc_t rc = read_icv(query, GOMP_FIELD_gomp_task_icv__thread_limit_var, &value);

	if (rc == ompd_rc_ok)
		*ret = value > INT_MAX ? INT_MAX : (ompd_word_t)value;
	return rc;
}

GOMP_ICV_READER(max_active_levels)
{
	const struct gomp_runtime *runtime = query->runtime;
	uint64_t value;
	ompd_rc_t rc;

	// Since GCC 11 a variable of the data environment, before one of the process.
	if (gomp_has(runtime, GOMP_FIELD_gomp_task_icv__max_active_levels_var))
		rc = read_icv(query, GOMP_FIELD_gomp_task_icv__max_active_levels_var, &value);
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

	if (gomp_has(query->runtime, GOMP_FIELD_gomp_task_icv__nest_var)) {
		rc = read_icv(query, GOMP_FIELD_gomp_task_icv__nest_var, &value);
		if (rc == ompd_rc_ok)
			*ret = value != 0;
		return rc;
	}
	rc = gomp_icv_max_active_levels(query, ret);
	if (rc == ompd_rc_ok)
		rc = gomp_icv_active_levels(query, &levels);
	if (rc == ompd_rc_ok)
		*ret = *ret > 1 && *ret > levels;
	return rc;
}

GOMP_ICV_READER(bind)
{
	uint64_t value;
	ompd_rc_t rc = read_icv(query, GOMP_FIELD_gomp_task_icv__bind_var, &value);

	if (rc == ompd_rc_ok)
		*ret = gomp_icv_signed(value, 8);
	return rc;
}

// ---- nthreads-var: a list with a value for each level ----------------------------------------

// The list as the runtime keeps it.
static ompd_rc_t list_in_memory(const struct gomp_runtime *runtime, struct gomp_nthreads_list *ret)
{
	uint64_t list, length;
	ompd_rc_t rc = gomp_read_global(runtime, GOMP_GLOBAL_gomp_nthreads_var_list, 8, &list);

	if (rc == ompd_rc_ok)
		rc = gomp_read_global(runtime, GOMP_GLOBAL_gomp_nthreads_var_list_len, 8, &length);
	if (rc != ompd_rc_ok || list == 0)
		return rc;
	if (length > GOMP_NTHREADS_LIST_MAX)
		length = GOMP_NTHREADS_LIST_MAX;
	while (rc == ompd_rc_ok && ret->length < length) {
		rc = target_read_uint(&runtime->target, list + 8 * ret->length, 8,
				      &ret->values[ret->length]);
		ret->length += rc == ompd_rc_ok;
	}
	return rc;
}

// The list as the runtime found it in the environment that the process was started with, and
// nowhere else (parse_unsigned_long_list): numbers with commas between. What is no such list, the
// runtime does not accept either.
static ompd_rc_t list_in_environment(const struct gomp_runtime *runtime,
				     struct gomp_nthreads_list *ret)
{
	char text[ICV_TEXT_MAX];
	uint64_t value = 0;
	bool digits = false;
	ompd_rc_t rc = environ_get(&runtime->target, "OMP_NUM_THREADS", text, sizeof(text));

	if (rc == ompd_rc_unavailable || (rc == ompd_rc_ok && !strchr(text, ',')))
		return ompd_rc_ok;
	for (const char *at = text; rc == ompd_rc_ok; at++) {
		if (*at >= '0' && *at <= '9') {
			value = 10 * value + (uint64_t)(*at - '0');
			digits = true;
		} else if ((*at == ',' || *at == '\0') && digits &&
			   ret->length < GOMP_NTHREADS_LIST_MAX) {
			ret->values[ret->length++] = value;
			value = 0;
			digits = false;
			if (*at == '\0')
				return ompd_rc_ok;
		} else if (*at != ' ') {
			rc = ompd_rc_unavailable;
		}
	}
	return reason(rc, "the list of values for inner levels cannot be found");
}

ompd_rc_t gomp_icv_nthreads_list(const struct gomp_icv_query *query, struct gomp_nthreads_list *ret)
{
	*ret = (struct gomp_nthreads_list){ .length = 0 };
	if (list_in_memory(query->runtime, ret) == ompd_rc_ok)
		return ompd_rc_ok;
	*ret = (struct gomp_nthreads_list){ .length = 0 };
	return list_in_environment(query->runtime, ret);
}

GOMP_ICV_READER(nthreads)
{
	struct gomp_nthreads_list list;
	struct gomp_region region;
	uint64_t value;
	ompd_rc_t rc = read_icv(query, GOMP_FIELD_gomp_task_icv__nthreads_var, &value);

	if (rc == ompd_rc_ok)
		rc = the_region(query, &region);
	if (rc == ompd_rc_ok)
		rc = gomp_icv_nthreads_list(query, &list);
	if (rc != ompd_rc_ok)
		return rc;
	*ret = (ompd_word_t)value;
	return list.length > region.level + 1 ? reason(ompd_rc_incomplete, "the value is a list") :
						ompd_rc_ok;
}

// ---- Variables of a task ---------------------------------------------------------------------

GOMP_ICV_READER(final_task)
{
	struct gomp_task task;
	struct gomp_task_record record;
	ompd_rc_t rc = the_task(query, &task);

	*ret = 0;
	if (rc != ompd_rc_ok || task.address == 0)
		return rc;
	rc = gomp_read_task(query->runtime, task.address, &record);
	if (rc == ompd_rc_ok)
		*ret = gomp_get(query->runtime, &record.record, 0,
				GOMP_FIELD_gomp_task__final_task) != 0;
	return rc;
}

GOMP_ICV_READER(implicit_task)
{
	struct gomp_task task;
	struct gomp_task_record record;
	ompd_rc_t rc = the_task(query, &task);

	*ret = 1;
	if (rc != ompd_rc_ok || task.address == 0)
		return rc;
	rc = gomp_read_task(query->runtime, task.address, &record);
	if (rc == ompd_rc_ok)
		*ret = record.kind == GOMP_TASK_IMPLICIT;
	return rc;
}

GOMP_ICV_READER(explicit_task)
{
	ompd_rc_t rc = gomp_icv_implicit_task(query, ret);

	if (rc == ompd_rc_ok)
		*ret = !*ret;
	return rc;
}

// ---- Variables of a thread -------------------------------------------------------------------

GOMP_ICV_READER(def_allocator)
{
	const struct gomp_thread *thread;
	uint64_t value;

	if (!gomp_has(query->runtime, GOMP_FIELD_gomp_team_state__def_allocator))
		return reason(ompd_rc_unsupported, "this release of libgomp has no allocators");
	if (query->task)
		return reason(ompd_rc_unavailable, "libgomp keeps it for a thread, not for a task");
	ompd_rc_t rc = the_thread(query, &thread);

	if (rc != ompd_rc_ok)
		return rc;
	*ret = (ompd_word_t)thread->ts.def_allocator;
	if (*ret)
		return ompd_rc_ok;
	rc = gomp_read_global(query->runtime, GOMP_GLOBAL_gomp_def_allocator, 8, &value);
	if (rc == ompd_rc_ok)
		*ret = (ompd_word_t)value;
	return rc;
}

GOMP_ICV_READER(thread_num)
{
	const struct gomp_thread *thread;
	uint32_t number = 0;

	// The number of an implicit task's thread is its place in the team.
	if (query->task) {
		ompd_word_t implicit = 0;
		ompd_rc_t rc = gomp_icv_implicit_task(query, &implicit);

		if (rc != ompd_rc_ok)
			return rc;
		if (!implicit)
			return reason(ompd_rc_unavailable, "an explicit task is tied to no number");
		if (query->task->region.level)
			gomp_implicit_task_number(query->runtime, &query->task->region,
						  query->task->address, &number);
		*ret = number;
		return ompd_rc_ok;
	}
	ompd_rc_t rc = the_thread(query, &thread);

	if (rc == ompd_rc_ok)
		*ret = thread->ts.team_id;
	return rc;
}

GOMP_ICV_READER(place_partition)
{
	const struct gomp_thread *thread;
	uint64_t places;
	ompd_rc_t rc = the_thread(query, &thread);

	if (rc == ompd_rc_ok)
		rc = gomp_read_global(query->runtime, GOMP_GLOBAL_gomp_places_list, 8, &places);
	if (rc != ompd_rc_ok)
		return rc;
	if (places == 0)
		return reason(ompd_rc_unavailable, "the program has no places (OMP_PLACES)");
	// Until then the partition is not set (omp_get_partition_num_places).
	if (thread->place == 0)
		return reason(ompd_rc_unavailable, "the thread is not bound to a place yet");
	*ret = thread->ts.place_partition_off;
	return thread->ts.place_partition_len == 1 ?
		       ompd_rc_ok :
		       reason(ompd_rc_incomplete, "the value is a list");
}

GOMP_ICV_READER(place_assignment)
{
	const struct gomp_thread *thread;
	ompd_rc_t rc = gomp_icv_place_partition(query, ret);

	if (rc != ompd_rc_ok && rc != ompd_rc_incomplete)
		return rc;
	rc = the_thread(query, &thread);
	if (rc == ompd_rc_ok)
		*ret = (ompd_word_t)thread->place - 1;
	return rc;
}

GOMP_ICV_READER(team_num)
{
	const struct gomp_thread *thread;

	if (!gomp_has(query->runtime, GOMP_FIELD_gomp_thread__team_num))
		return gomp_icv_not_kept(query, ret);
	ompd_rc_t rc = the_thread(query, &thread);

	if (rc == ompd_rc_ok)
		*ret = thread->team_num;
	return rc;
}

GOMP_ICV_READER(league_size)
{
	const struct gomp_thread *thread;

	if (!gomp_has(query->runtime, GOMP_FIELD_gomp_thread__num_teams))
		return gomp_icv_not_kept(query, ret);
	ompd_rc_t rc = the_thread(query, &thread);

	if (rc == ompd_rc_ok)
		*ret = (ompd_word_t)thread->num_teams + 1;
	return rc;
}

// ---- Variables of a region -------------------------------------------------------------------

GOMP_ICV_READER(levels)
{
	struct gomp_region region;
	ompd_rc_t rc = the_region(query, &region);

	if (rc == ompd_rc_ok)
		*ret = region.level;
	return rc;
}

GOMP_ICV_READER(active_levels)
{
	struct gomp_region region;
	ompd_rc_t rc = the_region(query, &region);

	if (rc == ompd_rc_ok)
		*ret = region.active_level;
	return rc;
}

GOMP_ICV_READER(team_size)
{
	struct gomp_region region;
	ompd_rc_t rc = the_region(query, &region);

	if (rc == ompd_rc_ok)
		*ret = region.nthreads;
	return rc;
}
