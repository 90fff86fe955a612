// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks that have begun, of several threads: running, suspended, waiting, detached.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <omp.h>
#include <pthread.h>
#include <unistd.h>

#include "task_states.h"

enum { THREADS = 4 };

static void nothing(void *data)
{
	(void)data;
}

// ---- Running and suspended tasks -------------------------------------------------------------

static uint64_t task_of_thread[THREADS], parent_of_thread[THREADS];

// What each thread knows of itself, told to the one that enumerates.
static void note_self(uint64_t parent)
{
	struct here here;
	static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&turn);
	open_here(&here);
	task_of_thread[omp_get_thread_num()] = here.task_id;
	parent_of_thread[omp_get_thread_num()] = parent;
	close_here(&here);
	pthread_mutex_unlock(&turn);
}

static void check_running(const struct here *here, bool suspended_parents)
{
	task_list_read(space, here->parallel, 4, &list);
	for (int i = 1; i < THREADS; i++) {
		const ompd_ext_task_info *info = task_list_find(&list, task_of_thread[i]);
		const ompd_ext_task_info *implicit = &list.records[i];

		assert_non_null(info);
		assert_int_equal(info->kind, ompd_ext_task_explicit);
		assert_int_equal(info->status, ompd_ext_task_running);
		assert_int_equal(info->thread_num, i);
		assert_int_equal(info->parent_id, parent_of_thread[i]);
		assert_int_equal(implicit->thread_num, i);
		assert_int_equal(implicit->status, ompd_ext_task_suspended);
		if (!suspended_parents)
			continue;
		info = task_list_find(&list, parent_of_thread[i]);
		assert_non_null(info);
		assert_int_equal(info->status, ompd_ext_task_suspended);
	}
	assert_int_equal(task_list_tally(&list, ompd_ext_task_explicit, ompd_ext_task_running),
			 THREADS - 1);
}

static void body_that_waits(void *data)
{
	note_self(**(uint64_t **)data);
	arrive();
	wait_for_stage(1);
}

// Each worker runs a task of the primary thread's at its barrier.
static void running_tasks(void **state)
{
	static uint64_t creator;

	(void)state;
	restart();
#pragma omp parallel num_threads(THREADS)
	{
#pragma omp master
		{
			struct here here;

			open_here(&here);
			creator = here.task_id;
			for (int i = 1; i < THREADS; i++)
				task_create(&(struct task_spec){
					.body = body_that_waits,
					.argument = &creator,
				});
			wait_for_arrivals(THREADS - 1);
			check_running(&here, false);
			close_here(&here);
			begin_stage(1);
		}
	}
}

// Undeferred tasks, three on top of one another.
static void undeferred_tasks(void **state)
{
	(void)state;
	restart();
#pragma omp parallel num_threads(THREADS)
	{
		if (omp_get_thread_num() == 0) {
			struct here here;

			wait_for_arrivals(THREADS - 1);
			open_here(&here);
			check_running(&here, true);
			assert_int_equal(list.count, THREADS + 3 * (THREADS - 1));
			assert_int_equal(task_list_tally(&list, ompd_ext_task_explicit,
							 ompd_ext_task_suspended),
					 2 * (THREADS - 1));
			for (size_t i = THREADS; i < list.count; i++)
				assert_true(list.records[i].flags & ompd_ext_task_undeferred);
			close_here(&here);
			begin_stage(1);
		} else {
#pragma omp task if (0)
#pragma omp task if (0)
			{
				struct here parent;

				open_here(&parent);
#pragma omp task if (0)
				{
					note_self(parent.task_id);
					arrive();
					wait_for_stage(1);
				}
				close_here(&parent);
			}
		}
	}
}

// ---- Waiting, detached and unborn tasks ------------------------------------------------------

static ompd_word_t state_of(uint64_t pthread)
{
	ompd_thread_handle_t *thread;
	ompd_wait_id_t wait = 77;
	ompd_word_t word = -1;

	assert_int_equal(ompd_get_thread_handle(space, ompd_thread_id_pthread, 8, &pthread,
						&thread),
			 ompd_rc_ok);
	if (ompd_get_state(thread, &word, &wait) == ompd_rc_ok)
		assert_int_equal(wait, 0);
	ompd_rel_thread_handle(thread);
	return word;
}

static uint64_t sleeper;

// A task of thread 1, run by another: thread 1 must be found waiting for it.
static void watch_sleeper(ompd_word_t state, uint32_t flag)
{
	struct here here;

	arrive();
	for (int i = 0; i < 5000 && state_of(sleeper) != state; i++)
		usleep(1000);
	assert_int_equal(state_of(sleeper), state);
	open_here(&here);
	task_list_read(space, here.parallel, 4, &list);
	assert_int_equal(list.records[1].thread_num, 1);
	assert_int_equal(list.records[1].status, ompd_ext_task_running);
	assert_int_equal(list.records[1].flags & flag, flag);
	assert_int_equal(task_list_find(&list, here.task_id)->status, ompd_ext_task_running);
	assert_int_equal(task_list_find(&list, here.task_id)->parent_id, list.records[1].id);
	if (flag == ompd_ext_task_in_taskgroup_wait)
		assert_int_equal(list.records[1].taskgroup,
				 task_list_find(&list, here.task_id)->taskgroup);
	close_here(&here);
}

