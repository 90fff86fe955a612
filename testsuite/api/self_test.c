// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The oracle within: an OpenMP program that looks at itself through libompd. In many places each
// thread compares what OMPD says of it with what the runtime's own routines answer there.

#define _GNU_SOURCE

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <inttypes.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "host.h"
#include "ompd/ompd_ext.h"
#include "oracle.h"

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static ompd_address_space_handle_t *space;
static long comparisons, differences, unavailable;

// ---- Comparing -------------------------------------------------------------------------------

static void compare(const char *what, long ours, long theirs)
{
	comparisons++;
	if (ours == theirs)
		return;
	differences++;
	fprintf(stderr, "%s: OMPD says %ld, the runtime %ld\n", what, ours, theirs);
}

static ompd_icv_id_t icv_id(const char *name)
{
	ompd_icv_id_t id = 0;
	ompd_scope_t scope;
	const char *next;
	int more = 1;

	while (more && ompd_enumerate_icvs(space, id, &id, &next, &scope, &more) == ompd_rc_ok) {
		bool found = strcmp(next, name) == 0;

		host_free(next);
		if (found)
			return id;
	}
	fprintf(stderr, "no ICV %s\n", name);
	differences++;
	return 0;
}

static ompd_rc_t icv(void *handle, ompd_scope_t scope, const char *name, ompd_word_t *value)
{
	return ompd_get_icv_from_scope(handle, scope, icv_id(name), value);
}

// Only a stopped team can be asked for its threads (OpenMP 5.2, 20.5.5.1), and the other threads
// here go on: what is unavailable because something is being changed is asked for again.
static bool moving;

static bool had(ompd_rc_t rc)
{
	moving |= rc != ompd_rc_ok;
	return rc == ompd_rc_ok;
}

// A value that OMPD must know.
static void compare_icv(void *handle, ompd_scope_t scope, const char *name, long theirs)
{
	ompd_word_t value = -7;
	ompd_rc_t rc = icv(handle, scope, name, &value);

	if (rc == ompd_rc_incomplete || had(rc))
		compare(name, (long)value, theirs);
}

// A value that OMPD may not know in a stripped library.
static void compare_if_known(void *handle, ompd_scope_t scope, const char *name, long theirs)
{
	ompd_word_t value;

	if (theirs == ORACLE_ABSENT)
		return;
	if (icv(handle, scope, name, &value) == ompd_rc_ok)
		compare(name, (long)value, theirs);
	else
		unavailable++;
}

static void compare_schedule(ompd_task_handle_t *task, const struct oracle *oracle)
{
	static const char *const kinds[] = { "", "static", "dynamic", "guided", "auto" };
	char expected[64];
	const char *text;
	bool monotonic = (unsigned int)oracle->sched_kind & 0x80000000u;
	int used = snprintf(expected, sizeof(expected), "%s%s", monotonic ? "monotonic:" : "",
			    kinds[oracle->sched_kind & 7]);

	if (oracle->sched_chunk > 0)
		snprintf(expected + used, sizeof(expected) - used, ",%d", oracle->sched_chunk);
	comparisons++;
	if (ompd_get_icv_string_from_scope(task, ompd_scope_task, icv_id("run-sched-var"), &text) !=
	    ompd_rc_ok) {
		differences++;
		return;
	}
	if (strcmp(text, expected) != 0) {
		fprintf(stderr, "run-sched-var: OMPD says %s, the runtime %s\n", text, expected);
		differences++;
	}
	host_free(text);
}

static void compare_level(ompd_thread_handle_t *thread, ompd_parallel_handle_t *parallel,
			  const struct oracle *oracle, int level)
{
	ompd_thread_handle_t *member;
	ompd_word_t size = -1;
	int number = -1, same = -1;

	if (had(icv(parallel, ompd_scope_parallel, "team-size-var", &size)))
		compare("team size of a level", (long)size, oracle->team_size[level]);
	if (had(ompd_ext_get_thread_num(thread, parallel, &number)))
		compare("ancestor's number", number, oracle->ancestor_thread_num[level]);
	if (level == oracle->level && !moving &&
	    had(ompd_get_thread_in_parallel(parallel, number, &member))) {
		ompd_thread_handle_compare(thread, member, &same);
		compare("thread in its region", same, 0);
		ompd_rel_thread_handle(member);
	}
	if (!moving)
		compare("a thread beyond the last",
			ompd_get_thread_in_parallel(parallel, (int)size, &member),
			ompd_rc_bad_input);
}

