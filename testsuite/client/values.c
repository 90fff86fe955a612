// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the library says of each thread, held against what the runtime's own routines answered there.

#include <stdio.h>
#include <string.h>

#include "client.h"

static const char *thread_label(const struct scene_note *note)
{
	static char text[32];

	snprintf(text, sizeof(text), "thread %d", (int)note->lwp);
	return text;
}

static void compare(const struct scene_note *note, const char *what, long long ours,
		    long long theirs)
{
	if (ours != theirs)
		complain("%s: %s is %lld, the runtime says %lld", thread_label(note), what, ours,
			 theirs);
}

static ompd_icv_id_t icv_id(ompd_address_space_handle_t *space, const char *name,
			    ompd_scope_t *scope)
{
	ompd_icv_id_t id = ompd_icv_undefined, found = 0;
	const char *next;
	int more = 1;

	while (more && !found &&
	       ompd_enumerate_icvs(space, id, &id, &next, scope, &more) == ompd_rc_ok) {
		if (strcmp(next, name) == 0)
			found = id;
		debugger_callbacks.free_memory((void *)next);
	}
	return found;
}

// A variable that the library must know, unless @p may_lack, of the handle of its scope.
static void compare_icv(const struct scene_note *note, const struct handles *handles,
			const char *name, long theirs, bool may_lack)
{
	ompd_scope_t scope = ompd_scope_address_space;
	const ompd_icv_id_t id = icv_id(handles->space, name, &scope);
	void *handle = scope == ompd_scope_thread   ? (void *)handles->thread :
		       scope == ompd_scope_parallel ? (void *)handles->parallel :
		       scope == ompd_scope_task	    ? (void *)handles->task :
						      (void *)handles->space;
	ompd_word_t value = -77;
	ompd_rc_t rc = ompd_get_icv_from_scope(handle, scope, id, &value);

	if (theirs == ORACLE_ABSENT)
		return;
	if (rc == ompd_rc_ok || rc == ompd_rc_incomplete)
		compare(note, name, value, theirs);
	else if (!may_lack)
		complain("%s: %s: %d, %s", thread_label(note), name, rc, ompd_ext_last_reason());
}

