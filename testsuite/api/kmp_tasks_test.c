// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks of LLVM's runtime in known states.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <omp.h>
#include <string.h>
#include <unistd.h>

#include "host.h"
#include "kmp_tasks.h"
#include "task_states.h"

enum { THREADS = 3 };

static int nothing(int gtid, void *task)
{
	(void)gtid;
	(void)task;
	return 0;
}

// One thread makes tasks and looks at them, while the others wait where they take none.
static void with_team(void (*test)(struct here *here))
{
	restart();
	omp_set_dynamic(0);
#pragma omp parallel num_threads(THREADS)
	{
		if (omp_get_thread_num() == 0) {
			struct here here;

			wait_for_arrivals(THREADS - 1);
			open_here(&here);
			test(&here);
			close_here(&here);
			begin_stage(1);
		} else {
			arrive();
			wait_for_stage(1);
		}
	}
}

static void read_tasks(const struct here *here)
{
	task_list_read(space, here->parallel, 3, &list);
	for (int i = 0; i < THREADS; i++) {
		const ompd_ext_task_info *info = &list.records[i];

		assert_int_equal(info->kind, ompd_ext_task_implicit);
		assert_int_equal(info->thread_num, i);
		assert_int_equal(info->parallel_id, here->parallel_id);
	}
	assert_int_equal(list.records[1].status, ompd_ext_task_running);
	assert_int_equal(list.records[2].status, ompd_ext_task_running);
}

static const ompd_ext_task_info *find(const void *task)
{
	const ompd_ext_task_info *info = task_list_find(&list, kmp_task_identity(task));

	assert_non_null(info);
	assert_int_equal(info->kind, ompd_ext_task_explicit);
	return info;
}

// ---- Where a record lies ---------------------------------------------------------------------

static int learn(int gtid, void *task)
{
	struct here here;

	(void)gtid;
	open_here(&here);
	kmp_task_learn(task, here.task_id);
	close_here(&here);
	return 0;
}

static int learn_record(void **state)
{
	(void)state;
	if (open_space(state))
		return -1;
#pragma omp parallel num_threads(2)
#pragma omp single
	kmp_task_run(kmp_task_make(learn, KMP_TASK_TIED, 0), learn);
	return 0;
}

// ---- Queued tasks ----------------------------------------------------------------------------

static void look_at_queued(struct here *here)
{
	void *tasks[] = {
		kmp_task_make(nothing, KMP_TASK_TIED, 0),
		kmp_task_make(nothing, 0, 0),
		kmp_task_make(nothing, KMP_TASK_TIED | KMP_TASK_FINAL, 0),
		kmp_task_make(nothing, KMP_TASK_TIED | KMP_TASK_PRIORITY, 7),
		kmp_task_make(nothing, KMP_TASK_TIED | KMP_TASK_PRIORITY, 3),
	};
	static const uint32_t flags[] = { 0, ompd_ext_task_untied, ompd_ext_task_final, 0, 0 };
	static const int priorities[] = { 0, 0, 0, 7, 3 };

	for (int i = 0; i < 5; i++)
		kmp_task_queue(tasks[i]);
	read_tasks(here);
	assert_int_equal(list.count, THREADS + 5);
	assert_int_equal(list.unreached, 0);
	for (int i = 0; i < 5; i++) {
		const ompd_ext_task_info *info = find(tasks[i]);

		assert_int_equal(info->status, ompd_ext_task_queued);
		assert_int_equal(info->parent_id, here->task_id);
		assert_int_equal(info->parallel_id, here->parallel_id);
		assert_int_equal(info->function, (uintptr_t)nothing);
		assert_int_equal(info->source, (uintptr_t)kmp_task_source);
		assert_int_equal(info->flags, flags[i]);
		assert_int_equal(info->priority, priorities[i]);
		assert_int_equal(info->thread_num, -1);
		assert_int_equal(info->taskgroup, 0);
		assert_int_equal(info->num_depends, 0);
	}
	assert_int_equal(list.records[0].status, ompd_ext_task_running);
}

