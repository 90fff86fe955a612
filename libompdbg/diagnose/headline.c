// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Findings in words: one line for each.

#include "diagnose/telling.h"

const char *rule_name(enum rule rule)
{
	static const char *const names[] = {
		[RULE_SIGNAL] = "signal",
		[RULE_DEADLOCK] = "deadlock",
		[RULE_OWNER_ENDED] = "owner_ended",
		[RULE_LOST_THREADS] = "lost_threads",
		[RULE_DIFFERENT_BARRIERS] = "different_barriers",
		[RULE_EVENT] = "event",
		[RULE_LOCK] = "lock",
		[RULE_ORDERED] = "ordered",
		[RULE_TASK] = "task",
		[RULE_QUEUED] = "queued",
		[RULE_BARRIER] = "barrier",
		[RULE_SPIN] = "spin",
		[RULE_ASLEEP] = "asleep",
		[RULE_CHILDREN] = "children",
		[RULE_UNKNOWN] = "unknown",
	};

	return names[rule];
}

/** Write the waiters at the begin of a sentence, with the verb: "Threads 1,3 wait". */
static const char *waiters_wait(struct telling *t)
{
	const struct finding *finding = t->finding;
	const char *who = threads_text(t->arena, &finding->waiters);

	return SAY("%s wait%s", capitalized(t->arena, who), finding->waiters.count == 1 ? "s" : "");
}

static const char *be(int count)
{
	return count == 1 ? "is" : "are";
}

static const char *have(int count)
{
	return count == 1 ? "has" : "have";
}

// ---- Locks -------------------------------------------------------------------------------------

static const char *tell_deadlock(struct telling *t)
{
	const struct finding *finding = t->finding;
	const char *begin = finding->is_certain ? "Deadlock" : "Probable deadlock";
	const struct edge *edge = finding->edges[0];

	if (finding->num_edges == 1)
		return SAY("%s: thread %s waits for a %s that it holds itself", begin,
			   edge->waiter->target->label,
			   edge->lock ? wait_kind(edge->lock->kind)->title : "task");
	return SAY("%s: %zu threads wait for one another", begin, finding->num_edges);
}

static const char *tell_owner_ended(struct telling *t)
{
	return SAY("%s for %s, whose owner has %sended", waiters_wait(t), t->finding->lock->title,
		   t->finding->is_certain ? "" : "probably ");
}

static const char *tell_lock(struct telling *t)
{
	const struct lock *lock = t->finding->lock;
	const char *begin = SAY("%s for %s", waiters_wait(t), lock->title);
	const struct thread *only = t->finding->waiters.count == 1 ? t->finding->waiters.all[0] :
								     NULL;

	if (lock->owner && lock->owner == only)
		return SAY("%s that it holds itself, or has just got%s", begin,
			   held_text(t->graph->process, lock));
	if (lock->owner)
		return SAY("%s, held by thread %s%s", begin, lock->owner->target->label,
			   held_text(t->graph->process, lock));
	const struct thread_list holders = lock_candidates(t->arena, lock);
	if (holders.count == 1 && holders.all[0] == only)
		return SAY("%s that it perhaps holds itself", begin);
	if (holders.count)
		return SAY("%s, perhaps held by %s%s", begin, holders.count > 1 ? "one of " : "",
			   threads_text(t->arena, &holders));
	return SAY("%s (owner unknown)", begin);
}

/** Check that all members of a thread's region were examined. */
static bool is_seen_whole(struct telling *t, const struct thread *thread)
{
	const struct region *region = region_of(t->graph->process, thread);

	return region && !region->unseen;
}

static const char *tell_ordered(struct telling *t)
{
	const struct lock *lock = t->finding->lock;

	if (lock->owner)
		return SAY("%s for an ordered region: it is the turn of thread %s%s%s",
			   waiters_wait(t), lock->owner->target->label,
			   lock->taken ? ", in it" : "", held_text(t->graph->process, lock));
	if (t->finding->others.count == 1 && is_seen_whole(t, t->finding->waiters.all[0]))
		return SAY("%s for an ordered region, perhaps for thread %s: no other thread of "
			   "the region is elsewhere",
			   waiters_wait(t), t->finding->others.all[0]->target->label);
	return SAY("%s for an ordered region (unknown whose turn it is)", waiters_wait(t));
}

// ---- Regions -----------------------------------------------------------------------------------

static const char *tell_lost_threads(struct telling *t)
{
	struct region *region = t->finding->region;
	int count = t->finding->num_lost;

	return SAY("Region %s: %s%d of its %d threads %s not exist", team_label(region->team),
		   count < region->unseen ? "at least " : "", count, region->team->size,
		   count == 1 ? "does" : "do");
}

static const char *tell_different_barriers(struct telling *t)
{
	return SAY("Threads of region %s wait at different barriers",
		   team_label(t->finding->region->team));
}

static const char *tell_unseen(struct telling *t, int unseen)
{
	return unseen ? SAY(", %d %s not examined", unseen, unseen == 1 ? "was" : "were") : "";
}

