// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the recorder keeps, event by event: under a runtime that sends what a test wants.

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "fake_runtime.h"
#include "snapshot.h"

#define LOCK 0x1000
#define OTHER_LOCK 0x2000
#define MAX_HOLDS 1024

extern struct record_root ompdbg_record;

static ompt_data_t initial;
static struct snapshot now;

/** Look at this thread. */
static void look(void)
{
	assert_true(take_snapshot(0, &now));
	assert_true(now.recorded);
}

/** Return the latest event, or one before it. */
static const struct record_event *latest(uint64_t before)
{
	return event_at(&now, now.thread.head - 1 - before);
}

/** Check the latest event. */
static void expect(enum record_kind kind, uint64_t object, uint32_t number, uint16_t detail,
		   const void *code)
{
	const struct record_event *event;

	look();
	event = latest(0);
	assert_int_equal(event->kind, kind);
	assert_int_equal(event->object, object);
	assert_int_equal(event->number, number);
	assert_int_equal(event->detail, detail);
	assert_ptr_equal((void *)(uintptr_t)event->code, code);
	assert_true(event->time >= latest(1)->time);
}

/** Return how many mutexes are held. */
static int holds(void)
{
	int number = 0;

	look();
	for (int i = 0; i < SNAPSHOT_HOLDS; i++)
		number += now.holds[i].kind != 0;
	return number;
}

/** Acquire a mutex. */
static void take(ompt_mutex_t kind, uint64_t object, const void *code)
{
	omp.acquire(kind, 0, 0, object, code);
	omp.acquired(kind, object, code);
}

static void test_root(void **state)
{
	(void)state;
	assert_string_equal(ompdbg_record.magic, RECORD_MAGIC);
	assert_int_equal(ompdbg_record.version, RECORD_VERSION);
	assert_int_equal(ompdbg_record.ring_events, SNAPSHOT_EVENTS);
	assert_int_equal(ompdbg_record.task_size, sizeof(struct record_task));
	assert_int_equal(ompdbg_record.pid, getpid());
	assert_int_equal(ompdbg_record.runtime, RECORD_OTHER);
	look();
	assert_int_equal(now.thread.lwp, syscall(SYS_gettid));
	assert_int_equal(now.thread.type, ompt_thread_initial);
	assert_int_equal(now.thread.num_levels, 1);
}

/** Convert ticks as a reader does. */
static double seconds_of(uint64_t ticks)
{
	const struct record_root *root = &ompdbg_record;

	return (double)root->start_monotonic / 1e9 +
	       (double)(ticks - root->start_ticks) / (double)root->ticks_per_second;
}

static void test_clock(void **state)
{
	struct timespec pause = { 0, 20000000 }, time;
	double recorded, real;

	(void)state;
	for (int i = 0; i < 8; i++) {
		nanosleep(&pause, NULL);
		omp.work(ompt_work_loop, ompt_scope_begin, NULL, &initial, 1, NULL);
	}
	clock_gettime(CLOCK_MONOTONIC, &time);
	look();
	recorded = seconds_of(latest(0)->time);
	real = (double)time.tv_sec + (double)time.tv_nsec / 1e9;
	assert_true(recorded <= real + 0.001);
	assert_true(recorded > real - 10); // however slow the machine is
	assert_true(ompdbg_record.later_ticks > ompdbg_record.start_ticks);
	assert_true(ompdbg_record.renewing >= 2 && ompdbg_record.renewing % 2 == 0);
}