static void compare_levels(ompd_thread_handle_t *thread, ompd_parallel_handle_t *parallel,
			   const struct oracle *oracle)
{
	for (int level = oracle->level; level >= 0; level--) {
		ompd_ext_parallel_info info;
		ompd_parallel_handle_t *outer;

		compare_level(thread, parallel, oracle, level);
		if (level > 0 || oracle->num_teams > 1)
			compare_icv(parallel, ompd_scope_parallel, "team-generator-var",
				    level > 0 ? ompd_generator_parallel : ompd_generator_teams);
		bool league = ompd_ext_get_parallel_info(parallel, &info) == ompd_rc_ok &&
			      info.kind == ompd_ext_parallel_league;
		ompd_rc_t rc = ompd_get_enclosing_parallel_handle(parallel, &outer);

		ompd_rel_parallel_handle(parallel);
		if (level == 0) {
			// LLVM's runtime keeps in which region a league is.
			compare("a region around the outermost", rc,
				league ? ompd_rc_ok : ompd_rc_unavailable);
			if (rc == ompd_rc_ok)
				ompd_rel_parallel_handle(outer);
		} else if (!had(rc)) {
			return;
		}
		parallel = outer;
	}
}

static void compare_task(ompd_task_handle_t *task, const struct oracle *oracle)
{
	ompd_parallel_handle_t *parallel;

	compare_icv(task, ompd_scope_task, "final-task-var", oracle->in_final);
	compare_icv(task, ompd_scope_task, "thread-limit-var", oracle->thread_limit);
	compare_icv(task, ompd_scope_task, "max-active-levels-var", oracle->max_active_levels);
	compare_icv(task, ompd_scope_task, "bind-var", oracle->proc_bind);
	compare_schedule(task, oracle);
	if (!had(ompd_get_task_parallel_handle(task, &parallel)))
		return;
	compare_icv(parallel, ompd_scope_parallel, "levels-var", oracle->level);
	compare_icv(parallel, ompd_scope_parallel, "active-levels-var", oracle->active_level);
	compare("in parallel", oracle->active_level > 0, oracle->in_parallel);
	ompd_rel_parallel_handle(parallel);
}

static void compare_process(const struct oracle *oracle)
{
	compare_icv(space, ompd_scope_address_space, "cancel-var", oracle->cancellation);
	compare_icv(space, ompd_scope_address_space, "max-task-priority-var",
		    oracle->max_task_priority);
	compare_icv(space, ompd_scope_address_space, "num-procs-var", oracle->num_procs);
	compare_if_known(space, ompd_scope_address_space, "nteams-var", oracle->max_teams);
	compare_if_known(space, ompd_scope_address_space, "teams-thread-limit-var",
			 oracle->teams_thread_limit);
}

static void compare_ids(ompd_thread_handle_t *thread)
{
	ompd_thread_handle_t *by_lwp;
	uint64_t pthread_id = 0;
	pid_t lwp = (pid_t)syscall(SYS_gettid), found = 0;
	int same = -1;

	if (had(ompd_get_thread_id(thread, ompd_thread_id_pthread, 8, &pthread_id)))
		compare("pthread_t", (long)pthread_id, (long)pthread_self());
	if (had(ompd_get_thread_id(thread, ompd_thread_id_lwp, sizeof(found), &found)))
		compare("LWP", found, lwp);
	if (!had(ompd_get_thread_handle(space, ompd_thread_id_lwp, sizeof(lwp), &lwp, &by_lwp)))
		return;
	ompd_thread_handle_compare(thread, by_lwp, &same);
	compare("thread by LWP", same, 0);
	ompd_rel_thread_handle(by_lwp);
}

