// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ask.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../api/callbacks.h"
#include "ompd/ompd_ext.h"

enum { QUESTIONS = 64, TASKS = 4096, REGIONS = 4096 };

struct tally tally;

static ompd_address_space_handle_t *space;
static const struct truth *subject;
static const char *runtime = "?";

// ---- What was found --------------------------------------------------------------------------

// With the tasks on the way: initial, of a league, of a region, explicit.
__attribute__((format(printf, 1, 2))) static void differ(const char *format, ...)
{
	static const char letters[] = { [TRUTH_INITIAL] = 'i',
					[TRUTH_LEAGUE] = 'l',
					[TRUTH_IMPLICIT] = 'r',
					[TRUTH_EXPLICIT] = 't' };
	va_list arguments;

	tally.differences++;
	fprintf(stderr, "stop %lu", tally.stops);
	if (subject) {
		fprintf(stderr, ", thread %d/%d of level %d, %s, in", subject->thread_num,
			subject->num_threads, subject->level,
			subject->state == TRUTH_USER ? "running" : "waiting");
		for (uint32_t i = 0; i < subject->here.count; i++)
			fprintf(stderr, " %c%u", letters[subject->here.step[i].kind],
				subject->here.step[i].marker);
	}
	fprintf(stderr, ": ");
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
}

static struct {
	const char *what;
	unsigned long count;
} unanswered[QUESTIONS];

static void note_unanswered(const char *what)
{
	for (int i = 0; i < QUESTIONS; i++) {
		if (!unanswered[i].what)
			unanswered[i].what = what;
		if (strcmp(unanswered[i].what, what) == 0) {
			unanswered[i].count++;
			return;
		}
	}
}

void ask_print_unanswered(void)
{
	for (int i = 0; i < QUESTIONS && unanswered[i].what; i++)
		printf("unanswered %s %lu\n", unanswered[i].what, unanswered[i].count);
}

// Whether there is an answer to compare. A runtime need not record everything.
static bool answered(const char *what, ompd_rc_t rc)
{
	if (rc == ompd_rc_ok) {
		tally.answers++;
		return true;
	}
	if (rc == ompd_rc_unavailable || rc == ompd_rc_unsupported || rc == ompd_rc_incomplete ||
	    rc == ompd_rc_needs_state_tracking)
		note_unanswered(what);
	else
		differ("%s: code %d, %s", what, (int)rc, ompd_ext_last_reason());
	return false;
}

// What every runtime records, in a thread that has a team.
static bool must_be_answered(const char *what, ompd_rc_t rc)
{
	if (rc == ompd_rc_ok) {
		tally.answers++;
		return true;
	}
	differ("%s: code %d, %s", what, (int)rc, ompd_ext_last_reason());
	return false;
}

static void compare(const char *what, long long answer, long long truth)
{
	if (answer != truth)
		differ("%s: %lld, not %lld", what, answer, truth);
}

// ---- Variables -------------------------------------------------------------------------------

static void compare_icv(void *handle, ompd_scope_t scope, const char *name, long long truth)
{
	ompd_word_t value = -1;
	ompd_rc_t rc = ompd_ext_get_icv(handle, scope, name, &value);

	// The number that holds is the first element of a list, and the kind of a schedule.
	if (rc == ompd_rc_incomplete)
		rc = ompd_rc_ok;
	if (truth >= 0 && answered(name, rc))
		compare(name, value, truth);
}

// ---- Regions ---------------------------------------------------------------------------------

// The identity that each instance of a region has, whoever asks.
static struct {
	uint64_t region, id;
} identities[REGIONS];
static size_t num_identities;

static void compare_identity(ompd_parallel_handle_t *region, uint64_t number)
{
	uint64_t id;

	if (!must_be_answered("identity", ompd_ext_get_handle_id(region, ompd_scope_parallel, &id)))
		return;
	for (size_t i = 0; i < num_identities; i++) {
		if ((identities[i].region == number) != (identities[i].id == id)) {
			differ("region %llu has the identity of region %llu, or another than before",
			       (unsigned long long)number,
			       (unsigned long long)identities[i].region);
			return;
		}
		if (identities[i].region == number)
			return;
	}
	if (num_identities < REGIONS) {
		identities[num_identities].region = number;
		identities[num_identities++].id = id;
	}
}

static void ask_member(ompd_thread_handle_t *thread, ompd_parallel_handle_t *region, int number)
{
	ompd_thread_handle_t *member;
	int same = -1;

	if (!must_be_answered("thread in region",
			      ompd_get_thread_in_parallel(region, number, &member)))
		return;
	ompd_thread_handle_compare(thread, member, &same);
	compare("thread in region", same, 0);
	ompd_rel_thread_handle(member);
}

// Steps of regions only, from inside.
static int region_step(const struct here *here, int step)
{
	while (step > 0 && here->step[step].kind == TRUTH_EXPLICIT)
		step--;
	return step;
}

