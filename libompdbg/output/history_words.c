// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recorded events in the terms of the source.

#include "output/history_words.h"

#include <string.h>

#include "base/text.h"
#include "diagnose/words.h"

enum { TARGET_NOWAIT = 8, CANCEL_ACTIVATED = 0x10, CANCEL_DETECTED = 0x20 };
enum { SATURATED = UINT32_MAX };

/** A name for a number. */
struct word {
	uint32_t number;
	const char *name;
};

static const struct word mutexes[] = {
	{ ompt_mutex_lock, "lock" },	       { ompt_mutex_test_lock, "lock" },
	{ ompt_mutex_nest_lock, "nest lock" }, { ompt_mutex_test_nest_lock, "nest lock" },
	{ ompt_mutex_critical, "critical" },   { ompt_mutex_atomic, "atomic" },
	{ ompt_mutex_ordered, "ordered" },     { 0, NULL },
};

static const struct word syncs[] = {
	{ 1, "barrier" },
	{ 2, "barrier" },
	{ 3, "barrier" },
	{ 4, "barrier" },
	{ ompt_sync_region_taskwait, "taskwait" },
	{ ompt_sync_region_taskgroup, "taskgroup" },
	{ ompt_sync_region_reduction, "reduction" },
	{ 8, "end of worksharing" },
	{ 9, "end of region" },
	{ 10, "end of teams" },
	{ 0, NULL },
};

static const struct word works[] = {
	{ 1, "loop" },		 { 2, "sections" },   { 3, "single" },	 { 4, "single" },
	{ 5, "workshare" },	 { 6, "distribute" }, { 7, "taskloop" }, { 8, "scope" },
	{ 9, "workdistribute" }, { 10, "loop" },      { 11, "loop" },	 { 12, "loop" },
	{ 13, "loop" },		 { 0, NULL },
};

static const struct word depends[] = {
	{ 1, "in" },	 { 2, "out" },	{ 3, "inout" },	   { 4, "mutexinoutset" },
	{ 5, "source" }, { 6, "sink" }, { 7, "inoutset" }, { 0, NULL },
};

static const struct word targets[] = {
	{ 1, "target region" },
	{ 2, "target enter data" },
	{ 3, "target exit data" },
	{ 4, "target update" },
	{ 0, NULL },
};

static const struct word cancelled[] = {
	{ 1, "region" }, { 2, "sections" }, { 4, "loop" }, { 8, "taskgroup" }, { 0, NULL },
};

static const char *word_of(const struct word *words, uint32_t number, const char *otherwise)
{
	for (; words->name; words++) {
		if (words->number == number)
			return words->name;
	}
	return otherwise;
}

/** The name of each kind of event, and words for what it is about. */
static const struct {
	const char *name;
	const struct word *details;
} kinds[RECORD_KINDS] = {
	[RECORD_THREAD_BEGIN] = { "thread_begin" },
	[RECORD_THREAD_END] = { "thread_end" },
	[RECORD_PARALLEL_BEGIN] = { "parallel_begin" },
	[RECORD_PARALLEL_END] = { "parallel_end" },
	[RECORD_IMPLICIT_BEGIN] = { "implicit_begin" },
	[RECORD_IMPLICIT_END] = { "implicit_end" },
	[RECORD_TASK_CREATE] = { "task_create" },
	[RECORD_TASK_BEGIN] = { "task_begin" },
	[RECORD_TASK_END] = { "task_end" },
	[RECORD_WORK_BEGIN] = { "work_begin", works },
	[RECORD_WORK_END] = { "work_end", works },
	[RECORD_CHUNK] = { "chunk" },
	[RECORD_SYNC_BEGIN] = { "sync_begin", syncs },
	[RECORD_SYNC_END] = { "sync_end", syncs },
	[RECORD_WAIT_BEGIN] = { "wait_begin", syncs },
	[RECORD_WAIT_END] = { "wait_end", syncs },
	[RECORD_ACQUIRE] = { "acquire", mutexes },
	[RECORD_ACQUIRED] = { "acquired", mutexes },
	[RECORD_RELEASED] = { "released", mutexes },
	[RECORD_LOCK_INIT] = { "lock_init", mutexes },
	[RECORD_LOCK_DESTROY] = { "lock_destroy", mutexes },
	[RECORD_NEST_BEGIN] = { "nest_begin" },
	[RECORD_NEST_END] = { "nest_end" },
	[RECORD_MASKED_BEGIN] = { "masked_begin" },
	[RECORD_MASKED_END] = { "masked_end" },
	[RECORD_DEPENDENCE] = { "dependence", depends },
	[RECORD_CANCEL] = { "cancel" },
	[RECORD_TARGET_BEGIN] = { "target_begin", targets },
	[RECORD_TARGET_END] = { "target_end", targets },
};

