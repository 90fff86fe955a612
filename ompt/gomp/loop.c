// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops: each start, and each request for a next chunk, from one macro a family.

#include "loop.h"

ompt_work_t gomp_loop_kind(unsigned long schedule)
{
	int kind = (int)(schedule & 0x7fffffff), chunk;

	if (kind == SCHEDULE_RUNTIME && gomp_ask.omp_get_schedule) {
		gomp_ask.omp_get_schedule(&kind, &chunk);
		kind &= 0x7fffffff;
	}
	switch (kind) {
	case SCHEDULE_STATIC:
		return ompt_work_loop_static;
	case SCHEDULE_DYNAMIC:
		return ompt_work_loop_dynamic;
	case SCHEDULE_GUIDED:
		return ompt_work_loop_guided;
	default:
		return ompt_work_loop_other;
	}
}

/** Tell the tool that a thread begins its part of a loop. */
static void begin_loop(struct thread *thread, unsigned long schedule, uint64_t start, uint64_t end,
		       struct loop loop, const void *code)
{
	struct implicit *implicit = thread->implicit;

	gomp_end_single(thread);
	implicit->loop = loop;
	implicit->work.kind = gomp_loop_kind(schedule);
	implicit->work.count = num_iterations(start, end, loop);
	implicit->work.code = code;
	gomp_work_event(thread, ompt_scope_begin, &implicit->work, code);
}

/** Tell the tool of a chunk that a thread has got. */
static void chunk_event(struct thread *thread, uint64_t start, uint64_t end)
{
	ompt_callback_dispatch_t callback = CALLBACK(ompt_callback_dispatch);
	struct implicit *implicit = thread->implicit;
	struct region *region = implicit->task.region;
	ompt_dispatch_chunk_t chunk;
	ompt_data_t instance = { .ptr = &chunk };

	if (!callback)
		return;
	chunk.start = start;
	chunk.iterations = num_iterations(start, end, implicit->loop);
	callback(region ? &region->parallel_data : NULL, &implicit->task.data,
		 ompt_dispatch_ws_loop_chunk, instance);
}

// A loop whose iterations are computed inline, and that needs libgomp for reductions or memory, gets no
// chunk, and its bounds are not passed.
#define START_BODY(name, args, schedule, start, end, loop)                                 \
	{                                                                                  \
		struct thread *thread = this_thread();                                     \
		bool found;                                                                \
                                                                                           \
		enter_frame(thread, FRAME_ADDRESS);                                        \
		begin_loop(thread, (unsigned long)(schedule), (uint64_t)(start),           \
			   chunk_start ? (uint64_t)(end) : (uint64_t)(start), loop,        \
			   RETURN_ADDRESS);                                                \
		found = gomp_real.name args;                                               \
		if (found && chunk_start)                                                  \
			chunk_event(thread, (uint64_t)*chunk_start, (uint64_t)*chunk_end); \
		leave_frame(thread);                                                       \
		return found;                                                              \
	}

/** Return the loop that a doacross loop's chunks are counted by: its outermost level. */
static struct loop doacross_loop(unsigned levels)
{
	struct loop loop = { .step = 1, .levels = levels };

	return loop;
}

#define LOOP_START(name, schedule)                                                               \
	ENTRY(bool, name,                                                                        \
	      (long start, long end, long step, long chunk, long *chunk_start, long *chunk_end), \
	      (start, end, step, chunk, chunk_start, chunk_end))                                 \
	START_BODY(name, (start, end, step, chunk, chunk_start, chunk_end), SCHEDULE_##schedule, \
		   start, end, signed_loop(step))
#define LOOP_RUNTIME_START(name, schedule)                                                       \
	ENTRY(bool, name, (long start, long end, long step, long *chunk_start, long *chunk_end), \
	      (start, end, step, chunk_start, chunk_end))                                        \
	START_BODY(name, (start, end, step, chunk_start, chunk_end), SCHEDULE_##schedule, start, \
		   end, signed_loop(step))
#define LOOP_NEW_START(name, schedule)                                                          \
	ENTRY(bool, name,                                                                       \
	      (long start, long end, long step, long kind, long chunk, long *chunk_start,       \
	       long *chunk_end, uintptr_t *reductions, void **memory),                          \
	      (start, end, step, kind, chunk, chunk_start, chunk_end, reductions, memory))      \
	START_BODY(name,                                                                        \
		   (start, end, step, kind, chunk, chunk_start, chunk_end, reductions, memory), \
		   kind, start, end, signed_loop(step))
