// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thread states (OpenMP 5.2, 20.5.8).

#include "api/handles.h"

#define STATE(name)                                    \
	{                                              \
		ompt_state_##name, "ompt_state_" #name \
	}

static const struct {
	ompt_state_t state;
	const char *name;
} states[] = {
	STATE(work_serial),
	STATE(work_parallel),
	STATE(work_reduction),
	STATE(wait_barrier),
	STATE(wait_barrier_implicit_parallel),
	STATE(wait_barrier_implicit_workshare),
	STATE(wait_barrier_implicit),
	STATE(wait_barrier_explicit),
	STATE(wait_barrier_implementation),
	STATE(wait_barrier_teams),
	STATE(wait_taskwait),
	STATE(wait_taskgroup),
	STATE(wait_mutex),
	STATE(wait_lock),
	STATE(wait_critical),
	STATE(wait_atomic),
	STATE(wait_ordered),
	STATE(wait_target),
	STATE(wait_target_map),
	STATE(wait_target_update),
	STATE(idle),
	STATE(overhead),
	STATE(undefined),
};

enum {
	STATE_COUNT = sizeof(states) / sizeof(states[0]),
};

/**
 * Enumerate the states: from ompt_state_undefined on, each exactly once, undefined last.
 * @param[out] next_state_name owned by the caller.
 * @return ok; bad_input (no place for a result, or no state after @p current_state); nomem.
 */
ompd_rc_t ompd_enumerate_states(ompd_address_space_handle_t *address_space_handle,
				ompd_word_t current_state, ompd_word_t *next_state,
				const char **next_state_name, ompd_word_t *more_enums)
{
	size_t next = 0;

	API_ENTER(space, ADDRESS_SPACE, address_space_handle);
	API_CHECK(next_state && next_state_name && more_enums, "result pointer is NULL");
	if (current_state != ompt_state_undefined) {
		while (next < STATE_COUNT && (ompd_word_t)states[next].state != current_state)
			next++;
		next++;
	}
	if (next >= STATE_COUNT)
		return reason(ompd_rc_bad_input, "unknown state %lld", (long long)current_state);
	*next_state_name = target_strdup(&space->target, states[next].name);
	if (!*next_state_name)
		return ompd_rc_nomem;
	*next_state = states[next].state;
	*more_enums = next + 1 < STATE_COUNT;
	return ompd_rc_ok;
}

/**
 * Return the state of a thread, where the runtime records it, and what it waits for (0: not
 * recorded).
 * @return ok; unavailable (not recorded); stale_handle; bad_input; error.
 */
ompd_rc_t ompd_get_state(ompd_thread_handle_t *thread_handle, ompd_word_t *state,
			 ompd_wait_id_t *wait_id)
{
	ompd_wait_id_t ignored;

	API_ENTER(self, THREAD, thread_handle);
	API_CHECK(state, "state pointer is NULL");
	const struct api_space *space = self->space;

	API_READ_THREAD(self, THREAD_STATE);
	return space->family->state(space->runtime, self->thread, state,
				    wait_id ? wait_id : &ignored);
}

ompd_rc_t ompd_ext_get_state_tracking(ompd_address_space_handle_t *handle)
{
	API_ENTER_RUNTIME(space, handle);
	return space->family->tool_active(space->runtime);
}
