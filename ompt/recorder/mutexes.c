// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mutexes: locks, critical, atomic and ordered; who holds each.

#include <string.h>

#include "ompt/test_locks.h"
#include "recorder.h"

// record_hold from `kind` on, as one word: what makes a hold valid is written by one store.
struct hold_state {
	uint16_t kind;
	uint16_t turn;
	uint32_t depth;
};

/** Return the address of the word. */
static uint64_t *word_of(struct record_hold *hold)
{
	_Static_assert(offsetof(struct record_hold, kind) == 24, "a word of its own");
	_Static_assert(offsetof(struct record_hold, depth) == 28, "in that word");
	return (uint64_t *)(void *)((char *)hold + offsetof(struct record_hold, kind));
}

/** Write the word. */
static void set_state(struct record_hold *hold, struct hold_state state)
{
	uint64_t word;

	memcpy(&word, &state, sizeof(word));
	__atomic_store_n(word_of(hold), word, __ATOMIC_RELAXED);
}

/** Read the word. */
static struct hold_state get_state(struct record_hold *hold)
{
	uint64_t word = __atomic_load_n(word_of(hold), __ATOMIC_RELAXED);
	struct hold_state state;

	memcpy(&state, &word, sizeof(state));
	return state;
}

/** Return the kind of mutex without the way in which it is acquired. */
static uint16_t plain_kind(ompt_mutex_t kind)
{
	if (kind == ompt_mutex_test_lock)
		return ompt_mutex_lock;
	if (kind == ompt_mutex_test_nest_lock)
		return ompt_mutex_nest_lock;
	return (uint16_t)kind;
}

/** Record that the thread holds a mutex. */
static void add_hold(struct thread *thread, ompt_mutex_t kind, uint64_t object, const void *code,
		     uint64_t now)
{
	uint32_t number = thread->shown.num_holds, place;
	struct record_hold *hold;

	while (number > 0 && !get_state(&thread->holds[number - 1]).kind)
		number--;
	place = number;
	if (UNLIKELY(number == MAX_HOLDS)) {
		for (place = 0; place < MAX_HOLDS && get_state(&thread->holds[place]).kind;)
			place++;
		if (place == MAX_HOLDS) {
			thread->shown.lost_holds++;
			return;
		}
		number--;
	}
	hold = &thread->holds[place];
	__atomic_store_n(&hold->since, now, __ATOMIC_RELAXED);
	hold->code = (uint64_t)(uintptr_t)code;
	__atomic_store_n(&hold->object, object, __ATOMIC_RELAXED);
	ordered();
	set_state(hold, (struct hold_state){ plain_kind(kind), thread->turn++, 1 });
	ordered();
	__atomic_store_n(&thread->shown.num_holds, number + 1, __ATOMIC_RELAXED);
}

/** Find the latest hold of a mutex by the thread, or null. */
static struct record_hold *find_hold(struct thread *thread, uint64_t object)
{
	for (uint32_t i = thread->shown.num_holds; i-- > 0;) {
		struct record_hold *hold = &thread->holds[i];

		if (__atomic_load_n(&hold->object, __ATOMIC_RELAXED) == object &&
		    get_state(hold).kind)
			return hold;
	}
	return NULL;
}

/** End a hold of any thread, unless its entry has been used for another since it was read. */
static bool end_hold(struct record_hold *hold, struct hold_state state)
{
	uint64_t word;

	memcpy(&word, &state, sizeof(word));
	return __atomic_compare_exchange_n(word_of(hold), &word, 0, false, __ATOMIC_RELAXED,
					   __ATOMIC_RELAXED);
}

/** End the oldest hold of a mutex, whatever thread it is of; return whether there was one. As the
 *  runtime reports a release late, the next owner may be recorded already, but it is not the oldest.
 */
static bool end_oldest_hold(uint64_t object)
{
	struct record_hold *oldest = NULL;
	struct hold_state state = { 0 };
	uint64_t since = UINT64_MAX;
	struct thread *thread;

	for (thread = first_thread(); thread;
	     thread = (struct thread *)(uintptr_t)thread->shown.next) {
		uint32_t number = __atomic_load_n(&thread->shown.num_holds, __ATOMIC_RELAXED);

		for (uint32_t i = 0; i < number && i < MAX_HOLDS; i++) {
			struct record_hold *hold = &thread->holds[i];
			struct hold_state now = get_state(hold);
			uint64_t begun;

			if (!now.kind || __atomic_load_n(&hold->object, __ATOMIC_RELAXED) != object)
				continue;
			begun = __atomic_load_n(&hold->since, __ATOMIC_RELAXED);
			if (begun < since) {
				oldest = hold;
				state = now;
				since = begun;
			}
		}
	}
	return oldest && end_hold(oldest, state);
}

