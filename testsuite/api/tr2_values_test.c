// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface of 2016 on the process that the test is: what it answers is what the routines of
// OpenMP answer in the same place.

#define _GNU_SOURCE

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <ctype.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tr2_here.h"

static void check_value(const char *name, ompd_rc_t rc, ompd_tword_t value, long expected)
{
	if (rc != ompd_rc_ok || value != expected)
		fprintf(stderr, "%s: code %d, value %lld, not %ld\n", name, rc, (long long)value,
			expected);
	assert_int_equal(rc, ompd_rc_ok);
	assert_int_equal(value, expected);
}

#define CHECK(name, handle, expected)                           \
	do {                                                    \
		ompd_tword_t value_ = -7;                       \
		ompd_rc_t rc_ = ompd_##name((handle), &value_); \
		check_value(#name, rc_, value_, (expected));    \
	} while (0)

// What the routines of OpenMP answer in the calling thread.
static void check_settings(const struct handles *handles, bool is_final)
{
	ompd_sched_t kind = 0;
	ompd_tword_t modifier = -1;
	ompd_proc_bind_t bind = 77;
	omp_sched_t expected;
	int chunk;

	CHECK(get_num_procs, handles->space, omp_get_num_procs());
	CHECK(get_thread_limit, handles->space, omp_get_thread_limit());
	CHECK(get_num_threads, handles->parallel, omp_get_num_threads());
	CHECK(get_level, handles->parallel, omp_get_level());
	CHECK(get_active_level, handles->task, omp_get_active_level());
	CHECK(get_active_level, (void *)handles->parallel, omp_get_active_level());
	CHECK(get_max_threads, handles->task, omp_get_max_threads());
	CHECK(get_thread_num, handles->thread, omp_get_thread_num());
	CHECK(in_parallel, handles->task, omp_in_parallel());
	CHECK(in_final, handles->task, omp_in_final());
	CHECK(in_final, handles->task, is_final);
	CHECK(get_dynamic, handles->task, omp_get_dynamic());
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
	CHECK(get_nested, handles->task, omp_get_nested());
	CHECK(get_max_active_levels, handles->thread, omp_get_max_active_levels());
	omp_get_schedule(&expected, &chunk);
	assert_int_equal(ompd_get_schedule(handles->task, &kind, &modifier), ompd_rc_ok);
	assert_int_equal(kind, (unsigned int)expected & 0x7fffffff);
	assert_int_equal(modifier, chunk > 0 ? chunk : 0);
	assert_int_equal(ompd_get_proc_bind(handles->task, &bind), ompd_rc_ok);
	assert_int_equal(bind, omp_get_proc_bind());
}

static void settings(void **state)
{
	struct handles handles;

	(void)state;
	assert_int_equal(open_handles(&handles), ompd_rc_ok);
	check_settings(&handles, false);
	CHECK(is_implicit, handles.task, 1);
	close_handles(&handles);
	omp_set_max_active_levels(2);
	omp_set_schedule(omp_sched_guided, 5);
#pragma omp parallel num_threads(THREADS)
	for (int i = 0; i < THREADS; i++) {
#pragma omp barrier
		if (i != omp_get_thread_num())
			continue;
		omp_set_num_threads(4 + i);
		omp_set_schedule(i == 1 ? omp_sched_dynamic : omp_sched_auto, 7);
		omp_set_dynamic(i == 2);
		assert_int_equal(open_handles(&handles), ompd_rc_ok);
		check_settings(&handles, false);
		CHECK(is_implicit, handles.task, 1);
		close_handles(&handles);
#pragma omp task final(1)
		{
			assert_int_equal(open_handles(&handles), ompd_rc_ok);
			check_settings(&handles, true);
			CHECK(is_implicit, handles.task, 0);
			close_handles(&handles);
		}
#pragma omp taskwait
		omp_set_dynamic(0); // LLVM's runtime does not survive it in nested regions
#pragma omp parallel num_threads(2)
#pragma omp master
		{
			assert_int_equal(open_handles(&handles), ompd_rc_ok);
			check_settings(&handles, false);
			close_handles(&handles);
		}
	}
	omp_set_max_active_levels(1);
}

// ---- Handles of one thing --------------------------------------------------------------------

static void check_id(const char *id)
{
	assert_true(id[0] != '\0');
	for (; *id; id++)
		assert_true(isalnum((unsigned char)*id) || *id == '_');
}

// Handles of the same thing compare equal and have the same string id; of others, neither.
#define CHECK_SAME(what, one, other, same)                                                 \
	do {                                                                               \
		char *id_[2];                                                              \
		int way_, back_;                                                           \
		assert_int_equal(ompd_##what##_handle_compare((one), (other), &way_), 0);  \
		assert_int_equal(ompd_##what##_handle_compare((other), (one), &back_), 0); \
		assert_int_equal(way_ == 0, (same));                                       \
		assert_true((way_ > 0) == (back_ < 0) && (way_ < 0) == (back_ > 0));       \
		assert_int_equal(ompd_get_##what##_handle_string_id((one), &id_[0]), 0);   \
		assert_int_equal(ompd_get_##what##_handle_string_id((other), &id_[1]), 0); \
		check_id(id_[0]);                                                          \
		assert_int_equal(strcmp(id_[0], id_[1]) == 0, (same));                     \
		tr2_host_free(id_[0]);                                                     \
		tr2_host_free(id_[1]);                                                     \
	} while (0)

static void check_team(const struct handles *here)
{
	ompd_thread_handle_t **threads, *master;
	ompd_task_handle_t **tasks;
	ompd_parallel_handle_t *of_task;
	uint64_t id;
	int count, tasks_count, alone;

	assert_int_equal(ompd_get_thread_in_parallel(here->parallel, &threads, &count), ompd_rc_ok);
	assert_int_equal(ompd_get_thread_in_parallel(here->parallel, NULL, &alone), ompd_rc_ok);
	assert_int_equal(ompd_get_implicit_task_in_parallel(here->parallel, &tasks, &tasks_count),
			 ompd_rc_ok);
	assert_int_equal(count, omp_get_num_threads());
	assert_int_equal(alone, count);
	assert_int_equal(tasks_count, count);
	for (int i = 0; i < count; i++) {
		CHECK_SAME(thread, threads[i], here->thread, i == omp_get_thread_num());
		CHECK_SAME(task, tasks[i], here->task, i == omp_get_thread_num());
		CHECK(get_thread_num, threads[i], i);
		assert_int_equal(ompd_get_task_parallel_handle(tasks[i], &of_task), ompd_rc_ok);
		CHECK_SAME(parallel, of_task, here->parallel, 1);
		assert_int_equal(ompd_release_parallel_handle(of_task), ompd_rc_ok);
	}
	assert_int_equal(ompd_get_master_thread_in_parallel(here->parallel, &master), ompd_rc_ok);
	CHECK_SAME(thread, master, threads[0], 1);
	assert_int_equal(ompd_get_osthread(threads[omp_get_thread_num()], ompd_osthread_pthread,
					   sizeof(id), &id),
			 ompd_rc_ok);
	assert_int_equal(id, self());
	ompd_release_thread_handle(master);
	for (int i = 0; i < count; i++) {
		ompd_release_thread_handle(threads[i]);
		ompd_release_task_handle(tasks[i]);
	}
	tr2_host_free(threads);
	tr2_host_free(tasks);
}

static void *beside(void *unused)
{
	(void)unused;
	pause();
	return NULL;
}

// As many threads as the program has ever had in teams; one that never used OpenMP is none of them.
static void all_threads(void **state)
{
	struct handles here;
	ompd_thread_handle_t **threads, *thread = (void *)&here;
	pthread_t other;
	uint64_t id;
	int count, alone, lwp = 0, found = 0;

	(void)state;
	assert_int_equal(pthread_create(&other, NULL, beside, NULL), 0);
#pragma omp parallel num_threads(THREADS)
	meet();
	assert_int_equal(open_handles(&here), ompd_rc_ok);
	assert_int_equal(ompd_get_threads(here.space, &threads, &count), ompd_rc_ok);
	assert_int_equal(ompd_get_threads(here.space, NULL, &alone), ompd_rc_ok);
	assert_in_range(count, THREADS, 2 * THREADS);
	assert_int_equal(alone, count);
	for (int i = 0; i < count; i++) {
		assert_int_equal(ompd_get_osthread(threads[i], ompd_osthread_pthread, 8, &id), 0);
		assert_true(id != (uint64_t)other);
		if (id != self())
			continue;
		found++;
		assert_int_equal(ompd_get_osthread(threads[i], ompd_osthread_lwp, 4, &lwp), 0);
		assert_int_equal(lwp, (int)syscall(SYS_gettid));
		CHECK_SAME(thread, threads[i], here.thread, 1);
	}
	assert_int_equal(found, 1);
	for (int i = 0; i < count; i++)
		ompd_release_thread_handle(threads[i]);
	tr2_host_free(threads);

	// Section 10.1: no OpenMP thread.
	id = (uint64_t)other;
	assert_int_equal(ompd_get_thread_handle(here.space, ompd_osthread_pthread, 8, &id, &thread),
			 ompd_rc_bad_input);
	assert_null(thread);
	assert_int_equal(ompd_get_thread_handle(here.space, ompd_osthread_lwp, 4, &lwp, &thread),
			 ompd_rc_ok);
	CHECK_SAME(thread, thread, here.thread, 1);
	ompd_release_thread_handle(thread);
	assert_int_equal(ompd_get_thread_handle(here.space, ompd_osthread_lwp, 3, &lwp, &thread),
			 ompd_rc_bad_input);
	assert_int_equal(ompd_get_osthread(here.thread, ompd_osthread_lwp, 3, &lwp),
			 ompd_rc_bad_input);
	assert_int_equal(ompd_get_osthread(here.thread, ompd_osthread_winthread, 8, &id),
			 ompd_rc_unsupported);
	close_handles(&here);
	pthread_cancel(other);
	pthread_join(other, NULL);
}

static void regions_and_tasks(void **state)
{
	struct handles here;
	ompd_parallel_handle_t *outer, *outermost, *more;
	ompd_task_handle_t *parent, *below;
	ompd_address_t entry = { 1, 0 };

	(void)state;
#pragma omp parallel num_threads(THREADS)
	{
#pragma omp barrier
#pragma omp master
		{
			assert_int_equal(open_handles(&here), ompd_rc_ok);
			check_team(&here);
			assert_int_equal(ompd_get_enclosing_parallel_handle(here.parallel, &outer),
					 ompd_rc_ok);
			CHECK(get_level, outer, 0);
			CHECK(get_num_threads, outer, 1);
			assert_int_equal(ompd_get_enclosing_parallel_handle(outer, &outermost),
					 ompd_rc_unavailable);
			assert_int_equal(ompd_get_generating_ancestor_task_region(here.task,
										  &parent),
					 ompd_rc_ok);
			CHECK(get_level, (void *)parent, 0);
			assert_int_equal(ompd_get_task_parallel_handle(parent, &more), ompd_rc_ok);
			CHECK_SAME(parallel, more, outer, 1);
			CHECK_SAME(parallel, more, here.parallel, 0);
			assert_int_equal(ompd_get_scheduling_ancestor_task_region(here.task,
										  &below),
					 ompd_rc_ok);
			CHECK_SAME(task, below, parent, 1);
			ompd_release_task_handle(below);
			ompd_release_task_handle(parent);
			ompd_release_parallel_handle(outer);
			ompd_release_parallel_handle(more);
			close_handles(&here);
		}
#pragma omp barrier
#pragma omp single
#pragma omp task if (0)
		{
			assert_int_equal(open_handles(&here), ompd_rc_ok);
			CHECK(is_implicit, here.task, 0);
			assert_int_equal(ompd_get_scheduling_ancestor_task_region(here.task,
										  &below),
					 ompd_rc_ok);
			CHECK(is_implicit, below, 1);
			ompd_release_task_handle(below);
			ompd_rc_t rc = ompd_get_task_function(here.task, &entry);

			// libgomp keeps the function of a task that waits, not of one that runs.
			if (rc == ompd_rc_ok)
				assert_int_equal(entry.segment, OMPD_SEGMENT_UNSPECIFIED);
			else
				assert_int_equal(rc, ompd_rc_unavailable);
			close_handles(&here);
		}
	}
}

static void control_vars(void **state)
{
	struct handles here;
	const char *const *vars;
	int known = 0;

	(void)state;
	assert_int_equal(open_handles(&here), ompd_rc_ok);
	assert_int_equal(ompd_get_display_control_vars(here.space, &vars), ompd_rc_ok);
	for (int i = 0; vars[i]; i++) {
		assert_non_null(strchr(vars[i], '='));
		known += strcmp(vars[i], "OMP_MAX_TASK_PRIORITY=9") == 0;
	}
	assert_int_equal(known, 1);
	assert_int_equal(ompd_release_display_control_vars(vars), ompd_rc_ok);
	close_handles(&here);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(settings, initialize, finalize),
		cmocka_unit_test_setup_teardown(all_threads, initialize, finalize),
		cmocka_unit_test_setup_teardown(regions_and_tasks, initialize, finalize),
		cmocka_unit_test_setup_teardown(control_vars, initialize, finalize),
	};

	alarm(300);
	// The runtime counts the processors, and has its threads, from here on.
#pragma omp parallel num_threads(THREADS)
	meet();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
