// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libompdbg/profile: figures of runs whose graphs are known. Time is counted in units that the tests choose.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profile/map.h"
#include "profile/profile.h"

enum { BARRIER = 9, EXPLICIT_BARRIER = 3, TASKWAIT = 5, TASKGROUP = 6 };
enum { COMPLETE = 1, CANCEL = 3, DETACH = 4, LATE_FULFILL = 6, SWITCH = 7, WAITED = 8 };
enum { EXPLICIT = 4, WAIT_FLAG = 0x10, UNDEFERRED = 0x08000000 };
enum { IN = 1, INOUT = 3, MUTEX = 4, ALL = 35 };
enum { MAIN = 0x100, TASK = 0x200, OTHER = 0x300, WAIT = 0x400, LOOP = 0x500, LOCKED = 0x600 };
enum { THREADS = 4 };

static struct profile *profile;
static uint64_t now;
static uint32_t on;

// ---- Writing a run -----------------------------------------------------------------------------

/** Begin a run of some threads; the first is the initial one. */
static void run_begins(uint64_t task)
{
	static struct trace_thread threads[THREADS];
	const struct profile_options options = { .task = task };

	for (size_t i = 0; i < THREADS; i++)
		threads[i] = (struct trace_thread){ .type = i ? 2 : 1, .name = "" };
	profile = profile_create(&options, threads, THREADS, 100000);
	now = 0;
	on = 0;
}

static void event(uint8_t kind, uint64_t object, uint32_t number, uint16_t detail, uint64_t code)
{
	const struct trace_event event = { now, code, object, number, on, detail, kind };

	profile_add(profile, &event);
}

/** Let time pass. */
static void pass(uint64_t time)
{
	now += time;
}

static void create_as(uint64_t id, uint64_t code, uint32_t flags)
{
	event(RECORD_TASK_CREATE, id, flags, 0, code);
}

static void create(uint64_t id)
{
	create_as(id, TASK, EXPLICIT);
}

static void begin(uint64_t id)
{
	event(RECORD_TASK_BEGIN, id, 0, 0, 0);
}

static void leave(uint64_t id, uint16_t status)
{
	event(RECORD_TASK_END, id, 0, status, 0);
}

static void wait_begins(uint16_t kind)
{
	event(RECORD_SYNC_BEGIN, 0, 0, kind, WAIT);
	event(RECORD_WAIT_BEGIN, 0, 0, kind, WAIT);
}

static void wait_ends(uint16_t kind)
{
	event(RECORD_WAIT_END, 0, 0, kind, WAIT);
	event(RECORD_SYNC_END, 0, 0, kind, WAIT);
}

static void region_begins(uint64_t number, uint32_t team)
{
	on = 0;
	event(RECORD_PARALLEL_BEGIN, number, team, 0, MAIN);
	for (on = 0; on < team; on++)
		event(RECORD_IMPLICIT_BEGIN, number, on, (uint16_t)team, MAIN);
	on = 0;
}

/** End a region whose threads are all at its barrier. The workers hear of it late, or never. */
static void region_ends(uint64_t number)
{
	on = 0;
	wait_ends(BARRIER);
	event(RECORD_IMPLICIT_END, number, 0, 0, 0);
	event(RECORD_PARALLEL_END, number, 0, 0, MAIN);
}

/** End the run. Check what holds for any: the lanes of each thread add up to its time. */
static void run_ends(void)
{
	profile_end(profile, now);
	for (size_t i = 0; i < THREADS; i++) {
		const struct profile_lane_times *times = &profile->times[i];
		uint64_t sum = 0;

		for (size_t k = 0; k < NUM_LANES; k++)
			sum += times->lanes[k];
		assert_int_equal(sum, times->end - times->begin);
	}
	uint64_t sum = 0;
	for (uint32_t i = 0; profile->path && i < profile->path->num_parts; i++)
		sum += profile->path->parts[i].time;
	assert_int_equal(sum, path_length(profile->path));
}

static const struct profile_construct *construct(enum profile_kind kind, uint64_t code)
{
	for (size_t i = 0; i < profile->num_constructs; i++) {
		if (profile->constructs[i].kind == kind && profile->constructs[i].code == code)
			return &profile->constructs[i];
	}
	fail_msg("no construct of kind %d at %lx", (int)kind, (unsigned long)code);
	return NULL;
}

