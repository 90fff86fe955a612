// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a thread waits for: as the runtime records it where a tool is active; else as its task, its
// barriers, the call that the user's code made, and the word of memory that it sleeps on tell.

#include "kmp/icv.h"
#include "kmp/tasks.h"
#include "layout/call.h"
#include "runtime/wait_calls.h"

// ---- Functions that wait ---------------------------------------------------------------------

// libomp has the entry points of libgomp too, for code that GCC compiled.
#define WAIT WAIT_FUNCTION
static const struct wait_function wait_functions[] = {
#include "kmp/waits.def"
#include "runtime/gcc_waits.def"
};
#undef WAIT

// Of another runtime in the process the same names are not meant.
static ompd_rc_t resolved(struct runtime *runtime)
{
	return wait_calls_open(&runtime->target, wait_functions,
			       sizeof(wait_functions) / sizeof(wait_functions[0]),
			       runtime->layout.file_name, false, &runtime->waits);
}

ompd_rc_t kmp_is_own_code(struct runtime *runtime, uint64_t address, bool *ret)
{
	ompd_rc_t rc = resolved(runtime);

	if (rc == ompd_rc_ok)
		*ret = address >= runtime->waits->first && address <= runtime->waits->last;
	return rc;
}

ompd_rc_t kmp_classify_entry(struct runtime *runtime, uint64_t entry, ompd_ext_wait_site *site)
{
	ompd_rc_t rc = resolved(runtime);

	return rc == ompd_rc_ok ? wait_calls_find(&runtime->target, runtime->waits, entry, site) :
				  rc;
}

// ---- Barriers --------------------------------------------------------------------------------

/** enum barrier_type. */
enum barrier {
	BARRIER_PLAIN,
	BARRIER_FORKJOIN,
	BARRIER_REDUCTION,
	BARRIER_COUNT,
};

/** Counts of barriers: KMP_BARRIER_STATE_BUMP, and what lies below. */
enum {
	FLAG_BITS = 3,
	BARRIER_STEP = 4,
};

static const ompd_ext_wait_site barrier_sites[BARRIER_COUNT] = {
	[BARRIER_PLAIN] = { .kind = ompd_ext_wait_barrier, .state = ompt_state_wait_barrier },
	[BARRIER_FORKJOIN] = { .kind = ompd_ext_wait_barrier_parallel,
			       .state = ompt_state_wait_barrier_implicit_parallel },
	[BARRIER_REDUCTION] = { .kind = ompd_ext_wait_reduction,
				.state = ompt_state_wait_barrier_implementation },
};

/** The end of a league is the barrier of its team at the end of regions. */
static const ompd_ext_wait_site end_of_league = { .kind = ompd_ext_wait_barrier_teams,
						  .state = ompt_state_wait_barrier_teams };

// Parallel and teams constructs call a function of the runtime, which first calls one that begins
// the region and runs its code, and then another that ends it. That one has no name. unavailable:
// it is not the one that ends it.
static ompd_rc_t ends_region(const struct runtime *runtime, uint64_t return_address,
			     ompd_ext_wait_site *site)
{
	static const struct {
		const char *name;
		const ompd_ext_wait_site *site;
	} functions[] = {
		{ "__kmpc_fork_call", &barrier_sites[BARRIER_FORKJOIN] },
		{ "__kmpc_fork_teams", &end_of_league },
	};
	const char *file_name = runtime->layout.file_name;
	bool precedes = false;
	uint64_t begins, entry;
	ompd_rc_t rc = target_symbol(&runtime->target, "__kmp_fork_call", file_name, &begins);

	for (size_t i = 0; rc == ompd_rc_ok && !precedes && i < 2; i++) {
		rc = target_symbol(&runtime->target, functions[i].name, file_name, &entry);
		if (rc == ompd_rc_ok)
			rc = call_precedes(&runtime->target, entry, return_address, begins,
					   &precedes);
		*site = *functions[i].site;
		site->entry = entry;
		site->function = functions[i].name;
	}
	return rc == ompd_rc_ok && !precedes ? ompd_rc_unavailable : rc;
}

ompd_rc_t kmp_classify_call(struct runtime *runtime, uint64_t return_address,
			    ompd_ext_wait_site *site)
{
	uint64_t entry;
	ompd_rc_t rc = call_target(&runtime->target, return_address, &entry);

	if (rc != ompd_rc_ok)
		return rc;
	rc = kmp_classify_entry(runtime, entry, site);
	if (rc != ompd_rc_unavailable)
		return rc;
	return ends_region(runtime, return_address, site);
}

