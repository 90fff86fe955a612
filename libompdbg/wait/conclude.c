// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conclusion from what was found out about a thread: its state, and what it waits for.

#include <string.h>

#include "wait/evidence.h"

struct conclusion {
	struct thread *thread;
	struct arena *arena;
	const struct evidence *evidence;
	struct verdict *verdict;
};

static const char stack_unknown[] = "stack unknown";

static void set_unknown(struct conclusion *c, const char *reason)
{
	c->verdict->state = STATE_UNKNOWN;
	c->verdict->reason = reason;
}

// ---- Waits -------------------------------------------------------------------------------------

/** Write how the address is called that the thread sleeps on. */
static const char *futex_title(struct conclusion *c)
{
	const char *title = NULL;

	if (c->evidence->futex_symbol.name)
		title = symbol_title(c->thread->runtime->process, &c->evidence->futex_symbol);
	return title ? title : arena_printf(c->arena, "%#lx", (unsigned long)c->evidence->futex);
}

static void set_wait(struct conclusion *c, uint32_t kind, const char *function, uint64_t wait_id)
{
	const struct evidence *e = c->evidence;
	const struct wait_kind *row = wait_kind(kind);
	struct wait *wait = ARENA_NEW(c->arena, struct wait);
	bool is_lock = kind == ompd_ext_wait_lock || kind == ompd_ext_wait_nest_lock;

	wait->kind = kind;
	wait->title = *row->title ? row->title : row->name;
	wait->function = function;
	wait->address = e->futex ? e->futex : wait_id;
	if (row->family == FAMILY_MUTEX && e->is_users) {
		wait->symbol = e->name.symbol;
		if (!wait->symbol && e->futex_symbol.name)
			wait->symbol = symbol_title(c->thread->runtime->process, &e->futex_symbol);
	}
	if (is_lock)
		wait->variable = e->name.variable;
	if (wait->symbol || is_lock)
		wait->title = lock_title(c->arena, wait->title,
					 &(struct lock_name){ wait->symbol, wait->variable,
							      e->name.function },
					 wait->address);
	c->verdict->wait = wait;
}

/** Conclude a wait for a lock of which the runtime does not record what it is. */
static void set_lock_wait(struct conclusion *c, uint32_t kind, uint64_t address)
{
	struct wait *wait = ARENA_NEW(c->arena, struct wait);
	const struct lock_name *name = &c->evidence->name;

	*wait = (struct wait){
		.kind = kind, .address = address, .symbol = name->symbol, .variable = name->variable
	};
	wait->title = lock_title(c->arena, wait_kind(kind)->title, name, address);
	c->verdict->wait = wait;
}

static enum wait_family family(uint32_t kind)
{
	return wait_kind(kind)->family;
}

// ---- Recorded states ---------------------------------------------------------------------------

/** Return the kind that a recorded state stands for, where no better evidence names it. */
static int kind_of_state(int64_t state)
{
	switch (state) {
	case STATE_BARRIER:
	case STATE_BARRIER_IMPLICIT:
	case STATE_BARRIER_EXPLICIT:
	case STATE_BARRIER_IMPLEMENTATION:
		return ompd_ext_wait_barrier;
	case STATE_BARRIER_TEAMS:
		return ompd_ext_wait_barrier_teams;
	case STATE_BARRIER_PARALLEL:
		return ompd_ext_wait_barrier_parallel;
	case STATE_BARRIER_WORKSHARE:
		return ompd_ext_wait_barrier_workshare;
	case STATE_TASKWAIT:
		return ompd_ext_wait_taskwait;
	case STATE_TASKGROUP:
		return ompd_ext_wait_taskgroup;
	case STATE_LOCK:
		return ompd_ext_wait_lock;
	case STATE_CRITICAL:
		return ompd_ext_wait_critical;
	case STATE_ATOMIC:
		return ompd_ext_wait_atomic;
	case STATE_ORDERED:
		return ompd_ext_wait_ordered;
	case STATE_IDLE:
		return ompd_ext_wait_idle;
	default:
		return NOT_KNOWN;
	}
}