const char *event_kind_name(const struct record_event *event)
{
	const char *name = event->kind < RECORD_KINDS ? kinds[event->kind].name : NULL;

	return name ? name : "unknown";
}

const char *event_detail_name(const struct record_event *event)
{
	const struct word *words = event->kind < RECORD_KINDS ? kinds[event->kind].details : NULL;

	if (event->kind == RECORD_NEST_BEGIN || event->kind == RECORD_NEST_END)
		return "nest lock";
	return words ? word_of(words,
			       words == targets ? event->detail & ~(uint32_t)TARGET_NOWAIT :
						  event->detail,
			       NULL) :
		       NULL;
}

bool event_is_of_mutex(const struct record_event *event)
{
	return (event->kind >= RECORD_ACQUIRE && event->kind <= RECORD_LOCK_DESTROY) ||
	       event->kind == RECORD_NEST_BEGIN || event->kind == RECORD_NEST_END;
}

bool event_is_passed(const struct record_event *event)
{
	return (event->kind == RECORD_WORK_BEGIN || event->kind == RECORD_WORK_END) &&
	       event->detail == ompt_work_single_other;
}

// ---- Names -------------------------------------------------------------------------------------

/** Find the name that threads have for the mutex that they wait for: a frame may know it where no symbol
 *  does, and LLVM's runtime calls critical constructs by other addresses than their names'. */
static const char *waited_name(struct process *process, uint64_t object)
{
	for (size_t i = 0; i < process->num_targets; i++) {
		const struct record_wait *wait = history_wait(process->threads[i]);
		if (wait && wait->kind == RECORD_ACQUIRE && wait->object == object &&
		    recorded_wait(process->threads[i]))
			return thread_wait(process->threads[i])->symbol;
	}
	return NULL;
}

const char *mutex_name(struct process *process, uint64_t object, bool is_critical, uint64_t near)
{
	struct ompdbg_symbol symbol;
	const char *name;

	if (!is_ok(SERVICE(process, symbol_at, object, &symbol)) ||
	    !is_users_data(process, object, &symbol))
		return NULL;
	if (!is_critical && is_ok(SERVICE(process, variable_at, object, true, near, &name)))
		return arena_strdup(&process->arena, name);
	return symbol_title(process, &symbol);
}

const char *event_object_name(struct process *process, const struct record_event *event)
{
	const char *name;

	if (!event->object || !(event_is_of_mutex(event) || event->kind == RECORD_DEPENDENCE))
		return NULL;
	if (event->kind == RECORD_DEPENDENCE)
		return address_name(process, event->object, event->code);
	name = waited_name(process, event->object);
	return name ? name :
		      mutex_name(process, event->object, event->detail == ompt_mutex_critical,
				 event->code);
}

const char *mutex_title(struct arena *arena, const char *kind, const char *name, bool is_lock,
			uint64_t object)
{
	if (name)
		return arena_printf(arena, "%s %s", kind, name);
	return is_lock ? arena_printf(arena, "%s %#lx", kind, (unsigned long)object) : kind;
}

static const char *mutex_text(struct process *process, const struct record_event *event)
{
	const char *kind = event_detail_name(event);
	bool is_lock = kind && (strcmp(kind, "lock") == 0 || strcmp(kind, "nest lock") == 0);

	return mutex_title(&process->arena, kind ? kind : "mutex",
			   event_object_name(process, event), is_lock, event->object);
}

// ---- Sentences ---------------------------------------------------------------------------------

static const char *count_text(struct arena *arena, uint32_t number, const char *noun)
{
	if (!number || number == SATURATED)
		return "";
	return arena_printf(arena, " (%s)", counted_text(arena, number, noun));
}

static const char *parallel_text(struct arena *arena, const struct record_event *event)
{
	const char *number =
		event->object ? arena_printf(arena, " %lu", (unsigned long)event->object) : "";

	switch (event->kind) {
	case RECORD_PARALLEL_BEGIN:
		return arena_printf(
			arena, "began %s%s%s", event->detail ? "league" : "region", number,
			count_text(arena, event->number, event->detail ? "team" : "thread"));
	case RECORD_PARALLEL_END:
		return arena_printf(arena, "ended region%s", number);
	case RECORD_IMPLICIT_BEGIN:
		if (!event->object)
			return "began initial task";
		return arena_printf(arena, "entered region%s as %u/%u", number, event->number,
				    event->detail);
	default:
		if (!event->object)
			return "ended initial task";
		return arena_printf(arena, "left region%s", number);
	}
}

static const char *task_words(struct arena *arena, const struct record_event *event)
{
	const char *verb = event->kind == RECORD_TASK_CREATE   ? "created" :
			   event->kind == RECORD_TASK_BEGIN    ? "switched to" :
			   event->detail == ompt_task_complete ? "completed" :
			   event->detail == ompt_task_cancel   ? "cancelled" :
			   event->detail == ompt_task_detach   ? "detached" :
								 "suspended";

	return arena_printf(arena, "%s task %lu", verb, (unsigned long)event->object);
}

