// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "kmp/kmp.h"

enum {
	THREAD_ALIGNMENT = 64, // of what __kmp_allocate returns
};

// ---- The runtime's array of threads ----------------------------------------------------------

// Refuse that there is no array, if there must be one: the runtime makes it before it says that it is
// initialized, and says that it is not before it gives the array back (__kmp_cleanup). Stacks have a
// size from the start.
static ompd_rc_t check_without(const struct kmp_runtime *runtime)
{
	static const enum kmp_global steps[] = {
		KMP_GLOBAL___kmp_init_serial,
		KMP_GLOBAL___kmp_init_middle,
		KMP_GLOBAL___kmp_init_parallel,
	};
	uint64_t value;
	ompd_rc_t rc;

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		rc = kmp_read_global(runtime, steps[i], 4, &value);
		if (rc == ompd_rc_ok && value)
			return reason(ompd_rc_error,
				      "memory of %s is damaged: it is initialized, and its list of "
				      "threads is gone",
				      runtime->name);
		if (rc != ompd_rc_ok && rc != ompd_rc_unsupported)
			return rc;
	}
	rc = kmp_read_global(runtime, KMP_GLOBAL___kmp_stksize, 8, &value);
	if (rc == ompd_rc_ok && !value)
		return reason(ompd_rc_error,
			      "memory of %s is damaged: variables are zero that never are",
			      runtime->name);
	return rc == ompd_rc_unsupported ? ompd_rc_ok : rc;
}

// The array, and how many elements it has. It is null until the runtime is initialized.
static ompd_rc_t read_threads(const struct kmp_runtime *runtime, uint64_t *array, uint64_t *count)
{
	kmp_view_globals(runtime, KMP_GLOBAL___kmp_threads, KMP_GLOBAL___kmp_threads_capacity);
	ompd_rc_t rc = kmp_read_global(runtime, KMP_GLOBAL___kmp_threads, 8, array);

	if (rc == ompd_rc_ok)
		rc = kmp_read_global(runtime, KMP_GLOBAL___kmp_threads_capacity, 4, count);
	if (rc != ompd_rc_ok)
		return rc;
	if (*count > KMP_MAX_THREADS)
		return reason(ompd_rc_error, "the runtime's number of threads is damaged");
	if (*array && *count)
		return ompd_rc_ok;
	*count = 0;
	return check_without(runtime);
}

ompd_rc_t kmp_thread_at(const struct kmp_runtime *runtime, uint64_t gtid, uint64_t *ret)
{
	uint64_t array, count;
	ompd_rc_t rc = read_threads(runtime, &array, &count);

	if (rc == ompd_rc_ok && gtid >= count)
		return ompd_rc_unavailable;
	return rc == ompd_rc_ok ? kmp_read_element(runtime, array, gtid, ret) : rc;
}

// unavailable: no thread has this gtid.
static ompd_rc_t thread_of_gtid(const struct kmp_runtime *runtime, uint64_t gtid, uint64_t *ret)
{
	ompd_rc_t rc = kmp_thread_at(runtime, gtid, ret);

	return rc == ompd_rc_ok && *ret == 0 ? ompd_rc_unavailable : rc;
}

ompd_rc_t kmp_next_thread(const struct kmp_runtime *runtime, uint64_t *gtid, uint64_t *ret)
{
	uint64_t array, count;
	ompd_rc_t rc = read_threads(runtime, &array, &count);

	for (; rc == ompd_rc_ok && *gtid < count; ++*gtid) {
		rc = kmp_read_element(runtime, array, *gtid, ret);
		if (rc == ompd_rc_ok && *ret) {
			++*gtid;
			return ompd_rc_ok;
		}
	}
	return rc == ompd_rc_ok ? ompd_rc_unavailable : rc;
}

// ---- One thread ------------------------------------------------------------------------------

static uint64_t descriptor(const struct kmp_runtime *runtime, uint64_t thread)
{
	return kmp_at(runtime, thread, INFO(th_info));
}

