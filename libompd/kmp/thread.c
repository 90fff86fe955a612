// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kmp/kmp.h"

#define DESC(field) KMP_FIELD_kmp_desc_base_t__##field

enum {
	THREAD_ALIGNMENT = 64, // of what __kmp_allocate returns
};

/** How much of a kmp_info is read at once. */
enum part {
	PART_PLACE, // the members of struct thread
	PART_STATE, // these, and what the runtime keeps for a tool
	PART_TASK,  // these, and the current task
	PART_WAIT,  // these, and the counts of barriers
};

// ---- One thread ------------------------------------------------------------------------------

static uint64_t descriptor(const struct runtime *runtime, uint64_t thread)
{
	return kmp_at(runtime, thread, INFO(th_info));
}

static void view_part(const struct runtime *runtime, uint64_t address, enum part part)
{
	static const enum kmp_field places[] = {
		INFO(th_team),	      INFO(th_team_master),
		INFO(th_in_pool),     INFO(th_teams_microtask),
		INFO(th_teams_level),
	};
	const uint32_t info = runtime->layout.field[INFO(th_info)].offset;
	const uint32_t tool = runtime->layout.field[INFO(ompt_thread_info)].offset;
	struct kmp_span span = KMP_SPAN_EMPTY;

	kmp_span_add(runtime, &span, info, DESC(ds_thread));
	kmp_span_add(runtime, &span, info, DESC(ds_gtid));
	kmp_span_add(runtime, &span, info, DESC(ds_tid));
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		kmp_span_add(runtime, &span, 0, places[i]);
	if (part != PART_PLACE)
		kmp_span_add(runtime, &span, 0, INFO(th_serial_team));
	if (part == PART_STATE && runtime->layout.field[INFO(ompt_thread_info)].size) {
		kmp_span_add(runtime, &span, tool, KMP_FIELD_ompt_thread_info_t__state);
		kmp_span_add(runtime, &span, tool, KMP_FIELD_ompt_thread_info_t__wait_id);
	}
	if (part == PART_TASK || part == PART_WAIT)
		kmp_span_add(runtime, &span, 0, INFO(th_current_task));
	if (part == PART_WAIT)
		kmp_span_add(runtime, &span, 0, INFO(th_bar));
	kmp_view_span(runtime, address, &span);
}

static ompd_rc_t read_members(const struct runtime *runtime, uint64_t address, enum part part,
			      struct thread *ret)
{
	uint64_t in_pool = 0, microtask = 0, teams_level = 0;
	uint64_t ds = descriptor(runtime, address);
	ompd_rc_t rc = ompd_rc_error;
	int32_t gtid, tid;

	*ret = (struct thread){ .address = address };
	if (address && address % THREAD_ALIGNMENT == 0) {
		view_part(runtime, address, part);
		rc = kmp_read_pthread(runtime, address, &ret->pthread);
	}
	if (rc == ompd_rc_ok)
		rc = KMP_READ(runtime, address, WANT(INFO(th_team), &ret->team),
			      WANT(INFO(th_in_pool), &in_pool),
			      WANT(INFO(th_teams_microtask), &microtask),
			      WANT(INFO(th_teams_level), &teams_level));
	if (rc == ompd_rc_ok)
		rc = KMP_READ(runtime, ds, WANT_INT(DESC(ds_gtid), &gtid),
			      WANT_INT(DESC(ds_tid), &tid));
	if (rc == ompd_rc_ok && runtime->layout.field[INFO(th_team_master)].size)
		rc = kmp_read(runtime, address, INFO(th_team_master), &ret->primary);
	if (rc != ompd_rc_ok)
		return reason(rc, "the thread at 0x%llx cannot be read",
			      (unsigned long long)address);
	ret->gtid = (uint32_t)gtid;
	ret->tid = (uint32_t)tid;
	ret->in_pool = in_pool != 0;
	ret->teams_level = microtask ? (int32_t)teams_level : -1;
	return ompd_rc_ok;
}

static ompd_rc_t has_left(void)
{
	return reason(ompd_rc_unavailable, "the thread has left the runtime");
}

// The array of threads knows every thread under its gtid, as long as the runtime knows it.
static ompd_rc_t check_listed(const struct runtime *runtime, const struct thread *thread)
{
	uint64_t listed = 0;
	ompd_rc_t rc = kmp_thread_at(runtime, thread->gtid, &listed);

	if (rc == ompd_rc_unavailable || (rc == ompd_rc_ok && listed != thread->address))
		return has_left();
	return rc;
}

