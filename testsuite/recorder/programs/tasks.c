// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks that look themselves up in the record, regions within regions, and barriers.

#include <omp.h>

#include "own_record.h"

#define DEPTH 5
#define CHILDREN 3

static int created;

/** Return the record of the task that the thread runs. */
static const struct record_task *own_task(void)
{
	const struct record_thread *thread = own_thread();
	const struct record_task *task = (const void *)(uintptr_t)thread->task;

	REQUIRE(task && !(thread->task & RECORD_TASK_KIND));
	return task;
}

/** Check a task's own record, and create more. */
static void run(uint64_t parent, uint64_t region, uint32_t creator, int depth)
{
	const struct record_task *task = own_task();
	uint64_t id = task->id;

	REQUIRE(id != 0 && id != parent);
	REQUIRE(task->parent == parent);
	REQUIRE(task->region == region && region != 0);
	REQUIRE(task->creator == creator);
	REQUIRE(in_program(task->code));
	REQUIRE(task->created <= task->begun);
	if (depth == DEPTH)
		return;
	for (int i = 0; i < CHILDREN; i++) {
		uint32_t number = (uint32_t)own_thread()->number;

#pragma omp atomic
		created++;
#pragma omp task firstprivate(id, region, number) if (i % 3)
		run(id, region, number, depth + 1);
	}
	if (depth % 2) {
#pragma omp taskwait
		REQUIRE(own_task() == task && task->id == id);
		REQUIRE(!is_waiting(own_thread()));
	}
}

/** Return the level that the thread is in. */
static const struct record_level *own_level(void)
{
	const struct record_thread *thread = own_thread();
	const struct record_level *levels = (const void *)(uintptr_t)thread->levels;

	REQUIRE(thread->num_levels > 0 && thread->num_levels <= (uint32_t)omp_get_level() + 1);
	return &levels[thread->num_levels - 1];
}

/** Check the level that the thread is in. */
static void check_level(void)
{
	const struct record_level *level = own_level();

	REQUIRE(level->thread == (uint32_t)omp_get_thread_num());
	REQUIRE(level->team == (uint32_t)omp_get_num_threads());
	REQUIRE(level->region != 0);
	REQUIRE(in_program(level->code));
	REQUIRE((own_thread()->task & RECORD_TASK_KIND) == RECORD_TASK_IMPLICIT);
}

/** Check that the latest barrier of the team was left just now. */
static void check_barrier(void)
{
	const struct record_level *level = own_level();

	REQUIRE(level->barrier == 0 || level->barrier >= level->since);
#pragma omp barrier
	REQUIRE(level->barrier > level->since);
	REQUIRE(in_program(level->barrier_code));
	REQUIRE(!is_waiting(own_thread()));
}

/** Use regions within regions. */
static void nest(void)
{
#pragma omp parallel num_threads(2)
	{
		check_level();
		check_barrier();
#pragma omp parallel num_threads(2)
		{
			check_level();
			check_barrier();
#pragma omp parallel num_threads(1)
			check_level();
			check_level();
		}
		check_level();
	}
}

int main(void)
{
	omp_set_max_active_levels(3);
	for (int i = 0; i < 20; i++) {
#pragma omp parallel num_threads(3)
#pragma omp single
		{
			uint64_t region = own_level()->region;
			uint32_t number = (uint32_t)own_thread()->number;

#pragma omp task firstprivate(region, number)
			run(0, region, number, 0);
		}
		REQUIRE(count_tasks() == 0);
		nest();
	}
	REQUIRE(created == 20 * (3 + 9 + 27 + 81 + 243));
	REQUIRE(own_thread()->num_levels <= 1);
	return 0;
}
