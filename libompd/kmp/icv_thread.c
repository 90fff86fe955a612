// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ICVs of threads, and the list behind nthreads-var.

#include <string.h>

#include "kmp/icv.h"
#include "target/environ.h"

static ompd_rc_t the_thread(const struct kmp_icv_query *query, const struct kmp_thread **ret)
{
	bool idle;

	*ret = query->thread;
	if (!query->thread)
		return reason(ompd_rc_bad_input, "the variable belongs to a thread");
	ompd_rc_t rc = kmp_is_idle(query->runtime, query->thread, &idle);

	return rc == ompd_rc_ok && idle ?
		       reason(ompd_rc_unavailable, "the thread is idle in its pool") :
		       rc;
}

KMP_ICV_READER(thread_num)
{
	const struct kmp_thread *thread;
	struct kmp_region region;
	uint32_t number = 0;

	// The number of an implicit task's thread is its place in the team.
	if (query->task) {
		if (!query->task->implicit)
			return reason(ompd_rc_unavailable, "an explicit task is tied to no number");
		kmp_implicit_task_number(query->runtime, &query->task->region, query->task->address,
					 &number);
		*ret = number;
		return ompd_rc_ok;
	}
	ompd_rc_t rc = the_thread(query, &thread);

	if (rc == ompd_rc_ok)
		rc = kmp_current_region(query->runtime, thread, &region);
	if (rc == ompd_rc_ok)
		*ret = region.kind == KMP_REGION_PARALLEL ? thread->tid : 0;
	return rc;
}

// The thread that runs a task, or whose implicit task it is.
static ompd_rc_t find_thread(const struct kmp_runtime *runtime, const struct kmp_task *task,
			     uint64_t *ret)
{
	const struct kmp_team *team = &task->region.team;
	uint32_t number = 0;
	uint64_t current;
	ompd_rc_t rc = ompd_rc_ok;

	if (task->implicit) {
		kmp_implicit_task_number(runtime, &task->region, task->address, &number);
		return kmp_read_element(runtime, team->threads, number, ret);
	}
	for (; rc == ompd_rc_ok && number < team->nproc; number++) {
		rc = kmp_read_element(runtime, team->threads, number, ret);
		if (rc == ompd_rc_ok)
			rc = kmp_read(runtime, *ret, INFO(th_current_task), &current);
		if (rc == ompd_rc_ok && current == task->address)
			return ompd_rc_ok;
	}
	return reason(rc == ompd_rc_ok ? ompd_rc_unavailable : rc,
		      "the runtime keeps it for a thread, and none runs the task");
}

KMP_ICV_READER(def_allocator)
{
	const struct kmp_thread *thread;
	uint64_t address, value;
	ompd_rc_t rc;

	if (query->task) {
		rc = find_thread(query->runtime, query->task, &address);
	} else {
		rc = the_thread(query, &thread);
		address = rc == ompd_rc_ok ? thread->address : 0;
	}
	if (rc == ompd_rc_ok)
		rc = kmp_read(query->runtime, address, INFO(th_def_allocator), &value);
	if (rc == ompd_rc_ok)
		*ret = (ompd_word_t)value;
	return rc;
}

static ompd_rc_t read_place(const struct kmp_icv_query *query, enum kmp_field field,
			    ompd_word_t *ret)
{
	const struct kmp_thread *thread;
	enum kmp_thread_kind kind;
	int32_t place;
	ompd_rc_t rc = the_thread(query, &thread);

	if (rc == ompd_rc_ok)
		rc = kmp_read_int(query->runtime, thread->address, field, &place);
	if (rc == ompd_rc_ok && place < 0)
		rc = kmp_thread_kind(query->runtime, thread, &kind);
	// A thread of the program is bound when it first encounters a region, or asks for its place
	// (__kmp_assign_root_init_mask).
	if (rc == ompd_rc_ok && place < 0)
		return reason(ompd_rc_unavailable,
			      kind == KMP_THREAD_INITIAL ?
				      "the thread is not bound to a place yet" :
				      "the thread is not bound to a place");
	if (rc == ompd_rc_ok)
		*ret = place;
	return rc;
}