ompd_rc_t kmp_read_thread(const struct runtime *runtime, uint64_t address, struct thread *ret)
{
	ompd_rc_t rc = read_members(runtime, address, PART_PLACE, ret);

	if (rc == ompd_rc_ok)
		rc = check_listed(runtime, ret);
	ret->list = runtime->seen->list;
	return rc;
}

// Tell whether a kmp_info that was in the array says by itself that it still is. Before a worker is
// taken out, it is put into the pool, without a team (__kmp_free_thread), and taken out of the pool
// (__kmp_internal_end). Every thread has a team for serialized regions; it is taken from it before
// the memory is overwritten and given back (__kmp_reap_thread, __kmp_free).
static bool shows_life(const struct runtime *runtime, const struct thread *thread)
{
	uint64_t serial_team;

	if (thread->in_pool ||
	    (thread->team && thread->primary && thread->primary != thread->address))
		return true;
	return runtime->layout.field[INFO(th_serial_team)].size &&
	       kmp_read(runtime, thread->address, INFO(th_serial_team), &serial_team) ==
		       ompd_rc_ok &&
	       serial_team;
}

// A primary thread is soon asked for its task, and waits for no word of its own.
static enum part part_for(const struct runtime *runtime, const struct thread *thread,
			  enum thread_question next)
{
	const bool primary = thread->primary == thread->address;

	switch (next) {
	case THREAD_TASK:
		return PART_TASK;
	case THREAD_REGION:
		return primary ? PART_TASK : PART_PLACE;
	case THREAD_STATE:
		return !runtime->seen->without_tool ? PART_STATE : primary ? PART_TASK : PART_WAIT;
	case THREAD_DATA:
		return PART_STATE;
	default:
		return PART_PLACE;
	}
}

ompd_rc_t kmp_thread_again(const struct runtime *runtime, struct thread *thread,
			   enum thread_question next)
{
	struct thread now;
	ompd_rc_t rc =
		read_members(runtime, thread->address, part_for(runtime, thread, next), &now);

	if (rc != ompd_rc_ok)
		return rc;
	if (thread->pthread && thread->pthread != now.pthread)
		return has_left();
	// A list that was seen since, and is another one, does not have all that this one had.
	if (!thread->list || thread->list != runtime->seen->list || !shows_life(runtime, &now))
		rc = check_listed(runtime, &now);
	now.list = thread->list;
	if (rc == ompd_rc_ok)
		*thread = now;
	return rc;
}

uint64_t kmp_thread_id(const struct thread *thread)
{
	return thread->address;
}

// A worker runs before the thread that makes it has its pthread_t: glibc knows what it was given, its
// kmp_info (__kmp_create_worker).
static uint64_t find_starting(const struct runtime *runtime, uint64_t thread)
{
	struct nptl_cursor cursor = { 0 };
	uint64_t pthread, argument;

	while (nptl_next(&runtime->nptl, &runtime->target, &cursor, &pthread) == ompd_rc_ok) {
		if (nptl_argument(&runtime->nptl, &runtime->target, pthread, &argument) ==
			    ompd_rc_ok &&
		    argument == thread)
			return pthread;
	}
	return 0;
}

ompd_rc_t kmp_read_pthread(const struct runtime *runtime, uint64_t thread, uint64_t *ret)
{
	ompd_rc_t rc = kmp_read(runtime, descriptor(runtime, thread), DESC(ds_thread), ret);

	if (rc == ompd_rc_ok && !*ret)
		*ret = find_starting(runtime, thread);
	return rc;
}

ompd_rc_t kmp_pthread_of_thread(const struct runtime *runtime, struct thread *thread, uint64_t *ret)
{
	ompd_rc_t rc = kmp_thread_again(runtime, thread, THREAD_PLACE);

	if (rc == ompd_rc_ok && !thread->pthread)
		return reason(ompd_rc_unavailable, "the thread has not been started yet");
	*ret = thread->pthread;
	return rc;
}

ompd_rc_t kmp_next_thread(const struct runtime *runtime, struct thread_cursor *cursor,
			  struct thread *ret)
{
	uint64_t address;
	ompd_rc_t rc = kmp_next_listed(runtime, &cursor->next, &address);

