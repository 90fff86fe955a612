// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a thread waits for. libgomp records it only for taskwait, taskgroup and idle threads; for
// the rest the call that the user's code made tells, and the word of memory that the thread
// sleeps on.

#include "gomp/gomp.h"
#include "layout/call.h"
#include "runtime/wait_calls.h"

#define WAIT WAIT_FUNCTION
static const struct wait_function wait_functions[] = {
#include "runtime/gcc_waits.def"
};
#undef WAIT

static ompd_rc_t resolved(struct runtime *runtime)
{
	return wait_calls_open(&runtime->target, wait_functions,
			       sizeof(wait_functions) / sizeof(wait_functions[0]), "libgomp.so.1",
			       true, &runtime->waits);
}

ompd_rc_t gomp_classify_entry(struct runtime *runtime, uint64_t entry, ompd_ext_wait_site *site)
{
	ompd_rc_t rc = resolved(runtime);

	return rc == ompd_rc_ok ? wait_calls_find(&runtime->target, runtime->waits, entry, site) :
				  rc;
}

ompd_rc_t gomp_classify_call(struct runtime *runtime, uint64_t return_address,
			     ompd_ext_wait_site *site)
{
	uint64_t entry;
	ompd_rc_t rc = call_target(&runtime->target, return_address, &entry);

	return rc == ompd_rc_ok ? gomp_classify_entry(runtime, entry, site) : rc;
}

ompd_rc_t gomp_state(const struct runtime *runtime, const struct thread *thread, ompd_word_t *state,
		     ompd_wait_id_t *wait_id)
{
	struct gomp_task_record record;
	bool idle, in_group = false;
	uint32_t flags;

	*wait_id = 0;
	ompd_rc_t rc = gomp_is_idle(runtime, thread, &idle);

	if (rc != ompd_rc_ok)
		return rc;
	if (idle) {
		*state = ompt_state_idle;
		return ompd_rc_ok;
	}
	rc = gomp_running_task(runtime, thread, &record);
	if (rc == ompd_rc_ok) {
		rc = gomp_taskwait_flags(runtime, &record, &flags);
		if (rc == ompd_rc_ok && !flags)
			rc = gomp_waits_in_taskgroup(runtime, &record, &in_group);
		if (rc == ompd_rc_ok && (flags || in_group)) {
			*state = flags ? ompt_state_wait_taskwait : ompt_state_wait_taskgroup;
			return ompd_rc_ok;
		}
	}
	if (rc != ompd_rc_ok && rc != ompd_rc_unavailable)
		return rc;
	return reason(ompd_rc_unavailable,
		      "libgomp records the state of idle threads, taskwaits and taskgroups only");
}

static bool is_within(uint64_t address, uint64_t base, uint64_t size)
{
	return base && address >= base && address - base < size;
}

// Synchronisation objects of a team.
static bool classify_in_team(const struct runtime *runtime, uint64_t team, uint64_t futex,
			     ompd_ext_wait_site *site)
{
	uint64_t barrier = gomp_at(runtime, team, GOMP_FIELD_gomp_team__barrier);
	uint64_t lock = gomp_at(runtime, team, GOMP_FIELD_gomp_team__task_lock);

	if (is_within(futex, barrier, runtime->layout.struct_size[GOMP_STRUCT_gomp_barrier_t])) {
		// Which barrier of the region it is, the object does not tell.
		*site = (ompd_ext_wait_site){ .kind = ompd_ext_wait_barrier,
					      .state = ompt_state_wait_barrier };
		return true;
	}
	if (futex == lock) {
		*site = (ompd_ext_wait_site){ .kind = ompd_ext_wait_runtime_lock,
					      .state = ompt_state_overhead };
		return true;
	}
	return false;
}

// Synchronisation objects of the thread's task, and its own. unavailable: it is none of them.
static ompd_rc_t classify_in_task(const struct runtime *runtime, const struct thread *thread,
				  uint64_t futex, ompd_ext_wait_site *site)
{
	uint64_t taskwait, taskgroup, semaphore;

	if (!thread->task)
		return ompd_rc_unavailable;
	ompd_rc_t rc = gomp_read(runtime, thread->task, GOMP_FIELD_gomp_task__taskwait, &taskwait);

	if (rc == ompd_rc_ok)
		rc = gomp_read(runtime, thread->task, GOMP_FIELD_gomp_task__taskgroup, &taskgroup);
	if (rc != ompd_rc_ok)
		return reason(rc, "the thread's task cannot be read");
	if (taskwait &&
	    futex == gomp_at(runtime, taskwait, GOMP_FIELD_gomp_taskwait__taskwait_sem)) {
		*site = (ompd_ext_wait_site){ .kind = ompd_ext_wait_taskwait,
					      .state = ompt_state_wait_taskwait };
		return ompd_rc_ok;
	}
	if (taskgroup &&
	    futex == gomp_at(runtime, taskgroup, GOMP_FIELD_gomp_taskgroup__taskgroup_sem)) {
		*site = (ompd_ext_wait_site){ .kind = ompd_ext_wait_taskgroup,
					      .state = ompt_state_wait_taskgroup };
		return ompd_rc_ok;
	}
	// A thread waits for its turn on its own semaphore, the primary thread on its team's.
	semaphore = gomp_at(runtime, thread->address, GOMP_FIELD_gomp_thread__release);
	if (futex == semaphore ||
	    (thread->ts.team &&
	     futex == gomp_at(runtime, thread->ts.team, GOMP_FIELD_gomp_team__master_release))) {
		*site = (ompd_ext_wait_site){ .kind = ompd_ext_wait_ordered,
					      .state = ompt_state_wait_ordered };
		return ompd_rc_ok;
	}
	return ompd_rc_unavailable;
}

ompd_rc_t gomp_classify_futex(const struct runtime *runtime, const struct thread *thread,
			      uint64_t futex, ompd_ext_wait_site *site)
{
	if (thread->pool &&
	    is_within(futex,
		      gomp_at(runtime, thread->pool, GOMP_FIELD_gomp_thread_pool__threads_dock),
		      runtime->layout.struct_size[GOMP_STRUCT_gomp_simple_barrier_t])) {
		*site = (ompd_ext_wait_site){ .kind = ompd_ext_wait_idle,
					      .state = ompt_state_idle };
		return ompd_rc_ok;
	}
	if (thread->ts.team && classify_in_team(runtime, thread->ts.team, futex, site))
		return ompd_rc_ok;
	ompd_rc_t rc = classify_in_task(runtime, thread, futex, site);

	if (rc != ompd_rc_unavailable)
		return rc;
	if (futex == runtime->layout.global[GOMP_GLOBAL_default_lock] && futex) {
		*site = (ompd_ext_wait_site){ .kind = ompd_ext_wait_critical,
					      .state = ompt_state_wait_critical };
		return ompd_rc_ok;
	}
	if (futex == runtime->layout.global[GOMP_GLOBAL_atomic_lock] && futex) {
		*site = (ompd_ext_wait_site){ .kind = ompd_ext_wait_atomic,
					      .state = ompt_state_wait_atomic };
		return ompd_rc_ok;
	}
	return reason(ompd_rc_unavailable, "not an object of the runtime (a lock of the program)");
}