static void in_taskwait(void *data)
{
	(void)data;
	watch_sleeper(ompt_state_wait_taskwait, ompd_ext_task_in_taskwait);
}

static void in_taskgroup(void *data)
{
	(void)data;
	watch_sleeper(ompt_state_wait_taskgroup, ompd_ext_task_in_taskgroup_wait);
}

static void waiting_tasks(void **state)
{
	(void)state;
	restart();
#pragma omp parallel num_threads(3)
	{
		if (omp_get_thread_num() == 1) {
			sleeper = (uint64_t)pthread_self();
			task_create(&(struct task_spec){ .body = in_taskwait });
			wait_for_arrivals(1);
#pragma omp taskwait
#pragma omp taskgroup
			{
				task_create(&(struct task_spec){ .body = in_taskgroup });
				wait_for_arrivals(2);
			}
		}
	}
}

static bool copied;

// Runs while the arguments of the task are copied, which is not ready then.
static void look_while_copying(void *to, void *from)
{
	struct here here;
	const ompd_ext_task_info *info;

	(void)to;
	(void)from;
	open_here(&here);
	task_list_read(space, here.parallel, 4, &list);
	info = task_list_find(&list, here.task_id);
	assert_non_null(info);
	assert_int_equal(info->kind, ompd_ext_task_explicit);
	assert_int_equal(info->status, ompd_ext_task_creating);
	assert_int_equal(info->flags & ompd_ext_task_undeferred, 0);
	assert_int_equal(info->parent_id, list.records[0].id);
	close_here(&here);
	copied = true;
}

static void unborn_task(void **state)
{
	(void)state;
#pragma omp parallel num_threads(1)
	task_create(&(struct task_spec){ .body = nothing, .copy = look_while_copying });
	assert_true(copied);
}

#if __GNUC__ >= 11 && !defined(__clang__)
static void detached_task(void **state)
{
	(void)state;
	restart();
#pragma omp parallel num_threads(2)
	{
		if (omp_get_thread_num() == 0) {
			struct here here;
			omp_event_handle_t event;
			size_t detached = 0;

			open_here(&here);
#pragma omp task detach(event)
			arrive();
			wait_for_arrivals(1);
			for (int i = 0; i < 5000 && !detached; i++) {
				task_list_read(space, here.parallel, 4, &list);
				detached = task_list_tally(&list, ompd_ext_task_explicit,
							   ompd_ext_task_detached);
				usleep(1000);
			}
			assert_int_equal(detached, 1);
			assert_int_equal(list.count, 3);
			assert_int_equal(list.records[2].parent_id, here.task_id);
			assert_int_equal(list.records[2].flags & ompd_ext_task_detachable,
					 ompd_ext_task_detachable);
			close_here(&here);
			omp_fulfill_event(event);
		}
	}
}
#endif

// ---- Several regions -------------------------------------------------------------------------

// Every live region with all of its tasks, enclosing ones first.
static void all_regions(void **state)
{
	(void)state;
	restart();
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(3)
	{
		int outer = omp_get_ancestor_thread_num(1);

		if (outer == 0 && omp_get_thread_num() == 0) {
			struct here here;

			wait_for_arrivals(5);
			task_create(&(struct task_spec){ .body = nothing });
			open_here(&here);
			task_list_read(space, NULL, 7, &list);
			// The initial task, two and twice three implicit ones, one queued.
			assert_int_equal(list.count, 1 + 2 + 6 + 1);
			assert_int_equal(list.records[0].kind, ompd_ext_task_initial);
			assert_int_equal(list.records[1].parent_id, list.records[0].id);
			assert_int_equal(task_list_tally(&list, ompd_ext_task_implicit,
							 ompd_ext_task_running),
					 6);
			assert_int_equal(task_list_tally(&list, ompd_ext_task_implicit,
							 ompd_ext_task_suspended),
					 2);
			assert_non_null(task_list_find(&list, here.task_id));
			close_here(&here);
			begin_stage(1);
		} else {
			arrive();
			wait_for_stage(1);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(running_tasks),
		cmocka_unit_test(undeferred_tasks),
		cmocka_unit_test(waiting_tasks),
		cmocka_unit_test(unborn_task),
#if __GNUC__ >= 11 && !defined(__clang__)
		cmocka_unit_test(detached_task),
#endif
		cmocka_unit_test(all_regions),
	};

	return run_task_tests(tests, sizeof(tests) / sizeof(tests[0]));
}