	cursor->damaged |= rc != ompd_rc_ok && rc != ompd_rc_unavailable;
	if (rc != ompd_rc_ok)
		return ompd_rc_unavailable;
	// One that cannot be read is a thread, too.
	if (read_members(runtime, address, PART_PLACE, ret) != ompd_rc_ok)
		*ret = (struct thread){ .address = address };
	ret->list = runtime->seen->list;
	return ompd_rc_ok;
}

// ---- What a thread is, and whether it is at work ---------------------------------------------

ompd_rc_t kmp_is_helper(const struct runtime *runtime, uint64_t gtid, bool *ret)
{
	uint64_t enabled, count = 0;
	ompd_rc_t rc = kmp_read_global(runtime, KMP_GLOBAL___kmp_enable_hidden_helper, 4, &enabled);

	if (rc == ompd_rc_ok && enabled)
		rc = kmp_read_global(runtime, KMP_GLOBAL___kmp_hidden_helper_threads_num, 4,
				     &count);
	*ret = rc == ompd_rc_ok && gtid > 0 && gtid <= count;
	return rc;
}

ompd_rc_t kmp_thread_kind(const struct runtime *runtime, const struct thread *thread, uint32_t *ret)
{
	uint64_t root, uber = 0;
	bool helper;

	ompd_rc_t rc = kmp_is_helper(runtime, thread->gtid, &helper);

	*ret = helper ? ompd_ext_thread_helper : ompd_ext_thread_worker;
	if (rc != ompd_rc_ok || helper)
		return rc;
	rc = kmp_read(runtime, thread->address, INFO(th_root), &root);
	if (rc == ompd_rc_ok && root)
		rc = kmp_read(runtime, root, KMP_FIELD_kmp_base_root_t__r_uber_thread, &uber);
	if (rc == ompd_rc_ok && uber == thread->address)
		*ret = ompd_ext_thread_initial;
	return rc;
}

// A thread that leaves a barrier goes over to the other of its team's two sets of tasks
// (__kmp_task_team_sync), unless the barrier is cancelled. Without these there is one set or none.
static int32_t barrier_phase(const struct runtime *runtime, const struct thread *thread)
{
	const uint64_t tasks = kmp_at(runtime, thread->team, TEAM(t_task_team));
	uint64_t phase, set;

	if (!thread->team || thread->in_pool || tasks == KMP_NOWHERE ||
	    !kmp_never_cancels(runtime) ||
	    kmp_read(runtime, thread->address, INFO(th_task_state), &phase) != ompd_rc_ok ||
	    phase > 1)
		return -1;
	for (uint64_t i = 0; i < 2; i++) {
		if (kmp_read_element(runtime, tasks, i, &set) != ompd_rc_ok || !set)
			return -1;
	}
	return (int32_t)phase;
}

ompd_rc_t kmp_thread_info(const struct runtime *runtime, const struct thread *thread,
			  ompd_ext_thread_info *ret)
{
	uint32_t kind;
	ompd_rc_t rc = kmp_thread_kind(runtime, thread, &kind);

	if (rc == ompd_rc_ok)
		*ret = (ompd_ext_thread_info){ .kind = kind,
					       .global_num = (int32_t)thread->gtid,
					       .barrier_phase = barrier_phase(runtime, thread) };
	return rc;
}

// A team, by its primary thread's memory.
struct primary {
	uint64_t address, team, microtask, nproc;
};

static ompd_rc_t read_primary(const struct runtime *runtime, const struct thread *thread,
			      struct primary *ret)
{
	const struct kmp_wanted wanted[] = {
		WANT(INFO(th_team), &ret->team),
		WANT(INFO(th_teams_microtask), &ret->microtask),
		WANT(INFO(th_team_nproc), &ret->nproc),
	};
	const size_t count = sizeof(wanted) / sizeof(wanted[0]);
	const bool counts = runtime->layout.field[INFO(th_team_nproc)].size != 0;
	struct kmp_team team;
	ompd_rc_t rc = ompd_rc_ok;

	*ret = (struct primary){ .address = thread->primary };
	if (!ret->address) {
		rc = kmp_read_team(runtime, thread->team, &team);
		if (rc == ompd_rc_ok)
			rc = kmp_team_thread(runtime, &team, 0, &ret->address);
	}
	return rc == ompd_rc_ok ?
		       kmp_read_fields(runtime, ret->address, wanted, counts ? count : count - 1) :
		       rc;
}