/** End the hold of a mutex that was released. */
static void end_released(struct thread *thread, uint64_t object)
{
	struct record_hold *hold = find_hold(thread, object);

	if (LIKELY(hold != NULL)) {
		set_state(hold, (struct hold_state){ 0 });
		if (hold == &thread->holds[thread->shown.num_holds - 1])
			__atomic_store_n(&thread->shown.num_holds, thread->shown.num_holds - 1,
					 __ATOMIC_RELAXED);
	} else if (thread->shown.lost_holds) {
		thread->shown.lost_holds--;
	} else {
		end_oldest_hold(object);
	}
}

/** Take a release whose thread cannot write: it has no block, or is just writing. */
static COLD void release_otherwise(uint64_t object)
{
	struct thread *thread = this_thread;
	struct record_hold *hold = NULL;

	if (thread != &lost_thread)
		hold = find_hold(thread, object);
	if (hold)
		end_hold(hold, get_state(hold));
	else if (thread->shown.lost_holds && thread != &lost_thread)
		thread->shown.lost_holds--;
	else
		end_oldest_hold(object);
}

static void on_acquire(ompt_mutex_t kind, unsigned int hint, unsigned int impl,
		       ompt_wait_id_t wait_id, const void *code)
{
	struct thread *thread = enter();
	uint64_t now;

	if (!thread)
		return;
	now = ticks();
	put(thread, now, RECORD_ACQUIRE, wait_id, 0, (uint16_t)kind, code);
	if (kind != ompt_mutex_test_lock && kind != ompt_mutex_test_nest_lock &&
	    !tests_lock((uintptr_t)__builtin_return_address(0))) {
		struct record_wait *wait = &thread->shown.acquire; // none: enter() has ended it

		thread->plain_until = 0; // the next event has to end this
		wait->since = now;
		wait->code = (uint64_t)(uintptr_t)code;
		wait->object = wait_id;
		wait->detail = kind;
		ordered();
		wait->kind = RECORD_ACQUIRE;
	}
	leave(thread);
}

static void on_acquired(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *code)
{
	struct thread *thread = enter();
	uint64_t now;

	if (UNLIKELY(!thread)) {
		if (this_thread != &lost_thread)
			this_thread->shown.lost_holds++;
		return;
	}
	now = ticks();
	add_hold(thread, kind, wait_id, code, now);
	put(thread, now, RECORD_ACQUIRED, wait_id, 0, (uint16_t)kind, code);
	leave(thread);
}

static void on_released(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *code)
{
	struct thread *thread = enter();

	if (UNLIKELY(!thread)) {
		release_otherwise(wait_id);
		return;
	}
	end_released(thread, wait_id);
	ordered();
	put(thread, ticks(), RECORD_RELEASED, wait_id, 0, (uint16_t)kind, code);
	leave(thread);
}

static void on_nest_lock(ompt_scope_endpoint_t endpoint, ompt_wait_id_t wait_id, const void *code)
{
	struct thread *thread = enter();
	struct record_hold *hold;
	bool again = endpoint == ompt_scope_begin;

	if (!thread)
		return;
	hold = find_hold(thread, wait_id);
	if (hold) {
		struct hold_state state = get_state(hold);

		state.depth += again ? 1 : UINT32_MAX;
		set_state(hold, state);
	}
	put(thread, ticks(), again ? RECORD_NEST_BEGIN : RECORD_NEST_END, wait_id, 0, 0, code);
	leave(thread);
}

/** End all holds of a lock that is created or destroyed. */
static void end_holds(uint64_t object)
{
	while (end_oldest_hold(object))
		;
}

static void on_lock_init(ompt_mutex_t kind, unsigned int hint, unsigned int impl,
			 ompt_wait_id_t wait_id, const void *code)
{
	struct thread *thread = enter();

	end_holds(wait_id);
	if (!thread)
		return;
	put(thread, ticks(), RECORD_LOCK_INIT, wait_id, 0, (uint16_t)kind, code);
	leave(thread);
}

static void on_lock_destroy(ompt_mutex_t kind, ompt_wait_id_t wait_id, const void *code)
{
	struct thread *thread = enter();

	end_holds(wait_id);
	if (!thread)
		return;
	put(thread, ticks(), RECORD_LOCK_DESTROY, wait_id, 0, (uint16_t)kind, code);
	leave(thread);
}

/** Register the callbacks for mutexes. */
void mutexes_set_callbacks(ompt_set_callback_t set)
{
	find_lock_tests();
	set(ompt_callback_mutex_acquire, (ompt_callback_t)on_acquire);
	set(ompt_callback_mutex_acquired, (ompt_callback_t)on_acquired);
	set(ompt_callback_mutex_released, (ompt_callback_t)on_released);
	set(ompt_callback_nest_lock, (ompt_callback_t)on_nest_lock);
	set(ompt_callback_lock_init, (ompt_callback_t)on_lock_init);
	set(ompt_callback_lock_destroy, (ompt_callback_t)on_lock_destroy);
}