static void queued(void **state)
{
	(void)state;
	with_team(look_at_queued);
}

static void look_at_many(struct here *here)
{
	for (int i = 0; i < 200; i++)
		kmp_task_queue(kmp_task_make(nothing, KMP_TASK_TIED, 0));
	read_tasks(here);
	assert_int_equal(task_list_tally(&list, ompd_ext_task_explicit, ompd_ext_task_queued), 200);
}

static void many_queued(void **state)
{
	(void)state;
	with_team(look_at_many);
}

// ---- Dependences -----------------------------------------------------------------------------

static int first, second, third;

static void check_handles(const struct here *here, const void *task, const void *depender,
			  const int *variable, uint32_t kind)
{
	ompd_task_handle_t *handle;
	ompd_ext_depend depend = { 0 };
	ompd_ext_task_info info;
	uint64_t id = 0;
	size_t count = 0;

	assert_int_equal(ompd_ext_get_task_by_info(here->parallel, find(task), &handle),
			 ompd_rc_ok);
	assert_int_equal(ompd_ext_get_task_info(handle, &info), ompd_rc_ok);
	assert_memory_equal(&info, find(task), sizeof(info));
	assert_int_equal(ompd_ext_get_task_depends(handle, &depend, 1, &count), ompd_rc_incomplete);
	assert_int_equal(count, info.num_depends);
	assert_int_equal(count, variable ? 1 : 0);
	assert_int_equal(depend.address, (uintptr_t)variable);
	assert_int_equal(depend.kind, kind);
	assert_int_equal(ompd_ext_get_task_dependers(handle, &id, 1, &count), ompd_rc_ok);
	assert_int_equal(count, depender ? 1 : 0);
	assert_int_equal(id, depender ? kmp_task_identity(depender) : 0);
	assert_int_equal(ompd_rel_task_handle(handle), ompd_rc_ok);
}

static void look_at_blocked(struct here *here)
{
	void *tasks[4];
	struct kmp_depend depends[4][2] = {
		{ { (intptr_t)&first, 4, KMP_DEPEND_OUT } },
		{ { (intptr_t)&first, 4, KMP_DEPEND_IN } },
		{ { (intptr_t)&second, 4, KMP_DEPEND_OUT } },
		{ { (intptr_t)&first, 4, KMP_DEPEND_OUT },
		  { (intptr_t)&second, 4, KMP_DEPEND_OUT } },
	};
	static const int counts[] = { 1, 1, 1, 2 };
	static const uint32_t predecessors[] = { 0, 1, 0, 2 };

	for (int i = 0; i < 4; i++) {
		tasks[i] = kmp_task_make(nothing, KMP_TASK_TIED, 0);
		kmp_task_queue_with(tasks[i], depends[i], counts[i]);
	}
	read_tasks(here);
	assert_int_equal(list.count, THREADS + 4);
	assert_int_equal(list.unreached, 0);
	for (int i = 0; i < 4; i++) {
		const ompd_ext_task_info *info = find(tasks[i]);

		assert_int_equal(info->status,
				 predecessors[i] ? ompd_ext_task_blocked : ompd_ext_task_queued);
		assert_int_equal(info->num_predecessors, predecessors[i]);
	}
	// Of the first three tasks the last one's clauses have taken the places.
	assert_int_equal(find(tasks[3])->num_depends, 2);
	check_handles(here, tasks[0], tasks[1], NULL, 0);
	check_handles(here, tasks[1], tasks[3], NULL, 0);
	check_handles(here, tasks[2], tasks[3], NULL, 0);
}

static void blocked(void **state)
{
	(void)state;
	with_team(look_at_blocked);
}

