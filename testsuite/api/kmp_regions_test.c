// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions of LLVM's runtime: nested ones of one thread, leagues, those of code that GCC compiled;
// threads of all kinds; locks and who owns them; calls that wait.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <omp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host.h"
#include "task_states.h"

// What code of GCC calls.
void GOMP_parallel(void (*function)(void *data), void *data, unsigned int threads,
		   unsigned int flags);

static ompd_word_t icv(void *handle, ompd_scope_t scope, const char *wanted)
{
	ompd_word_t value = -7;
	ompd_rc_t rc = ompd_ext_get_icv(handle, scope, wanted, &value);

	assert_true(rc == ompd_rc_ok || rc == ompd_rc_incomplete);
	return value;
}

static uint64_t region_identity(ompd_parallel_handle_t *region)
{
	uint64_t id = 0;

	assert_int_equal(ompd_ext_get_handle_id(region, ompd_scope_parallel, &id), ompd_rc_ok);
	return id;
}

// ---- Nested regions of one thread ------------------------------------------------------------

// The library's region, task and variables of each level, from within.
static void check_nest(int levels)
{
	struct here here;
	uint64_t known[8];
	ompd_parallel_handle_t *region, *outer;
	ompd_task_handle_t *task, *parent;

	open_here(&here);
	region = here.parallel;
	task = here.task;
	for (int level = levels; level >= 0; level--) {
		ompd_thread_handle_t *thread;
		int number = -1, same = -1;

		known[level] = region_identity(region);
		for (int i = level + 1; i <= levels; i++)
			assert_int_not_equal(known[i], known[level]);
		assert_int_equal(icv(region, ompd_scope_parallel, "levels-var"), level);
		assert_int_equal(icv(region, ompd_scope_parallel, "active-levels-var"), 0);
		assert_int_equal(icv(region, ompd_scope_parallel, "team-size-var"), 1);
		// Each level has set a number of its own, and the next one changed it again.
		assert_int_equal(icv(task, ompd_scope_task, "nthreads-var"), 10 + level);
		assert_int_equal(ompd_ext_get_thread_num(here.thread, region, &number), ompd_rc_ok);
		assert_int_equal(number, 0);
		assert_int_equal(ompd_get_thread_in_parallel(region, 0, &thread), ompd_rc_ok);
		assert_int_equal(ompd_thread_handle_compare(thread, here.thread, &same),
				 ompd_rc_ok);
		assert_int_equal(same, 0);
		ompd_rel_thread_handle(thread);
		task_list_read(space, region, 2, &list);
		assert_int_equal(list.count, 1);
		assert_int_equal(list.records[0].parallel_id, known[level]);
		assert_int_equal(list.records[0].status,
				 level == levels ? ompd_ext_task_running : ompd_ext_task_suspended);
		if (level == 0)
			break;
		assert_int_equal(ompd_get_enclosing_parallel_handle(region, &outer), ompd_rc_ok);
		assert_int_equal(ompd_get_generating_task_handle(task, &parent), ompd_rc_ok);
		if (level < levels) {
			ompd_rel_parallel_handle(region);
			ompd_rel_task_handle(task);
		}
		region = outer;
		task = parent;
	}
	assert_int_equal(ompd_get_enclosing_parallel_handle(region, &outer), ompd_rc_unavailable);
	assert_int_equal(ompd_get_generating_task_handle(task, &parent), ompd_rc_unavailable);
	ompd_rel_parallel_handle(region);
	ompd_rel_task_handle(task);
	close_here(&here);
}

static void nest_of_one_thread(void **state)
{
	(void)state;
	omp_set_num_threads(10);
#pragma omp parallel if (0)
	{
		omp_set_num_threads(11);
		check_nest(1);
#pragma omp parallel if (0)
		{
			omp_set_num_threads(12);
			check_nest(2);
#pragma omp parallel if (0)
			{
				omp_set_num_threads(13);
				check_nest(3);
			}
			check_nest(2);
		}
		check_nest(1);
	}
}

// ---- Functions -------------------------------------------------------------------------------