/** Return what a construct has of the longest path. */
static struct path_part on_path(enum profile_kind kind, uint64_t code)
{
	size_t number = (size_t)(construct(kind, code) - profile->constructs);

	for (uint32_t i = 0; i < profile->path->num_parts; i++) {
		if (profile->path->parts[i].construct == number)
			return profile->path->parts[i];
	}
	return (struct path_part){ 0 };
}

static void assert_stat(const struct profile_stat *stat, uint64_t known, uint64_t sum, uint64_t min,
			uint64_t max)
{
	assert_int_equal(stat->known, known);
	assert_int_equal(stat->sum, sum);
	assert_int_equal(stat->min, min);
	assert_int_equal(stat->max, max);
}

/** Check that the phases of tasks add up to their lives, of tasks of which all phases are known. */
static void assert_lives(const struct profile_tasks *tasks)
{
	assert_int_equal(tasks->times[TIME_LIFE].sum, tasks->times[TIME_CREATION].sum +
							      tasks->times[TIME_POOL].sum +
							      tasks->times[TIME_EXECUTION].sum +
							      tasks->times[TIME_SUSPENSION].sum +
							      tasks->times[TIME_COMPLETION].sum);
}

static int release(void **state)
{
	(void)state;
	profile_destroy(profile);
	return 0;
}

// ---- Recursion ---------------------------------------------------------------------------------

enum { WORK_BEFORE = 5, WORK_AFTER = 3, WORK_LEAF = 7 };

static uint64_t last_id, num_tasks;

/** Run fib as one thread does that runs each task at its taskwait, the latest first: in the task `id`, or
 *  in the implicit one (0). */
static void run_fib(int n, uint64_t id)
{
	uint64_t children[2];

	if (n < 2) {
		pass(WORK_LEAF);
		return;
	}
	pass(WORK_BEFORE);
	for (int i = 0; i < 2; i++) {
		children[i] = ++last_id;
		create_as(children[i], i ? OTHER : TASK, EXPLICIT);
		num_tasks++;
	}
	wait_begins(TASKWAIT);
	for (int i = 2; i-- > 0;) {
		pass(1); // in the runtime
		if (id)
			leave(id, SWITCH);
		begin(children[i]);
		run_fib(n - 1 - i, children[i]);
		leave(children[i], COMPLETE);
		if (id)
			begin(id);
	}
	wait_ends(TASKWAIT);
	pass(WORK_AFTER);
}

static uint64_t fib_work(int n)
{
	return n < 2 ? WORK_LEAF : WORK_BEFORE + fib_work(n - 1) + fib_work(n - 2) + WORK_AFTER;
}

static uint64_t fib_span(int n)
{
	return n < 2 ? WORK_LEAF : WORK_BEFORE + fib_span(n - 1) + WORK_AFTER;
}

static uint64_t fib_tasks(int n)
{
	return n < 2 ? 0 : 2 + fib_tasks(n - 1) + fib_tasks(n - 2);
}

static void test_fib(void **state)
{
	const int n = 15;

	(void)state;
	last_id = num_tasks = 0;
	run_begins(1);
	region_begins(1, 1);
	run_fib(n, 0);
	wait_begins(BARRIER);
	region_ends(1);
	run_ends();
	assert_int_equal(num_tasks, fib_tasks(n));
	assert_int_equal(profile->tasks, fib_tasks(n));
	assert_int_equal(profile->work, fib_work(n));
	assert_int_equal(path_length(profile->path), fib_span(n));
	// The path goes down the first tasks, to a leaf.
	assert_true(on_path(PROFILE_TASK, TASK).tasks >= n - 2);
	assert_int_equal(on_path(PROFILE_TASK, TASK).tasks + on_path(PROFILE_TASK, OTHER).tasks,
			 n - 1);
	assert_int_equal(on_path(PROFILE_REGION, MAIN).time, WORK_BEFORE + WORK_AFTER);
	// Below the task that was asked for is all that fib(n - 1) makes.
	assert_non_null(profile->task);
	assert_int_equal(profile->task->children, 2);
	assert_int_equal(profile->task->below, fib_tasks(n - 1));
	assert_int_equal(profile->tree[0]->id, 1);
	assert_int_equal(profile->tree[0]->below, fib_tasks(n - 1));
	// On one thread all time is work, or a wait for tasks.
	const struct profile_tasks *tasks = construct(PROFILE_TASK, TASK)->tasks;
	assert_int_equal(tasks->instances + construct(PROFILE_TASK, OTHER)->tasks->instances,
			 fib_tasks(n));
	assert_int_equal(tasks->ended, tasks->instances);
	assert_int_equal(tasks->times[TIME_CREATION].known, 0);
	assert_int_equal(tasks->times[TIME_COMPLETION].known, 0);
	assert_lives(tasks);
	assert_int_equal(profile->times[0].lanes[LANE_TASK], fib_tasks(n));
	assert_int_equal(profile->times[0].lanes[LANE_WORK], fib_work(n));
}