static void compare_variables(const struct scene_note *note, const struct handles *handles)
{
	const struct oracle *oracle = &note->oracle;
	const struct {
		const char *name;
		long theirs;
		bool may_lack;
	} rows[] = {
		{ "cancel-var", oracle->cancellation, false },
		{ "max-task-priority-var", oracle->max_task_priority, false },
		{ "num-procs-var", oracle->num_procs, false },
		{ "nteams-var", oracle->max_teams, true },
		{ "teams-thread-limit-var", oracle->teams_thread_limit, true },
		{ "thread-num-var", oracle->thread_num, false },
		{ "nthreads-var", oracle->max_threads, false },
		{ "dyn-var", oracle->dynamic, false },
		{ "default-device-var", oracle->default_device, false },
		{ "def-allocator-var", oracle->default_allocator, true },
		{ "team-num-var", oracle->team_num, true },
		{ "league-size-var", oracle->num_teams, true },
		{ "place-assignment-var",
		  oracle->place_num >= 0 ? oracle->place_num : ORACLE_ABSENT, false },
		{ "levels-var", oracle->level, false },
		{ "active-levels-var", oracle->active_level, false },
		{ "team-size-var", oracle->num_threads, false },
		{ "final-task-var", oracle->in_final, false },
		{ "thread-limit-var", oracle->thread_limit, false },
		{ "max-active-levels-var", oracle->max_active_levels, false },
		{ "bind-var", oracle->proc_bind, false },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		compare_icv(note, handles, rows[i].name, rows[i].theirs, rows[i].may_lack);
}

// The regions around the thread's own, from within.
static void compare_levels(const struct scene_note *note, const struct handles *handles)
{
	ompd_parallel_handle_t *parallel = NULL, *outer;
	ompd_rc_t rc = ompd_get_curr_parallel_handle(handles->thread, &parallel);

	for (int level = note->oracle.level; level >= 0 && rc == ompd_rc_ok; level--) {
		int number = -1;

		compare_icv(note,
			    &(struct handles){ .space = handles->space, .parallel = parallel },
			    "team-size-var", note->oracle.team_size[level], false);
		rc = ompd_ext_get_thread_num(handles->thread, parallel, &number);
		if (rc == ompd_rc_ok)
			compare(note, "ancestor's number", number,
				note->oracle.ancestor_thread_num[level]);
		if (rc == ompd_rc_ok && level)
			rc = ompd_get_enclosing_parallel_handle(parallel, &outer);
		ompd_rel_parallel_handle(parallel);
		parallel = outer;
	}
	if (rc != ompd_rc_ok)
		complain("%s: regions around its own: %d, %s", thread_label(note), rc,
			 ompd_ext_last_reason());
}

// Whether a thread may be in a state that waits there. Where LLVM's runtime keeps states for tools, it
// tells no task waits.
static bool may_be(uint32_t place, ompd_word_t state, bool for_tools)
{
	const bool works = state == ompt_state_work_parallel || state == ompt_state_work_serial;

	switch (place) {
	case PLACE_BARRIER:
		return state >= ompt_state_wait_barrier && state <= ompt_state_wait_barrier_teams;
	case PLACE_TASKWAIT:
		return state == ompt_state_wait_taskwait || (for_tools && works);
	case PLACE_TASKGROUP:
		return state == ompt_state_wait_taskgroup || (for_tools && works);
	case PLACE_CODE:
		return works;
	case PLACE_ORDERED:
		return state == ompt_state_wait_ordered;
	default:
		return state >= ompt_state_wait_mutex && state <= ompt_state_wait_critical;
	}
}

static void compare_state(const struct scene_note *note, const struct handles *handles)
{
	ompd_wait_id_t wait = 0;
	ompd_word_t state = -1;

	if (ompd_get_state(handles->thread, &state, &wait) == ompd_rc_ok &&
	    !may_be(note->place, state, ompd_ext_get_state_tracking(handles->space) == ompd_rc_ok))
		complain("%s: in place %u its state is 0x%llx", thread_label(note), note->place,
			 (unsigned long long)state);
}

// The primary thread has set both locks, the nested one twice. Only that records who.
static void compare_locks(const struct scene_note *note, const struct handles *handles)
{
	ompd_ext_lock_info info;
	uint64_t id = 0;

	if (!truth.owner || note->pthread != truth.owner)
		return;
	ompd_ext_get_handle_id(handles->thread, ompd_scope_thread, &id);
	if (ompd_ext_get_lock_info(handles->space, ompd_ext_lock_simple, truth.lock, &info) ==
	    ompd_rc_ok)
		compare(note, "lock is held", info.held, 1);
	if (ompd_ext_get_lock_info(handles->space, ompd_ext_lock_nested, truth.nest_lock, &info) !=
	    ompd_rc_ok)
		return;
	compare(note, "nested lock's owner", (long long)info.thread, (long long)id);
	compare(note, "nested lock's depth", info.depth, 2);
}

// Whether a thread has both a region and a task. Of nested regions of one thread LLVM's runtime may
// not tell to which an explicit task belongs.
static bool has_both(const struct scene_note *note, const struct handles *handles)
{
	ompd_parallel_handle_t *parallel;
	ompd_task_handle_t *task;
	ompd_rc_t rc = ompd_get_curr_parallel_handle(handles->thread, &parallel);

	if (rc == ompd_rc_ok) {
		ompd_rel_parallel_handle(parallel);
		rc = ompd_get_curr_task_handle(handles->thread, &task);
	}
	if (rc == ompd_rc_ok)
		ompd_rel_task_handle(task);
	else if (!handles->parallel || rc != ompd_rc_unavailable || note->oracle.num_threads != 1)
		complain("%s has no %s: %d, %s", thread_label(note),
			 handles->parallel ? "task" : "region", rc, ompd_ext_last_reason());
	return rc == ompd_rc_ok;
}

static void check_note(const struct scene_note *note, const struct handles *places, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t pthread = 0;
		int32_t lwp = 0;

		if (ompd_get_thread_id(places[i].thread, ompd_thread_id_pthread, sizeof(pthread),
				       &pthread) != ompd_rc_ok ||
		    pthread != note->pthread)
			continue;
		if (ompd_get_thread_id(places[i].thread, ompd_thread_id_lwp, sizeof(lwp), &lwp) ==
		    ompd_rc_ok)
			compare(note, "LWP", lwp, note->lwp);
		compare_state(note, &places[i]);
		if (!has_both(note, &places[i]))
			return;
		compare_variables(note, &places[i]);
		compare_levels(note, &places[i]);
		compare_locks(note, &places[i]);
		return;
	}
	complain("%s is not enumerated", thread_label(note));
}

void check_values(const struct handles *places, size_t count)
{
	for (int i = 0; i < truth.count; i++)
		check_note(&truth.notes[i], places, count);
}