// A thread's own part of a barrier (kmp_bstate).
static uint64_t barrier_of_thread(const struct runtime *runtime, uint64_t thread,
				  enum barrier barrier)
{
	return kmp_at(runtime, thread, INFO(th_bar)) +
	       (uint64_t)barrier * runtime->layout.struct_size[KMP_STRUCT_kmp_balign_t];
}

// A team with the counts of barriers that has_arrived() looks at.
static void view_team(const struct runtime *runtime, const struct thread *thread)
{
	struct kmp_span span = KMP_SPAN_EMPTY;

	if (thread->tid == 0)
		return;
	kmp_span_add(runtime, &span, 0, TEAM(t_bar));
	kmp_span_of_team(runtime, &span);
	kmp_view_span(runtime, thread->team, &span);
}

// Check whether a worker has come to a barrier, and not all of its team have: it counts its
// barriers, and its team counts those at which all have arrived
// (__kmp_linear_barrier_gather_template and the like). The lowest bits of a count tell whether
// somebody sleeps on it, the highest are those of other threads where barriers are hierarchical.
static ompd_rc_t has_arrived(const struct runtime *runtime, const struct thread *thread,
			     enum barrier barrier, bool *ret)
{
	uint64_t own, teams;
	uint64_t team =
		kmp_at(runtime, thread->team, TEAM(t_bar)) +
		(uint64_t)barrier * runtime->layout.struct_size[KMP_STRUCT_kmp_balign_team_t];

	*ret = false;
	if (thread->tid == 0)
		return ompd_rc_ok;
	ompd_rc_t rc = kmp_read(runtime, barrier_of_thread(runtime, thread->address, barrier),
				KMP_FIELD_kmp_bstate_t__b_arrived, &own);

	if (rc == ompd_rc_ok)
		rc = kmp_read(runtime, team, KMP_FIELD_kmp_balign_team_t__b_arrived, &teams);
	if (rc == ompd_rc_ok)
		*ret = (own & ~(uint64_t)FLAG_BITS) ==
		       (teams & ~(uint64_t)FLAG_BITS) + BARRIER_STEP;
	return rc;
}

// ---- States ----------------------------------------------------------------------------------

static ompd_rc_t recorded_state(const struct runtime *runtime, const struct thread *thread,
				ompd_word_t *state, ompd_wait_id_t *wait_id)
{
	uint64_t info = kmp_at(runtime, thread->address, INFO(ompt_thread_info));
	uint64_t value;
	ompd_rc_t rc = KMP_READ(runtime, info, WANT(KMP_FIELD_ompt_thread_info_t__state, &value),
				WANT(KMP_FIELD_ompt_thread_info_t__wait_id, wait_id));

	if (rc == ompd_rc_ok && value > ompt_state_undefined)
		return reason(ompd_rc_error, "the thread's state is damaged");
	if (rc == ompd_rc_ok)
		*state = (ompd_word_t)value;
	return rc;
}

// Tell whether the runtime may have recorded a state in a region that is over now: a worker waits
// for the next region where it waits at the end of one, and notices late that it does.
static bool may_be_outdated(ompd_word_t state)
{
	switch (state) {
	case ompt_state_wait_barrier_implicit_parallel:
	case ompt_state_wait_barrier_implicit:
	case ompt_state_wait_barrier_teams:
	case ompt_state_overhead:
	case ompt_state_undefined:
		return true;
	default:
		return false;
	}
}

// Tell whether the runtime has yet to record a state of a worker: its memory is zero until it begins
// (__kmp_launch_thread), and in the team of another thread none works alone.
static bool is_unset(const struct thread *thread, ompd_word_t state)
{
	return state == ompt_state_work_serial && thread->primary &&
	       thread->primary != thread->address;
}

// Check whether the current task tells that a thread is at work, without a look at the team: it waits
// in the task, and *@p state becomes what for, or executes an explicit one. What cannot be read is left
// to the look at the team.
static bool works_in_task(const struct runtime *runtime, const struct thread *thread,
			  ompd_word_t *state)
{
	ompd_ext_task_info info = { .status = ompd_ext_task_running };
	struct kmp_task_record record;
	struct task task = { 0 };

	if (kmp_thread_task(runtime, thread, &task.address) != ompd_rc_ok ||
	    kmp_read_task(runtime, task.address, &record) != ompd_rc_ok ||
	    record.team != thread->team || kmp_task_waits(runtime, &task, &info) != ompd_rc_ok)
		return false;
	if (info.flags & ompd_ext_task_in_taskwait)
		*state = ompt_state_wait_taskwait;
	else if (info.flags & ompd_ext_task_in_taskgroup_wait)
		*state = ompt_state_wait_taskgroup;
	return *state || (record.is_explicit && kmp_flag(runtime, record.flags, FLAG(executing)));
}

