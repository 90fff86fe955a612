// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every function of the document of 2016 with arguments at random: good handles and those of other
// kinds, released ones, those of a released address space and of a session before, pointers to
// anything else, and NULL. Nothing crashes, is freed twice or lost, and bad arguments are told.

#define _GNU_SOURCE

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tr2_here.h"

enum { ROUNDS = 40, CALLS = 400, MAX_ARGUMENTS = 5, KINDS = 4, STALE = 32, ROOM = 16 };

/** What a function takes, a letter each: s, t, p, k a handle of an address space, thread, region or
 * task; c callbacks; x a context; i a kind of thread identifier; z its size; I the identifier; v
 * display control variables; o a place for a result. And what it gives: S, T, P, K a handle; U, L
 * a vector of handles of threads or tasks; N a string; V variables. */
struct function {
	const char *name;
	ompd_rc_t (*call)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);
	const char *takes;
	char gives; // in the first place for a result; 0: nothing to give back
};

#define OF(name, takes, gives)                           \
	{                                                \
#name, (void *)ompd_##name, takes, gives \
	}
static const struct function functions[] = {
	OF(get_version, "o", 0),
	OF(get_version_string, "o", 0),
	OF(initialize, "c", 0),
	OF(process_initialize, "xo", 'S'),
	OF(finalize, "", 0),
	OF(release_address_space_handle, "s", 0),
	OF(get_threads, "soo", 'U'),
	OF(get_thread_in_parallel, "poo", 'U'),
	OF(get_master_thread_in_parallel, "po", 'T'),
	OF(release_thread_handle, "t", 0),
	OF(thread_handle_compare, "tto", 0),
	OF(get_thread_handle_string_id, "to", 'N'),
	OF(get_top_parallel_region, "to", 'P'),
	OF(get_enclosing_parallel_handle, "po", 'P'),
	OF(get_task_parallel_handle, "ko", 'P'),
	OF(release_parallel_handle, "p", 0),
	OF(parallel_handle_compare, "ppo", 0),
	OF(get_parallel_handle_string_id, "po", 'N'),
	OF(get_top_task_region, "to", 'K'),
	OF(get_generating_ancestor_task_region, "ko", 'K'),
	OF(get_scheduling_ancestor_task_region, "ko", 'K'),
	OF(get_implicit_task_in_parallel, "poo", 'L'),
	OF(release_task_handle, "k", 0),
	OF(task_handle_compare, "kko", 0),
	OF(get_task_handle_string_id, "ko", 'N'),
	OF(get_num_procs, "so", 0),
	OF(get_thread_limit, "so", 0),
	OF(get_num_threads, "po", 0),
	OF(get_level, "po", 0),
	OF(get_active_level, "ko", 0),
	OF(get_parallel_function, "po", 0),
	OF(get_thread_handle, "sizIo", 'T'),
	OF(get_osthread, "tizo", 0),
	OF(get_state, "too", 0),
	OF(get_task_function, "ko", 0),
	OF(get_max_threads, "ko", 0),
	OF(get_thread_num, "to", 0),
	OF(in_parallel, "ko", 0),
	OF(in_final, "ko", 0),
	OF(get_dynamic, "ko", 0),
	OF(get_nested, "ko", 0),
	OF(get_max_active_levels, "to", 0),
	OF(get_schedule, "koo", 0),
	OF(get_proc_bind, "ko", 0),
	OF(is_implicit, "ko", 0),
	OF(get_task_frame, "koo", 0),
	OF(get_display_control_vars, "so", 'V'),
	OF(release_display_control_vars, "v", 0),
};
#undef OF