#define DOACROSS_START(name, type, schedule)                                                      \
	ENTRY(bool, name,                                                                         \
	      (unsigned levels, type *counts, type chunk, type *chunk_start, type *chunk_end),    \
	      (levels, counts, chunk, chunk_start, chunk_end))                                    \
	START_BODY(name, (levels, counts, chunk, chunk_start, chunk_end), SCHEDULE_##schedule, 0, \
		   counts[0], doacross_loop(levels))
#define DOACROSS_RUNTIME_START(name, type, schedule)                                           \
	ENTRY(bool, name, (unsigned levels, type *counts, type *chunk_start, type *chunk_end), \
	      (levels, counts, chunk_start, chunk_end))                                        \
	START_BODY(name, (levels, counts, chunk_start, chunk_end), SCHEDULE_##schedule, 0,     \
		   counts[0], doacross_loop(levels))
#define DOACROSS_NEW_START(name, type)                                                        \
	ENTRY(bool, name,                                                                     \
	      (unsigned levels, type *counts, long kind, type chunk, type *chunk_start,       \
	       type *chunk_end, uintptr_t *reductions, void **memory),                        \
	      (levels, counts, kind, chunk, chunk_start, chunk_end, reductions, memory))      \
	START_BODY(name,                                                                      \
		   (levels, counts, kind, chunk, chunk_start, chunk_end, reductions, memory), \
		   kind, 0, counts[0], doacross_loop(levels))
#define LOOP_DOACROSS_START(name, schedule) DOACROSS_START(name, long, schedule)
#define LOOP_DOACROSS_RUNTIME_START(name, schedule) DOACROSS_RUNTIME_START(name, long, schedule)
#define LOOP_DOACROSS_NEW_START(name, schedule) DOACROSS_NEW_START(name, long)
#define ULL_DOACROSS_START(name, schedule) DOACROSS_START(name, ull, schedule)
#define ULL_DOACROSS_RUNTIME_START(name, schedule) DOACROSS_RUNTIME_START(name, ull, schedule)
#define ULL_DOACROSS_NEW_START(name, schedule) DOACROSS_NEW_START(name, ull)
#define ULL_START(name, schedule)                                                  \
	ENTRY(bool, name,                                                          \
	      (bool up, ull start, ull end, ull step, ull chunk, ull *chunk_start, \
	       ull *chunk_end),                                                    \
	      (up, start, end, step, chunk, chunk_start, chunk_end))               \
	START_BODY(name, (up, start, end, step, chunk, chunk_start, chunk_end),    \
		   SCHEDULE_##schedule, start, end, unsigned_loop(up, step))
#define ULL_RUNTIME_START(name, schedule)                                                     \
	ENTRY(bool, name,                                                                     \
	      (bool up, ull start, ull end, ull step, ull *chunk_start, ull *chunk_end),      \
	      (up, start, end, step, chunk_start, chunk_end))                                 \
	START_BODY(name, (up, start, end, step, chunk_start, chunk_end), SCHEDULE_##schedule, \
		   start, end, unsigned_loop(up, step))
#define ULL_NEW_START(name, schedule)                                                          \
	ENTRY(bool, name,                                                                      \
	      (bool up, ull start, ull end, ull step, long kind, ull chunk, ull *chunk_start,  \
	       ull *chunk_end, uintptr_t *reductions, void **memory),                          \
	      (up, start, end, step, kind, chunk, chunk_start, chunk_end, reductions, memory)) \
	START_BODY(name,                                                                       \
		   (up, start, end, step, kind, chunk, chunk_start, chunk_end, reductions,     \
		    memory),                                                                   \
		   kind, start, end, unsigned_loop(up, step))
#define NEXT_OF(name, type)                                                                 \
	ENTRY(bool, name, (type * chunk_start, type * chunk_end), (chunk_start, chunk_end)) \
	{                                                                                   \
		struct thread *thread = this_thread();                                      \
		bool found;                                                                 \
                                                                                            \
		enter_frame(thread, FRAME_ADDRESS);                                         \
		found = gomp_real.name(chunk_start, chunk_end);                             \
		if (found)                                                                  \
			chunk_event(thread, (uint64_t)*chunk_start, (uint64_t)*chunk_end);  \
		leave_frame(thread);                                                        \
		return found;                                                               \
	}
#define LOOP_NEXT(name) NEXT_OF(name, long)
#define ULL_NEXT(name) NEXT_OF(name, ull)
#define PARALLEL_LOOP(name, schedule)
#define PARALLEL_RUNTIME_LOOP(name, schedule)
#include "entry_points.def"