bool kmp_never_cancels(const struct runtime *runtime)
{
	const struct object of = { 0 };
	struct kmp_seen *seen = runtime->seen;
	ompd_word_t cancellation;

	if (!seen->asked_cancellation) {
		seen->asked_cancellation = true;
		seen->no_cancellation = kmp_icv_variable(runtime, ICV_cancel, &of, &cancellation) ==
						ompd_rc_ok &&
					!cancellation;
	}
	return seen->no_cancellation;
}

// Tell whether a thread may have left a barrier that its count says it waits at. After a cancelled
// GOMP_barrier_cancel() a thread keeps the word that lets it go, and does not stop at the next barrier.
static bool may_have_left(const struct runtime *runtime, enum barrier barrier)
{
	return barrier == BARRIER_PLAIN && !kmp_never_cancels(runtime);
}

// Find the barrier of its team that a thread in its implicit task has come to. *@p state stays as it
// is if there is none, or that is not certain.
static ompd_rc_t state_at_barrier(const struct runtime *runtime, const struct thread *thread,
				  ompd_word_t *state)
{
	struct task task;
	bool arrived = false, in_league = false;
	ompd_rc_t rc = kmp_is_in_whole_league(runtime, thread, &in_league);

	if (rc == ompd_rc_ok && in_league) {
		rc = has_arrived(runtime, thread, BARRIER_FORKJOIN, &arrived);
		if (rc == ompd_rc_ok && arrived)
			*state = end_of_league.state;
		return rc;
	}
	if (rc == ompd_rc_ok)
		rc = kmp_current_record(runtime, thread, &task);
	// At a barrier a thread may run tasks.
	for (int i = 0; i < BARRIER_COUNT && rc == ompd_rc_ok && task.implicit && !arrived; i++) {
		rc = has_arrived(runtime, thread, (enum barrier)i, &arrived);
		if (rc == ompd_rc_ok && arrived && !may_have_left(runtime, (enum barrier)i))
			*state = barrier_sites[i].state;
	}
	return rc;
}

ompd_rc_t kmp_state(const struct runtime *runtime, const struct thread *thread, ompd_word_t *state,
		    ompd_wait_id_t *wait_id)
{
	bool idle = false, known = false;

	*state = 0;
	*wait_id = 0;
	const ompd_rc_t tracked = kmp_tool_active(runtime);
	const bool untold = tracked == ompd_rc_unavailable || tracked == ompd_rc_unsupported ||
			    tracked == ompd_rc_needs_state_tracking;
	ompd_rc_t rc = ompd_rc_ok;

	if (tracked == ompd_rc_ok) {
		rc = recorded_state(runtime, thread, state, wait_id);
		known = thread->team && !thread->in_pool && !may_be_outdated(*state) &&
			!is_unset(thread, *state);
	} else if (untold && thread->team && !thread->in_pool) {
		known = works_in_task(runtime, thread, state);
		if (!known)
			view_team(runtime, thread);
	}
	if (rc == ompd_rc_ok && !known)
		rc = kmp_is_idle(runtime, thread, &idle);
	if (rc != ompd_rc_ok)
		return rc;
	if (idle) {
		*state = ompt_state_idle;
		*wait_id = 0;
		return ompd_rc_ok;
	}
	if (tracked == ompd_rc_ok && !known && is_unset(thread, *state))
		*state = ompt_state_overhead;
	if (!untold)
		return tracked;
	// All threads but those for which a program is started come after its tool.
	runtime->seen->without_tool |= tracked == ompd_rc_needs_state_tracking && thread->primary &&
				       thread->primary != thread->address;
	if (!known)
		rc = state_at_barrier(runtime, thread, state);
	if (rc != ompd_rc_ok || *state)
		return rc;
	return reason(tracked, "without a tool the runtime does not record what the thread does");
}

// ---- What a thread sleeps on -----------------------------------------------------------------

static bool is_within(uint64_t address, uint64_t base, uint64_t size)
{
	return base && address >= base && address - base < size;
}

