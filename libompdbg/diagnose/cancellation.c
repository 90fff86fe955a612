// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that a cancellation would end, in a program in which nothing can be cancelled.

#include "base/text.h"
#include "diagnose/room.h"
#include "libcode/code.h"
#include "model/icv.h"

/** Check that the runtime of a thread ignores cancellation. @return false also if that is unknown. */
static bool is_off(struct thread *thread)
{
	size_t count;
	const struct icv *icvs = thread_icvs(thread, &count);

	for (size_t i = 0; i < count; i++) {
		if (is_same_text(icvs[i].name, "cancel-var"))
			return is_same_text(icvs[i].value, "false");
	}
	return false;
}

/** Check that a frame is in a loop that passes a cancellation point. */
static bool is_in_loop(struct thread *thread, struct stack_frame *frame)
{
	struct process *process = thread->runtime->process;
	const uint64_t here = frame_here(process, frame);
	const uint64_t start = stack_place(thread_stack(thread), frame)->start;
	struct code_flow flow;
	ompd_ext_wait_site site;

	if (!here || !start || !function_flow(process, start, &flow))
		return false;
	for (uint32_t i = 0; i < flow.count; i++) {
		const struct code_block *block = &flow.blocks[i];
		if (classify_block(thread->runtime, block, &site) &&
		    site.kind == ompd_ext_wait_cancel &&
		    code_flow_reaches(&flow, here, block->last, NULL, NULL) &&
		    code_flow_reaches(&flow, block->end, here, NULL, NULL))
			return true;
	}
	return false;
}

bool thread_awaits_cancellation(struct thread *thread)
{
	size_t count;

	if (thread->target->running || !thread->team || thread_wait(thread) || !is_off(thread))
		return false;
	const struct logical_frame *frames = walk_frames(thread_walk(thread), &count);
	for (size_t i = 0; i < count; i++) {
		struct stack_frame *frame = frames[i].frame;
		while (frame && frame->at.is_inlined) // its function has a frame, too
			frame = stack_frame(thread_stack(thread), frame->index + 1);
		if (frame && frames[i].owner == FRAME_USER && !frame->at.is_signal &&
		    is_in_loop(thread, frame))
			return true;
		if (frames[i].construct != NO_CONSTRUCT)
			return false;
	}
	return false;
}