static void body_of_gcc(void *data)
{
	ompd_ext_parallel_info info;
	ompd_address_t function;
	struct here here;

	if (omp_get_thread_num() != 0)
		return;
	open_here(&here);
	assert_int_equal(ompd_get_task_function(here.task, &function), ompd_rc_ok);
	assert_int_equal(function.address, (uintptr_t)body_of_gcc);
	assert_int_equal(ompd_ext_get_parallel_info(here.parallel, &info), ompd_rc_ok);
	assert_int_equal(info.kind, ompd_ext_parallel_region);
	assert_int_equal(info.function, (uintptr_t)body_of_gcc);
	assert_int_equal(info.serialized, 0);
	close_here(&here);
	*(int *)data = 1;
}

static void region_of_gcc(void **state)
{
	int done = 0;

	(void)state;
	GOMP_parallel(body_of_gcc, &done, 3, 0);
	assert_int_equal(done, 1);
}

static void function_of_clang(void **state)
{
	(void)state;
#pragma omp parallel num_threads(2)
#pragma omp master
	{
		ompd_ext_parallel_info info;
		ompd_address_t function;
		struct here here;
		char source[200] = "";

		open_here(&here);
		assert_int_equal(ompd_get_task_function(here.task, &function), ompd_rc_ok);
		assert_int_equal(ompd_ext_get_parallel_info(here.parallel, &info), ompd_rc_ok);
		assert_int_equal(info.function, function.address);
		// Clang names outlined functions for the one that they were part of.
		assert_in_range((uintptr_t)function_of_clang - function.address + 0x10000, 0,
				0x20000);
		strncpy(source, (const char *)(uintptr_t)info.source, sizeof(source) - 1);
		assert_non_null(strstr(source, "kmp_regions_test.c;function_of_clang;"));
		close_here(&here);
	}
}

// ---- Leagues ---------------------------------------------------------------------------------

static int leagues_seen;

static void check_league(int inside)
{
	static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
	ompd_parallel_handle_t *league, *outer;
	ompd_ext_parallel_info info;
	struct here here;

	pthread_mutex_lock(&turn);
	open_here(&here);
	league = here.parallel;
	if (inside)
		assert_int_equal(ompd_get_enclosing_parallel_handle(here.parallel, &league),
				 ompd_rc_ok);
	assert_int_equal(ompd_ext_get_parallel_info(league, &info), ompd_rc_ok);
	assert_int_equal(info.kind, ompd_ext_parallel_league);
	assert_int_equal(icv(league, ompd_scope_parallel, "levels-var"), 0);
	assert_int_equal(icv(league, ompd_scope_parallel, "team-generator-var"),
			 ompd_generator_teams);
	if (inside)
		assert_int_equal(icv(here.parallel, ompd_scope_parallel, "team-generator-var"),
				 ompd_generator_parallel);
	assert_int_equal(icv(here.parallel, ompd_scope_parallel, "levels-var"), inside);
	assert_int_equal(icv(here.thread, ompd_scope_thread, "team-num-var"), omp_get_team_num());
	assert_int_equal(icv(here.thread, ompd_scope_thread, "league-size-var"),
			 omp_get_num_teams());
	assert_int_equal(ompd_get_enclosing_parallel_handle(league, &outer), ompd_rc_ok);
	assert_int_equal(ompd_ext_get_parallel_info(outer, &info), ompd_rc_ok);
	assert_int_equal(info.kind, ompd_ext_parallel_initial);
	assert_int_equal(icv(outer, ompd_scope_parallel, "team-generator-var"),
			 ompd_generator_program);
	if (inside)
		ompd_rel_parallel_handle(league);
	ompd_rel_parallel_handle(outer);
	close_here(&here);
	leagues_seen++;
	pthread_mutex_unlock(&turn);
}

