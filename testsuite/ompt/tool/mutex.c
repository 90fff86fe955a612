// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mutual exclusion: what a thread acquires it asked for, and what it gives back it has.

#include "tool.h"

static bool is_test(ompt_mutex_t kind)
{
	return kind == ompt_mutex_test_lock || kind == ompt_mutex_test_nest_lock;
}

static void on_lock_init(ompt_mutex_t kind, unsigned int hint, unsigned int impl, ompt_wait_id_t id,
			 const void *code)
{
	(void)hint;
	(void)impl;
	enter(EVENT_LOCK_INIT, kind);
	if (!id)
		complain("lock_init: no wait id");
	check_code(EVENT_LOCK_INIT, code);
}

static void on_lock_destroy(ompt_mutex_t kind, ompt_wait_id_t id, const void *code)
{
	enter(EVENT_LOCK_DESTROY, kind);
	if (!id)
		complain("lock_destroy: no wait id");
	check_code(EVENT_LOCK_DESTROY, code);
}

static void on_mutex_acquire(ompt_mutex_t kind, unsigned int hint, unsigned int impl,
			     ompt_wait_id_t id, const void *code)
{
	struct thread *thread = enter(EVENT_ACQUIRE, kind);

	(void)hint;
	(void)impl;
	if (!id)
		complain("acquire.%s: no wait id", kind_name(EVENT_ACQUIRE, kind));
	check_code(EVENT_ACQUIRE, code);
	// Nobody waits for two; a test may have failed before.
	if (thread->awaited && !is_test(thread->awaited_kind))
		complain("acquire: the thread waits for another one");
	thread->awaited = id;
	thread->awaited_kind = kind;
}

static void on_mutex_acquired(ompt_mutex_t kind, ompt_wait_id_t id, const void *code)
{
	struct thread *thread = enter(EVENT_ACQUIRED, kind);

	check_code(EVENT_ACQUIRED, code);
	if (thread->awaited != id || thread->awaited_kind != kind)
		complain("acquired.%s: the thread did not ask for it",
			 kind_name(EVENT_ACQUIRED, kind));
	thread->awaited = 0;
	for (unsigned int i = 0; i < thread->held_count; i++)
		if (thread->held[i] == id)
			complain("acquired.%s: the thread had it before",
				 kind_name(EVENT_ACQUIRED, kind));
	if (thread->held_count == HELD)
		complain("acquired: the thread holds %d", HELD);
	else
		thread->held[thread->held_count++] = id;
}

// Tied tasks give back what they took, in the same thread.
static bool holds(struct thread *thread, ompt_wait_id_t id, bool forget)
{
	for (unsigned int i = thread->held_count; i-- > 0;) {
		if (thread->held[i] != id)
			continue;
		if (forget)
			thread->held[i] = thread->held[--thread->held_count];
		return true;
	}
	return false;
}

static void on_mutex_released(ompt_mutex_t kind, ompt_wait_id_t id, const void *code)
{
	struct thread *thread = enter(EVENT_RELEASED, kind);

	check_code(EVENT_RELEASED, code);
	if (!holds(thread, id, true))
		complain("released.%s: the thread did not have it",
			 kind_name(EVENT_RELEASED, kind));
}

static void on_nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t id, const void *code)
{
	enum event event = endpoint == ompt_scope_begin ? EVENT_NEST_BEGIN : EVENT_NEST_END;
	struct thread *thread = enter(event, 0);

	check_code(event, code);
	// An attempt to take it once more, too, ends here.
	thread->awaited = 0;
	if (!holds(thread, id, false))
		complain("%s: the thread does not have the lock", event_name(event));
}

void register_mutex_callbacks(void)
{
	SET(lock_init, sometimes);
	SET(lock_destroy, sometimes);
	SET(mutex_acquire, sometimes);
	SET(mutex_acquired, sometimes);
	SET(mutex_released, sometimes);
	SET(nest_lock, sometimes);
}
