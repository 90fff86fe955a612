// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Locks, critical constructs and ordered regions that threads wait for, and who holds them.

#include "diagnose/room.h"

// ---- Which locks -------------------------------------------------------------------------------

static bool is_waited_for(const struct wait *wait)
{
	return wait &&
	       (wait_kind(wait->kind)->family == FAMILY_MUTEX || is_ordered_kind(wait->kind));
}

static bool is_same_lock(const struct lock *lock, struct thread *thread, const struct wait *wait)
{
	const struct thread *first = lock->waiters.all[0];

	if (lock->runtime != thread->runtime || lock->kind != wait->kind)
		return false;
	if (is_ordered_kind(wait->kind))
		return first->team == thread->team;
	return wait->address && lock->address == wait->address;
}

static void collect(struct process *process, struct diagnose_room *room)
{
	struct arena *arena = &process->arena;

	room->locks = ARENA_ARRAY(arena, struct lock, process->num_targets);
	for (size_t i = 0; i < process->num_targets; i++) {
		struct thread *thread = process->threads[i];
		const struct wait *wait = thread_wait(thread);
		struct lock *lock = room->locks;
		if (!is_waited_for(wait))
			continue;
		while (lock < room->locks + room->num_locks && !is_same_lock(lock, thread, wait))
			lock++;
		if (lock == room->locks + room->num_locks) {
			room->num_locks++;
			lock->kind = wait->kind;
			lock->title = wait->title;
			lock->symbol = wait->symbol;
			lock->variable = wait->variable;
			lock->runtime = thread->runtime;
			lock->address = wait->address;
			lock->is_held = UNKNOWN;
		}
		thread_list_append(&lock->waiters, arena, thread);
	}
}

// ---- Who holds them ----------------------------------------------------------------------------

/** Find whose turn it is in an ordered region. */
static void find_turn(struct process *process, struct lock *lock)
{
	struct thread *first = lock->waiters.all[0];
	int turn;

	if (!first->handle || !first->team || lock->kind != ompd_ext_wait_ordered ||
	    !is_ok(SPACE_CALL(lock->runtime->space, ext_get_ordered_turn, first->handle, &turn))) {
		lock->reason = "the runtime does not record whose turn it is";
		return;
	}
	lock->owner = team_member(first->team, turn);
	lock->source = OWNER_RECORDED;
	if (!lock->owner)
		lock->reason = process_is_seen_whole(process) ?
				       "the thread whose turn it is has left" :
				       "the thread whose turn it is was not examined";
}

static void find_recorded_thread(struct process *process, struct lock *lock, uint64_t id)
{
	for (size_t i = 0; i < process->num_targets; i++) {
		struct thread *thread = process->threads[i];
		if (thread->handle && thread->runtime == lock->runtime && thread->id == id) {
			lock->owner = thread;
			lock->source = OWNER_RECORDED;
		}
	}
	if (!lock->owner)
		lock->reason = "its recorded owner was not examined";
}

/** Say why the recorded owner is no thread. */
static const char *why_unknown(struct arena *arena, const ompd_ext_lock_info *info)
{
	switch (info->owner) {
	case ompd_ext_lock_owner_task:
		return "its recorded owner is a task that no thread runs (suspended or ended, or "
		       "the lock was overwritten)";
	case ompd_ext_lock_owner_missing:
		return arena_printf(arena,
				    "its recorded owner, gtid %ld, does not exist (the thread has "
				    "ended, or the lock was overwritten)",
				    (long)info->recorded);
	case ompd_ext_lock_owner_invalid:
		return arena_printf(arena,
				    "it is damaged: its recorded owner, gtid %ld, never existed",
				    (long)info->recorded);
	default:
		return "the runtime records no owner";
	}
}

/** Ask the runtime. @return false: it does not record an owner, or it could not be asked. */
static bool find_recorded_owner(struct process *process, struct lock *lock)
{
	uint32_t kind = lock->kind == ompd_ext_wait_critical  ? ompd_ext_lock_critical :
			lock->kind == ompd_ext_wait_nest_lock ? ompd_ext_lock_nested :
								ompd_ext_lock_simple;
	struct space *space = lock->runtime->space;
	ompd_ext_lock_info info;
	struct ompdbg_error *error = SPACE_CALL(space, ext_get_lock_info, space_handle(space), kind,
						lock->address, &info);

	if (error) {
		lock->reason = arena_strdup(&process->arena, error->message);
		ompdbg_error_destroy(error);
		return false;
	}
	lock->is_held = info.held ? YES : NO;
	if (!info.held) {
		lock->reason = "free at this moment";
		return true;
	}
	if (info.owner == ompd_ext_lock_owner_thread) {
		find_recorded_thread(process, lock, info.thread);
		return true;
	}
	lock->reason = why_unknown(&process->arena, &info);
	lock->owner_ended = info.owner == ompd_ext_lock_owner_missing;
	return lock->owner_ended;
}

/** Find who owns a lock of the C library. */
static void find_system_owner(struct process *process, struct lock *lock)
{
	struct lock_state state;

	if (!read_system_lock(process, lock->kind, lock->address, &state))
		return;
	lock->is_held = YES;
	for (size_t i = 0; i < process->num_targets; i++) {
		if (!state.owner || thread_own_id(process->threads[i]) != state.owner)
			continue;
		lock->owner = process->threads[i];
		lock->source = OWNER_RECORDED;
		return;
	}
	// The thread has ended, or the lock was overwritten.
	lock->reason = state.owner ?
			       arena_printf(&process->arena,
					    "its recorded owner, LWP %d, is not among the threads",
					    state.owner) :
		       state.num_readers ?
			       arena_printf(&process->arena, "%u reader%s, whom it does not record",
					    state.num_readers, state.num_readers == 1 ? "" : "s") :
			       "it records no owner";
	if (!state.owner && lock->kind != WAIT_PTHREAD_MUTEX)
		find_candidates(process, lock);
}

static void find_owner(struct process *process, struct lock *lock)
{
	bool is_asked = lock->address && is_lock_kind(lock->kind);

	if ((is_asked && find_recorded_owner(process, lock)) ||
	    find_owner_in_history(process, lock))
		return;
	find_candidates(process, lock);
	if (!lock->num_candidates && !lock->reason)
		lock->reason = lock->address ? "the runtime records no owner" :
					       "unknown lock: neither the runtime nor the code of "
					       "the call identifies it";
}

struct lock *process_locks(struct process *process, size_t *count)
{
	struct diagnose_room *room = diagnose_room(process);

	if (!room->has_locks) {
		room->has_locks = true;
		collect(process, room);
		for (size_t i = 0; i < room->num_locks; i++) {
			if (is_ordered_kind(room->locks[i].kind))
				find_turn(process, &room->locks[i]);
			else if (is_system_lock_kind(room->locks[i].kind))
				find_system_owner(process, &room->locks[i]);
			else
				find_owner(process, &room->locks[i]);
			find_taking(process, &room->locks[i]);
		}
	}
	*count = room->num_locks;
	return room->locks;
}