/** Check for a thread whose stack does not tell whether it is at a barrier: it was not examined, or is in
 *  the runtime, which the program's code did not call, or called to open a region. */
static bool may_be_at_barrier(struct thread *thread)
{
	const struct evidence *evidence = &thread_verdict(thread)->evidence;
	bool has_other_call = evidence->has_call && evidence->call.kind != ompd_ext_wait_parallel;

	return thread->target->running || evidence->is_unseen ||
	       (evidence->in_runtime && !thread_wait(thread) && !has_other_call &&
		!evidence->in_routine);
}

static const char *tell_barrier(struct telling *t)
{
	struct region *region = t->finding->region;
	int total = region->team->size, there = region->num_at_barrier;
	int missing = 0, unknown = 0, unclear = 0;
	const char *label = team_label(region->team);
	const char *several = is_at_several_barriers(region) ? ", but not at the same one" : "";

	for (size_t i = 0; i < t->finding->others.count; i++) {
		struct thread *thread = t->finding->others.all[i];
		enum tristate at_task = region_runs_task_at_barrier(region, thread);
		there += at_task == YES;
		unknown += at_task == UNKNOWN;
		if (at_task == NO && may_be_at_barrier(thread))
			unclear++;
		else
			missing += at_task == NO;
	}
	// Of those that run tasks the runtime knows whether they have come: some may do so in the
	// barrier before.
	const struct progress *progress = region->progress;
	int counted = progress ? progress->arrived + progress->arrived_end : 0;
	if (t->finding->is_certain && progress && progress->is_counted && !progress->is_cancelled &&
	    !progress->tasks_left && region->num_at_barrier <= counted &&
	    counted <= there + unknown + unclear) {
		missing += there + unknown + unclear - counted;
		there = counted;
		unknown = unclear = 0;
	}
	if (progress && progress->tasks_left)
		return SAY("Region %s: all %d threads reached a barrier; tasks are still "
			   "running",
			   label, total);
	// They may have been let go already, and the others have gone on before them.
	if (!t->finding->is_certain && counted && progress->unsure)
		return SAY("Region %s: %d of %d threads %s reached a barrier, %d more %s %s or %s "
			   "just left it%s%s",
			   label, counted, total, have(counted), progress->unsure,
			   be(progress->unsure),
			   progress->is_counted ? "about to reach it" : "at it",
			   have(progress->unsure), tell_unseen(t, region->unseen), several);
	if (!t->finding->is_certain)
		return SAY("Region %s: %d of %d threads %s at a barrier or %s just left "
			   "it%s%s",
			   label, there, total, be(there), have(there),
			   tell_unseen(t, region->unseen), several);
	const char *text = SAY("Region %s: %d of %d threads %s reached a barrier", label, there,
			       total, have(there));
	if (missing)
		text = SAY("%s, %d %s not", text, missing, have(missing));
	if (unknown)
		text = SAY("%s, %d run%s", text, unknown, unknown == 1 ? "s a task" : " tasks");
	if (unclear)
		text = SAY("%s, %d may have", text, unclear);
	return SAY("%s%s", text, tell_unseen(t, region->unseen));
}

// ---- Tasks -------------------------------------------------------------------------------------

static const char *tell_event(struct telling *t)
{
	if (t->finding->task)
		return SAY("%s for the event of a detached task: %s", waiters_wait(t),
			   task_text(t->arena, t->finding->task));
	return SAY("%s, probably for the event of a detached task", waiters_wait(t));
}

struct task **finding_tasks(struct telling *t, size_t *count)
{
	const struct finding *finding = t->finding;
	struct task **tasks = ARENA_ARRAY(t->arena, struct task *, finding->num_edges);
	struct table known = { 0 };

	*count = 0;
	for (size_t i = 0; i < finding->num_edges; i++) {
		struct task *task = finding->edges[i]->task;
		void **seen = task ? table_put(&known, t->arena, task->info.id) : NULL;

		if (!seen || *seen)
			continue;
		*seen = task;
		tasks[(*count)++] = task;
	}
	return tasks;
}

static const char *tell_task(struct telling *t)
{
	const struct finding *finding = t->finding;
	const char *begin = waiters_wait(t);
	bool is_through = false;
	size_t num_tasks;

	finding_tasks(t, &num_tasks);
	const char *what = num_tasks == 1 ? "a task" : counted_text(t->arena, num_tasks, "task");
	const char *status = finding->edges[0]->kind == EDGE_SUSPENDED ? "suspended task" :
									 "blocked task";
	const char *blocked = num_tasks == 1 ? SAY("a %s", status) :
					       counted_text(t->arena, num_tasks, status);
	if (!finding->others.count)
		return finding->task ? SAY("%s for %s: %s", begin, blocked,
					   task_text(t->arena, finding->task)) :
				       SAY("%s for %s", begin, blocked);
	for (size_t i = 0; i < finding->num_edges; i++)
		is_through |= finding->edges[i]->through != NULL;
	const char *run = SAY("that %s run%s", threads_text(t->arena, &finding->others),
			      finding->others.count == 1 ? "s" : "");
	if (is_through)
		return num_tasks == 1 ?
			       SAY("%s for %s, which depends on one %s", begin, blocked, run) :
			       SAY("%s for %s, which depend on some %s", begin, blocked, run);
	return SAY("%s for %s %s", begin, what, run);
}