static ompd_rc_t read_members(const struct kmp_runtime *runtime, uint64_t address,
			      struct kmp_thread *ret)
{
	uint64_t in_pool, microtask, teams_level;
	int32_t gtid, tid;
	const struct kmp_wanted wanted[] = {
		{ INFO(th_info), NULL },
		{ INFO(ompt_thread_info), NULL },
		{ INFO(th_team), &ret->team },
		{ INFO(th_current_task), &ret->current_task },
		{ INFO(th_in_pool), &in_pool },
		{ INFO(th_teams_microtask), &microtask },
		{ INFO(th_teams_level), &teams_level },
	};
	uint64_t ds = descriptor(runtime, address);
	ompd_rc_t rc =
		kmp_read_fields(runtime, address, wanted, sizeof(wanted) / sizeof(wanted[0]));

	if (rc == ompd_rc_ok)
		rc = kmp_read_int(runtime, ds, KMP_FIELD_kmp_desc_base_t__ds_gtid, &gtid);
	if (rc == ompd_rc_ok)
		rc = kmp_read_int(runtime, ds, KMP_FIELD_kmp_desc_base_t__ds_tid, &tid);
	if (rc != ompd_rc_ok)
		return rc;
	ret->gtid = (uint32_t)gtid;
	ret->tid = (uint32_t)tid;
	ret->in_pool = in_pool != 0;
	ret->teams_level = microtask ? (int32_t)teams_level : -1;
	return ompd_rc_ok;
}

ompd_rc_t kmp_read_thread(const struct kmp_runtime *runtime, uint64_t address,
			  struct kmp_thread *ret)
{
	uint64_t listed = 0;
	ompd_rc_t rc = ompd_rc_error;

	ret->address = address;
	if (address && address % THREAD_ALIGNMENT == 0)
		rc = read_members(runtime, address, ret);
	if (rc != ompd_rc_ok)
		return reason(rc, "the thread at 0x%llx cannot be read",
			      (unsigned long long)address);
	// The array of threads knows every thread under its gtid, as long as it lives.
	rc = thread_of_gtid(runtime, ret->gtid, &listed);
	if ((rc == ompd_rc_ok && listed != address) || rc == ompd_rc_unavailable)
		return reason(ompd_rc_unavailable, "the thread has left the runtime");
	return rc;
}

ompd_rc_t kmp_pthread_of_thread(const struct kmp_runtime *runtime, uint64_t thread, uint64_t *ret)
{
	return kmp_read(runtime, descriptor(runtime, thread), KMP_FIELD_kmp_desc_base_t__ds_thread,
			ret);
}

// Whether the thread with this gtid is @p pthread.
static ompd_rc_t is_pthread(const struct kmp_runtime *runtime, uint64_t gtid, uint64_t pthread,
			    uint64_t *ret)
{
	uint64_t found;
	ompd_rc_t rc = thread_of_gtid(runtime, gtid, ret);

	if (rc == ompd_rc_ok)
		rc = kmp_pthread_of_thread(runtime, *ret, &found);
	if (rc == ompd_rc_ok && found != pthread)
		return ompd_rc_unavailable;
	return rc;
}

// Looks through all threads, and remembers where each was.
static ompd_rc_t search(const struct kmp_runtime *runtime, uint64_t pthread, uint64_t *ret)
{
	struct idmap hints = { .has_values = true };
	uint64_t array, count, thread, found;
	bool known = false, damaged = false;
	ompd_rc_t rc = read_threads(runtime, &array, &count);

	// No thread is at 0; but the map is never empty, and so takes the same blocks of memory.
	if (rc == ompd_rc_ok)
		rc = idmap_add(&hints, &runtime->target, 0, count, NULL);
	for (uint64_t gtid = 0; rc == ompd_rc_ok && gtid < count; gtid++) {
		rc = kmp_read_element(runtime, array, gtid, &thread);
		if (rc != ompd_rc_ok || !thread)
			continue;
		if (kmp_pthread_of_thread(runtime, thread, &found) != ompd_rc_ok) {
			damaged = true;
			continue;
		}
		rc = idmap_add(&hints, &runtime->target, found, gtid, NULL);
		if (found == pthread && !known) {
			*ret = thread;
			known = true;
		}
	}
	if (rc != ompd_rc_ok) {
		idmap_close(&hints, &runtime->target);
		return rc;
	}
	idmap_close(runtime->hints, &runtime->target);
	*runtime->hints = hints;
	if (known)
		return ompd_rc_ok;
	return damaged ? reason(ompd_rc_error, "a thread of the runtime cannot be read") :
			 ompd_rc_unavailable;
}