static void ask_regions(ompd_thread_handle_t *thread, ompd_parallel_handle_t *region)
{
	const struct here *here = &subject->here;
	int step = region_step(here, (int)here->count - 1);
	ompd_parallel_handle_t *outer;
	int level = subject->level;

	compare_icv(region, ompd_scope_parallel, "active-levels-var", subject->active_level);
	ask_member(thread, region, subject->thread_num);
	for (;;) {
		bool is_league = here->step[step].kind == TRUTH_LEAGUE;
		int number = -1;

		compare_identity(region, here->step[step].region);
		compare_icv(region, ompd_scope_parallel, "levels-var", level);
		compare_icv(region, ompd_scope_parallel, "team-size-var", subject->size[level]);
		if (!is_league &&
		    must_be_answered("number", ompd_ext_get_thread_num(thread, region, &number)))
			compare("number", number, subject->ancestor[level]);
		ompd_rc_t rc = ompd_get_enclosing_parallel_handle(region, &outer);

		ompd_rel_parallel_handle(region);
		if (step == 0) {
			if (rc == ompd_rc_ok) {
				differ("a region encloses the initial one");
				ompd_rel_parallel_handle(outer);
			}
			return;
		}
		// libgomp records nothing of who has encountered the construct of a league.
		if (!(is_league ? answered("region around a league", rc) :
				  must_be_answered("enclosing region", rc)))
			return;
		region = outer;
		level -= here->step[step].kind == TRUTH_IMPLICIT;
		step = region_step(here, step - 1);
		// The numbers of threads are those of the initial thread from there on.
		if (is_league)
			break;
	}
	compare_identity(region, here->step[step].region);
	ompd_rel_parallel_handle(region);
}

// ---- Tasks -----------------------------------------------------------------------------------

static void compare_kind(const ompd_ext_task_info *info, enum truth_kind kind)
{
	static const uint32_t kinds[] = {
		[TRUTH_INITIAL] = ompd_ext_task_initial,
		[TRUTH_LEAGUE] = ompd_ext_task_initial,
		[TRUTH_IMPLICIT] = ompd_ext_task_implicit,
		[TRUTH_EXPLICIT] = ompd_ext_task_explicit,
	};

	compare("kind of task", info->kind, kinds[kind]);
}

// The task, then those that have generated it.
static void ask_generators(ompd_task_handle_t *task)
{
	const struct here *here = &subject->here;
	ompd_task_handle_t *parent;

	for (int step = (int)here->count - 1;; step--) {
		ompd_ext_task_info info;

		if (here->step[step].marker)
			compare_icv(task, ompd_scope_task, "nthreads-var", here->step[step].marker);
		if (answered("task", ompd_ext_get_task_info(task, &info)))
			compare_kind(&info, here->step[step].kind);
		ompd_rc_t rc = ompd_rc_unavailable;
		bool has_parent = step > 0 && here->step[step].kind != TRUTH_LEAGUE;

		if (has_parent)
			rc = ompd_get_generating_task_handle(task, &parent);
		ompd_rel_task_handle(task);
		if (!has_parent || !answered("generating task", rc))
			return;
		task = parent;
	}
}

static void ask_task(ompd_thread_handle_t *thread, ompd_parallel_handle_t *region)
{
	const struct truth_step *step = &subject->here.step[subject->here.count - 1];
	ompd_task_handle_t *task, *implicit;
	ompd_ext_task_info info;
	int same = -1;

	ompd_rc_t rc = ompd_get_curr_task_handle(thread, &task);

	// LLVM's runtime keeps one task for nested regions of one thread.
	if (!(subject->level > 1 && subject->size[subject->level] == 1 &&
			      subject->size[subject->level - 1] == 1 ?
		      answered("task", rc) :
		      must_be_answered("task", rc)))
		return;
	compare_icv(task, ompd_scope_task, "final-task-var", subject->in_final);
	compare_icv(task, ompd_scope_task, "explicit-task-var", step->kind == TRUTH_EXPLICIT);
	compare_icv(task, ompd_scope_task, "max-active-levels-var", subject->max_active_levels);
	compare_icv(task, ompd_scope_task, "thread-limit-var", subject->thread_limit);
	compare_icv(thread, ompd_scope_thread, "dyn-var", subject->dynamic);
	compare_icv(task, ompd_scope_task, "bind-var", subject->bind);
	compare_icv(task, ompd_scope_task, "run-sched-var", subject->schedule);
	compare_icv(thread, ompd_scope_thread, "team-num-var", subject->team_num);
	compare_icv(thread, ompd_scope_thread, "league-size-var", subject->num_teams);
	if (must_be_answered("task", ompd_ext_get_task_info(task, &info))) {
		if ((info.flags_known & ompd_ext_task_final) && subject->in_final >= 0)
			compare("final", (info.flags & ompd_ext_task_final) != 0,
				subject->in_final);
		compare("thread of the task", info.thread_num, subject->thread_num);
		compare("status", info.status, ompd_ext_task_running);
	}
	if (must_be_answered("task in region",
			     ompd_get_task_in_parallel(region, subject->thread_num, &implicit))) {
		ompd_task_handle_compare(task, implicit, &same);
		compare("implicit task", same == 0, step->kind != TRUTH_EXPLICIT);
		ompd_rel_task_handle(implicit);
	}
	ask_generators(task);
}