/** Each of many tasks is created by the one before, which does not wait for it. */
static void test_chain(void **state)
{
	enum { LENGTH = 1000 };

	(void)state;
	run_begins(0);
	region_begins(1, 1);
	for (uint64_t i = 1; i <= LENGTH; i++) {
		pass(2);
		create(i);
		pass(3);
		if (i > 1)
			leave(i - 1, COMPLETE);
		else
			wait_begins(BARRIER);
		begin(i);
	}
	pass(4);
	leave(LENGTH, COMPLETE);
	region_ends(1);
	run_ends();
	assert_int_equal(profile->work, LENGTH * 5 + 4);
	assert_int_equal(path_length(profile->path), LENGTH * 2 + 4);
	assert_int_equal(on_path(PROFILE_TASK, TASK).tasks, LENGTH);
}

// ---- Teams -------------------------------------------------------------------------------------

/** Two phases of four threads; in each another one is slowest. */
static void test_fork_join(void **state)
{
	static const uint64_t phases[2][THREADS] = { { 10, 20, 30, 40 }, { 60, 10, 10, 10 } };
	uint64_t from;

	(void)state;
	run_begins(0);
	pass(100); // the program alone
	region_begins(1, THREADS);
	for (int k = 0; k < 2; k++) {
		const uint16_t kind = k ? BARRIER : EXPLICIT_BARRIER;

		// Events of threads come in the order of time.
		from = now;
		for (uint64_t time = 0; time <= 60; time++) {
			now = from + time;
			for (on = 0; on < THREADS; on++) {
				if (phases[k][on] == time)
					wait_begins(kind);
			}
		}
		now = from + (k ? 60 : 40);
		for (on = 0; on < THREADS && !k; on++)
			wait_ends(kind);
	}
	region_ends(1);
	pass(50);
	run_ends();
	assert_int_equal(profile->work, 100 + 100 + 90 + 50);
	assert_int_equal(path_length(profile->path), 100 + 40 + 60 + 50);
	const struct profile_regions *region = construct(PROFILE_REGION, MAIN)->regions;
	assert_stat(&region->time, 1, 100, 100, 100);
	assert_int_equal(region->threads_max, THREADS);
	assert_int_equal(region->work, 190);
	assert_int_equal(region->span, 100);
	assert_int_equal(region->slowest, 70);
	assert_int_equal(region->average, 190 / THREADS);
	assert_int_equal(region->thread_time, 4 * 100);
	assert_int_equal(region->barrier_wait, 4 * 100 - 190);
	// What follows the region is no wait at its barrier.
	assert_int_equal(profile->times[1].lanes[LANE_BARRIER], 20 + 50);
	assert_int_equal(profile->times[1].lanes[LANE_IDLE], 100 + 50);
	assert_int_equal(construct(PROFILE_BARRIER, WAIT)->waits->count, 8);
	assert_stat(&construct(PROFILE_BARRIER, WAIT)->waits->wait, 8, 210, 0, 50);
}

/** Two threads run the tasks of one at the barrier: their ends lengthen the path of the whole team. */
static void test_barrier_runs_tasks(void **state)
{
	(void)state;
	run_begins(0);
	region_begins(1, 2);
	on = 1;
	wait_begins(EXPLICIT_BARRIER);
	on = 0;
	pass(10);
	create(1);
	pass(10);
	create(2);
	wait_begins(EXPLICIT_BARRIER);
	begin(1);
	on = 1;
	begin(2);
	pass(30);
	leave(2, COMPLETE);
	pass(40);
	on = 0;
	leave(1, COMPLETE);
	wait_ends(EXPLICIT_BARRIER);
	on = 1;
	wait_ends(EXPLICIT_BARRIER);
	pass(5);
	wait_begins(BARRIER);
	on = 0;
	wait_begins(BARRIER);
	region_ends(1);
	run_ends();
	assert_int_equal(profile->work, 20 + 30 + 70 + 5 + 5);
	assert_int_equal(path_length(profile->path), 10 + 70 + 5);
	assert_int_equal(profile->times[1].lanes[LANE_BARRIER], 20 + 40);
	const struct profile_tasks *tasks = construct(PROFILE_TASK, TASK)->tasks;
	assert_stat(&tasks->times[TIME_POOL], 2, 10, 0, 10);
	assert_stat(&tasks->times[TIME_EXECUTION], 2, 100, 30, 70);
	assert_lives(tasks);
}

