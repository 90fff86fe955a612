// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Processes that a program has forked, and for which it waits: what holds them up holds it up.

#include "base/text.h"
#include "diagnose/words.h"

enum { CALL_WAIT4 = 61, CALL_WAITID = 247, ID_OF_PROCESS = 1 /* P_PID */ };

/** Check for a thread that waits for a child to end. *@p which becomes its number; 0: any. */
static bool waits_for_child(struct thread *thread, int *which)
{
	struct system_call call;

	if (thread->target->running || !thread_system_call(thread, &call) || !call.waits_outside)
		return false;
	*which = 0;
	if (call.number == CALL_WAIT4 && (int32_t)call.arguments[0] > 0)
		*which = (int32_t)call.arguments[0];
	else if (call.number == CALL_WAITID && call.arguments[0] == ID_OF_PROCESS)
		*which = (int32_t)call.arguments[1];
	return call.number == CALL_WAIT4 || call.number == CALL_WAITID;
}

bool process_is_quiet(struct process *process)
{
	for (size_t i = 0; i < process->num_targets; i++) {
		struct thread *thread = process->threads[i];
		struct system_call call;
		if (thread->target->running)
			return false;
		if (!thread_wait(thread) && !(thread_system_call(thread, &call) &&
					      (call.sleeps || call.waits_outside || call.is_timed)))
			return false;
	}
	return true;
}

bool may_wait_for_children(struct process *process, const struct finding *worst)
{
	bool waits = !is_suspicious(worst);
	int which;

	if (worst && worst->severity == SEVERITY_STUCK)
		return false;
	for (size_t i = 0; i < process->num_targets && !waits; i++)
		waits = waits_for_child(process->threads[i], &which);
	return waits;
}

/** Add the threads that wait for a child. @return false: there are some that wait, and these only for others. */
static bool find_waiters(struct process *process, int pid, struct thread_list *waiters)
{
	size_t num_waiters = 0, num_others = 0;

	for (size_t i = 0; i < process->num_targets; i++) {
		int which;
		if (!waits_for_child(process->threads[i], &which))
			continue;
		if (which && which != pid) {
			num_others++;
			continue;
		}
		thread_list_add(waiters, &process->arena, process->threads[i]);
		num_waiters++;
	}
	return num_waiters || !num_others;
}

static void add_note(struct arena *arena, struct finding *finding, size_t *capacity,
		     const char *note)
{
	for (size_t i = 0; i < finding->num_notes; i++) {
		if (strcmp(finding->notes[i], note) == 0)
			return;
	}
	*ARENA_APPEND(arena, finding->notes, finding->num_notes, *capacity) = note;
}

/** Write who waits, and for which processes. */
static const char *headline(struct arena *arena, const struct finding *finding, const char *numbers,
			    size_t count)
{
	const char *how = finding->severity == SEVERITY_STUCK ? "cannot go on" :
			  count == 1			      ? "is held up" :
								"are held up";
	const char *who = threads_text(arena, &finding->waiters);

	if (!finding->waiters.count)
		return arena_printf(arena, "No thread works, and child process%s %s %s",
				    count == 1 ? "" : "es", numbers, how);
	who = arena_printf(arena, "%s wait%s", capitalized(arena, who),
			   finding->waiters.count == 1 ? "s" : "");
	return count == 1 ?
		       arena_printf(arena, "%s for child process %s, which %s", who, numbers, how) :
		       arena_printf(arena, "%s for child processes, of which these %s: %s", who,
				    how, numbers);
}

/** Check for children of which the same is said. */
static bool is_alike(const struct child *a, const struct child *b)
{
	return a->severity == b->severity && strcmp(a->text, b->text) == 0;
}

/** Add what children wait for, those that do the same in one line. */
static void add_texts(struct arena *arena, struct finding *finding, size_t *capacity,
		      const struct child *children, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *numbers = "";
		size_t alike = 0;
		for (size_t k = 0; k < count && (k >= i || !is_alike(&children[k], &children[i]));
		     k++) {
			if (k >= i && is_alike(&children[k], &children[i]))
				numbers = arena_printf(arena, "%s%s%d", numbers,
						       alike++ ? ", " : "", children[k].pid);
		}
		if (alike)
			add_note(arena, finding, capacity,
				 arena_printf(arena, "Process%s %s: %s", alike == 1 ? "" : "es",
					      numbers, children[i].text));
	}
	for (size_t i = 0; i < count; i++) {
		if (children[i].remedy)
			add_note(arena, finding, capacity, children[i].remedy);
	}
}

bool diagnose_children(struct process *process, const struct child *children, size_t count,
		       struct finding *finding)
{
	struct arena *arena = &process->arena;
	struct child *awaited = ARENA_ARRAY(arena, struct child, count);
	size_t num_awaited = 0, capacity = 0;
	const char *numbers = "";

	*finding = (struct finding){ .rule = RULE_CHILDREN, .severity = SEVERITY_STUCK };
	for (size_t i = 0; i < count; i++) {
		const struct child *child = &children[i];
		if (!find_waiters(process, child->pid, &finding->waiters))
			continue;
		numbers =
			arena_printf(arena, "%s%s%d", numbers, num_awaited ? ", " : "", child->pid);
		if (child->severity > finding->severity)
			finding->severity = child->severity;
		awaited[num_awaited++] = *child;
	}
	if (!num_awaited)
		return false;
	add_texts(arena, finding, &capacity, awaited, num_awaited);
	finding->is_certain = finding->waiters.count;
	finding->text = headline(arena, finding, numbers, num_awaited);
	return true;
}