static const char *chunk_text(struct arena *arena, const struct record_event *event)
{
	long first = (long)event->object;

	if (event->number == SATURATED || !event->number)
		return arena_printf(arena, "got iterations from %ld on", first);
	if (event->number == 1)
		return arena_printf(arena, "got iteration %ld", first);
	return arena_printf(arena, "got iterations %ld-%ld", first,
			    first + (long)event->number - 1);
}

static const char *sync_text(struct arena *arena, const struct record_event *event)
{
	const char *what = event_detail_name(event);
	bool is_barrier = event->detail < ompt_sync_region_taskwait ||
			  event->detail > ompt_sync_region_reduction;

	if (!what)
		what = "synchronization";
	switch (event->kind) {
	case RECORD_SYNC_BEGIN:
		return arena_printf(arena, "reached %s", what);
	case RECORD_WAIT_BEGIN:
		return arena_printf(arena, "began to wait %s %s", is_barrier ? "at" : "in", what);
	default:
		return arena_printf(arena, "left %s", what);
	}
}

static const char *mutex_words(struct process *process, const struct record_event *event)
{
	static const char *const verbs[RECORD_KINDS] = {
		[RECORD_ACQUIRE] = "began to wait for", [RECORD_ACQUIRED] = "took",
		[RECORD_RELEASED] = "released",		[RECORD_LOCK_INIT] = "initialized",
		[RECORD_LOCK_DESTROY] = "destroyed",	[RECORD_NEST_BEGIN] = "took",
		[RECORD_NEST_END] = "released",
	};

	const char *times = event->kind == RECORD_NEST_BEGIN ? " once more" :
			    event->kind == RECORD_NEST_END   ? " once" :
							       "";

	return arena_printf(&process->arena, "%s %s%s", verbs[event->kind],
			    mutex_text(process, event), times);
}

static const char *dependence_text(struct process *process, const struct record_event *event)
{
	struct arena *arena = &process->arena;
	const char *name = event_object_name(process, event);
	const char *kind = event_detail_name(event);

	if (!name)
		name = arena_printf(arena, "%#lx", (unsigned long)event->object);
	return arena_printf(arena, "task %u depends on %s: %s", event->number, kind ? kind : "?",
			    name);
}

static const char *cancel_text(struct arena *arena, const struct record_event *event)
{
	const char *what = word_of(cancelled, event->detail & 0xfU, "construct");

	if (event->detail & CANCEL_ACTIVATED)
		return arena_printf(arena, "cancelled the %s", what);
	if (event->detail & CANCEL_DETECTED)
		return arena_printf(arena, "found the %s cancelled", what);
	return "dropped a cancelled task";
}

const char *event_text(struct process *process, const struct record_event *event)
{
	struct arena *arena = &process->arena;
	const char *what = event_detail_name(event);

	switch (event->kind) {
	case RECORD_THREAD_BEGIN:
		return "began";
	case RECORD_THREAD_END:
		return "ended";
	case RECORD_PARALLEL_BEGIN:
	case RECORD_PARALLEL_END:
	case RECORD_IMPLICIT_BEGIN:
	case RECORD_IMPLICIT_END:
		return parallel_text(arena, event);
	case RECORD_TASK_CREATE:
	case RECORD_TASK_BEGIN:
	case RECORD_TASK_END:
		return task_words(arena, event);
	case RECORD_WORK_BEGIN:
		if (event_is_passed(event))
			return "left single to another thread";
		if (event->detail == ompt_work_single_executor)
			return "began single";
		return arena_printf(arena, "began %s%s", what ? what : "worksharing",
				    count_text(arena, event->number,
					       what && starts_with(what, "sections") ?
						       "section" :
						       "iteration"));
	case RECORD_WORK_END:
		return arena_printf(arena, "ended %s", what ? what : "worksharing");
	case RECORD_CHUNK:
		return chunk_text(arena, event);
	case RECORD_SYNC_BEGIN:
	case RECORD_SYNC_END:
	case RECORD_WAIT_BEGIN:
	case RECORD_WAIT_END:
		return sync_text(arena, event);
	case RECORD_MASKED_BEGIN:
		return "entered masked";
	case RECORD_MASKED_END:
		return "left masked";
	case RECORD_DEPENDENCE:
		return dependence_text(process, event);
	case RECORD_CANCEL:
		return cancel_text(arena, event);
	case RECORD_TARGET_BEGIN:
		return arena_printf(arena, "began %s", what ? what : "target region");
	case RECORD_TARGET_END:
		return arena_printf(arena, "ended %s", what ? what : "target region");
	default:
		return event_is_of_mutex(event) ? mutex_words(process, event) : "?";
	}
}
