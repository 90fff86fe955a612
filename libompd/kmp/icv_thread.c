// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ICVs of threads.

#include <stdio.h>

#include "kmp/icv.h"

static ompd_rc_t the_thread(const struct runtime *runtime, const struct object *of,
			    const struct thread **ret)
{
	bool idle;

	*ret = of->thread;
	if (!of->thread)
		return reason(ompd_rc_bad_input, "the variable belongs to a thread");
	ompd_rc_t rc = kmp_is_idle(runtime, of->thread, &idle);

	return rc == ompd_rc_ok && idle ?
		       reason(ompd_rc_unavailable, "the thread is idle in its pool") :
		       rc;
}

ICV_VALUE(kmp_icv_thread_num)
{
	const struct thread *thread;
	struct region region;
	uint32_t number = 0;

	// The number of an implicit task's thread is its place in the team.
	if (of->task) {
		if (!of->task->implicit)
			return reason(ompd_rc_unavailable, "explicit tasks have no thread number");
		kmp_implicit_task_number(runtime, &of->task->region, of->task->address, &number);
		*ret = number;
		return ompd_rc_ok;
	}
	ompd_rc_t rc = the_thread(runtime, of, &thread);

	if (rc == ompd_rc_ok)
		rc = kmp_current_region(runtime, thread, &region);
	if (rc == ompd_rc_ok)
		rc = kmp_check_number(runtime, thread, &region);
	if (rc == ompd_rc_ok)
		*ret = region.kind == KMP_REGION_PARALLEL ? thread->tid : 0;
	return rc;
}

// The thread that runs a task, or whose implicit task it is.
static ompd_rc_t find_thread(const struct runtime *runtime, const struct task *task, uint64_t *ret)
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

ICV_VALUE(kmp_icv_allocator)
{
	const struct thread *thread;
	uint64_t address, value;
	ompd_rc_t rc;

	if (of->task) {
		rc = find_thread(runtime, of->task, &address);
	} else {
		rc = the_thread(runtime, of, &thread);
		address = rc == ompd_rc_ok ? thread->address : 0;
	}
	if (rc == ompd_rc_ok)
		rc = kmp_read(runtime, address, INFO(th_def_allocator), &value);
	if (rc == ompd_rc_ok)
		*ret = (ompd_word_t)value;
	return rc;
}

static ompd_rc_t read_place(const struct runtime *runtime, const struct object *of,
			    enum kmp_field field, ompd_word_t *ret)
{
	const struct thread *thread;
	uint32_t kind;
	int32_t place;
	ompd_rc_t rc = the_thread(runtime, of, &thread);

	if (rc == ompd_rc_ok)
		rc = kmp_read_int(runtime, thread->address, field, &place);
	if (rc == ompd_rc_ok && place < 0)
		rc = kmp_thread_kind(runtime, thread, &kind);
	// A thread of the program is bound when it first encounters a region, or asks for its place
	// (__kmp_assign_root_init_mask).
	if (rc == ompd_rc_ok && place < 0)
		return reason(ompd_rc_unavailable,
			      kind == ompd_ext_thread_initial ?
				      "the thread is not bound to a place yet" :
				      "the thread is not bound to a place");
	if (rc == ompd_rc_ok)
		*ret = place;
	return rc;
}

ICV_TEXT(kmp_icv_places)
{
	ompd_word_t first, last;
	ompd_rc_t rc = read_place(runtime, of, INFO(th_first_place), &first);

	if (rc == ompd_rc_ok)
		rc = read_place(runtime, of, INFO(th_last_place), &last);
	if (rc != ompd_rc_ok)
		return rc;
	// As numbers of places, first to last; the processors of each are the system's affair.
	if (last == first)
		snprintf(ret, ICV_TEXT_MAX, "%lld", (long long)first);
	else
		snprintf(ret, ICV_TEXT_MAX, "%lld-%lld", (long long)first, (long long)last);
	return ompd_rc_ok;
}

ICV_VALUE(kmp_icv_place)
{
	return read_place(runtime, of, INFO(th_current_place), ret);
}

// ---- Leagues ---------------------------------------------------------------------------------

// The league that the thread is in, and its own team there; outside of leagues it is alone in one.
ICV_VALUE(kmp_icv_league)
{
	const struct thread *thread;
	struct kmp_team league;
	struct region region;
	ompd_rc_t rc = the_thread(runtime, of, &thread);

	if (rc == ompd_rc_ok)
		rc = kmp_current_region(runtime, thread, &region);
	while (rc == ompd_rc_ok && region.teams_level >= 0 && region.kind != KMP_REGION_LEAGUE) {
		const struct region inner = region;

		rc = kmp_enclosing_region(runtime, &inner, &region);
	}
	const bool found = rc == ompd_rc_ok && region.kind == KMP_REGION_LEAGUE;

	if (found)
		rc = kmp_league_team(runtime, &region, &league);
	if (rc != ompd_rc_ok)
		return rc;
	if (icv == ICV_league_size)
		*ret = found ? league.nproc : 1;
	else
		*ret = found && league.address != region.team.address ? region.team.master_tid : 0;
	return ompd_rc_ok;
}