KMP_ICV_READER(place_partition)
{
	ompd_word_t last;
	ompd_rc_t rc = read_place(query, INFO(th_first_place), ret);

	if (rc == ompd_rc_ok)
		rc = read_place(query, INFO(th_last_place), &last);
	if (rc == ompd_rc_ok && last != *ret)
		return reason(ompd_rc_incomplete, "the value is a list");
	return rc;
}

KMP_ICV_READER(place_assignment)
{
	return read_place(query, INFO(th_current_place), ret);
}

// ---- Leagues ---------------------------------------------------------------------------------

// The league that the thread is in, and the region of its initial thread there; @p found: whether
// there is one.
static ompd_rc_t find_league(const struct kmp_icv_query *query, struct kmp_region *region,
			     struct kmp_team *league, bool *found)
{
	const struct kmp_thread *thread;
	ompd_rc_t rc = the_thread(query, &thread);

	*found = false;
	if (rc == ompd_rc_ok)
		rc = kmp_current_region(query->runtime, thread, region);
	while (rc == ompd_rc_ok && region->teams_level >= 0 && region->kind != KMP_REGION_LEAGUE) {
		const struct kmp_region inner = *region;

		rc = kmp_enclosing_region(query->runtime, &inner, region);
	}
	if (rc != ompd_rc_ok || region->kind != KMP_REGION_LEAGUE)
		return rc;
	*found = true;
	return kmp_league_team(query->runtime, region, league);
}

KMP_ICV_READER(team_num)
{
	struct kmp_region region;
	struct kmp_team league;
	bool found;
	ompd_rc_t rc = find_league(query, &region, &league, &found);

	if (rc == ompd_rc_ok)
		*ret = found && league.address != region.team.address ? region.team.master_tid : 0;
	return rc;
}

KMP_ICV_READER(league_size)
{
	struct kmp_region region;
	struct kmp_team league;
	bool found;
	ompd_rc_t rc = find_league(query, &region, &league, &found);

	if (rc == ompd_rc_ok)
		*ret = found ? league.nproc : 1;
	return rc;
}

// ---- nthreads-var: a list with a value for each level ----------------------------------------

// The list as the runtime keeps it: a team may have one of its own, by a num_threads clause.
static ompd_rc_t list_in_memory(const struct kmp_icv_query *query, const struct kmp_region *region,
				struct kmp_nthreads_list *ret)
{
	const struct kmp_runtime *runtime = query->runtime;
	uint64_t nested = 0, array, value;
	int32_t used;
	ompd_rc_t rc = ompd_rc_ok;

	if (kmp_has(runtime, TEAM(t_nested_nth)))
		rc = kmp_read(runtime, region->team.address, TEAM(t_nested_nth), &nested);
	if (rc == ompd_rc_ok && !nested)
		nested = runtime->layout.global[KMP_GLOBAL___kmp_nested_nth];
	if (rc != ompd_rc_ok || !nested)
		return rc == ompd_rc_ok ? ompd_rc_unavailable : rc;
	rc = kmp_read(runtime, nested, KMP_FIELD_kmp_nested_nthreads_t__nth, &array);
	if (rc == ompd_rc_ok)
		rc = kmp_read_int(runtime, nested, KMP_FIELD_kmp_nested_nthreads_t__used, &used);
	if (rc == ompd_rc_ok && used > KMP_NTHREADS_LIST_MAX)
		used = KMP_NTHREADS_LIST_MAX;
	while (rc == ompd_rc_ok && (int32_t)ret->length < used) {
		rc = target_read_uint(&runtime->target, array + 4 * ret->length, 4, &value);
		ret->values[ret->length] = value;
		ret->length += rc == ompd_rc_ok;
	}
	return rc;
}

// The list as the runtime found it in the environment that the process was started with: numbers
// with commas between.
static ompd_rc_t list_in_environment(const struct kmp_runtime *runtime,
				     struct kmp_nthreads_list *ret)
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
			   ret->length < KMP_NTHREADS_LIST_MAX) {
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

ompd_rc_t kmp_icv_nthreads_list(const struct kmp_icv_query *query, const struct kmp_region *region,
				struct kmp_nthreads_list *ret)
{
	*ret = (struct kmp_nthreads_list){ .length = 0 };
	if (list_in_memory(query, region, ret) == ompd_rc_ok)
		return ompd_rc_ok;
	*ret = (struct kmp_nthreads_list){ .length = 0 };
	return list_in_environment(query->runtime, ret);
}