static void test_lock(void **state)
{
	(void)state;
	omp.acquire(ompt_mutex_lock, 0, 0, LOCK, CODE(1));
	expect(RECORD_ACQUIRE, LOCK, 0, ompt_mutex_lock, CODE(1));
	assert_int_equal(now.thread.acquire.kind, RECORD_ACQUIRE);
	assert_int_equal(now.thread.acquire.object, LOCK);
	assert_int_equal(now.thread.acquire.detail, ompt_mutex_lock);
	assert_int_equal(now.thread.acquire.since, latest(0)->time);
	assert_int_equal(holds(), 0);
	omp.acquired(ompt_mutex_lock, LOCK, CODE(1));
	expect(RECORD_ACQUIRED, LOCK, 0, ompt_mutex_lock, CODE(1));
	assert_int_equal(now.thread.acquire.kind, 0);
	assert_int_equal(holds(), 1);
	assert_int_equal(now.holds[0].object, LOCK);
	assert_int_equal(now.holds[0].since, latest(0)->time);
	assert_ptr_equal((void *)(uintptr_t)now.holds[0].code, CODE(1));
	assert_int_equal(now.holds[0].depth, 1);
	omp.released(ompt_mutex_lock, LOCK, CODE(2));
	expect(RECORD_RELEASED, LOCK, 0, ompt_mutex_lock, CODE(2));
	assert_int_equal(holds(), 0);
	assert_int_equal(now.thread.num_holds, 0);
}

static void test_order_of_releases(void **state)
{
	(void)state;
	take(ompt_mutex_lock, LOCK, CODE(1));
	take(ompt_mutex_critical, OTHER_LOCK, CODE(2));
	omp.released(ompt_mutex_lock, LOCK, CODE(3));
	assert_int_equal(holds(), 1);
	assert_int_equal(now.holds[1].object, OTHER_LOCK);
	assert_int_equal(now.holds[1].kind, ompt_mutex_critical);
	omp.released(ompt_mutex_critical, OTHER_LOCK, CODE(4));
	take(ompt_mutex_ordered, LOCK, CODE(5));
	assert_int_equal(now.thread.num_holds, 2); // as the last look found it
	assert_int_equal(holds(), 1);
	assert_int_equal(now.thread.num_holds, 1);
	omp.released(ompt_mutex_ordered, LOCK, CODE(6));
}

static void test_lock_that_is_tested(void **state)
{
	(void)state;
	omp.acquire(ompt_mutex_test_lock, 0, 0, LOCK, CODE(1));
	assert_int_equal(holds(), 0);
	assert_int_equal(now.thread.acquire.kind, 0);
	omp.acquired(ompt_mutex_test_lock, LOCK, CODE(1));
	assert_int_equal(holds(), 1);
	assert_int_equal(now.holds[0].kind, ompt_mutex_lock);
	omp.released(ompt_mutex_lock, LOCK, CODE(2));
	assert_int_equal(holds(), 0);
}

static void test_nestable_lock(void **state)
{
	(void)state;
	take(ompt_mutex_nest_lock, LOCK, CODE(1));
	omp.acquire(ompt_mutex_nest_lock, 0, 0, LOCK, CODE(2));
	omp.nest_lock(ompt_scope_begin, LOCK, CODE(2));
	expect(RECORD_NEST_BEGIN, LOCK, 0, 0, CODE(2));
	assert_int_equal(now.thread.acquire.kind, 0);
	assert_int_equal(holds(), 1);
	assert_int_equal(now.holds[0].depth, 2);
	assert_ptr_equal((void *)(uintptr_t)now.holds[0].code, CODE(1));
	omp.nest_lock(ompt_scope_end, LOCK, CODE(3));
	assert_int_equal(holds(), 1);
	assert_int_equal(now.holds[0].depth, 1);
	omp.released(ompt_mutex_nest_lock, LOCK, CODE(4));
	assert_int_equal(holds(), 0);
}

static void test_locks_that_are_destroyed(void **state)
{
	(void)state;
	take(ompt_mutex_lock, LOCK, CODE(1));
	take(ompt_mutex_lock, OTHER_LOCK, CODE(1));
	omp.lock_destroy(ompt_mutex_lock, LOCK, CODE(2));
	expect(RECORD_LOCK_DESTROY, LOCK, 0, ompt_mutex_lock, CODE(2));
	assert_int_equal(holds(), 1);
	omp.lock_init(ompt_mutex_lock, 0, 0, OTHER_LOCK, CODE(3));
	expect(RECORD_LOCK_INIT, OTHER_LOCK, 0, ompt_mutex_lock, CODE(3));
	assert_int_equal(holds(), 0);
}