// Every task of a region once, with those that are known to run.
static void ask_list(ompd_parallel_handle_t *region, uint64_t current)
{
	static ompd_ext_task_info tasks[TASKS];
	ompd_ext_task_iterator *iterator;
	size_t count = 0, read = 0;
	unsigned int found = 0, implicit = 0;

	if (!must_be_answered("tasks", ompd_ext_tasks_open(region, &iterator)))
		return;
	ompd_rc_t rc;

	do {
		rc = ompd_ext_tasks_next(iterator, tasks + count, TASKS - count, &read);
		count += read;
	} while (rc == ompd_rc_ok && read && count < TASKS);
	ompd_ext_tasks_close(iterator);
	if (!answered("tasks", rc))
		return;
	for (size_t i = 0; i < count; i++) {
		found += tasks[i].id == current;
		implicit += tasks[i].kind != ompd_ext_task_explicit;
		if (tasks[i].id == current)
			compare("status in the list", tasks[i].status, ompd_ext_task_running);
	}
	compare("times that the task is listed", found, 1);
	compare("implicit tasks in the list", implicit, subject->num_threads);
}

// ---- Threads ---------------------------------------------------------------------------------

static void ask_state(ompd_thread_handle_t *thread)
{
	enum { WORK_LAST = 2, UNDEFINED = 0x102 };
	ompd_wait_id_t wait;
	ompd_word_t state;

	if (answered("state", ompd_get_state(thread, &state, &wait)) &&
	    (state < 0 || state > WORK_LAST) && state != UNDEFINED)
		differ("state 0x%llx of a thread that runs its own code",
		       (unsigned long long)state);
}

static void ask_thread(void)
{
	ompd_thread_handle_t *thread;
	ompd_parallel_handle_t *region;
	ompd_task_handle_t *task;
	uint64_t id = 0;

	if (!must_be_answered("thread", ompd_get_thread_handle(space, ompd_thread_id_pthread,
							       sizeof(subject->pthread),
							       &subject->pthread, &thread)))
		return;
	compare_icv(thread, ompd_scope_thread, "thread-num-var", subject->thread_num);
	if (must_be_answered("region", ompd_get_curr_parallel_handle(thread, &region))) {
		if (subject->state == TRUTH_USER) {
			ask_state(thread);
			ask_task(thread, region);
			if (ompd_get_curr_task_handle(thread, &task) == ompd_rc_ok) {
				ompd_ext_get_handle_id(task, ompd_scope_task, &id);
				ask_list(region, id);
				ompd_rel_task_handle(task);
			}
		}
		ask_regions(thread, region);
	}
	ompd_rel_thread_handle(thread);
}

static void ask_threads(size_t least)
{
	ompd_thread_handle_t **threads;
	size_t count = 0;

	ompd_rc_t rc = ompd_ext_get_threads(space, &threads, &count);

	// One that the runtime is just adding cannot be read.
	if (rc != ompd_rc_incomplete && !must_be_answered("threads", rc))
		return;
	if (count < least)
		differ("%zu threads, and %zu at least there are", count, least);
	for (size_t i = 0; i < count; i++)
		ompd_rel_thread_handle(threads[i]);
	callback_free(threads);
}

void ask(const struct truth *truths, size_t count, bool begun)
{
	ompd_rc_t rc = ompd_ext_process_initialize(plain_context(), NULL, &space);

	subject = NULL;
	num_identities = 0;
	// Before the runtime is initialised there is none; before that it may be loaded in part.
	if (count == 0 && (rc == ompd_rc_unavailable || (rc != ompd_rc_ok && !begun))) {
		note_unanswered("runtime");
		return;
	}
	if (!must_be_answered("runtime", rc))
		return;
	ompd_ext_layout_info info = { .size = sizeof(info) };

	if (ompd_ext_get_layout_info(space, &info) == ompd_rc_ok)
		runtime = info.runtime;
	ask_threads(count);
	for (size_t i = 0; i < count; i++) {
		subject = &truths[i];
		// LLVM's runtime lets threads that it keeps for larger teams run tasks of this one, and
		// most often ends the program with an assertion then.
		if (subject->thread_num >= subject->num_threads)
			continue;
		ask_thread();
		tally.threads++;
	}
	subject = NULL;
	ompd_rel_address_space_handle(space);
}
