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

static void fill(const struct routine *routine, const struct handles *handles,
		 union argument *arguments)
{
	for (size_t i = 0; routine->kinds[i]; i++) {
		switch (routine->kinds[i]) {
		case SPACE:
			arguments[i].pointer = handles->space;
			break;
		case THREAD:
			arguments[i].pointer = handles->thread;
			break;
		case PARALLEL:
			arguments[i].pointer = handles->parallel;
			break;
		case TASK:
			arguments[i].pointer = handles->task;
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

// Each handle in place of each other.
static void try_handles(const struct routine *routine, const struct handles *handles,
			union argument *arguments, size_t which)
{
	static const char kinds[] = { SPACE, THREAD, PARALLEL, TASK };
	void *const others[] = { handles->space, handles->thread, handles->parallel,
				 handles->task };
	const union argument right = arguments[which];

	for (size_t i = 0; i < sizeof(kinds); i++) {
		if (kinds[i] == routine->kinds[which])
			continue;
		arguments[which].pointer = others[i];
		expect_refusal(routine, arguments, which, "of another kind");
	}
	arguments[which] = right;
}

static void try_routine(const struct routine *routine, const struct handles *handles)
{
	union argument arguments[MOST_ARGUMENTS] = { { NULL } };

	fill(routine, handles, arguments);
	for (size_t i = 0; routine->kinds[i]; i++) {
		const union argument right = arguments[i];

		if (!is_handle(routine->kinds[i]) && routine->kinds[i] != POINTER)
			continue;
		arguments[i].pointer = NULL;
		expect_refusal(routine, arguments, i, "NULL");
		arguments[i] = right;
		if (is_handle(routine->kinds[i]))
			try_handles(routine, handles, arguments, i);
	}
}

void check_arguments(const struct handles *handles)
{
	for (size_t i = 0; i < sizeof(routines) / sizeof(routines[0]); i++)
		try_routine(&routines[i], handles);
}
