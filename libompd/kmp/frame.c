// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception  Where a task's code begins and ends on
// the stack of its thread, as the runtime keeps it for tools.

#include "kmp/tasks.h"

// Bits of ompt_frame_flag_t (OpenMP 5.2, 19.4.4.30).
enum { FRAME_RUNTIME = 0, FRAME_APPLICATION = 0x01, FRAME_CFA = 0x10, FRAME_POINTER = 0x20 };

// Check whether they say how the address is meant. The runtime leaves those of serialized regions
// unset; their addresses are frame pointers of its own functions, as all others that it takes by
// itself.
static bool are_flags(uint64_t bits)
{
	const uint64_t position = FRAME_CFA | FRAME_POINTER;

	return (bits & position) && !(bits & ~(position | FRAME_APPLICATION));
}

static ompd_rc_t read_frame(const struct runtime *runtime, uint64_t frame, enum kmp_field address,
			    enum kmp_field flags, ompd_frame_info_t *ret)
{
	uint64_t pointer, bits = 0;
	ompd_rc_t rc = kmp_read(runtime, frame, address, &pointer);

	if (rc == ompd_rc_ok)
		rc = kmp_read(runtime, frame, flags, &bits);
	if (!are_flags(bits))
		bits = FRAME_RUNTIME | FRAME_POINTER;
	if (rc == ompd_rc_ok)
		*ret = (ompd_frame_info_t){
			.frame_address = { ompd_segment_none, pointer },
			.frame_flag = (ompd_word_t)bits,
		};
	return rc;
}

// ---- Whether it is a frame -------------------------------------------------------------------

static bool is_within(const struct nptl_stack *stack, const ompd_frame_info_t *frame)
{
	uint64_t address = frame->frame_address.address;

	return !address || (address >= stack->start && address < stack->end);
}

static ompd_rc_t check_frames(const struct runtime *runtime, const struct region *region,
			      uint32_t thread_num, const ompd_frame_info_t frames[2])
{
	struct nptl_stack stack;
	struct thread thread;
	uint64_t pthread;
	ompd_rc_t rc = kmp_region_member(runtime, region, thread_num, &thread);

	if (rc == ompd_rc_ok)
		rc = kmp_read_pthread(runtime, thread.address, &pthread);
	if (rc != ompd_rc_ok)
		return rc;
	rc = nptl_stack(&runtime->nptl, &runtime->target, pthread, &stack);
	if (rc == ompd_rc_unavailable)
		return reason(rc, "the bounds of the thread's stack are unknown");
	if (rc == ompd_rc_ok && (!is_within(&stack, &frames[0]) || !is_within(&stack, &frames[1])))
		return reason(ompd_rc_unavailable,
			      "the recorded frame is not on the thread's stack");
	return rc;
}

// The runtime takes some frames from a register in which code without frame pointers keeps anything
// else. Any thread of the team may have begun an explicit task that none works on now.
static ompd_rc_t check_task_frames(const struct runtime *runtime, const struct task *task,
				   const ompd_frame_info_t frames[2])
{
	const struct region *region = &task->region;
	struct activity_entry entry;
	struct activity activity;

	if (task->implicit)
		return check_frames(runtime, region, task->likely, frames);
	ompd_rc_t rc = kmp_activity_of_task(runtime, task, &activity);

	if (rc != ompd_rc_ok)
		return rc;
	bool found = activity_find(&activity, task->address, &entry);

	activity_close(&runtime->target, &activity);
	if (found)
		return check_frames(runtime, region, entry.thread_num, frames);
	rc = ompd_rc_unavailable;
	for (uint32_t i = 0; rc == ompd_rc_unavailable && i < region->nthreads; i++)
		rc = check_frames(runtime, region, i, frames);
	return rc;
}

ompd_rc_t kmp_task_frame(const struct runtime *runtime, const struct task *task,
			 ompd_frame_info_t *exit_frame, ompd_frame_info_t *enter_frame)
{
	ompd_frame_info_t frames[2];
	uint64_t info;
	ompd_rc_t rc = kmp_ompt_task(runtime, task, &info);

	if (rc != ompd_rc_ok)
		return rc;
	info = kmp_at(runtime, info, KMP_FIELD_ompt_task_info_t__frame);
	rc = read_frame(runtime, info, KMP_FIELD_ompt_frame_t__exit_frame,
			KMP_FIELD_ompt_frame_t__exit_frame_flags, &frames[0]);
	if (rc == ompd_rc_ok)
		rc = read_frame(runtime, info, KMP_FIELD_ompt_frame_t__enter_frame,
				KMP_FIELD_ompt_frame_t__enter_frame_flags, &frames[1]);
	if (rc == ompd_rc_ok &&
	    (frames[0].frame_address.address || frames[1].frame_address.address))
		rc = check_task_frames(runtime, task, frames);
	if (rc != ompd_rc_ok)
		return rc;
	*exit_frame = frames[0];
	*enter_frame = frames[1];
	return ompd_rc_ok;
}
