// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks, simple and nestable, of C and of Fortran. A lock's wait id is its address. Fortran's
// nestable locks are pointers to locks that libgomp allocates: their wait id is what they point to.

#include "mutex.h"

#define SIMPLE_ID(lock) ((uint64_t)(uintptr_t)(lock))
#define FORTRAN_NEST_ID(lock) ((uint64_t)(uintptr_t) * (void **)(lock))

#define INIT(name, kind, id)                                                        \
	ENTRY(void, name, (void *lock), (lock))                                     \
	{                                                                           \
		struct thread *thread = this_thread();                              \
                                                                                    \
		enter_frame(thread, FRAME_ADDRESS);                                 \
		gomp_real.name(lock);                                               \
		gomp_mutex_acquire(thread, kind, ompt_callback_lock_init, id(lock), \
				   RETURN_ADDRESS);                                 \
		leave_frame(thread);                                                \
	}

#define DESTROY(name, kind, id)                                                               \
	ENTRY(void, name, (void *lock), (lock))                                               \
	{                                                                                     \
		struct thread *thread = this_thread();                                        \
                                                                                              \
		enter_frame(thread, FRAME_ADDRESS);                                           \
		gomp_mutex_event(kind, ompt_callback_lock_destroy, id(lock), RETURN_ADDRESS); \
		gomp_real.name(lock);                                                         \
		leave_frame(thread);                                                          \
	}

INIT(omp_init_lock, ompt_mutex_lock, SIMPLE_ID)
INIT(omp_init_lock_, ompt_mutex_lock, SIMPLE_ID)
INIT(omp_init_nest_lock, ompt_mutex_nest_lock, SIMPLE_ID)
INIT(omp_init_nest_lock_, ompt_mutex_nest_lock, FORTRAN_NEST_ID)
DESTROY(omp_destroy_lock, ompt_mutex_lock, SIMPLE_ID)
DESTROY(omp_destroy_lock_, ompt_mutex_lock, SIMPLE_ID)
DESTROY(omp_destroy_nest_lock, ompt_mutex_nest_lock, SIMPLE_ID)
DESTROY(omp_destroy_nest_lock_, ompt_mutex_nest_lock, FORTRAN_NEST_ID)

#define SET(name)                                                                                \
	ENTRY(void, name, (void *lock), (lock))                                                  \
	{                                                                                        \
		struct thread *thread = this_thread();                                           \
		int state;                                                                       \
                                                                                                 \
		enter_frame(thread, FRAME_ADDRESS);                                              \
		gomp_mutex_acquire(thread, ompt_mutex_lock, ompt_callback_mutex_acquire,         \
				   SIMPLE_ID(lock), RETURN_ADDRESS);                             \
		state = set_state(thread, ompt_state_wait_lock);                                 \
		gomp_real.name(lock);                                                            \
		thread->state = state;                                                           \
		gomp_mutex_event(ompt_mutex_lock, ompt_callback_mutex_acquired, SIMPLE_ID(lock), \
				 RETURN_ADDRESS);                                                \
		leave_frame(thread);                                                             \
	}

#define UNSET(name)                                                                              \
	ENTRY(void, name, (void *lock), (lock))                                                  \
	{                                                                                        \
		struct thread *thread = this_thread();                                           \
                                                                                                 \
		enter_frame(thread, FRAME_ADDRESS);                                              \
		gomp_real.name(lock);                                                            \
		gomp_mutex_event(ompt_mutex_lock, ompt_callback_mutex_released, SIMPLE_ID(lock), \
				 RETURN_ADDRESS);                                                \
		leave_frame(thread);                                                             \
	}

#define TEST(type, name)                                                                      \
	ENTRY(type, name, (void *lock), (lock))                                               \
	{                                                                                     \
		struct thread *thread = this_thread();                                        \
		type result;                                                                  \
                                                                                              \
		enter_frame(thread, FRAME_ADDRESS);                                           \
		gomp_mutex_acquire(thread, ompt_mutex_test_lock, ompt_callback_mutex_acquire, \
				   SIMPLE_ID(lock), RETURN_ADDRESS);                          \
		result = gomp_real.name(lock);                                                \
		if (result)                                                                   \
			gomp_mutex_event(ompt_mutex_test_lock, ompt_callback_mutex_acquired,  \
					 SIMPLE_ID(lock), RETURN_ADDRESS);                    \
		leave_frame(thread);                                                          \
		return result;                                                                \
	}

