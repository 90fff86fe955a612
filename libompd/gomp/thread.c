// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "gomp/gomp.h"

static void decode_team_state(const struct runtime *runtime, const struct gomp_record *record,
			      uint32_t base, struct gomp_team_state *ret)
{
	*ret = (struct gomp_team_state){
		.team = gomp_get(runtime, record, base, STATE(team)),
		.team_id = gomp_get(runtime, record, base, STATE(team_id)),
		.level = gomp_get(runtime, record, base, STATE(level)),
		.active_level = gomp_get(runtime, record, base, STATE(active_level)),
		.place_partition_off = gomp_get(runtime, record, base, STATE(place_partition_off)),
		.place_partition_len = gomp_get(runtime, record, base, STATE(place_partition_len)),
		.def_allocator = gomp_get(runtime, record, base, STATE(def_allocator)),
	};
}

ompd_rc_t gomp_read_team_state(const struct runtime *runtime, uint64_t address,
			       struct gomp_team_state *ret)
{
	struct gomp_record record;
	ompd_rc_t rc = gomp_read_record(runtime, address, GOMP_STRUCT_gomp_team_state, &record);

	if (rc == ompd_rc_ok)
		decode_team_state(runtime, &record, 0, ret);
	return rc;
}

ompd_rc_t gomp_read_thread(const struct runtime *runtime, uint64_t address, struct thread *ret)
{
	struct gomp_record record;
	ompd_rc_t rc = gomp_read_record(runtime, address, GOMP_STRUCT_gomp_thread, &record);

	if (rc != ompd_rc_ok)
		return rc;
	ret->address = address;
	ret->fn = gomp_get(runtime, &record, 0, THREAD(fn));
	ret->task = gomp_get(runtime, &record, 0, THREAD(task));
	ret->pool = gomp_get(runtime, &record, 0, THREAD(thread_pool));
	ret->place = gomp_get(runtime, &record, 0, THREAD(place));
	ret->num_teams = gomp_get(runtime, &record, 0, THREAD(num_teams));
	ret->team_num = gomp_get(runtime, &record, 0, THREAD(team_num));
	decode_team_state(runtime, &record, runtime->layout.field[THREAD(ts)].offset, &ret->ts);
	return ompd_rc_ok;
}

ompd_rc_t gomp_check_openmp_thread(const struct runtime *runtime, const struct thread *thread)
{
	bool initial;

	// gomp_thread_start and gomp_free_pool_helper clear pool and task before the thread ends,
	// and leave the team.
	if (thread->ts.team && !thread->task && !thread->pool)
		return reason(ompd_rc_unavailable, "the thread is leaving the OpenMP runtime");
	if (thread->ts.team || thread->task || thread->pool)
		return ompd_rc_ok;
	ompd_rc_t rc = nptl_is_initial(&runtime->nptl, &runtime->target,
				       gomp_pthread(runtime, thread->address), &initial);

	if (rc != ompd_rc_ok && rc != ompd_rc_unavailable)
		return reason(rc, "the thread's descriptor is empty or cannot be read");
	if (rc == ompd_rc_ok && initial)
		return ompd_rc_ok;
	return reason(ompd_rc_unavailable, "the thread has not used OpenMP");
}

// ---- Threads that the API knows --------------------------------------------------------------

uint64_t gomp_thread_id(const struct thread *thread)
{
	return thread->address;
}

// A thread of the system has one struct gomp_thread, at the same place for as long as it lives.
ompd_rc_t gomp_thread_again(const struct runtime *runtime, struct thread *thread,
			    enum thread_question next)
{
	struct thread now;
	ompd_rc_t rc = gomp_read_thread(runtime, thread->address, &now);

	(void)next; // it is read whole
	if (rc == ompd_rc_ok)
		rc = gomp_check_openmp_thread(runtime, &now);
	if (rc == ompd_rc_ok)
		*thread = now;
	return rc;
}