// Of each set of tasks the kind is kept, of one before it on the same variable only that it was one.
static void look_at_sets(struct here *here)
{
	static const struct {
		int *variable;
		uint8_t flag;
		uint32_t kind, status, predecessors;
	} wanted[] = {
		{ &first, KMP_DEPEND_MUTEXINOUTSET, ompd_ext_depend_other, ompd_ext_task_queued,
		  0 },
		{ &first, KMP_DEPEND_MUTEXINOUTSET, ompd_ext_depend_other, ompd_ext_task_queued,
		  0 },
		{ &first, KMP_DEPEND_IN, ompd_ext_depend_in, ompd_ext_task_blocked, 2 },
		{ &second, KMP_DEPEND_INOUTSET, ompd_ext_depend_inoutset, ompd_ext_task_queued, 0 },
		{ &second, KMP_DEPEND_INOUTSET, ompd_ext_depend_inoutset, ompd_ext_task_queued, 0 },
		{ &third, KMP_DEPEND_OUT, ompd_ext_depend_out, ompd_ext_task_queued, 0 },
		{ &third, KMP_DEPEND_MUTEXINOUTSET, ompd_ext_depend_mutexinoutset,
		  ompd_ext_task_blocked, 1 },
	};
	enum { COUNT = sizeof(wanted) / sizeof(wanted[0]) };
	void *tasks[COUNT];

	for (int i = 0; i < COUNT; i++) {
		struct kmp_depend depend = { (intptr_t)wanted[i].variable, 4, wanted[i].flag };

		tasks[i] = kmp_task_make(nothing, KMP_TASK_TIED, 0);
		kmp_task_queue_with(tasks[i], &depend, 1);
	}
	read_tasks(here);
	assert_int_equal(list.count, THREADS + COUNT);
	assert_int_equal(list.unreached, 0);
	for (int i = 0; i < COUNT; i++) {
		const ompd_ext_task_info *info = find(tasks[i]);
		const void *depender = i < 2 ? tasks[2] : i == 5 ? tasks[6] : NULL;

		assert_int_equal(info->status, wanted[i].status);
		assert_int_equal(info->num_predecessors, wanted[i].predecessors);
		check_handles(here, tasks[i], depender, wanted[i].variable, wanted[i].kind);
	}
}

static void sets(void **state)
{
	(void)state;
	with_team(look_at_sets);
}

// ---- Tasks that have begun -------------------------------------------------------------------

static struct here inner;
static uint64_t outer_task;

static int look_at_undeferred(int gtid, void *task)
{
	ompd_task_handle_t *generating, *scheduling;
	ompd_address_t function;
	int same = -1;

	(void)gtid;
	open_here(&inner);
	assert_int_equal(inner.task_id, kmp_task_identity(task));
	read_tasks(&inner);
	const ompd_ext_task_info *info = find(task);

	assert_int_equal(info->status, ompd_ext_task_running);
	assert_int_equal(info->thread_num, 0);
	assert_int_equal(info->flags, ompd_ext_task_undeferred);
	assert_int_equal(info->parent_id, outer_task);
	info = task_list_find(&list, outer_task);
	assert_non_null(info);
	assert_int_equal(info->status, ompd_ext_task_suspended);
	assert_int_equal(list.records[0].status, ompd_ext_task_suspended);
	assert_int_equal(info->parent_id, list.records[0].id);
	assert_int_equal(ompd_get_generating_task_handle(inner.task, &generating), ompd_rc_ok);
	assert_int_equal(ompd_get_scheduling_task_handle(inner.task, &scheduling), ompd_rc_ok);
	assert_int_equal(ompd_task_handle_compare(generating, scheduling, &same), ompd_rc_ok);
	assert_int_equal(same, 0);
	assert_int_equal(ompd_get_task_function(inner.task, &function), ompd_rc_ok);
	assert_int_equal(function.address, (uintptr_t)look_at_undeferred);
	ompd_rel_task_handle(generating);
	ompd_rel_task_handle(scheduling);
	close_here(&inner);
	return 0;
}

static int run_undeferred(int gtid, void *task)
{
	(void)gtid;
	outer_task = kmp_task_identity(task);
	kmp_task_run(kmp_task_make(look_at_undeferred, KMP_TASK_TIED, 0), look_at_undeferred);
	return 0;
}