static void leagues(void **state)
{
	(void)state;
	leagues_seen = 0;
#pragma omp teams num_teams(2) thread_limit(2)
	{
		check_league(0);
#pragma omp parallel num_threads(2)
#pragma omp critical
		check_league(1);
		check_league(0);
	}
	assert_in_range(leagues_seen, 2 + 2, 3 * 2 + 2);
	leagues_seen = 0;
#pragma omp teams num_teams(1) thread_limit(1)
	{
		check_league(0);
#pragma omp parallel
		check_league(1);
	}
	assert_int_equal(leagues_seen, 2);
}

// ---- Threads ---------------------------------------------------------------------------------

static void kinds_of_threads(void **state)
{
	(void)state;
#pragma omp parallel num_threads(2)
#pragma omp critical
	{
		ompd_ext_thread_info info;
		struct here here;

		open_here(&here);
		assert_int_equal(ompd_ext_get_thread_info(here.thread, &info), ompd_rc_ok);
		assert_int_equal(info.kind, omp_get_thread_num() ? ompd_ext_thread_worker :
								   ompd_ext_thread_initial);
		assert_true(info.global_num >= omp_get_thread_num());
		close_here(&here);
	}
}

static int32_t phase_here(void)
{
	ompd_ext_thread_info info;
	struct here here;

	open_here(&here);
	assert_int_equal(ompd_ext_get_thread_info(here.thread, &info), ompd_rc_ok);
	close_here(&here);
	return info.barrier_phase;
}

static void phases_between_barriers(void **state)
{
	int32_t before[2], after[2];

	(void)state;
#pragma omp parallel num_threads(2)
	{
#pragma omp critical
		before[omp_get_thread_num()] = phase_here();
#pragma omp barrier
#pragma omp critical
		after[omp_get_thread_num()] = phase_here();
	}
	assert_in_range(before[0], 0, 1);
	assert_int_equal(before[1], before[0]);
	assert_int_equal(after[0], 1 - before[0]);
	assert_int_equal(after[1], after[0]);
	assert_int_equal(phase_here(), -1);
}

// ---- Locks -----------------------------------------------------------------------------------

static void check_lock(uint32_t kind, const void *lock, bool held, uint32_t depth, bool owned)
{
	bool direct = kind == ompd_ext_lock_simple && (*(const uint32_t *)lock & 1);
	ompd_ext_lock_info info;
	struct here here;
	uint64_t self = 0;

	open_here(&here);
	assert_int_equal(ompd_ext_get_handle_id(here.thread, ompd_scope_thread, &self), ompd_rc_ok);
	ompd_rc_t rc = ompd_ext_get_lock_info(space, kind, (uintptr_t)lock, &info);

	// A stripped library does not show where it keeps its tables of locks; then it is said so.
	bool told = rc != ompd_rc_unavailable || direct ||
		    !strstr(ompd_ext_last_reason(), "tables of locks");

	close_here(&here);
	if (!told)
		return;
	assert_int_equal(rc, ompd_rc_ok);
	assert_int_equal(info.held, held);
	assert_int_equal(info.depth, depth);
	assert_int_equal(info.thread, owned ? self : 0);
	assert_int_equal(info.owner,
			 owned ? ompd_ext_lock_owner_thread : ompd_ext_lock_owner_unrecorded);
}

static void locks(void **state)
{
	omp_lock_t plain, quick;
	omp_nest_lock_t nested;

	(void)state;
	omp_init_lock(&plain);
	omp_init_lock_with_hint(&quick, omp_lock_hint_uncontended);
	omp_init_nest_lock(&nested);
	check_lock(ompd_ext_lock_simple, &plain, false, 0, false);
	check_lock(ompd_ext_lock_simple, &quick, false, 0, false);
	check_lock(ompd_ext_lock_nested, &nested, false, 0, false);
#pragma omp parallel num_threads(2)
#pragma omp critical
	{
		omp_set_lock(&plain);
		omp_set_lock(&quick);
		omp_set_nest_lock(&nested);
		omp_set_nest_lock(&nested);
		// A lock that threads queue for does not record who is first.
		check_lock(ompd_ext_lock_simple, &plain, true, 0, false);
		check_lock(ompd_ext_lock_simple, &quick, true, 0, true);
		check_lock(ompd_ext_lock_nested, &nested, true, 2, true);
		omp_unset_nest_lock(&nested);
		check_lock(ompd_ext_lock_nested, &nested, true, 1, true);
		omp_unset_nest_lock(&nested);
		omp_unset_lock(&quick);
		omp_unset_lock(&plain);
	}
	check_lock(ompd_ext_lock_simple, &plain, false, 0, false);
	check_lock(ompd_ext_lock_simple, &quick, false, 0, false);
	check_lock(ompd_ext_lock_nested, &nested, false, 0, false);
}

