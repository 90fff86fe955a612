// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks, critical, ordered and atomic: how long threads waited for each, and held it.

#include "profile/room.h"

enum { MOST_LOCKS = 1 << 16 };

static enum profile_kind kind_of(uint16_t detail)
{
	static const enum profile_kind kinds[] = {
		PROFILE_MUTEX,	   PROFILE_LOCK,     PROFILE_LOCK,   PROFILE_NEST_LOCK,
		PROFILE_NEST_LOCK, PROFILE_CRITICAL, PROFILE_ATOMIC, PROFILE_ORDERED,
	};

	return detail < sizeof(kinds) / sizeof(*kinds) ? kinds[detail] : PROFILE_MUTEX;
}

/** Find a lock. @return NULL: it is one too many. */
static struct profile_lock *lock_of(struct profile *profile, const struct trace_event *event)
{
	struct map *known = &profile->room->locks;
	enum profile_kind kind = kind_of(event->detail);
	// Where locks were, there may be other locks later.
	uint64_t key = event->object * PROFILE_KINDS + kind;
	struct profile_lock *lock = map_get(known, key);

	if (lock)
		return lock;
	if (profile->num_locks == MOST_LOCKS) {
		profile->other_locks++;
		return NULL;
	}
	lock = ARENA_NEW(&profile->arena, struct profile_lock);
	lock->kind = kind;
	lock->object = event->object;
	map_add(known, &profile->pool, key, lock);
	*ARENA_APPEND(&profile->arena, profile->locks, profile->num_locks,
		      profile->locks_capacity) = lock;
	return lock;
}

/** Find the place where a lock is taken: 1 + its index. */
static size_t place_of(struct profile *profile, struct profile_lock *lock,
		       const struct trace_event *event)
{
	uint32_t construct = construct_of(profile, lock->kind, event);

	for (size_t i = 0; i < lock->num_places; i++) {
		if (lock->places[i].construct == construct)
			return i + 1;
	}
	ARENA_APPEND(&profile->arena, lock->places, lock->num_places, lock->capacity)->construct =
		construct;
	return lock->num_places;
}

/** End the hold of a lock. */
static void released(struct profile_lock *lock, uint64_t now)
{
	uint64_t time = now > lock->since ? now - lock->since : 0;

	stat_add(&lock->hold, time);
	stat_add(&lock->places[lock->taken_at - 1].hold, time);
}

static void taken(struct profile *profile, const struct trace_event *event)
{
	struct thread_state *thread = &profile->room->threads[event->thread];
	struct profile_lock *lock = lock_of(profile, event);
	bool waited = thread->acquires && thread->mutex == event->object;

	thread->acquires = false;
	if (!lock)
		return;
	// The runtime may tell of a release when the next owner has it already.
	if (lock->taken_at)
		released(lock, event->time);
	lock->late = lock->taken_at ? lock->holder + 1 : 0;
	lock->holder = event->thread;
	lock->taken_at = place_of(profile, lock, event);
	lock->since = event->time;
	struct profile_lock_place *place = &lock->places[lock->taken_at - 1];
	lock->count++;
	place->count++;
	if (!waited)
		return;
	stat_add(&lock->wait, event->time - thread->acquire_begin);
	stat_add(&place->wait, event->time - thread->acquire_begin);
}

void mutex_event(struct profile *profile, const struct trace_event *event)
{
	struct thread_state *thread = &profile->room->threads[event->thread];
	struct profile_lock *lock;

	switch (event->kind) {
	case RECORD_ACQUIRE:
		thread->acquires = true;
		thread->mutex = event->object;
		thread->acquire_begin = event->time;
		break;
	case RECORD_ACQUIRED:
		taken(profile, event);
		break;
	case RECORD_RELEASED:
		lock = lock_of(profile, event);
		if (!lock || !lock->taken_at)
			break;
		if (lock->late == event->thread + 1) {
			lock->late = 0;
			break;
		}
		released(lock, event->time);
		lock->taken_at = 0;
		break;
	default:
		thread->acquires = false;
	}
}