/** A taskgroup waits for tasks of tasks, a taskwait does not. */
static void test_group(void **state)
{
	for (int grouped = 0; grouped < 2; grouped++) {
		if (grouped)
			profile_destroy(profile);
		run_begins(0);
		region_begins(1, 2);
		if (grouped)
			event(RECORD_SYNC_BEGIN, 0, 0, TASKGROUP, WAIT);
		create(1);
		on = 1;
		wait_begins(BARRIER);
		begin(1);
		pass(5);
		create(2);
		leave(1, COMPLETE);
		on = 0;
		event(RECORD_WAIT_BEGIN, 0, 0, grouped ? TASKGROUP : TASKWAIT, WAIT);
		on = 1;
		begin(2);
		pass(90);
		leave(2, COMPLETE);
		on = 0;
		wait_ends(grouped ? TASKGROUP : TASKWAIT);
		pass(20);
		wait_begins(BARRIER);
		region_ends(1);
		run_ends();
		assert_int_equal(profile->work, 2 * 5 + 90 + 20);
		assert_int_equal(path_length(profile->path), 5 + 90 + (grouped ? 20 : 0));
		assert_int_equal(profile->times[0].lanes[LANE_TASK], 90);
	}
	(void)state;
}

// ---- Dependences -------------------------------------------------------------------------------

static void depend(uint64_t id, uint64_t address, uint16_t type)
{
	event(RECORD_DEPENDENCE, address, (uint32_t)id, type, 0);
}

static void run_task(uint64_t id, uint64_t work)
{
	begin(id);
	pass(work);
	leave(id, COMPLETE);
}

/** One writes, two read, two exclude one another, one writes; and one does not depend. */
static void test_dependences(void **state)
{
	enum { X = 0x7000, Y = 0x7008 };

	(void)state;
	run_begins(0);
	region_begins(1, 1);
	create_as(1, TASK, EXPLICIT), depend(1, X, INOUT);
	create_as(2, OTHER, EXPLICIT), depend(2, X, IN);
	create_as(3, OTHER, EXPLICIT), depend(3, X, IN), depend(3, Y, INOUT);
	create_as(4, OTHER, EXPLICIT), depend(4, X, MUTEX);
	create_as(5, OTHER, EXPLICIT), depend(5, X, MUTEX);
	create_as(6, TASK, EXPLICIT), depend(6, X, INOUT);
	create_as(7, TASK, EXPLICIT), depend(7, Y, IN);
	create_as(8, OTHER, EXPLICIT);
	wait_begins(TASKWAIT);
	run_task(1, 10);
	run_task(2, 1);
	run_task(3, 20);
	run_task(4, 5);
	run_task(5, 7);
	run_task(6, 2);
	run_task(7, 11);
	run_task(8, 40);
	wait_ends(TASKWAIT);
	wait_begins(BARRIER);
	region_ends(1);
	run_ends();
	// 1, 3, 5, 6; the two that exclude one another are not in an order.
	assert_int_equal(profile->work, 96);
	assert_int_equal(path_length(profile->path), 10 + 20 + 11);
	uint64_t depends = 0;
	for (size_t i = 0; i < profile->num_edges; i++)
		depends += profile->edges[i]->depends ? profile->edges[i]->count : 0;
	assert_true(depends > 0);
}

/** A task that depends on all memory follows all, and all follow it; a taskwait with dependences waits for
 *  those alone. */