enum {
	TAG_BITS = 8, // of a lock that is a word; the rest is its owner's gtid plus one
};

static void check_owner(omp_lock_t *lock, int32_t gtid, uint32_t owner)
{
	uint32_t word = *(uint32_t *)lock;
	ompd_ext_lock_info info;

	memcpy(lock,
	       &(uint32_t){ (word & ((1 << TAG_BITS) - 1)) | (uint32_t)(gtid + 1) << TAG_BITS },
	       sizeof(uint32_t));
	ompd_rc_t rc = ompd_ext_get_lock_info(space, ompd_ext_lock_simple, (uintptr_t)lock, &info);

	memcpy(lock, &word, sizeof(word));
	assert_int_equal(rc, ompd_rc_ok);
	assert_int_equal(info.held, 1);
	assert_int_equal(info.owner, owner);
	assert_int_equal(info.recorded, gtid);
	assert_true((info.thread != 0) == (owner == ompd_ext_lock_owner_thread));
}

// A number that was overwritten names no thread, another one, or one that has ended.
static void overwritten_owners(void **state)
{
	omp_lock_t lock;

	(void)state;
	omp_init_lock_with_hint(&lock, omp_lock_hint_uncontended);
	omp_set_lock(&lock);
	check_owner(&lock, omp_get_thread_num(), ompd_ext_lock_owner_thread);
	check_owner(&lock, 31, ompd_ext_lock_owner_missing);
	check_owner(&lock, 0x7ffff, ompd_ext_lock_owner_invalid);
	omp_unset_lock(&lock);
	omp_destroy_lock(&lock);
}

// ---- States ----------------------------------------------------------------------------------

void kmp_set_blocktime(int milliseconds);

static int sleepers; // that were found

// What the thread sleeps on, by the kernel; 0 if it does not sleep.
static uint64_t futex_of(ompd_thread_handle_t *thread)
{
	unsigned long long futex = 0;
	char name[64];
	int lwp = 0;

	assert_int_equal(ompd_get_thread_id(thread, ompd_thread_id_lwp, sizeof(lwp), &lwp),
			 ompd_rc_ok);
	snprintf(name, sizeof(name), "/proc/self/task/%d/syscall", lwp);
	FILE *file = fopen(name, "r");

	if (!file || fscanf(file, "202 %llx", &futex) != 1)
		futex = 0;
	if (file)
		fclose(file);
	return futex;
}

static void check_futex(ompd_thread_handle_t *thread, enum ompd_ext_wait_kind kind)
{
	uint64_t futex = futex_of(thread);
	ompd_ext_wait_site site;

	if (!futex)
		return; // not asleep yet, or /proc does not tell
	assert_int_equal(ompd_ext_classify_futex(thread, futex, &site), ompd_rc_ok);
	assert_int_equal(site.kind, kind);
	sleepers++;
}

// Waits until a thread has come to a state. It may take long on a machine with much to do.
static void await_state(ompd_thread_handle_t *thread, ompt_state_t state)
{
	ompd_word_t word = -1;
	ompd_wait_id_t wait;

	for (int i = 0; i < 5000 && word != (ompd_word_t)state; i++) {
		if (ompd_get_state(thread, &word, &wait) != ompd_rc_ok ||
		    word != (ompd_word_t)state)
			usleep(1000);
	}
	assert_int_equal(word, state);
}

// Until it sleeps, if it does within a while: it may spin, or /proc may not tell.
static void await_sleep(ompd_thread_handle_t *thread)
{
	for (int i = 0; i < 50 && !futex_of(thread); i++)
		usleep(1000);
}

