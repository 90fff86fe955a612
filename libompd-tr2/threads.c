// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thread handles (section 7.2) and inquiries about threads (section 10).

#include <limits.h>

#include "ids.h"
#include "vectors.h"

/**
 * Section 7.2: every OpenMP thread of the process, idle ones included, whichever threads the
 * debugger knows: they are found in the target's own lists.
 * @param[out] thread_handle_vector an array that the debugger frees, after it has released each of
 *             its handles. NULL: only the number is wanted.
 * @return ok; unavailable (the callbacks don't find glibc's lists); error (a thread cannot be read);
 *         bad_input; stale_handle; nomem.
 */
ompd_rc_t ompd_get_threads(ompd_address_space_handle_t *handle,
			   ompd_thread_handle_t ***thread_handle_vector, int *num_handles)
{
	core_thread_handle_t **threads = NULL;
	size_t count = 0, kept = 0;

	FRONT_ENTER(handle, HANDLE_ADDRESS_SPACE, num_handles);
	core_address_space_handle_t *space = (core_address_space_handle_t *)handle;
	core_rc_t rc = core_ext_get_threads(space, thread_handle_vector ? &threads : NULL, &count);

	// Some of the threads only: no number, and no vector, would be true.
	if (rc != core_rc_ok && rc != core_rc_incomplete)
		return front_rc(rc);
	ompd_rc_t failed = rc == core_rc_incomplete || count > INT_MAX ? ompd_rc_error : ompd_rc_ok;

	// All become the front's, so that all can be given back.
	for (size_t i = 0; threads && i < count; i++) {
		void *thread = threads[i];
		ompd_rc_t added = handle_add(thread, HANDLE_THREAD, space);

		if (added == ompd_rc_ok)
			threads[kept++] = thread;
		else
			failed = added;
	}
	if (failed != ompd_rc_ok) {
		vector_discard((void **)threads, kept, HANDLE_THREAD);
		return failed;
	}
	if (thread_handle_vector)
		*thread_handle_vector = (ompd_thread_handle_t **)threads;
	*num_handles = (int)count;
	return ompd_rc_ok;
}

static core_rc_t member(core_parallel_handle_t *parallel, int number, void **ret)
{
	core_thread_handle_t *thread = NULL;
	core_rc_t rc = core_get_thread_in_parallel(parallel, number, &thread);

	*ret = thread;
	return rc;
}

/**
 * Section 7.2: the threads of a region's team, in the order of their numbers.
 * @param[out] thread_handle_vector as of ompd_get_threads().
 * @return ok; bad_input; stale_handle; nomem; error.
 */
ompd_rc_t ompd_get_thread_in_parallel(ompd_parallel_handle_t *parallel_handle,
				      ompd_thread_handle_t ***thread_handle_vector,
				      int *num_handles)
{
	void **vector;

	FRONT_ENTER(parallel_handle, HANDLE_PARALLEL, num_handles);
	ompd_rc_t rc = vector_of_team(parallel_handle, member, HANDLE_THREAD,
				      thread_handle_vector ? &vector : NULL, num_handles);

	if (rc == ompd_rc_ok && thread_handle_vector)
		*thread_handle_vector = (ompd_thread_handle_t **)vector;
	return rc;
}

/** Section 7.2: the thread that encountered the region's construct: number 0 of its team. */
ompd_rc_t ompd_get_master_thread_in_parallel(ompd_parallel_handle_t *parallel_handle,
					     ompd_thread_handle_t **thread_handle)
{
	core_thread_handle_t *thread;

	FRONT_ENTER(parallel_handle, HANDLE_PARALLEL, thread_handle);
	core_rc_t rc =
		core_get_thread_in_parallel((core_parallel_handle_t *)parallel_handle, 0, &thread);

	return HANDLE_GIVE(rc, thread, THREAD, parallel_handle, thread_handle);
}

/** Section 7.2. stale_handle: it was released before. */
ompd_rc_t ompd_release_thread_handle(ompd_thread_handle_t *thread_handle)
{
	return handle_release(thread_handle, HANDLE_THREAD);
}

/** Section 7.2: less than, equal to, or greater than 0. The order is that of addresses. */
ompd_rc_t ompd_thread_handle_compare(ompd_thread_handle_t *thread_handle_1,
				     ompd_thread_handle_t *thread_handle_2, int *cmp_value)
{
	FRONT_ENTER(thread_handle_1, HANDLE_THREAD, true);
	FRONT_ENTER(thread_handle_2, HANDLE_THREAD, cmp_value);
	return front_rc(core_thread_handle_compare((core_thread_handle_t *)thread_handle_1,
						   (core_thread_handle_t *)thread_handle_2,
						   cmp_value));
}