static void test_too_many_holds(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < MAX_HOLDS + 3; i++)
		take(ompt_mutex_lock, LOCK + i, CODE(1));
	look();
	assert_int_equal(now.thread.lost_holds, 3);
	assert_int_equal(now.thread.num_holds, MAX_HOLDS);
	omp.released(ompt_mutex_lock, LOCK + 5, CODE(2));
	take(ompt_mutex_lock, OTHER_LOCK + MAX_HOLDS, CODE(1)); // where there is room again
	look();
	assert_int_equal(now.holds[5].object, OTHER_LOCK + MAX_HOLDS);
	assert_int_equal(now.thread.num_holds, MAX_HOLDS);
	assert_int_equal(now.thread.lost_holds, 3);
	omp.released(ompt_mutex_lock, OTHER_LOCK + MAX_HOLDS, CODE(2));
	for (uint64_t i = MAX_HOLDS + 3; i-- > 0;)
		if (i != 5)
			omp.released(ompt_mutex_lock, LOCK + i, CODE(2));
	assert_int_equal(holds(), 0);
	assert_int_equal(now.thread.lost_holds, 0);
}

/** Release a lock on another thread. */
static void *release(void *lock)
{
	omp.released(ompt_mutex_lock, (ompt_wait_id_t)(uintptr_t)lock, CODE(9));
	return NULL;
}

/** Acquire a lock on another thread, and end. */
static void *keep(void *lock)
{
	take(ompt_mutex_lock, (ompt_wait_id_t)(uintptr_t)lock, CODE(8));
	return NULL;
}

/** Run a function on another thread, to its end. */
static void elsewhere(void *(*function)(void *), uint64_t lock)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, function, (void *)(uintptr_t)lock), 0);
	assert_int_equal(pthread_join(thread, NULL), 0);
}

/** Return the block of the thread that begins the list, as this thread's was first. */
static const struct record_thread *other_thread(void)
{
	return (const struct record_thread *)(uintptr_t)ompdbg_record.threads;
}

static void test_thread_that_ends_with_a_lock(void **state)
{
	const struct record_thread *other;
	const struct record_hold *hold;
	uint32_t threads;

	(void)state;
	elsewhere(keep, LOCK);
	other = other_thread();
	hold = (const struct record_hold *)(uintptr_t)other->holds;
	assert_int_not_equal(other->ended, 0);
	assert_int_equal(other->num_holds, 1);
	assert_int_equal(hold->object, LOCK);
	threads = ompdbg_record.num_threads;
	elsewhere(keep, OTHER_LOCK); // has a block of its own, as the first is still needed
	assert_int_equal(ompdbg_record.num_threads, threads + 1);
	assert_int_equal(hold->object, LOCK);
	assert_int_equal(hold->kind, ompt_mutex_lock);
	omp.released(ompt_mutex_lock, LOCK, CODE(2));
	omp.released(ompt_mutex_lock, OTHER_LOCK, CODE(2));
	assert_int_equal(hold->kind, 0);
	elsewhere(release, LOCK);
	assert_int_equal(ompdbg_record.num_threads, threads + 1);
}

static void test_release_by_another_thread(void **state)
{
	const struct record_hold *mine;

	(void)state;
	for (int i = 0; i < 100; i++) {
		const struct record_thread *thread = other_thread();

		while (thread->lwp != (uint64_t)syscall(SYS_gettid))
			thread = (const struct record_thread *)(uintptr_t)thread->next;
		mine = (const struct record_hold *)(uintptr_t)thread->holds;
		take(ompt_mutex_lock, LOCK, CODE(1));
		// Another release, whose callback comes late, does not hurt the new owner.
		if (i % 2)
			take(ompt_mutex_lock, LOCK, CODE(2));
		elsewhere(release, LOCK);
		assert_int_equal(mine[0].kind, 0);
		if (i % 2) {
			assert_int_equal(mine[1].kind, ompt_mutex_lock);
			assert_ptr_equal((void *)(uintptr_t)mine[1].code, CODE(2));
			omp.released(ompt_mutex_lock, LOCK, CODE(3));
		}
		assert_int_equal(mine[1].kind, 0);
	}
}