static void test_all_memory(void **state)
{
	enum { X = 0x7000, Y = 0x7008 };

	(void)state;
	run_begins(0);
	region_begins(1, 1);
	create(1), depend(1, X, INOUT);
	create(2), depend(2, Y, INOUT);
	create(3), depend(3, 0, ALL);
	create(4), depend(4, X, IN);
	run_task(1, 10);
	run_task(2, 30);
	run_task(3, 5);
	run_task(4, 7);
	create(5), depend(5, X, INOUT);
	create(6), depend(6, Y, INOUT);
	run_task(5, 100);
	create_as(7, WAIT, EXPLICIT | WAIT_FLAG | UNDEFERRED), depend(7, Y, IN);
	run_task(6, 1);
	leave(7, WAITED);
	pass(3);
	wait_begins(BARRIER);
	region_ends(1);
	run_ends();
	assert_int_equal(profile->tasks, 6);
	assert_int_equal(profile->work, 10 + 30 + 5 + 7 + 100 + 1 + 3);
	// 2, 3, 4, 5
	assert_int_equal(path_length(profile->path), 30 + 5 + 7 + 100);
}

// ---- Lives -------------------------------------------------------------------------------------

/** All phases of a task that is put off, and of one that is executed where it is created. */
static void run_phases(uint16_t at_once)
{
	run_begins(2);
	region_begins(1, 2);
	on = 1;
	wait_begins(BARRIER);
	on = 0;
	pass(100);
	event(RECORD_CREATE_BEGIN, 0, 0, 0, TASK);
	pass(3);
	create(1);
	pass(4);
	event(RECORD_CREATE_END, 0, 0, 0, TASK);
	pass(20);
	event(RECORD_CREATE_BEGIN, 0, 0, at_once, TASK);
	pass(5);
	create_as(2, TASK, EXPLICIT | (uint32_t)UNDEFERRED);
	pass(6);
	begin(2);
	pass(50);
	create_as(3, OTHER, EXPLICIT);
	wait_begins(TASKWAIT);
	pass(8);
	leave(2, SWITCH);
	begin(3);
	pass(9);
	leave(3, COMPLETE);
	begin(2);
	pass(2);
	wait_ends(TASKWAIT);
	pass(10);
	leave(2, COMPLETE);
	pass(7);
	event(RECORD_FINISH_END, 0, 0, 0, 0);
	pass(1);
	event(RECORD_CREATE_END, 0, 0, 1, TASK);
	on = 1;
	begin(1);
	pass(40);
	leave(1, COMPLETE);
	on = 0;
	wait_begins(BARRIER);
	region_ends(1);
	run_ends();
	const struct profile_tasks *tasks = construct(PROFILE_TASK, TASK)->tasks;
	assert_int_equal(tasks->instances, 2);
	assert_int_equal(tasks->undeferred, 1);
	assert_stat(&tasks->times[TIME_CREATION], 2, 7 + 11, 7, 11);
	assert_stat(&tasks->times[TIME_POOL], 2, 20 + 11 + 50 + 8 + 9 + 2 + 10 + 7 + 1, 0, 118);
	assert_stat(&tasks->times[TIME_EXECUTION], 2, 40 + 60, 40, 60);
	assert_stat(&tasks->times[TIME_SUSPENSION], 2, 19, 0, 19);
	assert_stat(&tasks->times[TIME_COMPLETION], 1, 7, 7, 7);
	assert_lives(tasks);
	// In the runtime: 3 + 4, 5 + 6, 7 and 1
	assert_int_equal(profile->times[0].lanes[LANE_RUNTIME], 26);
	assert_int_equal(profile->times[0].lanes[LANE_TASK], 10);
	const struct profile_task *task = profile->task;
	assert_int_equal(task->times[TIME_CREATION] + task->times[TIME_POOL] +
				 task->times[TIME_EXECUTION] + task->times[TIME_SUSPENSION] +
				 task->times[TIME_COMPLETION],
			 tasks->times[TIME_LIFE].sum - 7 - 118 - 40);
	assert_int_equal(task->num_child_ids, 1);
	assert_int_equal(task->child_ids[0], 3);
}

static void test_phases(void **state)
{
	(void)state;
	// The program has the second task executed at once: its creator goes on after it, for 40.
	run_phases(1);
	assert_int_equal(path_length(profile->path), 100 + 20 + 60 + 9 + 40);
	profile_destroy(profile);
	// The runtime does, and could have put it off.
	run_phases(0);
	assert_int_equal(path_length(profile->path), 100 + 20 + 60 + 9);
}

