// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "gomp/gomp.h"

enum {
	MAX_THREADS = 1 << 20, // a larger team is taken for damage
};

static ompd_rc_t being_changed(void)
{
	return reason(ompd_rc_error, "a thread's place in its team is being changed, or damaged");
}

// At level 0 a thread is alone, with or without a team for its tasks. gomp_team_start gives it the
// new team first, and gomp_team_end copies the place that it had before field by field.
static ompd_rc_t implicit_region(const struct runtime *runtime, const struct gomp_group *group,
				 const struct gomp_team_state *ts, struct region *ret)
{
	uint64_t nthreads = 1, root;

	if (ts->team && gomp_read(runtime, ts->team, TEAM(nthreads), &nthreads) != ompd_rc_ok)
		return reason(ompd_rc_error, "the team at 0x%llx cannot be read",
			      (unsigned long long)ts->team);
	if (nthreads != 1 || ts->active_level || ts->team_id)
		return being_changed();
	ompd_rc_t rc = gomp_group_root(runtime, group, &root);

	if (rc != ompd_rc_ok)
		return rc == ompd_rc_unavailable ? ompd_rc_error : rc;
	*ret = (struct region){
		.group = { .pool = group->pool, .root = root },
		.artificial_team = ts->team,
		.nthreads = 1,
	};
	return ompd_rc_ok;
}

ompd_rc_t gomp_region_of_state(const struct runtime *runtime, const struct gomp_group *group,
			       const struct gomp_team_state *ts, struct region *ret)
{
	uint64_t nthreads = 0, total = 0, releases = 0;

	if (ts->level == 0)
		return implicit_region(runtime, group, ts, ret);
	if (!ts->team || ts->level > GOMP_MAX_LEVEL)
		return being_changed();
	*ret = (struct region){
		.team = ts->team,
		.group = *group,
		.level = ts->level,
		.active_level = ts->active_level,
	};
	ompd_rc_t rc = gomp_read(runtime, ts->team, TEAM(nthreads), &nthreads);

	if (rc == ompd_rc_ok)
		rc = gomp_read(runtime, ts->team, TEAM(ordered_release), &releases);
	if (rc == ompd_rc_ok)
		rc = gomp_read(runtime, gomp_at(runtime, ts->team, TEAM(barrier)),
			       GOMP_FIELD_gomp_barrier_t__total, &total);
	if (rc == ompd_rc_ok)
		rc = gomp_read_team_state(runtime, gomp_at(runtime, ts->team, TEAM(prev_ts)),
					  &ret->outer);
	if (rc != ompd_rc_ok)
		return reason(ompd_rc_error, "the team at 0x%llx cannot be read",
			      (unsigned long long)ts->team);
	ret->nthreads = nthreads;
	// What gomp_new_team and gomp_team_start establish: a barrier for as many threads, one level
	// further in, one active level further if the team has more than one thread; and the
	// primary thread had a team unless at level 0. The array of semaphores lies behind that of
	// the implicit tasks.
	if (nthreads == 0 || nthreads > MAX_THREADS || nthreads != total ||
	    releases != gomp_implicit_task_address(runtime, ts->team, ret->nthreads) ||
	    ts->team_id >= nthreads || ret->outer.level + 1 != ts->level ||
	    (ret->outer.level && !ret->outer.team) ||
	    ret->outer.active_level + (nthreads > 1) != ts->active_level)
		return reason(ompd_rc_error, "the team at 0x%llx is being changed, or damaged",
			      (unsigned long long)ts->team);
	return ompd_rc_ok;
}

// The contention group of a thread, with its initial thread where that is this one.
static struct gomp_group group_of(const struct thread *thread)
{
	const bool initial = !thread->pool || thread->ts.level == 0 ||
			     (thread->ts.level == 1 && thread->ts.team_id == 0);

	return (struct gomp_group){
		.pool = thread->pool,
		.root = initial ? thread->address : 0,
	};
}

ompd_rc_t gomp_current_region(const struct runtime *runtime, const struct thread *thread,
			      struct region *ret)
{
	const struct gomp_group group = group_of(thread);
	bool idle;
	ompd_rc_t rc = gomp_is_idle(runtime, thread, &idle);

	if (rc == ompd_rc_ok && idle)
		return reason(ompd_rc_unavailable, "the thread is idle in its pool");
	return rc == ompd_rc_ok ? gomp_region_of_state(runtime, &group, &thread->ts, ret) : rc;
}

ompd_rc_t gomp_know_parent(const struct runtime *runtime, struct region *region)
{
	ompd_rc_t rc = ompd_rc_ok;

	if (region->level == 1)
		rc = gomp_group_root(runtime, &region->group, &region->group.root);
	return rc == ompd_rc_unavailable ? ompd_rc_error : rc;
}

ompd_rc_t gomp_enclosing_region(const struct runtime *runtime, const struct region *region,
				struct region *ret)
{
	if (region->level == 0)
		return reason(ompd_rc_unavailable, "no region encloses the outermost one");
	return gomp_region_of_state(runtime, &region->group, &region->outer, ret);
}