static void test_levels(void **state)
{
	ompt_data_t parallel = { 0 }, implicit = { 0 }, inner_parallel = { 0 }, inner = { 0 };
	ompt_data_t task = { 0 };
	uint64_t first;

	(void)state;
	omp.parallel_begin(&initial, NULL, &parallel, 4, ompt_parallel_team, CODE(1));
	look();
	first = latest(0)->object;
	expect(RECORD_PARALLEL_BEGIN, first, 4, 0, CODE(1));
	omp.implicit_task(ompt_scope_begin, &parallel, &implicit, 4, 3, ompt_task_implicit);
	expect(RECORD_IMPLICIT_BEGIN, first, 3, 4, CODE(1));
	assert_int_equal(now.thread.num_levels, 2);
	assert_int_equal(now.levels[1].region, first);
	assert_int_equal(now.levels[1].thread, 3);
	assert_int_equal(now.levels[1].team, 4);
	assert_int_equal(now.levels[1].barrier, 0);
	assert_ptr_equal((void *)(uintptr_t)now.levels[1].code, CODE(1));
	omp.parallel_begin(&implicit, NULL, &inner_parallel, 100000, ompt_parallel_league, CODE(2));
	omp.implicit_task(ompt_scope_begin, &inner_parallel, &inner, 100000, 0, ompt_task_implicit);
	expect(RECORD_IMPLICIT_BEGIN, first + 1, 0, 65535, CODE(2));
	assert_int_equal(now.levels[2].team, 100000);
	assert_int_equal(latest(1)->detail, 1);
	omp.sync(ompt_sync_region_barrier_explicit, ompt_scope_begin, NULL, NULL, CODE(3));
	expect(RECORD_SYNC_BEGIN, 0, 0, ompt_sync_region_barrier_explicit, CODE(3));
	assert_int_equal(now.levels[2].barrier, latest(0)->time);
	assert_ptr_equal((void *)(uintptr_t)now.levels[2].barrier_code, CODE(3));
	assert_int_equal(now.levels[1].barrier, 0);
	omp.sync(ompt_sync_region_taskgroup, ompt_scope_begin, NULL, NULL, CODE(4));
	look();
	assert_ptr_equal((void *)(uintptr_t)now.levels[2].barrier_code, CODE(3));
	omp.implicit_task(ompt_scope_end, NULL, &inner, 100000, 0, ompt_task_implicit);
	expect(RECORD_IMPLICIT_END, first + 1, 0, 0, NULL);
	assert_int_equal(inner.value, 0);
	omp.parallel_end(&inner_parallel, &implicit, 0, CODE(2));
	expect(RECORD_PARALLEL_END, first + 1, 0, 0, CODE(2));
	omp.task_create(&implicit, NULL, &task, ompt_task_explicit, 0, CODE(5));
	assert_int_equal(((const struct record_task *)task.ptr)->region, first);
	omp.task_schedule(&task, ompt_task_cancel, &implicit);
	omp.implicit_task(ompt_scope_end, NULL, &implicit, 4, 3, ompt_task_implicit);
	omp.parallel_end(&parallel, &initial, 0, CODE(1));
	expect(RECORD_PARALLEL_END, first, 0, 0, CODE(1));
	assert_int_equal(now.thread.num_levels, 1);
}

/** LLVM's runtime may report the data of a team that another thread uses by now. */
static void test_region_with_data_of_another_thread(void **state)
{
	ompt_data_t outer = { 0 }, inner = { 0 }, others = { .ptr = &others };
	uint64_t first;

	(void)state;
	omp.parallel_begin(&initial, NULL, &outer, 2, 0, CODE(1));
	look();
	first = latest(0)->object;
	omp.parallel_begin(&initial, NULL, &inner, 2, 0, CODE(2));
	omp.parallel_end(&others, &initial, 0, CODE(2));
	expect(RECORD_PARALLEL_END, first + 1, 0, 0, CODE(2));
	others.ptr = NULL;
	omp.parallel_end(&others, &initial, 0, CODE(1));
	expect(RECORD_PARALLEL_END, first, 0, 0, CODE(1));
}