// The team that a primary thread is in. One that it has given up at the end of a region is in no other
// any more, while the thread has its task around the region back.
static ompd_rc_t team_at_end(const struct runtime *runtime, const struct primary *primary,
			     uint64_t *ret)
{
	struct kmp_team team;
	uint64_t task;
	ompd_rc_t rc = kmp_read_team(runtime, primary->team, &team);

	*ret = primary->team;
	if (rc != ompd_rc_ok || !kmp_is_given_up(&team))
		return rc;
	rc = kmp_read(runtime, primary->address, INFO(th_current_task), &task);
	return rc == ompd_rc_ok ? kmp_read(runtime, task, KMP_FIELD_kmp_taskdata_t__td_team, ret) :
				  rc;
}

// Tell whether the primary thread has left the team, or was never in it.
static ompd_rc_t is_over(const struct runtime *runtime, const struct thread *thread,
			 const struct primary *primary, bool *ret)
{
	struct kmp_team team;
	uint64_t first, inner = 0;
	bool within = false;

	*ret = false;
	if (primary->team == thread->team)
		return ompd_rc_ok;
	ompd_rc_t rc = kmp_read_team(runtime, thread->team, &team);

	if (rc == ompd_rc_ok && primary->team != team.parent)
		rc = team_at_end(runtime, primary, &inner);
	if (rc == ompd_rc_ok && inner)
		rc = kmp_is_within(runtime, inner, thread->team, &within);
	if (rc == ompd_rc_ok && !within)
		rc = kmp_read_element(runtime, team.threads, 0, &first);
	if (rc == ompd_rc_ok && !within && first != primary->address)
		return reason(ompd_rc_error,
			      "a thread's place in its team is being changed, or damaged");
	*ret = !within;
	return rc;
}

// A team of a league waits without a region of its own, on the level of the teams construct, until
// its initial thread meets a parallel construct (__kmp_teams_master). Its parent is the league,
// which is on this level too. What its workers know of the construct may be old.
static ompd_rc_t waits_in_league(const struct runtime *runtime, const struct thread *thread,
				 const struct primary *primary, bool *ret)
{
	struct kmp_team team, parent;

	*ret = false;
	if (!primary->microtask)
		return ompd_rc_ok;
	ompd_rc_t rc = kmp_read_team(runtime, thread->team, &team);

	if (rc != ompd_rc_ok || !team.parent)
		return rc;
	rc = kmp_read_team(runtime, team.parent, &parent);
	*ret = rc == ompd_rc_ok && parent.level == team.level && parent.parent;
	return rc;
}

// A team keeps threads that its region has no use for: that of a league for a region of fewer
// threads (__kmp_fork_in_teams), any with KMP_HOT_TEAMS_MODE=1, also when its root, and with it the
// primary thread, is gone.
static ompd_rc_t is_reserve(const struct runtime *runtime, const struct thread *thread,
			    const struct primary *primary, bool *ret)
{
	struct kmp_team team;
	uint64_t member = 0;

	*ret = false;
	if (thread->tid < primary->nproc && primary->team == thread->team && !primary->microtask)
		return ompd_rc_ok;
	ompd_rc_t rc = kmp_read_team(runtime, thread->team, &team);

	if (rc != ompd_rc_ok || thread->tid < team.nproc || thread->tid >= KMP_MAX_THREADS)
		return rc;
	rc = kmp_team_thread(runtime, &team, thread->tid, &member);
	*ret = rc == ompd_rc_ok && member == thread->address;
	return rc;
}

ompd_rc_t kmp_is_idle(const struct runtime *runtime, const struct thread *thread, bool *ret)
{
	struct primary primary;

	*ret = true;
	if (thread->team == 0 || thread->in_pool)
		return ompd_rc_ok;
	*ret = false;
	if (thread->primary == thread->address)
		return ompd_rc_ok;
	ompd_rc_t rc = read_primary(runtime, thread, &primary);

	if (rc != ompd_rc_ok || primary.address == thread->address)
		return rc;
	rc = is_reserve(runtime, thread, &primary, ret);
	if (rc == ompd_rc_ok && !*ret)
		rc = is_over(runtime, thread, &primary, ret);
	if (rc == ompd_rc_ok && !*ret)
		rc = waits_in_league(runtime, thread, &primary, ret);
	return rc;
}
