// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks that have not begun, in a team whose threads hold still: queued or blocked.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <omp.h>
#include <pthread.h>

#include "task_states.h"

enum { THREADS = 4 };

// Calls @p in_primary in the primary thread of a team whose other threads hold still.
static void with_still_team(int threads, void (*in_primary)(struct here *here))
{
	restart();
#pragma omp parallel num_threads(threads)
	{
		if (omp_get_thread_num() == 0) {
			struct here here;

			wait_for_arrivals(threads - 1);
			open_here(&here);
			in_primary(&here);
			close_here(&here);
			begin_stage(1);
		} else {
			arrive();
			wait_for_stage(1);
		}
	}
}

// ---- Queued and blocked tasks ----------------------------------------------------------------

static void nothing(void *data)
{
	(void)data;
}

static void check_implicit_tasks(const struct here *here, int threads)
{
	for (int i = 0; i < threads; i++) {
		const ompd_ext_task_info *info = &list.records[i];
		ompd_task_handle_t *task;
		uint64_t id = 0;

		assert_int_equal(ompd_get_task_in_parallel(here->parallel, i, &task), ompd_rc_ok);
		assert_int_equal(ompd_ext_get_handle_id(task, ompd_scope_task, &id), ompd_rc_ok);
		ompd_rel_task_handle(task);
		assert_int_equal(info->id, id);
		assert_int_equal(info->kind, ompd_ext_task_implicit);
		assert_int_equal(info->thread_num, i);
		assert_int_equal(info->parallel_id, here->parallel_id);
		assert_int_equal(info->status, ompd_ext_task_running);
		assert_int_equal(info->function, 0);
	}
}

static void queue_by_priority(struct here *here)
{
	for (int i = 1; i <= 9; i++)
		task_create(&(struct task_spec){
			.body = nothing,
			.priority = 10 - i,
			.flags = i % 2 ? TASK_FINAL : TASK_UNTIED,
		});
	task_list_read(space, here->parallel, 3, &list);
	assert_int_equal(list.count, THREADS + 9);
	assert_int_equal(list.unreached, 0);
	check_implicit_tasks(here, THREADS);
	assert_int_equal(task_list_tally(&list, ompd_ext_task_explicit, ompd_ext_task_queued), 9);
	for (int i = 1; i <= 9; i++) {
		const ompd_ext_task_info *info = task_list_of_priority(&list, 10 - i);

		assert_non_null(info);
		assert_int_equal(info->parent_id, here->task_id);
		assert_int_equal(info->function, (uintptr_t)nothing);
		assert_int_equal(info->flags & ompd_ext_task_final,
				 i % 2 ? ompd_ext_task_final : 0);
		assert_int_equal(info->thread_num, -1);
	}
}

static void many_tasks(struct here *here)
{
	for (int i = 0; i < 200; i++)
		task_create(&(struct task_spec){ .body = nothing });
	task_list_read(space, here->parallel, 64, &list);
	assert_int_equal(list.count, THREADS + 200);
	assert_int_equal(task_list_tally(&list, ompd_ext_task_explicit, ompd_ext_task_queued), 200);
}

// One task after another, and at the end one that waits for all of ten others.
static void chains(struct here *here)
{
	static int addresses[10];
	size_t blocked = 0;

	for (int i = 0; i < 10; i++)
		for (int j = 0; j < 5; j++)
			task_create(&(struct task_spec){
				.body = nothing,
				.depends = { &addresses[i] },
				.num_depends = 1,
			});
	task_create(&(struct task_spec){
		.body = nothing,
		.priority = 7,
		.depends = { &addresses[0], &addresses[1], &addresses[2], &addresses[3] },
		.num_depends = 4,
	});
	task_list_read(space, here->parallel, 5, &list);
	assert_int_equal(list.count, THREADS + 51);
	assert_int_equal(task_list_tally(&list, ompd_ext_task_explicit, ompd_ext_task_queued), 10);
	assert_int_equal(task_list_tally(&list, ompd_ext_task_explicit, ompd_ext_task_blocked), 41);

	const ompd_ext_task_info *last = task_list_of_priority(&list, 7);

	assert_non_null(last);
	assert_int_equal(last->num_depends, 4);
	assert_int_equal(last->num_predecessors, 4);
	// Each edge once: the dependers of all tasks are as many as the predecessors.
	size_t edges = 0, ends = 0;

	for (size_t i = 0; i < list.count; i++) {
		uint64_t ids[8];
		size_t count = 0;
		ompd_task_handle_t *task;

		assert_int_equal(ompd_ext_get_task_by_info(here->parallel, &list.records[i], &task),
				 ompd_rc_ok);
		assert_int_equal(ompd_ext_get_task_dependers(task, ids, 8, &count), ompd_rc_ok);
		ompd_rel_task_handle(task);
		assert_in_range(count, 0, 2);
		for (size_t j = 0; j < count; j++) {
			const ompd_ext_task_info *depender = task_list_find(&list, ids[j]);

			assert_non_null(depender);
			assert_int_equal(depender->status, ompd_ext_task_blocked);
			ends += depender == last;
		}
		edges += count;
		blocked += list.records[i].num_predecessors;
	}
	assert_int_equal(edges, 44);
	assert_int_equal(blocked, 44);
	assert_int_equal(ends, 4);
}