enum { FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

static const char kinds[] = "stpk";
static unsigned int seed = 2016;
static struct handles own; // released by nobody else in a round
static void *stale[STALE]; // of whatever was given back
static unsigned int stale_count;
static const char *const *stale_vars;
static long calls, successes;
static uint64_t room[MAX_ARGUMENTS + 1][ROOM];

static unsigned int any(unsigned int below)
{
	return (unsigned int)rand_r(&seed) % below;
}

static void *own_handle(int kind)
{
	void *const handles[KINDS] = { own.space, own.thread, own.parallel, own.task };

	return handles[kind];
}

static void remember(void *handle)
{
	stale[stale_count++ % STALE] = handle;
}

// @p good: whether it may be taken.
static uint64_t any_handle(char kind, bool *good)
{
	static char not_a_handle[64];
	const void *handle = own_handle((int)(strchr(kinds, kind) - kinds));

	switch (any(8)) {
	case 0:
		handle = NULL;
		break;
	case 1:
		handle = stale_count ? stale[any(stale_count < STALE ? stale_count : STALE)] : NULL;
		break;
	case 2:
		handle = not_a_handle;
		break;
	case 3:
		handle = (const void *)(uintptr_t)((any(1 << 16) << 16) + any(1 << 16));
		break;
	case 4: // of any kind, and levels are told of several
		handle = own_handle((int)any(KINDS));
		return (uintptr_t)handle;
	default:
		return (uintptr_t)handle;
	}
	*good = false;
	return (uintptr_t)handle;
}

static uint64_t any_argument(char what, int position, bool *good)
{
	static const uint64_t sizes[] = { 8, 4, 0, 1, 16, UINT64_MAX };
	bool given = any(6) != 0;

	switch (what) {
	case 'c':
		return given ? (uintptr_t)&tr2_host_callbacks : 0;
	case 'x':
		*good &= given;
		return given ? (uintptr_t)tr2_host_context() : 0;
	case 'i':
		return any(5);
	case 'z':
		return sizes[any(6)];
	case 'I':
		room[position][0] = any(3) ? self() : any(1 << 20);
		return given ? (uintptr_t)room[position] : 0;
	case 'v':
		*good = false;
		return given ? (uintptr_t)stale_vars : 0;
	case 'o':
		memset(room[position], 0, sizeof(room[position]));
		return given ? (uintptr_t)room[position] : 0;
	default:
		return any_handle(what, good);
	}
}

// Those that were released may be given out again: what is good is in no list of stale ones.
static void forget(const void *handle)
{
	for (int i = 0; i < STALE; i++)
		stale[i] = stale[i] == handle ? NULL : stale[i];
}

static void release(char kind, void *handle)
{
	ompd_rc_t rc = kind == 'S' ? ompd_release_address_space_handle(handle) :
		       kind == 'T' ? ompd_release_thread_handle(handle) :
		       kind == 'P' ? ompd_release_parallel_handle(handle) :
				     ompd_release_task_handle(handle);

	assert_int_equal(rc, ompd_rc_ok);
	remember(handle);
}

static void give_back(char what, uint64_t *result, int count)
{
	void **vector = (void **)(uintptr_t)result[0];

	if (!vector)
		return;
	switch (what) {
	case 'U':
	case 'L':
		for (int i = 0; i < count; i++)
			release(what == 'U' ? 'T' : 'K', vector[i]);
		tr2_host_free(vector);
		break;
	case 'N':
		tr2_host_free(vector);
		break;
	case 'V':
		stale_vars = (void *)vector;
		assert_int_equal(ompd_release_display_control_vars(stale_vars), ompd_rc_ok);
		break;
	default:
		release(what, vector);
	}
}

static bool is_release(const struct function *function)
{
	return strncmp(function->name, "release", 7) == 0;
}

static bool is_own(uint64_t handle)
{
	bool found = false;

	for (int i = 0; i < KINDS; i++)
		found |= handle && (uintptr_t)own_handle(i) == handle;
	return found;
}

static void call_any(const struct function *function)
{
	uint64_t argument[MAX_ARGUMENTS] = { 0 };
	bool good = true;
	int first = -1;
	ompd_rc_t rc;

	for (int i = 0; function->takes[i]; i++) {
		argument[i] = any_argument(function->takes[i], i, &good);
		if (function->takes[i] == 'o' && first < 0)
			first = i;
	}
	if (is_release(function) && is_own(argument[0]))
		return;
	rc = function->call(argument[0], argument[1], argument[2], argument[3], argument[4]);
	calls++;
	successes += rc == ompd_rc_ok;
	if (rc > ompd_rc_nomem || (rc == ompd_rc_ok && !good)) {
		fprintf(stderr, "%s(%llx, %llx): %d\n", function->name,
			(unsigned long long)argument[0], (unsigned long long)argument[1], rc);
		fail();
	}
	if (rc == ompd_rc_ok && function->gives && argument[first])
		give_back(function->gives, room[first], (int)room[first + 1][0]);
}

static void sessions(void **state)
{
	(void)state;
	assert_int_equal(FUNCTIONS, 48);
#pragma omp parallel num_threads(THREADS)
#pragma omp master
	for (int round = 0; round < ROUNDS; round++) {
		// Nothing is known before a session, and nothing of the one before.
		for (int i = 0; i < FUNCTIONS; i++) {
			if (functions[i].call != (void *)ompd_initialize)
				call_any(&functions[i]);
		}
		assert_int_equal(ompd_initialize(&tr2_host_callbacks), ompd_rc_ok);
		assert_int_equal(open_handles(&own), ompd_rc_ok);
		for (int i = 0; i < KINDS; i++)
			forget(own_handle(i));
		for (int i = 0; i < CALLS; i++) {
			const struct function *function = &functions[any(FUNCTIONS)];

			if (function->call != (void *)ompd_finalize)
				call_any(function);
		}
		// Ends with handles that are left, of a space that is gone first, or of neither.
		for (int i = 0; i < KINDS; i++)
			remember(own_handle(i));
		if (round % 3 == 0)
			close_handles(&own);
		if (round % 3 == 1)
			assert_int_equal(ompd_release_address_space_handle(own.space), ompd_rc_ok);
		memset(&own, 0, sizeof(own));
		assert_int_equal(ompd_finalize(), ompd_rc_ok);
		assert_int_equal(here_blocks, 0);
	}
	printf("%ld calls, %ld ok\n", calls, successes);
	assert_true(successes > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(sessions) };

	alarm(300);
#pragma omp parallel num_threads(THREADS)
	meet();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