/** Section 7.2: the same string for handles that compare equal. The debugger frees it. */
ompd_rc_t ompd_get_thread_handle_string_id(ompd_thread_handle_t *thread_handle, char **string_id)
{
	FRONT_ENTER(thread_handle, HANDLE_THREAD, string_id);
	return string_id_of(thread_handle, "thread", core_scope_thread, string_id);
}

/**
 * Section 10.1: the OpenMP thread behind a thread of the operating system.
 * @param sizeof_osthread 8; or 4, of an lwp.
 * @return ok; bad_input, with *@p thread_handle NULL (it is no OpenMP thread, or no thread);
 *         unsupported (no pthread and no lwp); stale_handle; nomem; error.
 */
ompd_rc_t ompd_get_thread_handle(ompd_address_space_handle_t *handle, ompd_osthread_kind_t kind,
				 ompd_size_t sizeof_osthread, const void *osthread,
				 ompd_thread_handle_t **thread_handle)
{
	core_thread_handle_t *thread;

	FRONT_ENTER(handle, HANDLE_ADDRESS_SPACE, thread_handle);
	core_rc_t rc = core_get_thread_handle((core_address_space_handle_t *)handle,
					      (core_thread_id_t)kind, sizeof_osthread, osthread,
					      &thread);

	if (rc == core_rc_unavailable)
		rc = core_rc_bad_input;
	if (rc == core_rc_bad_input)
		*thread_handle = NULL;
	return HANDLE_GIVE(rc, thread, THREAD, handle, thread_handle);
}

/** Section 10.1: the thread of the operating system behind an OpenMP thread, as of
 * ompd_get_thread_handle(). unsupported: the kind, or glibc's lists are not found. */
ompd_rc_t ompd_get_osthread(ompd_thread_handle_t *thread_handle, ompd_osthread_kind_t kind,
			    ompd_size_t sizeof_osthread, void *osthread)
{
	FRONT_ENTER(thread_handle, HANDLE_THREAD, osthread);
	return front_rc(core_get_thread_id((core_thread_handle_t *)thread_handle,
					   (core_thread_id_t)kind, sizeof_osthread, osthread));
}

// Translate a state. States that came later are those of 2016 that say less; waits for a device
// have none.
static ompd_state_t state_of_2016(core_word_t state)
{
	static const struct {
		ompt_state_t later;
		ompd_state_t state;
	} states[] = {
		{ ompt_state_work_serial, ompd_state_work_serial },
		{ ompt_state_work_parallel, ompd_state_work_parallel },
		{ ompt_state_work_reduction, ompd_state_work_reduction },
		{ ompt_state_wait_barrier, ompd_state_wait_barrier },
		{ ompt_state_wait_barrier_implicit_parallel, ompd_state_wait_barrier_implicit },
		{ ompt_state_wait_barrier_implicit_workshare, ompd_state_wait_barrier_implicit },
		{ ompt_state_wait_barrier_implicit, ompd_state_wait_barrier_implicit },
		{ ompt_state_wait_barrier_explicit, ompd_state_wait_barrier_explicit },
		{ ompt_state_wait_barrier_implementation, ompd_state_wait_barrier },
		{ ompt_state_wait_barrier_teams, ompd_state_wait_barrier },
		{ ompt_state_wait_taskwait, ompd_state_wait_taskwait },
		{ ompt_state_wait_taskgroup, ompd_state_wait_taskgroup },
		{ ompt_state_wait_mutex, ompd_state_wait_mutex },
		{ ompt_state_wait_lock, ompd_state_wait_lock },
		{ ompt_state_wait_critical, ompd_state_wait_critical },
		{ ompt_state_wait_atomic, ompd_state_wait_atomic },
		{ ompt_state_wait_ordered, ompd_state_wait_ordered },
		{ ompt_state_idle, ompd_state_idle },
		{ ompt_state_overhead, ompd_state_overhead },
	};

	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++) {
		if ((core_word_t)states[i].later == state)
			return states[i].state;
	}
	return ompd_state_undefined;
}

/**
 * Section 10.2: the state of a thread, and what it waits for (0: not recorded).
 * @param[out] wait_id NULL: it is not wanted, as with OMPT.
 * @return ok; unavailable (the runtime never records it); needs_state_tracking (it would, with
 *         OMP_DEBUG=enabled or a tool); bad_input; stale_handle; error.
 */
ompd_rc_t ompd_get_state(ompd_thread_handle_t *thread_handle, ompd_state_t *state,
			 ompd_wait_id_t *wait_id)
{
	core_word_t word;

	FRONT_ENTER(thread_handle, HANDLE_THREAD, state);
	core_rc_t rc = core_get_state((core_thread_handle_t *)thread_handle, &word, wait_id);

	if (rc == core_rc_ok)
		*state = state_of_2016(word);
	return front_rc(rc);
}
