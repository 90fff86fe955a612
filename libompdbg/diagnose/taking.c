// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who took a lock, when and where: what the recorder saw. The runtime's own memory is believed first.

#include "base/text.h"
#include "diagnose/room.h"
#include "diagnose/words.h"

/** Check that a recorded kind of mutex may be that of a lock. */
static bool may_be(const struct lock *lock, uint32_t mutex)
{
	bool is_critical = mutex == ompt_mutex_critical;
	bool is_lock = mutex == ompt_mutex_lock || mutex == ompt_mutex_test_lock;
	bool is_nested = mutex == ompt_mutex_nest_lock || mutex == ompt_mutex_test_nest_lock;

	switch (lock->kind) {
	case ompd_ext_wait_lock:
		return is_lock;
	case ompd_ext_wait_nest_lock:
		return is_nested;
	case ompd_ext_wait_critical:
		return is_critical;
	case ompd_ext_wait_atomic:
		return mutex == ompt_mutex_atomic;
	case ompd_ext_wait_ordered:
		return mutex == ompt_mutex_ordered;
	default:
		return lock->kind == WAIT_MUTEX && (is_lock || is_nested || is_critical);
	}
}

/** Find how the recorder calls a lock: as the threads say that wait for it. Runtimes do
 *  not call what is no lock by an address that the stacks show. @return 0: unknown. */
static uint64_t recorded_id(const struct lock *lock)
{
	for (size_t i = 0; i < lock->waiters.count; i++) {
		const struct record_wait *wait = history_wait(lock->waiters.all[i]);
		if (!wait || wait->kind != RECORD_ACQUIRE || !may_be(lock, wait->detail))
			continue;
		if (wait->detail >= ompt_mutex_critical || !lock->address ||
		    wait->object == lock->address)
			return wait->object;
	}
	return lock->kind == ompd_ext_wait_lock || lock->kind == ompd_ext_wait_nest_lock ?
		       lock->address :
		       0;
}

/** Tell which kind of mutex a function unsets. */
static uint32_t unset_mutex(const char *function)
{
	return strstr(function, "critical") ? ompt_mutex_critical :
	       strstr(function, "nest")	    ? ompt_mutex_nest_lock :
					      ompt_mutex_lock;
}

static bool is_function(const ompd_ext_wait_site *site, const void *function)
{
	return is_same_text(site->function, function);
}

/** Check for a thread that has perhaps unset what it holds, and not recorded it yet: the runtime reports
 *  that afterwards. */
static bool may_be_unsetting(struct thread *thread, const struct record_hold *hold)
{
	const struct verdict *verdict = thread_verdict(thread);
	const struct evidence *evidence = &verdict->evidence;
	struct stack_frame *caller = verdict->place;
	uint64_t address = 0;

	if (thread_wait(thread) || !evidence->in_runtime)
		return false;
	if (!evidence->has_call)
		return true;
	if (!is_unset_function(evidence->call.function) ||
	    unset_mutex(evidence->call.function) != hold->kind)
		return false;
	// Code that jumped to the function has no frame with the lock.
	if (hold->kind != ompt_mutex_critical && caller && caller->at.is_call)
		address = passed_lock_at(thread, caller, caller->at.pc, NULL, is_function,
					 evidence->call.function);
	return !address || address == hold->object;
}

/** Find who holds a lock, as recorded. @return false: nobody, or it is not certain. */
static bool find_holder(struct process *process, struct lock *lock, struct history_owner *ret)
{
	struct history *history = process_history(process);
	uint64_t id = history ? recorded_id(lock) : 0;

	return id && history_owner(history, id, ret) && may_be(lock, ret->hold.kind) &&
	       !(ret->by->thread && may_be_unsetting(ret->by->thread, &ret->hold));
}

static const struct taking *make_taking(struct process *process, const struct record_hold *hold)
{
	struct taking *taking = ARENA_NEW(&process->arena, struct taking);

	taking->since = hold->since;
	taking->depth = hold->depth;
	taking->location = call_location(process, hold->code);
	return taking;
}

bool find_owner_in_history(struct process *process, struct lock *lock)
{
	struct history_owner found;

	if (!find_holder(process, lock, &found))
		return false;
	if (found.by->thread) {
		lock->owner = found.by->thread;
		lock->source = OWNER_HISTORY;
		lock->reason = NULL;
	} else if (found.by->record.ended) {
		const char *line =
			line_text(&process->arena, call_location(process, found.hold.code));
		lock->owner_ended = true;
		lock->source = OWNER_HISTORY;
		lock->reason = arena_printf(&process->arena, "LWP %lu took it%s%s, and has ended",
					    (unsigned long)found.by->record.lwp,
					    *line ? " at " : "", line);
	} else {
		return false; // it runs, or was not examined
	}
	lock->is_held = YES;
	lock->taken = make_taking(process, &found.hold);
	return true;
}

void find_taking(struct process *process, struct lock *lock)
{
	struct history_owner found;

	if (lock->taken || lock->is_held == NO || !find_holder(process, lock, &found))
		return;
	if (found.by->thread == lock->owner && lock->owner)
		lock->taken = make_taking(process, &found.hold);
	else if (lock->owner && found.by->thread)
		lock->contradiction = arena_printf(
			&process->arena,
			"The recording has thread %s as its owner; the runtime is believed",
			found.by->thread->target->label);
}