static void look_at_begun(struct here *here)
{
	(void)here;
	kmp_task_queue(kmp_task_make(run_undeferred, KMP_TASK_TIED, 0));
#pragma omp taskwait
}

static void begun(void **state)
{
	(void)state;
	with_team(look_at_begun);
}

static uint64_t waiting_task;

static int look_at_taskwait(int gtid, void *task)
{
	const ompd_ext_task_info *info;

	(void)gtid;
	(void)task;
	open_here(&inner);
	read_tasks(&inner);
	info = task_list_find(&list, waiting_task);
	assert_non_null(info);
	assert_int_equal(info->status, ompd_ext_task_suspended);
	assert_int_equal(info->flags & ompd_ext_task_in_wait, ompd_ext_task_in_wait);
	assert_int_equal(info->flags_known & ompd_ext_task_in_taskgroup_wait,
			 ompd_ext_task_in_taskgroup_wait);
	assert_int_equal(info->flags & ompd_ext_task_in_taskgroup_wait, 0);
	close_here(&inner);
	return 0;
}

static void wait_in_taskwait(struct here *here)
{
	waiting_task = here->task_id;
	kmp_task_queue(kmp_task_make(look_at_taskwait, KMP_TASK_TIED, 0));
#pragma omp taskwait
}

static void waiting(void **state)
{
	(void)state;
	with_team(wait_in_taskwait);
}

// ---- Detached tasks --------------------------------------------------------------------------

static void look_at_detached(struct here *here)
{
	void *tasks[2], *events[2];
	struct kmp_depend depend = { (intptr_t)&first, 4, KMP_DEPEND_OUT };

	for (int i = 0; i < 2; i++) {
		tasks[i] = kmp_task_make(nothing, KMP_TASK_TIED | KMP_TASK_DETACHABLE, 0);
		events[i] = kmp_task_event(tasks[i]);
	}
	kmp_task_queue_with(tasks[0], &depend, 1);
	kmp_task_queue(tasks[1]);
	// A thread that yields takes both, one by one.
	for (int i = 0; i < 4; i++) {
#pragma omp taskyield
	}
	read_tasks(here);
	const ompd_ext_task_info *info = find(tasks[0]);

	assert_int_equal(info->status, ompd_ext_task_detached);
	assert_int_equal(info->flags & ompd_ext_task_detachable, ompd_ext_task_detachable);
	// To one without dependences nothing leads.
	assert_int_equal(list.count, THREADS + 1);
	assert_int_equal(list.unreached, 1);
	for (int i = 0; i < 2; i++)
		omp_fulfill_event((omp_event_handle_t)events[i]);
}

static void detached(void **state)
{
	(void)state;
	with_team(look_at_detached);
}

// ---- Proxy tasks -----------------------------------------------------------------------------

static int calls;

static int set_going(int gtid, void *task)
{
	(void)gtid;
	(void)task;
	calls++;
	return 0;
}

static void check_proxies(const struct here *here, void *tasks[2], uint32_t first_status,
			  uint32_t second_status)
{
	const uint32_t wanted[] = { first_status, second_status };

	read_tasks(here);
	assert_int_equal(list.count, THREADS + 3);
	for (int i = 0; i < 2; i++) {
		const ompd_ext_task_info *info = find(tasks[i]);

		assert_int_equal(info->status, wanted[i]);
		assert_int_equal(info->thread_num, -1);
		assert_int_equal(info->flags_known & ompd_ext_task_proxy, ompd_ext_task_proxy);
		assert_int_equal(info->flags & ompd_ext_task_proxy, ompd_ext_task_proxy);
	}
}