static int input, output;

static void kinds_of_dependence(struct here *here)
{
	static const struct {
		int in, out;
	} expected[] = { { 1, 0 }, { 1, 0 }, { 0, 1 }, { 1, 1 } };
	int readers = 0, writers = 0;

#pragma omp task depend(in : input)
	nothing(NULL);
#pragma omp task depend(in : input)
	nothing(NULL);
#pragma omp task depend(out : output)
	nothing(NULL);
#pragma omp task depend(in : output) depend(inout : input)
	nothing(NULL);
	task_list_read(space, here->parallel, 100, &list);
	assert_int_equal(list.count, THREADS + 4);
	// Readers do not wait for one another, the writer waits for both of them and for output.
	assert_int_equal(task_list_tally(&list, ompd_ext_task_explicit, ompd_ext_task_queued), 3);
	assert_int_equal(task_list_tally(&list, ompd_ext_task_explicit, ompd_ext_task_blocked), 1);
	for (size_t i = 0; i < list.count; i++) {
		ompd_ext_depend depends[4];
		ompd_task_handle_t *task;
		size_t count = 0;

		if (list.records[i].status == ompd_ext_task_blocked)
			assert_int_equal(list.records[i].num_predecessors, 3);
		assert_int_equal(ompd_ext_get_task_by_info(here->parallel, &list.records[i], &task),
				 ompd_rc_ok);
		assert_int_equal(ompd_ext_get_task_depends(task, depends, 4, &count), ompd_rc_ok);
		ompd_rel_task_handle(task);
		for (size_t j = 0; j < count; j++) {
			bool is_in = depends[j].kind == ompd_ext_depend_in;

			assert_true(is_in || depends[j].kind == ompd_ext_depend_out);
			assert_true(depends[j].address == (uintptr_t)&input ||
				    depends[j].address == (uintptr_t)&output);
			readers += is_in;
			writers += !is_in;
		}
	}
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		readers -= expected[i].in;
		writers -= expected[i].out;
	}
	assert_int_equal(readers, 0);
	assert_int_equal(writers, 0);
}

static void other_region(struct here *here)
{
	ompd_task_handle_t *task;

	task_list_read(space, here->parallel, 100, &list);
	assert_int_equal(ompd_ext_get_task_by_info(here->parallel, &list.records[0], &task),
			 ompd_rc_ok);
	ompd_rel_task_handle(task);
	list.records[0].parallel_id ^= 8;
	assert_int_equal(ompd_ext_get_task_by_info(here->parallel, &list.records[0], &task),
			 ompd_rc_bad_input);
}

#define STILL(name)                             \
	static void test_##name(void **state)   \
	{                                       \
		(void)state;                    \
		with_still_team(THREADS, name); \
	}

STILL(queue_by_priority)
STILL(many_tasks)
STILL(chains)
STILL(kinds_of_dependence)
STILL(other_region)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_queue_by_priority),
		cmocka_unit_test(test_many_tasks),
		cmocka_unit_test(test_chains),
		cmocka_unit_test(test_kinds_of_dependence),
		cmocka_unit_test(test_other_region),
	};

	return run_task_tests(tests, sizeof(tests) / sizeof(tests[0]));
}