static void compare_thread(ompd_thread_handle_t *thread)
{
	ompd_parallel_handle_t *parallel;
	ompd_task_handle_t *task;
	struct oracle oracle;

	oracle_fill(&oracle);
	compare_ids(thread);
	compare_process(&oracle);
	compare_icv(thread, ompd_scope_thread, "thread-num-var", oracle.thread_num);
	compare_icv(thread, ompd_scope_thread, "ompd-thread-num-var", oracle.thread_num);
	compare_icv(thread, ompd_scope_thread, "nthreads-var", oracle.max_threads);
	compare_icv(thread, ompd_scope_thread, "dyn-var", oracle.dynamic);
	compare_icv(thread, ompd_scope_thread, "default-device-var", oracle.default_device);
	compare_if_known(thread, ompd_scope_thread, "def-allocator-var", oracle.default_allocator);
	compare_if_known(thread, ompd_scope_thread, "team-num-var", oracle.team_num);
	compare_if_known(thread, ompd_scope_thread, "league-size-var", oracle.num_teams);
	if (oracle.num_places > 0 && oracle.place_num >= 0)
		compare_icv(thread, ompd_scope_thread, "place-assignment-var", oracle.place_num);
	if (had(ompd_get_curr_task_handle(thread, &task))) {
		compare_task(task, &oracle);
		ompd_rel_task_handle(task);
	}
	if (had(ompd_get_curr_parallel_handle(thread, &parallel)))
		compare_levels(thread, parallel, &oracle);
}

// Everything about the calling thread, here and now.
static void compare_here(void)
{
	enum { TRIES = 1000 };
	uint64_t self = (uint64_t)pthread_self();

	for (int try = 0; try < TRIES; try++) {
		ompd_thread_handle_t *thread;

		pthread_mutex_lock(&turn);
		moving = false;
		if (had(ompd_get_thread_handle(space, ompd_thread_id_pthread, sizeof(self), &self,
					       &thread))) {
			compare_thread(thread);
			ompd_rel_thread_handle(thread);
		}
		bool again = moving;

		pthread_mutex_unlock(&turn);
		if (!again)
			return;
		usleep(100);
	}
	fprintf(stderr, "a thread is unavailable for good: %s\n", ompd_ext_last_reason());
	differences++;
}

// ---- Places ----------------------------------------------------------------------------------

static void regions_of_many_sizes(void **state)
{
	static const int sizes[] = { 4, 2, 8, 1, 3, 64, 5, 1, 16 };

	(void)state;
	compare_here();
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
#pragma omp parallel num_threads(sizes[i])
		compare_here();
		compare_here();
	}
}

static void nested_regions(void **state)
{
	(void)state;
	omp_set_max_active_levels(3);
	for (int inner = 1; inner <= 3; inner++) {
#pragma omp parallel num_threads(2)
		{
			compare_here();
#pragma omp parallel num_threads(inner)
			{
				compare_here();
#pragma omp parallel num_threads(2)
				compare_here();
			}
			compare_here();
		}
	}
	// A level that is not active for want of a higher limit.
	omp_set_max_active_levels(1);
#pragma omp parallel num_threads(3)
#pragma omp parallel num_threads(2)
	compare_here();
	omp_set_max_active_levels(255);
	// Outside one thread, inside several.
#pragma omp parallel num_threads(1)
#pragma omp parallel num_threads(3)
	compare_here();
}

static void changed_variables(void **state)
{
	(void)state;
#pragma omp parallel num_threads(4)
	{
		int self = omp_get_thread_num();

		omp_set_num_threads(self + 2);
		omp_set_dynamic(self % 2);
		omp_set_schedule((omp_sched_t)(self + 1), self * 3);
		omp_set_max_active_levels(self + 5);
		omp_set_default_device(self);
		compare_here();
#pragma omp barrier
		omp_set_schedule((omp_sched_t)(omp_sched_dynamic | 0x80000000u), 7);
		compare_here();
	}
	compare_here();
}

static void explicit_tasks(void **state)
{
	(void)state;
#pragma omp parallel num_threads(4)
#pragma omp single
	for (int i = 0; i < 16; i++) {
#pragma omp task firstprivate(i)
		{
			compare_here();
#pragma omp task final(i % 2)
			{
				compare_here();
#pragma omp task
				compare_here();
#pragma omp taskwait
			}
#pragma omp task if (0)
			compare_here();
#pragma omp taskgroup
#pragma omp task untied
			compare_here();
#pragma omp parallel num_threads(2) if (i == 3)
			compare_here();
		}
	}
#pragma omp parallel num_threads(3)
#pragma omp single
#pragma omp taskloop grainsize(1)
	for (int i = 0; i < 6; i++)
		compare_here();
		// Outside of any region: undeferred tasks of the initial task.
#pragma omp task final(1)
	compare_here();
}