/** Check for a state that stands for any barrier, or any implicit one; others name theirs. */
static bool is_any_barrier(int64_t state)
{
	return state == STATE_BARRIER || state == STATE_BARRIER_IMPLICIT;
}

/** Choose between a recorded state and that of the place, which are one kind of wait. A runtime may
 *  record just that it is a barrier; LLVM's records critical constructs as the locks by which it makes
 *  them. */
static int64_t more_exact(int64_t state, const ompd_ext_wait_site *site)
{
	return is_any_barrier(state) || site_is_mutex(site) ? site->state : state;
}

static void conclude_recorded(struct conclusion *c, int64_t state)
{
	const struct evidence *e = c->evidence;
	const ompd_ext_wait_site *sites[] = { e->has_call ? &e->call : NULL,
					      e->has_futex_site ? &e->futex_site : NULL };
	int kind = kind_of_state(state);

	if (state == STATE_TASKWAIT && e->for_dependences) {
		// Neither the call nor what the thread sleeps on tells it from a taskwait.
		c->verdict->state = state;
		set_wait(c, ompd_ext_wait_dependences, e->has_call ? e->call.function : NULL,
			 e->wait_id);
		return;
	}
	if (is_any_barrier(state) && e->after_user_code) {
		kind = ompd_ext_wait_barrier_parallel;
		state = STATE_BARRIER_PARALLEL;
	}
	for (size_t i = 0; i < 2; i++) {
		const ompd_ext_wait_site *site = sites[i];
		if (site &&
		    (site->state == state || family(site->kind) == family((uint32_t)kind))) {
			c->verdict->state = more_exact(state, site);
			set_wait(c, site->kind, site->function, e->wait_id);
			return;
		}
	}
	c->verdict->state = state;
	set_wait(c, (uint32_t)kind, e->has_call && !site_waits(&e->call) ? e->call.function : NULL,
		 e->wait_id);
}

// ---- Observed waits ----------------------------------------------------------------------------

static void set_works(struct conclusion *c)
{
	c->verdict->state = c->evidence->level ? STATE_WORK_PARALLEL : STATE_WORK_SERIAL;
}

/** Conclude from the address on which the thread sleeps: a tail call left no frame that waits. */
static void conclude_asleep(struct conclusion *c, const char *function)
{
	uint32_t kind = c->evidence->futex_site.kind;
	int64_t state = c->evidence->futex_site.state;

	if (kind != ompd_ext_wait_barrier_teams && family(kind) == FAMILY_BARRIER &&
	    c->evidence->after_user_code) {
		kind = ompd_ext_wait_barrier_parallel;
		state = STATE_BARRIER_PARALLEL;
	}
	c->verdict->state = state;
	set_wait(c, kind, function ? function : c->evidence->futex_site.function, 0);
}

/** Conclude from a known function of the runtime that was called, and a known address of sleep. */
static void conclude_called_asleep(struct conclusion *c)
{
	const ompd_ext_wait_site *call = &c->evidence->call, *asleep = &c->evidence->futex_site;
	int called = family(call->kind), sleeping = family(asleep->kind);

	if (sleeping == FAMILY_RUNTIME_LOCK) {
		const ompd_ext_wait_site *site = site_waits(call) ? call : asleep;
		c->verdict->state = site->state;
		set_wait(c, site->kind, call->function, 0);
	} else if (called == FAMILY_RUNTIME) {
		if (call->kind == ompd_ext_wait_parallel && sleeping == FAMILY_BARRIER) {
			conclude_asleep(c, call->function);
		} else if (call->kind == ompd_ext_wait_parallel &&
			   asleep->kind == ompd_ext_wait_idle) {
			// libgomp's thread that encountered the region fetches the others from there.
			c->verdict->state = call->state;
		} else {
			c->verdict->state = asleep->state;
			set_wait(c, asleep->kind, call->function, 0);
		}
	} else if (called == sleeping) {
		c->verdict->state = call->state;
		set_wait(c, call->kind, call->function, 0);
	} else {
		set_unknown(c, arena_printf(c->arena, "called %s (%s), but sleeps on that of a %s",
					    call->function ? call->function : "the runtime",
					    wait_kind(call->kind)->name,
					    wait_kind(asleep->kind)->name));
	}
}