SET(omp_set_lock)
SET(omp_set_lock_)
UNSET(omp_unset_lock)
UNSET(omp_unset_lock_)
TEST(int, omp_test_lock)
TEST(int32_t, omp_test_lock_)

/** Tell the tool that a thread has a nestable lock now, for the first or one more time. */
static void nested(ompt_mutex_t kind, int depth, uint64_t wait_id, const void *code)
{
	ompt_callback_nest_lock_t callback = CALLBACK(ompt_callback_nest_lock);

	if (depth == 1)
		gomp_mutex_event(kind, ompt_callback_mutex_acquired, wait_id, code);
	else if (depth > 1 && callback)
		callback(ompt_scope_begin, wait_id, code);
}

// How often a thread has a nestable lock, only the function that tests it says. So a test comes
// first, and a lock that it cannot take is waited for: it is then taken for the first time.
#define NEST_SET(name, test, id)                                                              \
	ENTRY(void, name, (void *lock), (lock))                                               \
	{                                                                                     \
		struct thread *thread = this_thread();                                        \
		int depth, state;                                                             \
                                                                                              \
		enter_frame(thread, FRAME_ADDRESS);                                           \
		gomp_mutex_acquire(thread, ompt_mutex_nest_lock, ompt_callback_mutex_acquire, \
				   id(lock), RETURN_ADDRESS);                                 \
		state = set_state(thread, ompt_state_wait_lock);                              \
		depth = gomp_real.test(lock);                                                 \
		if (!depth) {                                                                 \
			gomp_real.name(lock);                                                 \
			depth = 1;                                                            \
		}                                                                             \
		thread->state = state;                                                        \
		nested(ompt_mutex_nest_lock, depth, id(lock), RETURN_ADDRESS);                \
		leave_frame(thread);                                                          \
	}

#define NEST_UNSET(name, test, id)                                                           \
	ENTRY(void, name, (void *lock), (lock))                                              \
	{                                                                                    \
		ompt_callback_nest_lock_t callback = CALLBACK(ompt_callback_nest_lock);      \
		struct thread *thread = this_thread();                                       \
		int depth;                                                                   \
                                                                                             \
		enter_frame(thread, FRAME_ADDRESS);                                          \
		depth = gomp_real.test(lock);                                                \
		if (depth)                                                                   \
			gomp_real.name(lock);                                                \
		gomp_real.name(lock);                                                        \
		if (depth <= 2)                                                              \
			gomp_mutex_event(ompt_mutex_nest_lock, ompt_callback_mutex_released, \
					 id(lock), RETURN_ADDRESS);                          \
		else if (callback)                                                           \
			callback(ompt_scope_end, id(lock), RETURN_ADDRESS);                  \
		leave_frame(thread);                                                         \
	}

#define NEST_TEST(type, name, id)                                                                  \
	ENTRY(type, name, (void *lock), (lock))                                                    \
	{                                                                                          \
		struct thread *thread = this_thread();                                             \
		type depth;                                                                        \
                                                                                                   \
		enter_frame(thread, FRAME_ADDRESS);                                                \
		gomp_mutex_acquire(thread, ompt_mutex_test_nest_lock, ompt_callback_mutex_acquire, \
				   id(lock), RETURN_ADDRESS);                                      \
		depth = gomp_real.name(lock);                                                      \
		nested(ompt_mutex_test_nest_lock, depth, id(lock), RETURN_ADDRESS);                \
		leave_frame(thread);                                                               \
		return depth;                                                                      \
	}

NEST_SET(omp_set_nest_lock, omp_test_nest_lock, SIMPLE_ID)
NEST_SET(omp_set_nest_lock_, omp_test_nest_lock_, FORTRAN_NEST_ID)
NEST_UNSET(omp_unset_nest_lock, omp_test_nest_lock, SIMPLE_ID)
NEST_UNSET(omp_unset_nest_lock_, omp_test_nest_lock_, FORTRAN_NEST_ID)
NEST_TEST(int, omp_test_nest_lock, SIMPLE_ID)
NEST_TEST(int32_t, omp_test_nest_lock_, FORTRAN_NEST_ID)
