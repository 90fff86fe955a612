// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which thread owns a pool, or a task that holds a lock. Nothing leads from these to threads: all
// threads are looked through, once for many questions.

#include "gomp/gomp.h"

/** A walk down a thread's stack of tasks. */
struct stack {
	uint64_t task;
	struct cycle cycle;
};

// Go to the task below, which the thread has begun too. unavailable: nothing leads to one.
static ompd_rc_t step_down(const struct runtime *runtime, struct stack *stack)
{
	struct gomp_task_record record;
	ompd_rc_t rc = gomp_read_task(runtime, stack->task, &record);

	if (rc != ompd_rc_ok)
		return rc;
	if (cycle_closed(&stack->cycle, stack->task))
		return reason(ompd_rc_error, "a chain of parent tasks does not end");
	// What the parent of a deferred task does, its thread need not.
	if (record.kind != GOMP_TASK_UNDEFERRED || !record.parent)
		return ompd_rc_unavailable;
	stack->task = record.parent;
	return ompd_rc_ok;
}

static bool has_begun(const struct runtime *runtime, const struct thread *thread, uint64_t icv)
{
	struct stack stack = { .task = thread->task };

	if (!thread->task)
		return false;
	do {
		if (gomp_at(runtime, stack.task, TASK(icv)) == icv)
			return true;
	} while (step_down(runtime, &stack) == ompd_rc_ok);
	return false;
}

// ---- Two kinds of what is owned ---------------------------------------------------------------

/** The things that threads own. Functions that note them return error if not all can be read. */
struct property {
	ompd_rc_t (*note)(const struct runtime *runtime, const struct thread *thread,
			  struct idmap *owners);
	bool (*is_owner)(const struct runtime *runtime, const struct thread *thread, uint64_t what);
};

static ompd_rc_t note_pool(const struct runtime *runtime, const struct thread *thread,
			   struct idmap *owners)
{
	bool owner = false;
	ompd_rc_t rc = thread->pool ? gomp_owns_pool(runtime, thread->ts, &owner) : ompd_rc_ok;

	return rc == ompd_rc_ok && owner ?
		       idmap_add(owners, &runtime->target, thread->pool, thread->address, NULL) :
		       rc;
}

static bool owns_pool(const struct runtime *runtime, const struct thread *thread, uint64_t pool)
{
	bool owner;

	return thread->pool == pool && gomp_owns_pool(runtime, thread->ts, &owner) == ompd_rc_ok &&
	       owner;
}

static ompd_rc_t note_tasks(const struct runtime *runtime, const struct thread *thread,
			    struct idmap *owners)
{
	struct stack stack = { .task = thread->task };
	ompd_rc_t rc = gomp_check_openmp_thread(runtime, thread);

	while (rc == ompd_rc_ok && stack.task) {
		rc = idmap_add(owners, &runtime->target, gomp_at(runtime, stack.task, TASK(icv)),
			       thread->address, NULL);
		if (rc == ompd_rc_ok)
			rc = step_down(runtime, &stack);
	}
	return rc;
}

static bool owns_task(const struct runtime *runtime, const struct thread *thread, uint64_t icv)
{
	return gomp_check_openmp_thread(runtime, thread) == ompd_rc_ok &&
	       has_begun(runtime, thread, icv);
}

static const struct property properties[] = {
	[GOMP_OWNED_POOL] = { note_pool, owns_pool },
	[GOMP_OWNED_TASK] = { note_tasks, owns_task },
};

// ---- All threads -----------------------------------------------------------------------------

// Open an empty map. Nothing is at 0, but a map that is never empty always takes as many blocks of
// memory: what a question leaves behind can be told from a leak.
static ompd_rc_t open_map(const struct target *target, struct idmap *ret)
{
	*ret = (struct idmap){ 0 };
	return idmap_add(ret, target, 0, 0, NULL);
}

ompd_rc_t gomp_owners_open(const struct target *target, struct idmap **ret)
{
	struct idmap *maps = target_alloc(target, GOMP_OWNED_COUNT * sizeof(*maps));
	ompd_rc_t rc = maps ? ompd_rc_ok : ompd_rc_nomem;

	for (int i = 0; rc == ompd_rc_ok && i < GOMP_OWNED_COUNT; i++)
		rc = open_map(target, &maps[i]);
	*ret = maps;
	return rc;
}

void gomp_owners_close(const struct target *target, struct idmap *owners)
{
	for (int i = 0; owners && i < GOMP_OWNED_COUNT; i++)
		idmap_close(&owners[i], target);
	target_free(target, owners);
}

// Look through all threads. error: their list, or a thread, is damaged; what the rest own is noted.
static ompd_rc_t note_all(const struct runtime *runtime, enum gomp_owned kind)
{
	struct nptl_cursor cursor = { 0 };
	struct thread thread;
	struct idmap owners;
	uint64_t pthread;
	ompd_rc_t rc = open_map(&runtime->target, &owners);

	while (rc != ompd_rc_nomem &&
	       nptl_next(&runtime->nptl, &runtime->target, &cursor, &pthread) == ompd_rc_ok) {
		rc = gomp_read_thread(runtime, pthread + runtime->layout.tls_offset, &thread);
		if (rc == ompd_rc_ok)
			rc = properties[kind].note(runtime, &thread, &owners);
		cursor.damaged |= rc != ompd_rc_ok && rc != ompd_rc_unavailable;
	}
	if (rc == ompd_rc_nomem) {
		idmap_close(&owners, &runtime->target);
		return rc;
	}
	idmap_close(&runtime->owners[kind], &runtime->target);
	runtime->owners[kind] = owners;
	return cursor.damaged || !runtime->nptl.available ? ompd_rc_error : ompd_rc_ok;
}

// Find the owner among those that were noted; what it owned then it must own now.
static bool is_noted(const struct runtime *runtime, enum gomp_owned kind, uint64_t what,
		     uint64_t *ret)
{
	struct thread thread;

	return idmap_find(&runtime->owners[kind], what, ret) &&
	       gomp_read_thread(runtime, *ret, &thread) == ompd_rc_ok &&
	       properties[kind].is_owner(runtime, &thread, what);
}

ompd_rc_t gomp_note_owner(const struct runtime *runtime, enum gomp_owned kind, uint64_t what,
			  uint64_t thread)
{
	uint64_t *noted = idmap_value(&runtime->owners[kind], what);

	if (!noted)
		return idmap_add(&runtime->owners[kind], &runtime->target, what, thread, NULL);
	*noted = thread;
	return ompd_rc_ok;
}

ompd_rc_t gomp_owner(const struct runtime *runtime, enum gomp_owned kind, uint64_t what,
		     uint64_t *ret)
{
	if (is_noted(runtime, kind, what, ret))
		return ompd_rc_ok;
	*ret = 0;
	ompd_rc_t rc = note_all(runtime, kind);

	if (rc == ompd_rc_nomem)
		return rc;
	if (is_noted(runtime, kind, what, ret))
		return ompd_rc_ok;
	*ret = 0;
	return rc == ompd_rc_ok ? reason(ompd_rc_unavailable, "no thread owns it") :
				  reason(rc, "the owner is not among the threads that can be read");
}
