// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Critical sections, atomic updates that need a lock, and ordered regions.

#include "mutex.h"

void gomp_mutex_acquire(struct thread *thread, ompt_mutex_t kind, ompt_callbacks_t event,
			uint64_t wait_id, const void *code)
{
	ompt_callback_mutex_acquire_t callback = CALLBACK_AS(event, ompt_callback_mutex_acquire_t);

	thread->wait_id = wait_id;
	if (callback)
		callback(kind, 0, GOMP_MUTEX_FUTEX, wait_id, code);
}

void gomp_mutex_event(ompt_mutex_t kind, ompt_callbacks_t event, uint64_t wait_id, const void *code)
{
	ompt_callback_mutex_t callback = CALLBACK_AS(event, ompt_callback_mutex_t);

	if (callback)
		callback(kind, wait_id, code);
}

// What stands for the mutexes that libgomp does not name.
static char unnamed_critical, atomic;

/** Return what stands for the ordered regions of the loop that a thread is in. */
static uint64_t ordered_id(const struct thread *thread)
{
	return (uint64_t)(uintptr_t)thread->implicit->task.region;
}

#define START(name, params, args, kind, state_, id)                                            \
	ENTRY(void, name, params, args)                                                        \
	{                                                                                      \
		struct thread *thread = this_thread();                                         \
		uint64_t wait_id = (uint64_t)(uintptr_t)(id);                                  \
		int state;                                                                     \
                                                                                               \
		enter_frame(thread, FRAME_ADDRESS);                                            \
		gomp_mutex_acquire(thread, kind, ompt_callback_mutex_acquire, wait_id,         \
				   RETURN_ADDRESS);                                            \
		state = set_state(thread, state_);                                             \
		gomp_real.name args;                                                           \
		thread->state = state;                                                         \
		gomp_mutex_event(kind, ompt_callback_mutex_acquired, wait_id, RETURN_ADDRESS); \
		leave_frame(thread);                                                           \
	}

#define END(name, params, args, kind, id)                                                       \
	ENTRY(void, name, params, args)                                                         \
	{                                                                                       \
		struct thread *thread = this_thread();                                          \
                                                                                                \
		enter_frame(thread, FRAME_ADDRESS);                                             \
		gomp_real.name args;                                                            \
		gomp_mutex_event(kind, ompt_callback_mutex_released, (uint64_t)(uintptr_t)(id), \
				 RETURN_ADDRESS);                                               \
		leave_frame(thread);                                                            \
	}

START(GOMP_critical_start, (void), (), ompt_mutex_critical, ompt_state_wait_critical,
      &unnamed_critical)
END(GOMP_critical_end, (void), (), ompt_mutex_critical, &unnamed_critical)
START(GOMP_critical_name_start, (void **name), (name), ompt_mutex_critical,
      ompt_state_wait_critical, name)
END(GOMP_critical_name_end, (void **name), (name), ompt_mutex_critical, name)
START(GOMP_atomic_start, (void), (), ompt_mutex_atomic, ompt_state_wait_atomic, &atomic)
END(GOMP_atomic_end, (void), (), ompt_mutex_atomic, &atomic)
START(GOMP_ordered_start, (void), (), ompt_mutex_ordered, ompt_state_wait_ordered,
      ordered_id(thread))
END(GOMP_ordered_end, (void), (), ompt_mutex_ordered, ordered_id(thread))