static const char *tell_queued(struct telling *t)
{
	size_t count = t->finding->num_edges;

	return SAY("%s of region %s %s queued, and all of its threads sleep elsewhere",
		   counted_text(t->arena, count, "task"), team_label(t->finding->region->team),
		   be((int)count));
}

// ---- Others ------------------------------------------------------------------------------------

static const char *tell_spin(struct telling *t)
{
	const struct finding *finding = t->finding;
	const struct spin *spin = thread_spin(finding->waiters.all[0]);
	const char *who = capitalized(t->arena, threads_text(t->arena, &finding->waiters));
	const char *what = "";
	bool is_one = finding->waiters.count == 1;

	if (!spin || spin->is_endless)
		return SAY("%s %s in an endless loop", who, be((int)finding->waiters.count));
	for (size_t i = 0; i < spin->num_variables; i++)
		what = SAY("%s%s%s", what, i ? " or " : "", spin->variables[i]);
	return SAY("%s spin%s until another thread changes %s", who, is_one ? "s" : "",
		   *what ? what : "what the loop reads");
}

static const char *tell_signal(struct telling *t)
{
	const struct process_signal *signal = process_signal(t->graph->process);

	return signal->describe(t->graph->process, signal->context);
}

static const char *tell_asleep(struct telling *t)
{
	const struct thread_list *waiters = &t->finding->waiters;
	const char *who = capitalized(t->arena, threads_text(t->arena, waiters));

	return SAY("%s %s asleep, reason unknown: no thread is awake that could wake %s", who,
		   be((int)waiters->count), waiters->count == 1 ? "it" : "them");
}

static const char *tell_unknown_at_barrier(struct telling *t)
{
	struct region *region = t->finding->region;
	int size = region->team->size, seen = region->num_at_barrier;
	const char *label = team_label(region->team);
	const struct progress *progress = region->progress;
	int counted = progress ? progress->arrived + progress->arrived_end : 0;

	// Who is seen there may have been let go, or be about to be counted.
	if (progress && progress->is_counted && !progress->is_cancelled && counted < size)
		return SAY("Region %s: %d of %d threads %s reached a barrier; the others are about "
			   "to reach it, or have just left it",
			   label, counted, size, have(counted));
	if (seen < size)
		return SAY("Region %s: %d of %d threads %s at a barrier, the others were "
			   "not examined",
			   label, seen, size, be(seen));
	if (is_at_several_barriers(region))
		return SAY("Region %s: all %d threads are at a barrier or have just left it, "
			   "but not at the same one",
			   label, size);
	return SAY("Region %s: all %d threads are at a barrier, none is missing", label, size);
}

/** Check for a thread that waits for tasks of which, as the runtime counts, none is left: what is being taken
 *  out of a queue is in no list. */
static bool has_no_task_left(struct thread *thread)
{
	const struct wait *wait = thread_wait(thread);
	struct task *task = thread_task(thread);

	if (!wait || !task)
		return false;
	if (wait->kind == ompd_ext_wait_taskwait)
		return !task_counts(task).children;
	return wait->kind == ompd_ext_wait_taskgroup && !task_counts(task).taskgroup;
}

static const char *tell_unknown(struct telling *t)
{
	const struct finding *finding = t->finding;
	bool for_tasks = true, at_end = true;

	if (finding->region)
		return tell_unknown_at_barrier(t);
	for (size_t i = 0; i < finding->waiters.count; i++) {
		for_tasks &= has_no_task_left(finding->waiters.all[i]);
		at_end &= thread_wait(finding->waiters.all[i])->kind == ompd_ext_wait_barrier_teams;
	}
	if (at_end)
		return SAY("%s for the rest of a league", waiters_wait(t));
	return SAY("%s or %s just gone on: %s", waiters_wait(t), have((int)finding->waiters.count),
		   for_tasks && finding->is_certain ? "no task is left to wait for" :
						      "cause unknown");
}

const char *headline(struct telling *t)
{
	static const char *(*const tell[])(struct telling *) = {
		[RULE_SIGNAL] = tell_signal,
		[RULE_DEADLOCK] = tell_deadlock,
		[RULE_OWNER_ENDED] = tell_owner_ended,
		[RULE_LOST_THREADS] = tell_lost_threads,
		[RULE_DIFFERENT_BARRIERS] = tell_different_barriers,
		[RULE_EVENT] = tell_event,
		[RULE_LOCK] = tell_lock,
		[RULE_ORDERED] = tell_ordered,
		[RULE_TASK] = tell_task,
		[RULE_QUEUED] = tell_queued,
		[RULE_BARRIER] = tell_barrier,
		[RULE_SPIN] = tell_spin,
		[RULE_ASLEEP] = tell_asleep,
		[RULE_UNKNOWN] = tell_unknown,
	};

	return tell[t->finding->rule](t);
}