/** A detached task ends when its event is fulfilled; a cancelled one does not begin. */
static void test_ends(void **state)
{
	(void)state;
	run_begins(0);
	region_begins(1, 1);
	create(1);
	create(2);
	create_as(3, OTHER, EXPLICIT);
	wait_begins(TASKWAIT);
	begin(1);
	pass(10);
	leave(1, DETACH);
	pass(5);
	begin(2);
	pass(20);
	leave(1, LATE_FULFILL);
	pass(30);
	leave(2, COMPLETE);
	leave(3, CANCEL);
	wait_ends(TASKWAIT);
	wait_begins(BARRIER);
	region_ends(1);
	run_ends();
	const struct profile_tasks *tasks = construct(PROFILE_TASK, TASK)->tasks;
	const struct profile_tasks *other = construct(PROFILE_TASK, OTHER)->tasks;
	assert_stat(&tasks->times[TIME_EXECUTION], 2, 60, 10, 50);
	assert_stat(&tasks->times[TIME_SUSPENSION], 2, 25, 0, 25);
	assert_lives(tasks);
	assert_int_equal(other->cancelled, 1);
	assert_int_equal(other->times[TIME_EXECUTION].known, 0);
	assert_stat(&other->times[TIME_POOL], 0, 0, 0, 0);
	assert_stat(&other->times[TIME_LIFE], 1, 65, 65, 65);
	assert_int_equal(profile->path->length, 50);
}

// ---- Locks and loops ---------------------------------------------------------------------------

static void test_locks(void **state)
{
	enum { LOCK = 1, TEST = 2, A = 0x9000, B = 0x9008 };

	(void)state;
	run_begins(0);
	region_begins(1, 2);
	event(RECORD_ACQUIRE, A, 0, LOCK, LOCKED);
	event(RECORD_ACQUIRED, A, 0, LOCK, LOCKED);
	on = 1;
	event(RECORD_ACQUIRE, B, 0, TEST, LOCKED); // in vain
	pass(10);
	event(RECORD_ACQUIRE, A, 0, LOCK, OTHER);
	pass(30);
	event(RECORD_ACQUIRED, A, 0, LOCK, OTHER);
	on = 0;
	event(RECORD_RELEASED, A, 0, LOCK, LOCKED); // told late
	pass(5);
	on = 1;
	event(RECORD_RELEASED, A, 0, LOCK, LOCKED);
	wait_begins(BARRIER);
	on = 0;
	wait_begins(BARRIER);
	region_ends(1);
	run_ends();
	assert_int_equal(profile->num_locks, 1);
	const struct profile_lock *lock = profile->locks[0];
	assert_int_equal(lock->count, 2);
	assert_stat(&lock->wait, 2, 30, 0, 30);
	assert_stat(&lock->hold, 2, 45, 5, 40);
	assert_int_equal(lock->num_places, 2);
	assert_int_equal(profile->times[1].lanes[LANE_LOCK], 30);
	assert_int_equal(profile->times[1].lanes[LANE_WORK], 15);
}

static void test_loops(void **state)
{
	enum { DYNAMIC = 11, CHUNK = 3 };

	(void)state;
	run_begins(0);
	region_begins(1, 2);
	for (int k = 0; k < 2; k++) {
		for (on = 0; on < 2; on++)
			event(RECORD_WORK_BEGIN, 0, 10, DYNAMIC, LOOP);
		on = 0;
		event(RECORD_CHUNK, 0, 4, CHUNK, 0);
		on = 1;
		event(RECORD_CHUNK, 4, 4, CHUNK, 0);
		event(RECORD_CHUNK, 8, 2, CHUNK, 0);
		pass(10);
		event(RECORD_WORK_END, 0, 10, DYNAMIC, LOOP);
		on = 0;
		pass(10);
		event(RECORD_WORK_END, 0, 10, DYNAMIC, LOOP);
	}
	run_ends();
	const struct profile_loops *loops = construct(PROFILE_LOOP, LOOP)->loops;
	assert_string_equal(loops->schedule, "dynamic");
	assert_int_equal(loops->instances, 2);
	assert_int_equal(loops->iterations, 20);
	assert_int_equal(loops->chunks, 6);
	assert_int_equal(loops->chunk_min, 2);
	assert_int_equal(loops->chunk_max, 4);
	assert_int_equal(loops->shares[0].iterations, 8);
	assert_int_equal(loops->shares[1].chunks, 4);
	assert_int_equal(loops->shares[0].time, 40);
	assert_int_equal(loops->shares[1].time, 20);
}