ompd_rc_t gomp_thread_of_pthread(const struct runtime *runtime, uint64_t pthread,
				 struct thread *ret)
{
	*ret = (struct thread){ .address = pthread + runtime->layout.tls_offset };
	return gomp_thread_again(runtime, ret, THREAD_PLACE);
}

ompd_rc_t gomp_pthread_of_thread(const struct runtime *runtime, struct thread *thread,
				 uint64_t *ret)
{
	*ret = gomp_pthread(runtime, thread->address);
	return ompd_rc_ok;
}

ompd_rc_t gomp_next_thread(const struct runtime *runtime, struct thread_cursor *cursor,
			   struct thread *ret)
{
	uint64_t pthread;

	if (!runtime->nptl.available)
		return reason(ompd_rc_unsupported, "cannot find glibc's thread descriptors");
	while (nptl_next(&runtime->nptl, &runtime->target, &cursor->nptl, &pthread) == ompd_rc_ok) {
		ompd_rc_t rc = gomp_thread_of_pthread(runtime, pthread, ret);

		if (rc == ompd_rc_ok)
			return rc;
		cursor->damaged |= rc != ompd_rc_unavailable;
	}
	cursor->damaged |= cursor->nptl.damaged;
	return ompd_rc_unavailable;
}

ompd_rc_t gomp_thread_num(const struct runtime *runtime, const struct thread *thread,
			  const struct region *region, int *ret)
{
	struct gomp_membership place;
	bool idle;
	ompd_rc_t rc = gomp_is_idle(runtime, thread, &idle);

	if (rc == ompd_rc_ok && idle)
		return reason(ompd_rc_unavailable, "the thread is idle in its pool");
	if (rc == ompd_rc_ok)
		rc = gomp_find_membership(runtime, thread, region, &place);
	if (rc == ompd_rc_ok)
		*ret = (int)place.ts.team_id;
	return rc;
}

ompd_rc_t gomp_thread_info(const struct runtime *runtime, const struct thread *thread,
			   ompd_ext_thread_info *ret)
{
	uint64_t root;
	ompd_rc_t rc = gomp_root_of(runtime, thread, &root);

	if (rc == ompd_rc_ok)
		*ret = (ompd_ext_thread_info){
			.kind = root == thread->address ? ompd_ext_thread_initial :
							  ompd_ext_thread_worker,
			.global_num = -1,
			.barrier_phase = -1,
		};
	return rc;
}

// ---- Owners of pools, and idle threads -------------------------------------------------------

ompd_rc_t gomp_owns_pool(const struct runtime *runtime, struct gomp_team_state ts, bool *ret)
{
	*ret = true;
	while (ts.level && *ret) {
		uint32_t level = ts.level;
		ompd_rc_t rc = ompd_rc_error;

		*ret = ts.team_id == 0;
		if (ts.team && level <= GOMP_MAX_LEVEL)
			rc = gomp_read_team_state(runtime, gomp_at(runtime, ts.team, TEAM(prev_ts)),
						  &ts);
		if (rc != ompd_rc_ok || ts.level >= level) {
			*ret = false;
			return reason(ompd_rc_error,
				      "a thread's place in its team is being changed, or damaged");
		}
	}
	return ompd_rc_ok;
}

// Go outwards from a thread's place to its place on @p level; false if a thread with another number
// than 0 is on the way.
static bool primary_on_level(const struct runtime *runtime, uint32_t level,
			     struct gomp_team_state *ts)
{
	while (ts->level > level) {
		const uint32_t inner = ts->level;

		if (ts->team_id || !ts->team || inner > GOMP_MAX_LEVEL ||
		    gomp_read_team_state(runtime, gomp_at(runtime, ts->team, TEAM(prev_ts)), ts) !=
			    ompd_rc_ok ||
		    ts->level >= inner)
			return false;
	}
	return ts->level == level && ts->team_id == 0;
}

bool gomp_primary_where_seen(const struct runtime *runtime, uint64_t team, uint32_t level,
			     struct thread *ret)
{
	struct gomp_team_state ts;
	uint64_t seen;