static void test_deep_regions(void **state)
{
	enum { DEPTH = 100 };
	ompt_data_t parallel[DEPTH] = { 0 }, implicit[DEPTH] = { 0 };

	(void)state;
	for (int i = 0; i < DEPTH; i++) {
		omp.parallel_begin(&initial, NULL, &parallel[i], 1, 0, CODE(1));
		omp.implicit_task(ompt_scope_begin, &parallel[i], &implicit[i], 1, 0,
				  ompt_task_implicit);
		omp.wait(ompt_sync_region_taskwait, ompt_scope_begin, NULL, NULL, CODE(2));
	}
	look();
	assert_int_equal(now.thread.num_levels, DEPTH + 1);
	assert_int_equal(now.thread.wait.kind, 0);
	for (int i = DEPTH; i-- > 0;) {
		omp.wait(ompt_sync_region_taskwait, ompt_scope_end, NULL, NULL, CODE(2));
		omp.implicit_task(ompt_scope_end, NULL, &implicit[i], 1, 0, ompt_task_implicit);
		omp.parallel_end(&parallel[i], &initial, 0, CODE(1));
	}
	look();
	assert_int_equal(now.thread.num_levels, 1);
	assert_int_equal(now.thread.wait.kind, 0);
}

/** Find a task's record. */
static const struct record_task *record_of(const ompt_data_t *data)
{
	return data->ptr;
}

static void test_tasks(void **state)
{
	ompt_data_t implicit = { 0 }, parallel = { 0 }, parent = { 0 }, child = { 0 };
	const struct record_task *task;
	uint64_t id, begun;

	(void)state;
	omp.parallel_begin(&initial, NULL, &parallel, 1, 0, CODE(1));
	omp.implicit_task(ompt_scope_begin, &parallel, &implicit, 1, 0, ompt_task_implicit);
	omp.task_create(&implicit, NULL, &parent, ompt_task_explicit | ompt_task_untied, 0,
			CODE(2));
	task = record_of(&parent);
	id = task->id;
	assert_int_not_equal(id, 0);
	expect(RECORD_TASK_CREATE, id, (uint32_t)(ompt_task_explicit | ompt_task_untied), 0,
	       CODE(2));
	assert_int_equal(task->parent, 0);
	assert_int_equal(task->created, latest(0)->time);
	assert_int_equal(task->region, now.levels[1].region);
	assert_int_equal(task->begun, 0);
	assert_int_equal(now.thread.task, implicit.value);
	omp.task_schedule(&implicit, ompt_task_switch, &parent);
	expect(RECORD_TASK_BEGIN, id, 0, 0, NULL);
	assert_int_equal(task->begun, latest(0)->time);
	assert_int_equal(task->times_suspended, 0);
	assert_ptr_equal((void *)(uintptr_t)now.thread.task, task);
	omp.task_create(&parent, NULL, &child, ompt_task_explicit, 0, CODE(3));
	assert_int_equal(record_of(&child)->parent, id);
	omp.wait(ompt_sync_region_taskwait, ompt_scope_begin, NULL, NULL, CODE(4));
	look();
	assert_int_equal(now.thread.wait.kind, RECORD_WAIT_BEGIN);
	assert_int_equal(now.thread.wait.detail, ompt_sync_region_taskwait);
	omp.task_schedule(&parent, ompt_task_switch, &child);
	look();
	assert_int_equal(now.thread.wait.kind, 0); // it works
	assert_int_equal(latest(1)->kind, RECORD_TASK_END);
	assert_int_equal(latest(1)->object, id);
	assert_int_equal(latest(1)->detail, ompt_task_switch);
	assert_ptr_equal((void *)(uintptr_t)now.thread.task, record_of(&child));
	assert_int_equal(task->times_suspended, 1);
	begun = task->begun;
	omp.task_schedule(&child, ompt_task_complete, &parent);
	look();
	assert_int_equal(now.thread.wait.kind, RECORD_WAIT_BEGIN);
	assert_ptr_equal((void *)(uintptr_t)now.thread.wait.code, CODE(4));
	assert_ptr_equal((void *)(uintptr_t)now.thread.task, task);
	assert_int_equal(task->begun, begun);
	assert_int_equal(task->times_suspended, 1);
	omp.wait(ompt_sync_region_taskwait, ompt_scope_end, NULL, NULL, CODE(4));
	omp.task_schedule(&parent, ompt_task_complete, &implicit);
	look();
	assert_int_equal(now.thread.wait.kind, 0);
	assert_int_equal(now.thread.task, implicit.value);
	assert_int_equal(task->id, 0);
	for (int i = 0; i < SNAPSHOT_TASKS; i++)
		assert_int_equal(now.tasks[i].id, 0);
	omp.implicit_task(ompt_scope_end, NULL, &implicit, 1, 0, ompt_task_implicit);
	omp.parallel_end(&parallel, &initial, 0, CODE(1));
}

