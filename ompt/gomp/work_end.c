// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ends of loops and sections, with and without a barrier, and sections themselves.

#include "state.h"

/** Tell the tool that a thread has done its part of a loop or of sections. */
static void end_work(struct thread *thread, const void *code)
{
	struct work *work = &thread->implicit->work;

	if (!work->kind)
		return;
	gomp_work_event(thread, ompt_scope_end, work, code);
	work->kind = 0;
}

/** Begin the barrier at the end of shared work. */
static int begin_barrier(struct thread *thread, const void *code)
{
	end_work(thread, code);
	return begin_wait(thread, ompt_sync_region_barrier_implicit_workshare,
			  ompt_state_wait_barrier_implicit_workshare, code);
}

static void end_barrier(struct thread *thread, int state, const void *code)
{
	end_wait(thread, ompt_sync_region_barrier_implicit_workshare, state, code);
	leave_frame(thread);
}

#define END(name)                                              \
	ENTRY(void, name, (void), ())                          \
	{                                                      \
		struct thread *thread = this_thread();         \
		int state;                                     \
                                                               \
		enter_frame(thread, FRAME_ADDRESS);            \
		state = begin_barrier(thread, RETURN_ADDRESS); \
		gomp_real.name();                              \
		end_barrier(thread, state, RETURN_ADDRESS);    \
	}

#define END_NOWAIT(name)                               \
	ENTRY(void, name, (void), ())                  \
	{                                              \
		struct thread *thread = this_thread(); \
                                                       \
		enter_frame(thread, FRAME_ADDRESS);    \
		end_work(thread, RETURN_ADDRESS);      \
		gomp_real.name();                      \
		leave_frame(thread);                   \
	}

#define END_CANCEL(name)                                                                         \
	ENTRY(bool, name, (void), ())                                                            \
	{                                                                                        \
		ompt_callback_cancel_t cancel = CALLBACK(ompt_callback_cancel);                  \
		struct thread *thread = this_thread();                                           \
		bool cancelled;                                                                  \
		int state;                                                                       \
                                                                                                 \
		enter_frame(thread, FRAME_ADDRESS);                                              \
		state = begin_barrier(thread, RETURN_ADDRESS);                                   \
		cancelled = gomp_real.name();                                                    \
		end_wait(thread, ompt_sync_region_barrier_implicit_workshare, state,             \
			 RETURN_ADDRESS);                                                        \
		if (cancelled && cancel)                                                         \
			cancel(&thread->task->data, ompt_cancel_parallel | ompt_cancel_detected, \
			       RETURN_ADDRESS);                                                  \
		leave_frame(thread);                                                             \
		return cancelled;                                                                \
	}

END(GOMP_loop_end)
END(GOMP_sections_end)
END_NOWAIT(GOMP_loop_end_nowait)
END_NOWAIT(GOMP_sections_end_nowait)
END_CANCEL(GOMP_loop_end_cancel)
END_CANCEL(GOMP_sections_end_cancel)

/** Tell the tool that a thread begins its part of sections. */
static void begin_sections(struct thread *thread, unsigned count, const void *code)
{
	struct work *work = &thread->implicit->work;

	gomp_end_single(thread);
	*work = (struct work){ ompt_work_sections, count, code };
	gomp_work_event(thread, ompt_scope_begin, work, code);
}

/** Tell the tool of a section that a thread has got; 0: none is left. */
static void section_event(struct thread *thread, unsigned section)
{
	ompt_callback_dispatch_t callback = CALLBACK(ompt_callback_dispatch);
	struct task *task = &thread->implicit->task;
	// libgomp numbers sections; where the code of each is, it does not know.
	ompt_data_t instance = { .ptr = (void *)thread->implicit->work.code };

	if (section && callback)
		callback(task->region ? &task->region->parallel_data : NULL, &task->data,
			 ompt_dispatch_section, instance);
}

ENTRY(unsigned, GOMP_sections_start, (unsigned count), (count))
{
	struct thread *thread = this_thread();
	unsigned section;

	enter_frame(thread, FRAME_ADDRESS);
	begin_sections(thread, count, RETURN_ADDRESS);
	section = gomp_real.GOMP_sections_start(count);
	section_event(thread, section);
	leave_frame(thread);
	return section;
}

ENTRY(unsigned, GOMP_sections2_start, (unsigned count, uintptr_t *reductions, void **memory),
      (count, reductions, memory))
{
	struct thread *thread = this_thread();
	unsigned section;

	enter_frame(thread, FRAME_ADDRESS);
	begin_sections(thread, count, RETURN_ADDRESS);
	section = gomp_real.GOMP_sections2_start(count, reductions, memory);
	section_event(thread, section);
	leave_frame(thread);
	return section;
}

ENTRY(unsigned, GOMP_sections_next, (void), ())
{
	struct thread *thread = this_thread();
	unsigned section;

	enter_frame(thread, FRAME_ADDRESS);
	section = gomp_real.GOMP_sections_next();
	section_event(thread, section);
	leave_frame(thread);
	return section;
}