ompd_rc_t kmp_thread_of_pthread(const struct kmp_runtime *runtime, uint64_t pthread, uint64_t *ret)
{
	struct kmp_thread thread;
	uint64_t gtid;

	// An old place is looked at first, and taken if the thread is there now.
	if (!idmap_find(runtime->hints, pthread, &gtid) ||
	    is_pthread(runtime, gtid, pthread, ret) != ompd_rc_ok) {
		ompd_rc_t rc = search(runtime, pthread, ret);

		if (rc == ompd_rc_unavailable)
			return reason(rc, "the thread has not used OpenMP");
		if (rc != ompd_rc_ok)
			return rc;
	}
	return kmp_read_thread(runtime, *ret, &thread);
}

// ---- What a thread is, and whether it is at work ---------------------------------------------

ompd_rc_t kmp_is_helper(const struct kmp_runtime *runtime, uint64_t gtid, bool *ret)
{
	uint64_t enabled, count = 0;
	ompd_rc_t rc = kmp_read_global(runtime, KMP_GLOBAL___kmp_enable_hidden_helper, 4, &enabled);

	if (rc == ompd_rc_ok && enabled)
		rc = kmp_read_global(runtime, KMP_GLOBAL___kmp_hidden_helper_threads_num, 4,
				     &count);
	*ret = rc == ompd_rc_ok && gtid > 0 && gtid <= count;
	return rc;
}

ompd_rc_t kmp_thread_kind(const struct kmp_runtime *runtime, const struct kmp_thread *thread,
			  enum kmp_thread_kind *ret)
{
	uint64_t root, uber = 0;
	bool helper;

	ompd_rc_t rc = kmp_is_helper(runtime, thread->gtid, &helper);

	*ret = helper ? KMP_THREAD_HELPER : KMP_THREAD_WORKER;
	if (rc != ompd_rc_ok || helper)
		return rc;
	rc = kmp_read(runtime, thread->address, INFO(th_root), &root);
	if (rc == ompd_rc_ok && root)
		rc = kmp_read(runtime, root, KMP_FIELD_kmp_base_root_t__r_uber_thread, &uber);
	if (rc == ompd_rc_ok && uber == thread->address)
		*ret = KMP_THREAD_INITIAL;
	return rc;
}

ompd_rc_t kmp_is_idle(const struct kmp_runtime *runtime, const struct kmp_thread *thread, bool *ret)
{
	struct kmp_team team, parent;
	uint64_t primary, primary_team, microtask, member;
	const struct kmp_wanted wanted[] = {
		{ INFO(th_team), &primary_team },
		{ INFO(th_teams_microtask), &microtask },
	};
	bool within;

	*ret = true;
	if (thread->team == 0 || thread->in_pool)
		return ompd_rc_ok;
	ompd_rc_t rc = kmp_read_team(runtime, thread->team, &team);

	if (rc == ompd_rc_ok)
		rc = kmp_team_thread(runtime, &team, 0, &primary);
	if (rc != ompd_rc_ok)
		return rc;
	if (primary == thread->address) {
		*ret = false;
		return ompd_rc_ok;
	}
	rc = kmp_read_fields(runtime, primary, wanted, sizeof(wanted) / sizeof(wanted[0]));
	if (rc == ompd_rc_ok)
		rc = kmp_is_within(runtime, primary_team, team.address, &within);
	if (rc != ompd_rc_ok)
		return rc;
	*ret = !within;
	if (!within)
		return ompd_rc_ok;
	// A team of a league waits without a region of its own, on the level of the teams construct,
	// until its initial thread meets a parallel construct (__kmp_teams_master). Its parent is
	// the league, which is on this level too. What its workers know of the construct may be old.
	if (microtask && team.parent) {
		rc = kmp_read_team(runtime, team.parent, &parent);
		if (rc != ompd_rc_ok)
			return rc;
		if (parent.level == team.level && parent.parent)
			*ret = true;
	}
	// A team keeps threads that its region has no use for: that of a league for a region of
	// fewer threads (__kmp_fork_in_teams), any with KMP_HOT_TEAMS_MODE=1.
	if (thread->tid >= team.nproc && thread->tid < KMP_MAX_THREADS) {
		rc = kmp_team_thread(runtime, &team, thread->tid, &member);
		if (rc == ompd_rc_ok && member == thread->address)
			*ret = true;
	}
	return rc;
}