static void test_detached_task(void **state)
{
	ompt_data_t data = { 0 };
	const struct record_task *task;

	(void)state;
	omp.task_create(&initial, NULL, &data, ompt_task_explicit, 0, CODE(1));
	task = record_of(&data);
	omp.task_schedule(&initial, ompt_task_switch, &data);
	omp.task_schedule(&data, ompt_task_detach, &initial);
	look();
	assert_int_not_equal(task->id, 0);
	assert_int_equal(now.thread.task, initial.value);
	omp.task_schedule(&data, ompt_task_late_fulfill, NULL);
	assert_int_equal(task->id, 0);
	omp.task_create(&initial, NULL, &data, ompt_task_explicit, 0, CODE(1));
	task = record_of(&data);
	omp.task_schedule(&initial, ompt_task_switch, &data);
	omp.task_schedule(&data, ompt_task_early_fulfill, NULL);
	look();
	assert_ptr_equal((void *)(uintptr_t)now.thread.task, task);
	assert_int_equal(task->times_suspended, 0);
	omp.task_schedule(&data, ompt_task_complete, &initial);
	assert_int_equal(task->id, 0);
	omp.task_create(&initial, NULL, &data, ompt_task_explicit, 0, CODE(1));
	task = record_of(&data);
	omp.task_schedule(&data, ompt_task_yield, &initial); // its begin was not reported
	assert_int_equal(task->times_suspended, 0);
	omp.task_schedule(&data, ompt_task_complete, &initial);
}

