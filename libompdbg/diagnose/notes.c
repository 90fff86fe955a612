// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is said below the line of a finding: who perhaps holds locks, which tasks are meant, what the user can do.

#include "diagnose/telling.h"

enum { TASKS_IN_FULL = 3, LISTED_TASKS = 8 }; // of more tasks alike, so many numbers are listed

static void add_note(struct telling *t, const char *text)
{
	struct finding *finding = t->finding;

	*ARENA_APPEND(t->arena, finding->notes, finding->num_notes, t->note_capacity) = text;
}

static void note_candidates(struct telling *t, const struct lock *lock)
{
	size_t count;
	const char *const *texts = candidate_texts(t->arena, lock, &count);

	for (size_t i = 0; i < count; i++)
		add_note(t, texts[i]);
}

/** Add when and where the owner of a lock took it, and what speaks against it. */
static void note_taking(struct telling *t, const struct lock *lock)
{
	const char *held = held_text(t->graph->process, lock);

	if (lock->owner && *held)
		add_note(t, capitalized(t->arena, SAY("%s is held by thread %s%s", lock->title,
						      lock->owner->target->label, held)));
	if (lock->contradiction)
		add_note(t, lock->contradiction);
}

/** Add who holds the locks of a finding, perhaps or surely, each lock once. */
static void note_locks(struct telling *t)
{
	const struct finding *finding = t->finding;
	const char *reason;

	if (finding->rule == RULE_DEADLOCK) {
		for (size_t i = 0; i < finding->num_edges; i++) {
			const struct lock *lock = finding->edges[i]->lock;
			if (!lock)
				continue;
			note_candidates(t, lock);
			note_taking(t, lock);
		}
		return;
	}
	if (finding->lock && finding->lock->contradiction)
		add_note(t, finding->lock->contradiction);
	if (!finding->lock || (finding->rule != RULE_LOCK && finding->rule != RULE_OWNER_ENDED))
		return;
	reason = lock_reason_text(t->arena, finding->lock);
	if (reason)
		add_note(t, capitalized(t->arena, reason));
	note_candidates(t, finding->lock);
}

/** Write tasks of one construct: "12 tasks of fib at fib.c:9: #4, #7, ...". */
static const char *alike_tasks_text(struct arena *arena, struct task *const *tasks, size_t count)
{
	const struct task_function *function = task_function(tasks[0]);
	const char *text = counted_text(arena, count, "task");
	size_t listed = 0;

	if (function)
		text = arena_printf(arena, "%s of %s", text,
				    at_text(arena, function->name, function->file, function->line));
	for (size_t i = 0; i < count && listed < LISTED_TASKS; i++) {
		uint64_t number = task_number(tasks[i]);
		if (number)
			text = arena_printf(arena, "%s%s#%lu", text, listed++ ? ", " : ": ",
					    (unsigned long)number);
	}
	return listed && listed < count ? arena_printf(arena, "%s, ...", text) : text;
}

/** Add why it is unknown what threads wait for in the runtime. */
static void note_reasons(struct telling *t)
{
	const struct thread_list *waiters = &t->finding->waiters;

	for (size_t i = 0; t->finding->rule == RULE_ASLEEP && i < waiters->count; i++) {
		const char *reason = thread_state_reason(waiters->all[i]);
		if (reason)
			add_note(t, SAY("Thread %s: %s", waiters->all[i]->target->label, reason));
	}
}

static void note_tasks(struct telling *t)
{
	const struct finding *finding = t->finding;
	struct task **tasks;
	size_t count;

	if (finding->rule != RULE_DEADLOCK && finding->rule != RULE_TASK)
		return;
	tasks = finding_tasks(t, &count);
	if (finding->rule == RULE_TASK && count > TASKS_IN_FULL) {
		add_note(t, alike_tasks_text(t->arena, tasks, count));
		return;
	}
	for (size_t i = 0; i < count; i++)
		add_note(t, task_text(t->arena, tasks[i]));
}

/** Add what the user can do. */
static void note_remedy(struct telling *t, const char *remedy)
{
	t->finding->remedy = remedy;
	add_note(t, remedy);
}

/** Check for a thread of a finding that is in a region of several threads of a runtime. */
static bool has_part_in(struct telling *t, const struct runtime *runtime)
{
	const struct thread_list *lists[] = { &t->finding->waiters, &t->finding->others };

	for (size_t i = 0; i < 2; i++) {
		for (size_t k = 0; k < lists[i]->count; k++) {
			const struct thread *thread = lists[i]->all[k];
			const struct team *team =
				runtime->threads[thread->target - t->graph->process->targets]->team;
			if (team && team->size > 1)
				return true;
		}
	}
	return false;
}

/** Add that the threads of a finding are in regions of several runtimes, none of which counts those of
 *  another. */
static void note_runtimes(struct telling *t)
{
	struct process *process = t->graph->process;
	const char *names = "";
	int count = 0;

	for (size_t i = 0; i < process->num_runtimes; i++) {
		const struct runtime *runtime = process->runtimes[i];
		if (has_part_in(t, runtime))
			names = SAY("%s%s%s", names, count++ ? " and " : "", runtime->title);
	}
	if (count > 1)
		note_remedy(t, SAY("They are in regions of %s, which do not know of each other's "
				   "threads: use one runtime in the whole program",
				   names));
}

/** Check for a lock of unknown owner, who would be known if the program had been recorded. */
static bool is_recordable(struct telling *t)
{
	const struct lock *lock = t->finding->lock;

	return t->finding->rule == RULE_LOCK && !lock->owner && !lock->num_candidates &&
	       (lock->kind == ompd_ext_wait_lock || lock->kind == ompd_ext_wait_nest_lock ||
		lock->kind == ompd_ext_wait_critical) &&
	       !process_history(t->graph->process);
}