static void *foreign_thread(void *unused)
{
#pragma omp parallel num_threads(3)
	compare_here();
	compare_here();
#pragma omp parallel num_threads(2)
	compare_here();
	return unused;
}

static void threads_of_the_program(void **state)
{
	pthread_t threads[3];

	(void)state;
	for (int i = 0; i < 3; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, foreign_thread, NULL), 0);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
}

static void *plain_thread(void *answer)
{
	ompd_thread_handle_t *thread;
	uint64_t self = (uint64_t)pthread_self();

	pthread_mutex_lock(&turn);
	*(ompd_rc_t *)answer =
		ompd_get_thread_handle(space, ompd_thread_id_pthread, sizeof(self), &self, &thread);
	pthread_mutex_unlock(&turn);
	return NULL;
}

static void a_thread_without_openmp(void **state)
{
	ompd_rc_t answer = ompd_rc_ok;
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, plain_thread, &answer), 0);
	pthread_join(thread, NULL);
	assert_int_equal(answer, ompd_rc_unavailable);
}

static void league_of_teams(void **state)
{
	(void)state;
#pragma omp teams num_teams(3)
#pragma omp parallel num_threads(2)
	compare_here();
}

/** Waits until a worker is in the pool's dock, which needs no locks of ours. */
static ompd_word_t state_in_dock(ompd_thread_handle_t *thread)
{
	enum { TRIES = 30000 }; // of a millisecond
	ompd_word_t word = -1;
	ompd_wait_id_t wait;

	for (int try = 0; try < TRIES && word != ompt_state_idle; try++) {
		assert_int_equal(ompd_get_state(thread, &word, &wait), ompd_rc_ok);
		if (word != ompt_state_idle)
			usleep(1000);
	}
	return word;
}

// Idle workers: known, in no region, in state idle.
static void idle_workers(void **state)
{
	static uint64_t worker[4];

	(void)state;
#pragma omp parallel num_threads(4)
	worker[omp_get_thread_num()] = (uint64_t)pthread_self();
	for (int i = 1; i < 4; i++) {
		ompd_thread_handle_t *thread;
		ompd_parallel_handle_t *parallel;
		ompd_task_handle_t *task;
		ompd_word_t value;

		assert_int_equal(ompd_get_thread_handle(space, ompd_thread_id_pthread, 8,
							&worker[i], &thread),
				 ompd_rc_ok);
		assert_int_equal(state_in_dock(thread), ompt_state_idle);
		assert_int_equal(ompd_get_curr_parallel_handle(thread, &parallel),
				 ompd_rc_unavailable);
		assert_int_equal(ompd_get_curr_task_handle(thread, &task), ompd_rc_unavailable);
		assert_int_equal(icv(thread, ompd_scope_thread, "thread-num-var", &value),
				 ompd_rc_unavailable);
		ompd_rel_thread_handle(thread);
	}
}

static int open_space(void **state)
{
	(void)state;
	if (ompd_initialize(202111, &plain_callbacks) != ompd_rc_ok)
		return -1;
	if (ompd_process_initialize(plain_context(), &space) != ompd_rc_ok) {
		fprintf(stderr, "%s\n", ompd_ext_last_reason());
		return -1;
	}
	return 0;
}

static int close_space(void **state)
{
	(void)state;
	ompd_rel_address_space_handle(space);
	ompd_finalize();
	fprintf(stderr, "%ld comparisons, %ld different, %ld not known to OMPD\n", comparisons,
		differences, unavailable);
	return here_blocks != 0 || comparisons < 5000;
}

// After each place: nothing may have differed there.
static int no_difference(void **state)
{
	(void)state;
	return differences != 0;
}

int main(void)
{
	omp_get_max_threads(); // libomp knows the initial thread from its first call on
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(regions_of_many_sizes, no_difference),
		cmocka_unit_test_teardown(nested_regions, no_difference),
		cmocka_unit_test_teardown(changed_variables, no_difference),
		cmocka_unit_test_teardown(explicit_tasks, no_difference),
		cmocka_unit_test_teardown(threads_of_the_program, no_difference),
		cmocka_unit_test_teardown(a_thread_without_openmp, no_difference),
		cmocka_unit_test_teardown(league_of_teams, no_difference),
		cmocka_unit_test_teardown(idle_workers, no_difference),
	};

	return cmocka_run_group_tests(tests, open_space, close_space);
}
