// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every routine with one argument after another that is not as it should be.

#include <stdio.h>
#include <string.h>

#include "client.h"

union argument {
	void *pointer;
	uint64_t number;
};

/** Kinds of arguments. Upper case: a handle. */
enum kind {
	SPACE = 'S',
	THREAD = 'T',
	PARALLEL = 'P',
	TASK = 'K',
	NUMBER = 'n',
	POINTER = 'p', // NULL is refused
	OPTIONAL = 'o',
	ITERATOR = 'z', // NULL here, which is refused
};

struct routine {
	const char *name;
	const char *kinds; // of its arguments, enum kind
	ompd_rc_t (*call)(const union argument *a);
	uint64_t numbers[6]; // of those that are numbers
};

enum { MOST_ARGUMENTS = 6 };

#define P(i) a[i].pointer
#define I(i) ((int)a[i].number)
#define N(i) a[i].number
#define SCOPE(i) ((ompd_scope_t)a[i].number)

#define ROUTINE(name, kinds, numbers, ...)                    \
	static ompd_rc_t call_##name(const union argument *a) \
	{                                                     \
		return name(__VA_ARGS__);                     \
	}
#include "routines.def"
#undef ROUTINE

#define NUMBERS(...)        \
	{                   \
		__VA_ARGS__ \
	}
#define ROUTINE(name, kinds, numbers, ...) { #name, kinds, call_##name, NUMBERS numbers },
static const struct routine routines[] = {
#include "routines.def"
};
#undef ROUTINE

static bool is_handle(char kind)
{
	return kind == SPACE || kind == THREAD || kind == PARALLEL || kind == TASK;
}

/** What stands in for a pointer to anything. */
static uint64_t room[64];

static void *handle_of(const struct handles *handles, char kind)
{
	switch (kind) {
	case SPACE:
		return handles->space;
	case THREAD:
		return handles->thread;
	case PARALLEL:
		return handles->parallel;
	default:
		return handles->task;
	}
}

static void fill(const struct routine *routine, const struct handles *handles,
		 union argument *arguments)
{
	for (size_t i = 0; routine->kinds[i]; i++) {
		switch (routine->kinds[i]) {
		case SPACE:
		case THREAD:
		case PARALLEL:
		case TASK:
			arguments[i].pointer = handle_of(handles, routine->kinds[i]);
			break;
		case NUMBER:
			arguments[i].number = routine->numbers[i];
			break;
		case ITERATOR:
			break;
		default:
			arguments[i].pointer = room;
		}
	}
}

// A code that says that an argument is bad.
static bool is_refusal(ompd_rc_t rc)
{
	return rc == ompd_rc_bad_input || rc == ompd_rc_stale_handle;
}

static void expect_refusal(const struct routine *routine, const union argument *arguments,
			   size_t which, const char *what)
{
	const long blocks = debugger_blocks;
	ompd_rc_t rc = routine->call(arguments);

	if (!is_refusal(rc))
		complain("%s with argument %zu %s returns %d", routine->name, which, what, rc);
	if (debugger_blocks != blocks)
		complain("%s with argument %zu %s leaves blocks behind", routine->name, which,
			 what);
}

/** Handles of which none may be taken for one that lives. */
struct dead {
	const char *what;
	struct handles handles;
};

enum { DEAD = 7 };

static void try_routine(const struct routine *routine, const struct handles *handles,
			const struct dead *dead)
{
	static const char kinds[] = { SPACE, THREAD, PARALLEL, TASK };
	union argument arguments[MOST_ARGUMENTS] = { { NULL } };

	fill(routine, handles, arguments);
	for (size_t i = 0; routine->kinds[i]; i++) {
		const union argument right = arguments[i];

		if (!is_handle(routine->kinds[i]) && routine->kinds[i] != POINTER)
			continue;
		arguments[i].pointer = NULL;
		expect_refusal(routine, arguments, i, "NULL");
		for (size_t k = 0; is_handle(routine->kinds[i]) && k < sizeof(kinds); k++) {
			arguments[i].pointer = handle_of(handles, kinds[k]);
			if (kinds[k] != routine->kinds[i])
				expect_refusal(routine, arguments, i, "of another kind");
		}
		for (size_t k = 0; is_handle(routine->kinds[i]) && k < DEAD; k++) {
			arguments[i].pointer = handle_of(&dead[k].handles, routine->kinds[i]);
			expect_refusal(routine, arguments, i, dead[k].what);
		}
		arguments[i] = right;
	}
}

// ---- Handles that do not live ----------------------------------------------------------------

// The handles of the same thread in a space of their own.
static struct handles open_others(const struct handles *handles)
{
	struct handles ret = { .space = NULL };
	uint64_t pthread = 0;

	if (ompd_process_initialize(debugger_context(), &ret.space) != ompd_rc_ok ||
	    ompd_get_thread_id(handles->thread, ompd_thread_id_pthread, sizeof(pthread),
			       &pthread) != ompd_rc_ok ||
	    ompd_get_thread_handle(ret.space, ompd_thread_id_pthread, sizeof(pthread), &pthread,
				   &ret.thread) != ompd_rc_ok)
		complain("cannot open the process again: %s", ompd_ext_last_reason());
	place_open(&ret);
	return ret;
}

static struct handles all_of(const void *pointer)
{
	return (struct handles){
		.space = (ompd_address_space_handle_t *)pointer,
		.thread = (ompd_thread_handle_t *)pointer,
		.parallel = (ompd_parallel_handle_t *)pointer,
		.task = (ompd_task_handle_t *)pointer,
	};
}

static void expect_ok(const char *what, ompd_rc_t rc)
{
	if (rc != ompd_rc_ok)
		complain("%s returns %d", what, rc);
}

void check_arguments(const struct handles *handles)
{
	struct handles released = open_others(handles), orphans = open_others(handles);
	const struct dead dead[DEAD] = {
		{ "released", released },
		{ "whose space was released", orphans },
		{ "that is a small number", all_of((void *)1) },
		{ "that is memory", all_of(room) },
		{ "that is unmapped", all_of((void *)0x1000) },
		{ "that is all ones", all_of((void *)UINTPTR_MAX) },
		{ "next to one", all_of((char *)handles->thread + 1) },
	};
	ompd_address_space_handle_t *space = released.space;

	place_close(&released);
	expect_ok("to release a space", ompd_rel_address_space_handle(space));
	expect_ok("to release a space with handles", ompd_rel_address_space_handle(orphans.space));
	for (size_t i = 0; i < sizeof(routines) / sizeof(routines[0]); i++)
		try_routine(&routines[i], handles, dead);
}