/** Conclude a wait for memory of the program's, which the runtime got as a lock. */
static void conclude_users_futex(struct conclusion *c)
{
	const struct evidence *e = c->evidence;

	if (is_critical_symbol(&e->futex_symbol)) {
		c->verdict->state = STATE_CRITICAL;
		set_wait(c, ompd_ext_wait_critical, NULL, 0);
	} else if (e->futex_symbol.name) {
		// Variables of critical constructs have their own names: the others are locks.
		c->verdict->state = STATE_LOCK;
		set_wait(c, ompd_ext_wait_lock, NULL, 0);
	} else {
		c->verdict->state = STATE_MUTEX;
		set_lock_wait(c, WAIT_MUTEX, e->futex);
	}
}

static void conclude_called(struct conclusion *c)
{
	const struct evidence *e = c->evidence;

	if (e->has_futex_site) {
		conclude_called_asleep(c);
	} else if (site_waits(&e->call)) {
		c->verdict->state = e->call.state;
		set_wait(c, e->call.kind, e->call.function, 0);
	} else if (e->futex && !e->is_users && !e->is_from_jump) {
		set_unknown(c, arena_printf(c->arena, "in %s, asleep on %s (use unknown)",
					    e->call.function ? e->call.function : "the runtime",
					    futex_title(c)));
	} else if (e->futex) {
		// The code that was called from there jumped to a function that sets a lock.
		conclude_users_futex(c);
	} else {
		c->verdict->state = e->call.state;
	}
}

/** Conclude a wait in the runtime that neither the call nor the address of sleep explains. */
static void conclude_unclassified(struct conclusion *c)
{
	const struct evidence *e = c->evidence;

	if (!e->futex && e->is_unseen) {
		set_unknown(c, stack_unknown);
	} else if (!e->futex && e->in_no_users_code) {
		set_unknown(c, "in the runtime, not called from the program's code");
	} else if (!e->futex && e->in_routine) {
		set_works(c);
	} else if (!e->futex) {
		set_unknown(c, "in the runtime, called from an unknown place");
	} else if (e->is_users || e->is_from_jump || is_critical_symbol(&e->futex_symbol)) {
		conclude_users_futex(c);
	} else {
		set_unknown(c,
			    arena_printf(c->arena, "asleep on %s (use unknown)", futex_title(c)));
	}
}

static void conclude_observed(struct conclusion *c)
{
	if (c->evidence->has_call)
		conclude_called(c);
	else if (c->evidence->has_futex_site)
		conclude_asleep(c, NULL);
	else
		conclude_unclassified(c);
}

void conclude(struct thread *thread, struct verdict *verdict)
{
	const struct evidence *e = &verdict->evidence;
	struct conclusion c = { thread, &thread->runtime->process->arena, e, verdict };
	int64_t state = e->recorded;
	bool is_recorded_wait = state != STATE_UNKNOWN && kind_of_state(state) != NOT_KNOWN;
	bool may_work = state == STATE_UNKNOWN || state == STATE_WORK_SERIAL ||
			state == STATE_WORK_PARALLEL;

	if (e->has_failed) {
		set_unknown(&c, "the runtime failed here");
	} else if (state == STATE_IDLE || (e->in_runtime && is_recorded_wait)) {
		conclude_recorded(&c, state);
	} else if (e->is_outside && may_work) {
		set_unknown(&c, "outside the program's code: starting or ending");
	} else if (e->is_unseen && !e->in_runtime && may_work) {
		set_unknown(&c, stack_unknown);
	} else if (!e->in_runtime) {
		// In the handler of a signal that came while the thread waited, it works.
		if (state != STATE_UNKNOWN && !(is_recorded_wait && e->in_users_code))
			verdict->state = state;
		else
			set_works(&c);
	} else {
		conclude_observed(&c);
		// LLVM's runtime does not record every wait: where it has recorded overhead, there may
		// be one.
		if (verdict->state == STATE_UNKNOWN && state == STATE_OVERHEAD) {
			verdict->state = state;
			verdict->reason = NULL;
			verdict->wait = NULL;
		}
	}
	if (!verdict->wait && e->lock.kind)
		set_lock_wait(&c, e->lock.kind, e->lock.address);
}