// After a region of so many threads: its workers.
static void check_idle(int threads)
{
	static uint64_t workers[8];

#pragma omp parallel num_threads(threads)
	workers[omp_get_thread_num()] = (uint64_t)pthread_self();
	for (int i = 1; i < threads; i++) {
		ompd_thread_handle_t *thread;

		assert_int_equal(ompd_get_thread_handle(space, ompd_thread_id_pthread, 8,
							&workers[i], &thread),
				 ompd_rc_ok);
		await_state(thread, ompt_state_idle);
		await_sleep(thread);
		check_futex(thread, ompd_ext_wait_idle);
		ompd_rel_thread_handle(thread);
	}
}

// One thread works while the others wait for it, and sleep.
static void states_at_a_barrier(void **state)
{
	ompd_rc_t expected = ompd_rc_ok;

	(void)state;
	kmp_set_blocktime(0);
#pragma omp parallel num_threads(4)
	{
		if (omp_get_thread_num() == 1) {
			ompd_thread_handle_t *other;
			ompd_wait_id_t wait;
			ompd_word_t word = -1;
			struct here here;

			open_here(&here);
			for (int i = 2; i < 4; i++) {
				assert_int_equal(ompd_get_thread_in_parallel(here.parallel, i,
									     &other),
						 ompd_rc_ok);
				await_state(other, ompt_state_wait_barrier);
				await_sleep(other);
				check_futex(other, ompd_ext_wait_barrier);
				ompd_rel_thread_handle(other);
			}
			expected = ompd_get_state(here.thread, &word, &wait);
			close_here(&here);
		}
#pragma omp barrier
	}
	check_idle(4);
	fprintf(stderr, "%d threads were asleep\n", sleepers);
	// Nothing tells what a thread does that waits for nothing.
	assert_int_equal(expected, ompd_rc_needs_state_tracking);
	kmp_set_blocktime(200);
}

// ---- Calls that wait -------------------------------------------------------------------------

void __kmpc_barrier(void *place, int gtid);
void __kmpc_end_taskgroup(void *place, int gtid);
void GOMP_barrier(void);

static void calls(void **state)
{
	static const struct {
		void (*function)();
		const char *name;
		enum ompd_ext_wait_kind kind;
	} expected[] = {
		{ (void (*)())__kmpc_barrier, "__kmpc_barrier", ompd_ext_wait_barrier },
		{ (void (*)())__kmpc_end_taskgroup, "__kmpc_end_taskgroup",
		  ompd_ext_wait_taskgroup },
		{ (void (*)())omp_set_nest_lock, "omp_set_nest_lock", ompd_ext_wait_nest_lock },
		{ (void (*)())GOMP_barrier, "GOMP_barrier", ompd_ext_wait_barrier },
	};
	ompd_ext_wait_site site;

	(void)state;
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		assert_int_equal(ompd_ext_classify_entry(space, (uintptr_t)expected[i].function,
							 &site),
				 ompd_rc_ok);
		assert_string_equal(site.function, expected[i].name);
		assert_int_equal(site.kind, expected[i].kind);
	}
	assert_int_equal(ompd_ext_classify_entry(space, (uintptr_t)omp_get_level, &site),
			 ompd_rc_unavailable);
}

static int open_after_first_call(void **state)
{
	omp_get_max_threads(); // before, the runtime knows no thread
	return open_space(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nest_of_one_thread),
		cmocka_unit_test(region_of_gcc),
		cmocka_unit_test(function_of_clang),
		cmocka_unit_test(leagues),
		cmocka_unit_test(kinds_of_threads),
		cmocka_unit_test(phases_between_barriers),
		cmocka_unit_test(locks),
		cmocka_unit_test(overwritten_owners),
		cmocka_unit_test(states_at_a_barrier),
		cmocka_unit_test(calls),
	};

	alarm(100); // a failure in one thread leaves the others at a barrier
	return cmocka_run_group_tests(tests, open_after_first_call, close_space);
}