static void test_other_events(void **state)
{
	const ompt_dependence_t dependences[] = { { { 0x7000 }, ompt_dependence_type_in },
						  { { 0x7008 }, ompt_dependence_type_out } };
	ompt_dispatch_chunk_t chunk = { 10, UINT64_C(1) << 40 };
	ompt_data_t data = { 0 };

	(void)state;
	omp.work(ompt_work_loop_dynamic, ompt_scope_begin, NULL, NULL, 100, CODE(1));
	expect(RECORD_WORK_BEGIN, 0, 100, ompt_work_loop_dynamic, CODE(1));
	omp.work(ompt_work_loop_dynamic, ompt_scope_end, NULL, NULL, 100, CODE(2));
	expect(RECORD_WORK_END, 0, 100, ompt_work_loop_dynamic, CODE(2));
	omp.work(ompt_work_single_other, ompt_scope_beginend, NULL, NULL, 1, CODE(2));
	expect(RECORD_WORK_END, 0, 1, ompt_work_single_other, CODE(2));
	assert_int_equal(latest(1)->kind, RECORD_WORK_BEGIN);
	omp.dispatch(NULL, NULL, ompt_dispatch_ws_loop_chunk, (ompt_data_t){ .ptr = &chunk });
	expect(RECORD_CHUNK, 10, UINT32_MAX, ompt_dispatch_ws_loop_chunk, NULL);
	omp.dispatch(NULL, NULL, ompt_dispatch_iteration, (ompt_data_t){ 42 });
	expect(RECORD_CHUNK, 42, 1, ompt_dispatch_iteration, NULL);
	omp.masked(ompt_scope_begin, NULL, NULL, CODE(3));
	expect(RECORD_MASKED_BEGIN, 0, 0, 0, CODE(3));
	omp.masked(ompt_scope_end, NULL, NULL, CODE(3));
	expect(RECORD_MASKED_END, 0, 0, 0, CODE(3));
	omp.cancel(NULL, ompt_cancel_loop | ompt_cancel_activated, CODE(4));
	expect(RECORD_CANCEL, 0, 0, ompt_cancel_loop | ompt_cancel_activated, CODE(4));
	omp.target(ompt_target_update, ompt_scope_begin, 2, NULL, 7, CODE(5));
	expect(RECORD_TARGET_BEGIN, 0, 2, ompt_target_update, CODE(5));
	omp.target(ompt_target_update, ompt_scope_end, 2, NULL, 7, CODE(5));
	expect(RECORD_TARGET_END, 0, 2, ompt_target_update, CODE(5));
	omp.task_create(&initial, NULL, &data, ompt_task_explicit, 1, CODE(6));
	omp.dependences(&data, dependences, 2);
	expect(RECORD_DEPENDENCE, 0x7008, (uint32_t)record_of(&data)->id, ompt_dependence_type_out,
	       NULL);
	assert_int_equal(latest(1)->object, 0x7000);
	omp.task_schedule(&initial, ompt_task_switch, &data);
	omp.task_schedule(&data, ompt_task_complete, &initial);
}

static void test_ring(void **state)
{
	uint64_t head;

	(void)state;
	look();
	head = now.thread.head;
	for (uint32_t i = 0; i < 100000; i++)
		omp.dispatch(NULL, NULL, ompt_dispatch_iteration, (ompt_data_t){ i });
	look();
	assert_int_equal(now.thread.head, head + 100000);
	for (uint64_t i = now.first_event; i < now.thread.head; i++)
		assert_int_equal(event_at(&now, i)->object, i - head);
}

static void test_nothing_else_changes(void **state)
{
	(void)state;
	errno = 42;
	take(ompt_mutex_lock, LOCK, CODE(1));
	omp.released(ompt_mutex_lock, LOCK, CODE(1));
	omp.finalize(NULL);
	omp.finalize(NULL);
	omp.work(ompt_work_loop, ompt_scope_begin, NULL, NULL, 5, CODE(1));
	expect(RECORD_WORK_BEGIN, 0, 5, ompt_work_loop, CODE(1));
	assert_int_equal(errno, 42);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_root),
		cmocka_unit_test(test_clock),
		cmocka_unit_test(test_lock),
		cmocka_unit_test(test_order_of_releases),
		cmocka_unit_test(test_lock_that_is_tested),
		cmocka_unit_test(test_nestable_lock),
		cmocka_unit_test(test_locks_that_are_destroyed),
		cmocka_unit_test(test_too_many_holds),
		cmocka_unit_test(test_levels),
		cmocka_unit_test(test_region_with_data_of_another_thread),
		cmocka_unit_test(test_deep_regions),
		cmocka_unit_test(test_tasks),
		cmocka_unit_test(test_detached_task),
		cmocka_unit_test(test_other_events),
		cmocka_unit_test(test_ring),
		cmocka_unit_test(test_nothing_else_changes),
		// From here on this thread's block is not the first of the list.
		cmocka_unit_test(test_thread_that_ends_with_a_lock),
		cmocka_unit_test(test_release_by_another_thread),
	};

	setenv("OMPDBG_RECORD", "ring=4K", 1);
	unsetenv("OMP_TOOL_LIBRARIES");
	unsetenv("OMP_TOOL");
	start_fake_runtime();
	omp.thread_begin(ompt_thread_initial, &(ompt_data_t){ 0 });
	omp.implicit_task(ompt_scope_begin, NULL, &initial, 1, 0, ompt_task_initial);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