/** The chunks of a taskloop are those of its tasks, wherever these run. */
static void test_taskloop(void **state)
{
	enum { SINGLE = 3, TASKLOOP_WORK = 7, CHUNK = 4 };

	(void)state;
	run_begins(0);
	region_begins(1, 2);
	event(RECORD_WORK_BEGIN, 0, 1, SINGLE, OTHER);
	event(RECORD_WORK_BEGIN, 0, 30, TASKLOOP_WORK, LOOP);
	create_as(1, LOOP, EXPLICIT);
	create_as(2, LOOP, EXPLICIT);
	event(RECORD_WORK_END, 0, 30, TASKLOOP_WORK, LOOP);
	on = 1;
	for (uint64_t id = 1; id <= 2; id++) {
		begin(id);
		event(RECORD_CHUNK, 0, id == 1 ? 10 : 20, CHUNK, 0);
		leave(id, COMPLETE);
	}
	run_ends();
	const struct profile_loops *loops = construct(PROFILE_TASKLOOP, LOOP)->loops;
	assert_int_equal(loops->iterations, 30);
	assert_int_equal(loops->chunks, 2);
	assert_int_equal(loops->chunk_max, 20);
	assert_int_equal(loops->shares[1].iterations, 30);
	assert_int_equal(construct(PROFILE_SINGLE, OTHER)->loops->chunks, 0);
}

// ---- The picture, and damage -------------------------------------------------------------------

static void test_timeline(void **state)
{
	const struct profile_timeline *timeline;
	uint64_t work = 0;

	(void)state;
	run_begins(0);
	region_begins(1, 2);
	create(1);
	pass(50000);
	begin(1);
	pass(20000);
	leave(1, COMPLETE);
	run_ends();
	timeline = &profile->timeline;
	for (size_t i = 0; i < timeline->num_buckets; i++) {
		work += timeline->buckets[i].lanes[LANE_WORK];
		assert_true(timeline->buckets[i].lanes[LANE_WORK] <= timeline->width);
	}
	assert_int_equal(work, 70000);
	assert_int_equal(timeline->pool[0], timeline->width);
	assert_int_equal(timeline->pool[60000 / timeline->width], 0);
}

/** Any events in any order give figures, and lanes add up. */
static void test_anything(void **state)
{
	uint32_t seed = 1;

	(void)state;
	for (int run = 0; run < 200; run++) {
		if (run)
			profile_destroy(profile);
		run_begins(1);
		for (int i = 0; i < 2000; i++) {
			seed = seed * 1664525 + 1013904223;
			on = seed >> 30;
			pass(seed >> 24 & 3);
			uint8_t kind = (uint8_t)(seed >> 8 & 63);
			event(kind < 32 ? kind : 64 + (kind & 3), seed >> 12 & 7, seed >> 4 & 7,
			      (uint16_t)(seed >> 16 & 15), seed >> 20 & 3);
		}
		run_ends();
	}
}

static void test_map(void **state)
{
	enum { KEYS = 5000 };
	struct pool pool = { 0 };
	struct map map = { 0 };
	static int values[KEYS];

	(void)state;
	for (uint64_t i = 0; i < KEYS; i++)
		map_add(&map, &pool, i * 64, &values[i]);
	for (uint64_t i = 0; i < KEYS; i += 2)
		map_remove(&map, i * 64);
	map_remove(&map, 1);
	for (uint64_t i = 0; i < KEYS; i++)
		assert_ptr_equal(map_get(&map, i * 64), i % 2 ? &values[i] : NULL);
	assert_int_equal(map.count, KEYS / 2);
	arena_deinit(&pool.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_fib, release),
		cmocka_unit_test_teardown(test_chain, release),
		cmocka_unit_test_teardown(test_fork_join, release),
		cmocka_unit_test_teardown(test_barrier_runs_tasks, release),
		cmocka_unit_test_teardown(test_group, release),
		cmocka_unit_test_teardown(test_dependences, release),
		cmocka_unit_test_teardown(test_all_memory, release),
		cmocka_unit_test_teardown(test_phases, release),
		cmocka_unit_test_teardown(test_ends, release),
		cmocka_unit_test_teardown(test_locks, release),
		cmocka_unit_test_teardown(test_loops, release),
		cmocka_unit_test_teardown(test_taskloop, release),
		cmocka_unit_test_teardown(test_timeline, release),
		cmocka_unit_test_teardown(test_anything, release),
		cmocka_unit_test(test_map),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