// A thread that gathers others at a barrier waits for their counts, one after another: it sleeps on
// an object on its stack that points to the count. unavailable: it does not.
static ompd_rc_t sleeps_for_member(const struct runtime *runtime, const struct thread *thread,
				   enum barrier *ret)
{
	enum { FLAG_WORDS = 8 };
	const uint64_t barriers =
		BARRIER_COUNT * (uint64_t)runtime->layout.struct_size[KMP_STRUCT_kmp_balign_t];
	uint64_t flag, words[FLAG_WORDS], member;
	struct kmp_team team;

	ompd_rc_t rc = kmp_read(runtime, thread->address, INFO(th_sleep_loc), &flag);

	if (rc == ompd_rc_ok && !flag)
		return ompd_rc_unavailable;
	if (rc == ompd_rc_ok)
		rc = kmp_read_team(runtime, thread->team, &team);
	for (int i = 0; rc == ompd_rc_ok && i < FLAG_WORDS; i++)
		rc = kmp_read_element(runtime, flag, (uint64_t)i, &words[i]);
	for (uint32_t i = 0; rc == ompd_rc_ok && i < team.nproc; i++) {
		rc = kmp_read_element(runtime, team.threads, i, &member);
		if (rc != ompd_rc_ok)
			break;
		const uint64_t first = kmp_at(runtime,
					      barrier_of_thread(runtime, member, BARRIER_PLAIN),
					      KMP_FIELD_kmp_bstate_t__b_arrived);

		for (int j = 0; j < FLAG_WORDS; j++) {
			uint64_t behind = words[j] - first;

			if (behind >= barriers ||
			    behind % runtime->layout.struct_size[KMP_STRUCT_kmp_balign_t])
				continue;
			*ret = (enum barrier)(behind /
					      runtime->layout.struct_size[KMP_STRUCT_kmp_balign_t]);
			return ompd_rc_ok;
		}
	}
	return rc == ompd_rc_ok ? ompd_rc_unavailable : rc;
}

static ompd_rc_t barrier_site(const struct runtime *runtime, const struct thread *thread,
			      enum barrier barrier, ompd_ext_wait_site *site)
{
	bool in_league = false;
	ompd_rc_t rc = ompd_rc_ok;

	if (barrier == BARRIER_FORKJOIN)
		rc = kmp_is_in_whole_league(runtime, thread, &in_league);
	*site = in_league ? end_of_league : barrier_sites[barrier];
	return rc;
}

// Threads sleep on a condition variable of their own; the flag that they wait for has its lowest
// bit set then (__kmp_suspend_template).
ompd_rc_t kmp_classify_futex(const struct runtime *runtime, const struct thread *thread,
			     uint64_t futex, ompd_ext_wait_site *site)
{
	const struct layout_field *variable = &runtime->layout.field[INFO(th_suspend_cv)];
	const struct layout_field *mutex = &runtime->layout.field[INFO(th_suspend_mx)];
	enum barrier gathered;
	bool idle;

	if (kmp_doubts(runtime, INFO(th_suspend_cv)) || kmp_doubts(runtime, INFO(th_suspend_mx)))
		return reason(ompd_rc_unsupported,
			      "on what threads of this release of %s sleep is not proven",
			      runtime->name);
	if (!is_within(futex, thread->address + variable->offset, variable->size) &&
	    !is_within(futex, thread->address + mutex->offset, mutex->size))
		return reason(ompd_rc_unavailable,
			      "not an object of the runtime (a lock of the program)");
	for (int i = 0; i < BARRIER_COUNT; i++) {
		uint64_t go;
		ompd_rc_t rc = kmp_read(
			runtime, barrier_of_thread(runtime, thread->address, (enum barrier)i),
			KMP_FIELD_kmp_bstate_t__b_go, &go);

		if (rc == ompd_rc_ok && i == BARRIER_FORKJOIN)
			rc = kmp_is_idle(runtime, thread, &idle);
		if (rc != ompd_rc_ok)
			return rc;
		if (!(go & 1))
			continue;
		if (i == BARRIER_FORKJOIN && idle) {
			*site = (ompd_ext_wait_site){ .kind = ompd_ext_wait_idle,
						      .state = ompt_state_idle };
			return ompd_rc_ok;
		}
		return barrier_site(runtime, thread, (enum barrier)i, site);
	}
	ompd_rc_t rc = sleeps_for_member(runtime, thread, &gathered);

	if (rc == ompd_rc_ok)
		return barrier_site(runtime, thread, gathered, site);
	if (rc != ompd_rc_unavailable)
		return rc;
	return reason(ompd_rc_unavailable, "the thread sleeps in the runtime, and none of its "
					   "barriers says that it does");
}