ompd_rc_t gomp_find_membership(const struct runtime *runtime, const struct thread *thread,
			       const struct region *region, struct gomp_membership *ret)
{
	const struct gomp_group group = group_of(thread);
	uint64_t root = 0;
	ompd_rc_t rc = ompd_rc_ok;

	*ret = (struct gomp_membership){ .ts = thread->ts, .member = true };
	while (ret->ts.level > region->level) {
		struct region inner;

		rc = gomp_region_of_state(runtime, &group, &ret->ts, &inner);
		if (rc != ompd_rc_ok)
			return rc;
		ret->inner = ret->ts;
		ret->member &= ret->ts.team_id == 0;
		ret->ts = inner.outer;
	}
	// Regions of level 0 differ in their initial threads only.
	if (region->level == 0)
		rc = gomp_root_of(runtime, thread, &root);
	if (rc == ompd_rc_unavailable) // says nothing of the region
		rc = ompd_rc_error;
	if (rc != ompd_rc_ok)
		return rc;
	if (ret->ts.level != region->level ||
	    (region->level ? ret->ts.team != region->team || thread->pool != region->group.pool :
			     root != region->group.root))
		return reason(ompd_rc_unavailable, "the region does not enclose the thread");
	return ompd_rc_ok;
}

// The primary thread of a region is the thread that encountered it.
static ompd_rc_t primary_thread(const struct runtime *runtime, const struct region *region,
				struct thread *ret)
{
	struct region outer;
	uint64_t root;
	ompd_rc_t rc;

	if (region->level && gomp_primary_where_seen(runtime, region->team, region->level, ret))
		return ompd_rc_ok;
	if (region->level <= 1) {
		rc = gomp_group_root(runtime, &region->group, &root);
		if (rc == ompd_rc_unavailable)
			rc = ompd_rc_error;
		return rc == ompd_rc_ok ? gomp_read_thread(runtime, root, ret) : rc;
	}
	rc = gomp_enclosing_region(runtime, region, &outer);

	if (rc == ompd_rc_ok)
		rc = gomp_region_member(runtime, &outer, region->outer.team_id, ret);
	return rc;
}

// A worker stores the address of its own semaphore in its team's array (gomp_thread_start).
static ompd_rc_t worker_thread(const struct runtime *runtime, const struct region *region,
			       uint32_t thread_num, struct thread *ret)
{
	uint64_t array, semaphore;
	ompd_rc_t rc = gomp_read(runtime, region->team, TEAM(ordered_release), &array);

	if (rc == ompd_rc_ok)
		rc = target_read_pointer(&runtime->target, array + 8 * (uint64_t)thread_num,
					 &semaphore);
	if (rc != ompd_rc_ok)
		return reason(ompd_rc_error, "the threads of the team at 0x%llx cannot be read",
			      (unsigned long long)region->team);
	if (semaphore == 0)
		return reason(ompd_rc_unavailable, "thread %u has not joined its team yet",
			      thread_num);
	rc = gomp_read_thread(runtime, semaphore - runtime->layout.field[THREAD(release)].offset,
			      ret);
	if (rc != ompd_rc_ok)
		return reason(ompd_rc_error,
			      "thread %u has not joined its team yet, or cannot be read",
			      thread_num);
	return ompd_rc_ok;
}

ompd_rc_t gomp_region_member(const struct runtime *runtime, const struct region *region,
			     uint32_t thread_num, struct thread *ret)
{
	struct gomp_membership place;

	if (thread_num >= region->nthreads)
		return reason(ompd_rc_bad_input, "the team has %u threads", region->nthreads);
	ompd_rc_t rc = thread_num == 0 ? primary_thread(runtime, region, ret) :
					 worker_thread(runtime, region, thread_num, ret);

	if (rc != ompd_rc_ok)
		return rc;
	rc = gomp_find_membership(runtime, ret, region, &place);
	if (rc == ompd_rc_unavailable ||
	    (rc == ompd_rc_ok && (!place.member || place.ts.team_id != thread_num)))
		return reason(ompd_rc_unavailable, "thread %u is not in its team", thread_num);
	return rc;
}

uint64_t gomp_region_id(const struct region *region)
{
	// Two structures of the runtime never share an address.
	return region->level ? region->team : region->group.root;
}

ompd_rc_t gomp_region_info(struct runtime *runtime, const struct region *region,
			   ompd_ext_parallel_info *ret)
{
	(void)runtime;
	*ret = (ompd_ext_parallel_info){
		.kind = region->level ? ompd_ext_parallel_region : ompd_ext_parallel_initial,
	};
	return ompd_rc_ok;
}

uint64_t gomp_implicit_task_address(const struct runtime *runtime, uint64_t team,
				    uint32_t thread_num)
{
	return gomp_at(runtime, team, TEAM(implicit_task)) +
	       (uint64_t)thread_num * runtime->layout.struct_size[GOMP_STRUCT_gomp_task];
}