/** Add that the threads for which others wait, or that spin, are in loops that only a cancellation ends. */
static void note_cancellation(struct telling *t)
{
	const struct finding *finding = t->finding;
	const struct thread_list *threads = finding->rule == RULE_BARRIER ? &finding->others :
									    &finding->waiters;
	struct thread_list list = { 0 };

	if (finding->rule != RULE_BARRIER && finding->rule != RULE_SPIN)
		return;
	for (size_t i = 0; i < threads->count; i++) {
		if (thread_awaits_cancellation(threads->all[i]))
			thread_list_add(&list, t->arena, threads->all[i]);
	}
	if (list.count)
		note_remedy(t, SAY("The cancellation points in the loop%s of %s do nothing: "
				   "OMP_CANCELLATION=true turns them on",
				   list.count == 1 ? "" : "s", threads_text(t->arena, &list)));
}

/** Check that no waiter of a lock can have got it: all sleep on it, or it is known who has it. */
static bool has_another_owner(const struct lock *lock)
{
	for (size_t i = 0; i < lock->waiters.count && !lock->owner; i++) {
		if (!thread_is_asleep(lock->waiters.all[i]))
			return false;
	}
	return true;
}

/** Add that a lock was left locked. A critical construct ends in the function in which it began; a lock may
 *  be unset elsewhere. */
static void note_left_lock(struct telling *t, struct lock *lock)
{
	const bool is_critical = lock->kind == ompd_ext_wait_critical;

	if (lock->owner_ended || lock->num_candidates || (lock->owner && !is_critical) ||
	    !lock_is_left(t->graph->process, lock))
		return;
	const char *where = lock->owner ?
				    SAY("the stack of thread %s", lock->owner->target->label) :
				    "any stack";
	if (is_critical)
		add_note(t, SAY("No function on %s is within the construct: %slongjmp() or the "
				"like has left it",
				where, has_another_owner(lock) ? "" : "perhaps "));
	else
		add_note(t, SAY("No function on %s is seen to have set it and not unset it: "
				"perhaps an exception or longjmp() has left it locked",
				where));
}

static void note_left_locks(struct telling *t)
{
	const struct finding *finding = t->finding;

	if (finding->rule == RULE_LOCK && finding->lock)
		note_left_lock(t, finding->lock);
	for (size_t i = 0; finding->rule == RULE_DEADLOCK && i < finding->num_edges; i++) {
		if (finding->edges[i]->lock)
			note_left_lock(t, finding->edges[i]->lock);
	}
}

/** Check that it is unknown whose turn it is, and all other threads of the region wait at barriers. */
static bool is_nobodys_turn(struct telling *t)
{
	const struct finding *finding = t->finding;
	struct region *region = region_of(t->graph->process, finding->waiters.all[0]);

	if (finding->rule != RULE_ORDERED || !region || finding->lock->owner || region->unseen)
		return false;
	for (size_t i = 0; i < region->num_members; i++) {
		if (!region->at_barrier[i] &&
		    !thread_list_has(&finding->waiters, region->members[i]))
			return false;
	}
	return true;
}

/** List the threads that wait for those of a finding, directly or not. */
static struct thread_list threads_behind(struct telling *t)
{
	const struct finding *finding = t->finding;
	struct process *process = t->graph->process;
	struct thread_list all = { 0 }, behind = { 0 };
	size_t before;

	thread_list_join(&all, t->arena, &finding->waiters);
	do {
		before = all.count;
		for (size_t i = 0; i < process->num_targets; i++) {
			const struct wait_node *node = &t->graph->nodes[i];
			for (size_t k = 0; k < node->num_edges; k++) {
				if (node->edges[k].thread &&
				    thread_list_has(&all, node->edges[k].thread))
					thread_list_add(&all, t->arena, node->thread);
			}
		}
	} while (all.count != before);
	for (size_t i = finding->waiters.count; i < all.count; i++)
		thread_list_add(&behind, t->arena, all.all[i]);
	return behind;
}

void finding_describe(struct graph *graph, struct finding *finding)
{
	struct telling telling = { graph, finding, &graph->process->arena, 0 }, *t = &telling;

	finding->text = headline(t);
	note_locks(t);
	note_tasks(t);
	note_reasons(t);
	if (is_nobodys_turn(t))
		add_note(t, "All threads of the region wait there or at a barrier: one of them is "
			    "about to go on, or none ever will");
	if (finding->rule == RULE_LOST_THREADS)
		add_note(t,
			 finding->num_lost == 1 ?
				 "The runtime has a record of it: it has ended in the region, or "
				 "fork() left it in the parent process" :
				 "The runtime has records of them: they have ended in the region, "
				 "or fork() left them in the parent process");
	if (finding->rule == RULE_LOST_THREADS)
		note_remedy(t, "After fork(), start a new program (spawn), or fork before the "
			       "first region");
	if (finding->rule == RULE_EVENT && !finding->task)
		add_note(t, "Inferred: the runtime lists no detached tasks, and counts a task that "
			    "is neither queued nor blocked nor begun");
	note_cancellation(t);
	if (is_suspicious(finding)) {
		note_runtimes(t);
		note_left_locks(t);
		if (is_recordable(t))
			note_remedy(t, "\"ompdbg record\", with which the program is started, "
				       "tells who owns it");
	}
	if (finding->rule == RULE_DEADLOCK) {
		struct thread_list behind = threads_behind(t);
		if (behind.count)
			add_note(t, SAY("%s wait%s for %s",
					capitalized(t->arena, threads_text(t->arena, &behind)),
					behind.count == 1 ? "s" : "",
					finding->waiters.count == 1 ? "it" : "them"));
	}
}
