// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Findings in words: one line for each, and notes.

#include "base/buffer.h"
#include "diagnose/words.h"

enum { TASKS_IN_FULL = 3, LISTED_TASKS = 8 }; // of more tasks alike, so many numbers are listed

struct telling {
	struct graph *graph;
	struct finding *finding;
	struct arena *arena;
	size_t note_capacity;
};

/** Write a text about the finding. */
#define SAY(...) arena_printf(t->arena, __VA_ARGS__)

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

/** List the tasks of a finding, each once. */
static struct task **finding_tasks(struct telling *t, size_t *count)
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

static const char *headline(struct telling *t)
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

// ---- Notes -------------------------------------------------------------------------------------

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
