// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The queues of a team's tasks: one deque a thread, and one a priority. They belong to a
// kmp_task_team, of which a team has two and uses the one or the other; what a thread uses it
// points to.

#include "kmp/tasks.h"

#define DATA(field) KMP_FIELD_kmp_base_thread_data_t__##field
#define TASK_TEAM(field) KMP_FIELD_kmp_base_task_team_t__##field

enum {
	MAX_DEQUE = 1 << 24, // elements; more are taken for damage
};

static ompd_rc_t damaged(struct kmp_deques *deques)
{
	deques->damaged = true;
	return ompd_rc_stale_handle;
}

// Take a kmp_base_thread_data. error: it is damaged.
static ompd_rc_t take_deque(const struct runtime *runtime, uint64_t data, struct kmp_deques *deques)
{
	uint64_t deque, size, head, count;

	if (KMP_READ(runtime, data, WANT(DATA(td_deque), &deque), WANT(DATA(td_deque_size), &size),
		     WANT(DATA(td_deque_head), &head),
		     WANT(DATA(td_deque_ntasks), &count)) != ompd_rc_ok)
		return ompd_rc_error;
	if (deque == 0 || count == 0)
		return ompd_rc_ok;
	if (deque % 8 || size > MAX_DEQUE || (size & (size - 1)) || head >= size || count > size)
		return ompd_rc_error;
	deques->deque = deque;
	deques->size = (uint32_t)size;
	deques->head = (uint32_t)head;
	deques->count = (uint32_t)count;
	return ompd_rc_ok;
}

static ompd_rc_t take_task_team(const struct runtime *runtime, uint64_t task_team,
				uint64_t team_size, struct kmp_deques *deques)
{
	uint64_t found, count = team_size;
	bool added;
	ompd_rc_t rc = idmap_add(&deques->known, &runtime->target, task_team, 0, &added);

	if (rc != ompd_rc_ok || !added)
		return rc == ompd_rc_ok ? ompd_rc_stale_handle : rc;
	deques->left = 0;
	deques->priorities = 0;
	deques->cycle = (struct cycle){ 0 };
	// Where the release knows no priorities there is no list of them.
	if (kmp_doubts(runtime, TASK_TEAM(tt_task_pri_list)))
		deques->damaged = true;
	else if (kmp_has(runtime, TASK_TEAM(tt_task_pri_list)))
		rc = kmp_read(runtime, task_team, TASK_TEAM(tt_task_pri_list), &deques->priorities);
	// There are as many as the team has threads, or more that nobody uses.
	if (rc == ompd_rc_ok && !kmp_doubts(runtime, TASK_TEAM(tt_max_threads)))
		rc = kmp_read(runtime, task_team, TASK_TEAM(tt_max_threads), &count);
	if (rc != ompd_rc_ok ||
	    KMP_READ(runtime, task_team, WANT(TASK_TEAM(tt_found_tasks), &found),
		     WANT(TASK_TEAM(tt_threads_data), &deques->data)) != ompd_rc_ok)
		return damaged(deques);
	// The array is set up when the first task is queued (__kmp_enable_tasking).
	if (!found || !deques->data)
		return ompd_rc_stale_handle;
	if (count > KMP_MAX_THREADS || deques->data % 8)
		return damaged(deques);
	deques->left = count;
	return ompd_rc_stale_handle;
}

// The task team of the next thread; after those, the team's own. unavailable: no more.
static ompd_rc_t next_task_team(const struct runtime *runtime, const struct region *region,
				struct kmp_deques *deques)
{
	uint32_t number = deques->member++;
	uint64_t thread, team, task_team;

	if (number < region->nthreads) {
		if (kmp_read_element(runtime, region->team.threads, number, &thread) !=
			    ompd_rc_ok ||
		    KMP_READ(runtime, thread, WANT(INFO(th_task_team), &task_team),
			     WANT(INFO(th_team), &team)) != ompd_rc_ok)
			return damaged(deques);
		// A thread in a region within has that region's: its tasks belong to another team.
		if (team != region->team.address && kmp_doubts(runtime, TASK_TEAM(tt_max_threads)))
			return ompd_rc_stale_handle;
	} else if (number < region->nthreads + 2 && region->team.serialized == 0) {
		uint64_t pair = kmp_at(runtime, region->team.address, TEAM(t_task_team));

		if (kmp_read_element(runtime, pair, number - region->nthreads, &task_team) !=
		    ompd_rc_ok)
			return damaged(deques);
	} else {
		return ompd_rc_unavailable;
	}
	return task_team ? take_task_team(runtime, task_team, region->team.nproc, deques) :
			   ompd_rc_stale_handle;
}

// Take one step. stale_handle: nothing yet, go on.
static ompd_rc_t step(const struct runtime *runtime, const struct region *region,
		      struct kmp_deques *deques, uint64_t *ret)
{
	if (deques->deque && deques->count) {
		uint64_t index = deques->head;

		deques->head = (deques->head + 1) & (deques->size - 1);
		deques->count--;
		if (kmp_read_element(runtime, deques->deque, index, ret) == ompd_rc_ok)
			return ompd_rc_ok;
		deques->count = 0;
		return damaged(deques);
	}
	deques->deque = 0;
	if (deques->left) {
		uint64_t data = deques->data;

		deques->left--;
		deques->data += runtime->layout.struct_size[KMP_STRUCT_kmp_thread_data_t];
		if (take_deque(runtime, data, deques) == ompd_rc_ok)
			return ompd_rc_stale_handle;
		deques->left = 0;
		return damaged(deques);
	}
	if (deques->priorities) {
		uint64_t list = deques->priorities;

		deques->priorities = 0;
		if (cycle_closed(&deques->cycle, list) ||
		    kmp_read(runtime, list, KMP_FIELD_kmp_task_pri_t__next, &deques->priorities) !=
			    ompd_rc_ok)
			return damaged(deques);
		list = kmp_at(runtime, list, KMP_FIELD_kmp_task_pri_t__td);
		return take_deque(runtime, list, deques) == ompd_rc_ok ? ompd_rc_stale_handle :
									 damaged(deques);
	}
	return next_task_team(runtime, region, deques);
}

ompd_rc_t kmp_deques_next(const struct runtime *runtime, const struct region *region,
			  struct kmp_deques *deques, uint64_t *ret)
{
	ompd_rc_t rc;

	do
		rc = step(runtime, region, deques, ret);
	while (rc == ompd_rc_stale_handle);
	return rc;
}

void kmp_deques_close(const struct runtime *runtime, struct kmp_deques *deques)
{
	idmap_close(&deques->known, &runtime->target);
}