static void look_at_proxies(struct here *here)
{
	void *tasks[3];
	struct kmp_depend depends[3] = {
		{ (intptr_t)&first, 4, KMP_DEPEND_OUT },
		{ (intptr_t)&first, 4, KMP_DEPEND_IN },
		{ (intptr_t)&second, 4, KMP_DEPEND_OUT },
	};

	calls = 0;
	for (int i = 0; i < 3; i++) {
		tasks[i] = i < 2 ? kmp_task_make(set_going, KMP_TASK_PROXY, 0) :
				   kmp_task_make(nothing, KMP_TASK_TIED, 0);
		kmp_task_queue_with(tasks[i], &depends[i], 1);
	}
	// The code of the first was called at once, which does not complete it.
	assert_int_equal(calls, 1);
	check_proxies(here, tasks, ompd_ext_task_started, ompd_ext_task_blocked);
	assert_int_equal(find(tasks[1])->num_predecessors, 1);
	assert_int_equal(find(tasks[2])->flags & ompd_ext_task_proxy, 0);
	// A thread of the team is to do the rest, and comes to it with the next task that it takes.
	kmp_task_complete(tasks[0]);
	check_proxies(here, tasks, ompd_ext_task_completed, ompd_ext_task_blocked);
	for (int i = 0; i < 4; i++) {
#pragma omp taskyield
	}
	assert_int_equal(calls, 2);
	read_tasks(here);
	assert_int_equal(list.count, THREADS + 1);
	assert_int_equal(find(tasks[1])->status, ompd_ext_task_started);
	kmp_task_complete(tasks[1]);
}

static void proxies(void **state)
{
	(void)state;
	with_team(look_at_proxies);
}

// ---- A thread that can't be seen -------------------------------------------------------------

enum { RECORD = 1024 }; // bytes that are hidden one after another

static uint64_t worker;

// Runs on the primary thread, and was generated by a task that runs on the other.
static int look_at_generator(int gtid, void *task)
{
	ompd_task_handle_t *generator;
	ompd_ext_task_info seen, hidden;
	struct here here;
	int unknown = 0;

	(void)gtid;
	(void)task;
	open_here(&here);
	assert_int_equal(ompd_get_generating_task_handle(here.task, &generator), ompd_rc_ok);
	assert_int_equal(ompd_ext_get_task_info(generator, &seen), ompd_rc_ok);
	for (host_hidden = worker; host_hidden < worker + RECORD; host_hidden += HOST_HIDDEN) {
		if (ompd_ext_get_task_info(generator, &hidden) != ompd_rc_ok)
			continue;
		assert_int_equal(hidden.id, seen.id);
		if (hidden.status == ompd_ext_task_unknown)
			unknown++;
		else
			assert_int_equal(hidden.status, ompd_ext_task_running);
	}
	host_hidden = 0;
	assert_int_equal(ompd_rel_task_handle(generator), ompd_rc_ok);
	close_here(&here);
	assert_int_equal(seen.status, ompd_ext_task_running);
	assert_int_equal(seen.thread_num, 1);
	assert_true(unknown > 0);
	begin_stage(1);
	return 0;
}

static int generate(int gtid, void *task)
{
	struct here here;

	(void)gtid;
	(void)task;
	open_here(&here);
	assert_int_equal(ompd_ext_get_handle_id(here.thread, ompd_scope_thread, &worker),
			 ompd_rc_ok);
	close_here(&here);
	kmp_task_queue(kmp_task_make(look_at_generator, KMP_TASK_TIED, 0));
	wait_for_stage(1);
	return 0;
}

static void on_hidden_thread(void **state)
{
	(void)state;
	restart();
#pragma omp parallel num_threads(2)
	if (omp_get_thread_num() == 1)
		kmp_task_run(kmp_task_make(generate, KMP_TASK_TIED, 0), generate);
	assert_int_equal(host_hidden, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(queued),
		cmocka_unit_test(many_queued),
		cmocka_unit_test(blocked),
		cmocka_unit_test(begun),
		cmocka_unit_test(waiting),
		cmocka_unit_test(detached),
		cmocka_unit_test(sets),
		cmocka_unit_test(proxies),
		cmocka_unit_test(on_hidden_thread),
	};

	alarm(100); // a failure in one thread leaves the others at a barrier
	return cmocka_run_group_tests(tests, learn_record, close_space);
}
