// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parallel regions that begin with a loop or sections, and leagues of teams on the host.

#include "loop.h"
#include "parallel.h"

/** Note the loop that all threads of a region begin with. */
static void add_loop(struct region *region, unsigned long schedule, long start, long end, long step)
{
	region->loop = signed_loop(step);
	region->work.kind = gomp_loop_kind(schedule);
	region->work.count = num_iterations((uint64_t)start, (uint64_t)end, region->loop);
	region->work.code = region->code;
}

#define LOOP_START(name, schedule)
#define LOOP_RUNTIME_START(name, schedule)
#define LOOP_NEW_START(name, schedule)
#define LOOP_DOACROSS_START(name, schedule)
#define LOOP_DOACROSS_RUNTIME_START(name, schedule)
#define LOOP_DOACROSS_NEW_START(name, schedule)
#define LOOP_NEXT(name)
#define ULL_START(name, schedule)
#define ULL_RUNTIME_START(name, schedule)
#define ULL_NEW_START(name, schedule)
#define ULL_DOACROSS_START(name, schedule)
#define ULL_DOACROSS_RUNTIME_START(name, schedule)
#define ULL_DOACROSS_NEW_START(name, schedule)
#define ULL_NEXT(name)
#define PARALLEL_LOOP(name, schedule)                                                             \
	ENTRY(void, name,                                                                         \
	      (gomp_body_fn * fn, void *data, unsigned num_threads, long start, long end,         \
	       long step, long chunk, unsigned flags),                                            \
	      (fn, data, num_threads, start, end, step, chunk, flags))                            \
	{                                                                                         \
		REGION_BEGIN(fn, data, num_threads)                                               \
		add_loop(&region, SCHEDULE_##schedule, start, end, step);                         \
		gomp_real.name(gomp_parallel_body, &region, num_threads, start, end, step, chunk, \
			       flags);                                                            \
		REGION_END                                                                        \
	}
#define PARALLEL_RUNTIME_LOOP(name, schedule)                                                      \
	ENTRY(void, name,                                                                          \
	      (gomp_body_fn * fn, void *data, unsigned num_threads, long start, long end,          \
	       long step, unsigned flags),                                                         \
	      (fn, data, num_threads, start, end, step, flags))                                    \
	{                                                                                          \
		REGION_BEGIN(fn, data, num_threads)                                                \
		add_loop(&region, SCHEDULE_##schedule, start, end, step);                          \
		gomp_real.name(gomp_parallel_body, &region, num_threads, start, end, step, flags); \
		REGION_END                                                                         \
	}
#include "entry_points.def"

ENTRY(void, GOMP_parallel_sections,
      (gomp_body_fn * fn, void *data, unsigned num_threads, unsigned count, unsigned flags),
      (fn, data, num_threads, count, flags))
{
	REGION_BEGIN(fn, data, num_threads)
	region.work = (struct work){ ompt_work_sections, count, region.code };
	gomp_real.GOMP_parallel_sections(gomp_parallel_body, &region, num_threads, count, flags);
	REGION_END
}

// libgomp runs one team after the other, in the thread that encountered the construct.
void gomp_teams_body(void *data)
{
	ompt_callback_implicit_task_t event = CALLBACK(ompt_callback_implicit_task);
	struct region *region = data;
	struct thread *thread = region->owner;
	struct implicit *outer = thread->implicit, *initial = &region->primary;
	unsigned teams = (unsigned)gomp_ask.omp_get_num_teams();
	unsigned team = (unsigned)gomp_ask.omp_get_team_num();

	*initial = (struct implicit){ .index = team };
	gomp_init_implicit(initial, region, ompt_task_initial);
	initial->task.parent = region->encountering;
	__atomic_store_n(&region->size, teams, __ATOMIC_RELAXED);
	thread->implicit = initial;
	thread->task = &initial->task;
	if (event)
		event(ompt_scope_begin, &region->parallel_data, &initial->task.data, teams, team,
		      ompt_task_initial);
	thread->state = ompt_state_work_serial;
	initial->task.frame.exit_frame.ptr = FRAME_ADDRESS;
	region->fn(region->data);
	initial->task.frame.exit_frame.ptr = NULL;
	thread->state = ompt_state_overhead;
	gomp_end_single(thread);
	event = CALLBACK(ompt_callback_implicit_task);
	if (event)
		event(ompt_scope_end, NULL, &initial->task.data, 0, team, ompt_task_initial);
	thread->implicit = outer;
	thread->task = region->encountering;
}

ENTRY(void, GOMP_teams_reg,
      (gomp_body_fn * fn, void *data, unsigned num_teams, unsigned thread_limit, unsigned flags),
      (fn, data, num_teams, thread_limit, flags))
{
	LEAGUE_BEGIN(fn, data, num_teams)
	gomp_real.GOMP_teams_reg(gomp_teams_body, &region, num_teams, thread_limit, flags);
	REGION_END
}
