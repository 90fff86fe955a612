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

ompd_rc_t gomp_classify_entry(struct runtime *runtime, uint64_t entry, ompd_ext_wait_site *site)
{
	ompd_rc_t rc = wait_calls_open(&runtime->target, wait_functions,
				       sizeof(wait_functions) / sizeof(wait_functions[0]),
				       "libgomp.so.1", true, &runtime->waits);

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

static ompd_rc_t found(enum ompd_ext_wait_kind kind, ompt_state_t state, ompd_ext_wait_site *site)
{
	*site = (ompd_ext_wait_site){ .kind = kind, .state = state };
	return ompd_rc_ok;
}

static bool is_within(uint64_t address, uint64_t base, enum gomp_struct type,
		      const struct runtime *runtime)
{
	return address >= base && address - base < runtime->layout.struct_size[type];
}

// Synchronisation objects of a team. unavailable: it is none of them.
static ompd_rc_t classify_in_team(const struct runtime *runtime, uint64_t team, uint64_t futex,
				  ompd_ext_wait_site *site)
{
	// Which barrier of the region it is, the object does not tell.
	if (is_within(futex, gomp_at(runtime, team, TEAM(barrier)), GOMP_STRUCT_gomp_barrier_t,
		      runtime))
		return found(ompd_ext_wait_barrier, ompt_state_wait_barrier, site);
	if (futex == gomp_at(runtime, team, TEAM(task_lock)))
		return found(ompd_ext_wait_runtime_lock, ompt_state_overhead, site);
	return ompd_rc_unavailable;
}

// Synchronisation objects of the thread's task, and its own. unavailable: it is none of them.
static ompd_rc_t classify_in_task(const struct runtime *runtime, const struct thread *thread,
				  uint64_t futex, ompd_ext_wait_site *site)
{
	uint64_t taskwait, taskgroup, semaphore;

	if (!thread->task)
		return ompd_rc_unavailable;
	ompd_rc_t rc = gomp_read(runtime, thread->task, TASK(taskwait), &taskwait);

	if (rc == ompd_rc_ok)
		rc = gomp_read(runtime, thread->task, TASK(taskgroup), &taskgroup);
	if (rc != ompd_rc_ok)
		return reason(rc, "the thread's task cannot be read");
	if (taskwait && futex == gomp_at(runtime, taskwait, GOMP_FIELD_gomp_taskwait__taskwait_sem))
		return found(ompd_ext_wait_taskwait, ompt_state_wait_taskwait, site);
	if (taskgroup &&
	    futex == gomp_at(runtime, taskgroup, GOMP_FIELD_gomp_taskgroup__taskgroup_sem))
		return found(ompd_ext_wait_taskgroup, ompt_state_wait_taskgroup, site);
	// A thread waits for its turn on its own semaphore, the primary thread on its team's.
	semaphore = gomp_at(runtime, thread->address, THREAD(release));
	if (futex == semaphore ||
	    (thread->ts.team && futex == gomp_at(runtime, thread->ts.team, TEAM(master_release))))
		return found(ompd_ext_wait_ordered, ompt_state_wait_ordered, site);
	return ompd_rc_unavailable;
}

ompd_rc_t gomp_classify_futex(const struct runtime *runtime, const struct thread *thread,
			      uint64_t futex, ompd_ext_wait_site *site)
{
	if (thread->pool &&
	    is_within(futex,
		      gomp_at(runtime, thread->pool, GOMP_FIELD_gomp_thread_pool__threads_dock),
		      GOMP_STRUCT_gomp_simple_barrier_t, runtime))
		return found(ompd_ext_wait_idle, ompt_state_idle, site);
	ompd_rc_t rc = ompd_rc_unavailable;

	if (thread->ts.team)
		rc = classify_in_team(runtime, thread->ts.team, futex, site);
	if (rc == ompd_rc_unavailable)
		rc = classify_in_task(runtime, thread, futex, site);
	if (rc != ompd_rc_unavailable)
		return rc;
	if (futex == runtime->layout.global[GOMP_GLOBAL_default_lock] && futex)
		return found(ompd_ext_wait_critical, ompt_state_wait_critical, site);
	if (futex == runtime->layout.global[GOMP_GLOBAL_atomic_lock] && futex)
		return found(ompd_ext_wait_atomic, ompt_state_wait_atomic, site);
	return reason(ompd_rc_unavailable, "not an object of the runtime (a lock of the program)");
}