	if (!idmap_find(&runtime->owners[GOMP_OWNED_TEAM], team, &seen) ||
	    gomp_read_thread(runtime, seen, ret) != ompd_rc_ok)
		return false;
	ts = ret->ts;
	return primary_on_level(runtime, level, &ts) && ts.team == team;
}

// Find the owner of a pool. 0: only teams of one thread, and teams nested in them, have been formed.
static ompd_rc_t owner_of_pool(const struct runtime *runtime, uint64_t pool, uint64_t *ret)
{
	uint64_t threads = 0;
	ompd_rc_t rc = gomp_read(runtime, pool, GOMP_FIELD_gomp_thread_pool__threads, &threads);

	*ret = 0;
	// The array exists from the first team of more than one thread on that is not nested; its
	// first element is the thread that owns the pool (gomp_team_start).
	if (rc == ompd_rc_ok && threads)
		rc = target_read_pointer(&runtime->target, threads, ret);
	if (rc != ompd_rc_ok)
		return reason(rc, "the thread pool at 0x%llx cannot be read",
			      (unsigned long long)pool);
	return ompd_rc_ok;
}

ompd_rc_t gomp_root_of(const struct runtime *runtime, const struct thread *thread, uint64_t *ret)
{
	const struct gomp_team_state *ts = &thread->ts;
	ompd_rc_t rc = ompd_rc_ok;
	bool owner;

	*ret = thread->address;
	if (ts->level == 0 || (ts->level == 1 && ts->team_id == 0))
		return ompd_rc_ok;
	*ret = 0;
	if (thread->pool)
		rc = owner_of_pool(runtime, thread->pool, ret);
	if (rc != ompd_rc_ok || *ret)
		return rc;
	rc = gomp_owns_pool(runtime, *ts, &owner);
	if (rc != ompd_rc_ok)
		return rc;
	*ret = thread->address;
	return owner || !thread->pool ? ompd_rc_ok :
					gomp_owner(runtime, GOMP_OWNED_POOL, thread->pool, ret);
}

ompd_rc_t gomp_group_root(const struct runtime *runtime, const struct gomp_group *group,
			  uint64_t *ret)
{
	ompd_rc_t rc = ompd_rc_ok;

	*ret = group->root;
	if (!*ret)
		rc = owner_of_pool(runtime, group->pool, ret);
	if (rc == ompd_rc_ok && !*ret)
		rc = gomp_owner(runtime, GOMP_OWNED_POOL, group->pool, ret);
	return rc;
}

ompd_rc_t gomp_is_idle(const struct runtime *runtime, const struct thread *thread, bool *ret)
{
	const struct gomp_group group = { .pool = thread->pool };
	struct region region;
	struct thread primary;
	uint64_t last_team;

	// A thread is in the regions that it encountered.
	*ret = false;
	if (!thread->ts.team || thread->ts.level == 0 || !thread->pool || thread->ts.team_id == 0)
		return ompd_rc_ok;
	// It is not idle while its primary thread is in the region.
	if (gomp_primary_where_seen(runtime, thread->ts.team, thread->ts.level, &primary))
		return ompd_rc_ok;
	ompd_rc_t rc = gomp_read(runtime, thread->pool, GOMP_FIELD_gomp_thread_pool__last_team,
				 &last_team);

	if (rc != ompd_rc_ok)
		return rc;
	if (last_team == thread->ts.team) {
		*ret = true;
		return ompd_rc_ok;
	}
	rc = gomp_region_of_state(runtime, &group, &thread->ts, &region);
	if (rc == ompd_rc_ok)
		rc = gomp_region_member(runtime, &region, 0, &primary);
	if (rc == ompd_rc_unavailable) {
		// The primary thread has left: the region is over.
		*ret = true;
		return ompd_rc_ok;
	}
	return rc == ompd_rc_ok ?
		       gomp_note_owner(runtime, GOMP_OWNED_TEAM, thread->ts.team, primary.address) :
		       rc;
}
