// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions about threads.

#include "answer.h"

ASK(thread_id)
{
	uint64_t id = 0;
	ompd_rc_t rc = ompd_get_thread_id(handles->thread, (ompd_thread_id_t)variant, 8, &id);

	say_address(answer, "id", id);
	return rc;
}

ASK(thread_info)
{
	ompd_ext_thread_info info = { 0 };
	ompd_rc_t rc = ompd_ext_get_thread_info(handles->thread, &info);

	(void)variant;
	// That the phase is not known is true whatever cannot be read.
	say(answer, "%u %d", info.kind, info.global_num);
	return rc;
}

ASK(thread_state)
{
	ompd_word_t word = -1;
	ompd_wait_id_t wait = 0;
	ompd_rc_t rc = ompd_get_state(handles->thread, &word, &wait);

	(void)variant;
	say(answer, "%lld %llu", (long long)word, (unsigned long long)wait);
	return rc;
}

ASK(current_parallel)
{
	ompd_parallel_handle_t *parallel = NULL;

	(void)variant;
	return say_parallel(ompd_get_curr_parallel_handle(handles->thread, &parallel), &parallel,
			    answer);
}

ASK(current_task)
{
	ompd_task_handle_t *task = NULL;

	(void)variant;
	return say_task(ompd_get_curr_task_handle(handles->thread, &task), &task, answer);
}

ASK(device)
{
	ompd_address_space_handle_t *space = NULL;
	ompd_rc_t rc = ompd_get_device_from_thread(handles->thread, &space);

	(void)variant;
	say(answer, "%d", space == handles->space);
	return rc;
}

ASK(thread_num)
{
	int number = -1;
	ompd_rc_t rc = ompd_ext_get_thread_num(
		handles->thread, variant ? handles->outer : handles->parallel, &number);

	say(answer, "%d", number);
	return rc;
}

ASK(loop)
{
	ompd_ext_loop_info info = { 0 };
	int turn = -1;
	ompd_rc_t rc = variant ? ompd_ext_get_ordered_turn(handles->thread, &turn) :
				 ompd_ext_get_loop_info(handles->thread, &info);

	say(answer, "%llx %llu %llu %llu %u %u %d", (unsigned long long)info.id,
	    (unsigned long long)info.total, (unsigned long long)info.remaining,
	    (unsigned long long)info.chunk, info.schedule, info.flags, turn);
	return rc;
}

ASK(sleeping)
{
	const uint64_t in_use[] = { truth.lock, truth.nest_lock };
	ompd_ext_wait_site site = { 0 };
	ompd_rc_t rc;

	if (variant < 2)
		rc = ompd_ext_confirm_lock(handles->thread,
					   variant ? ompd_ext_lock_nested : ompd_ext_lock_simple,
					   variant ? truth.nest_lock : truth.lock, in_use, 2);
	else
		rc = ompd_ext_classify_futex(handles->thread, handles->futex, &site);
	say(answer, "%u %u", site.kind, site.state);
	return rc;
}

ASK(ompt_task)
{
	ompd_ext_ompt_task_info info = { 0 };
	ompd_rc_t rc = ompd_ext_get_ompt_task_info(handles->thread, variant, &info);

	say_number(answer, "type", info.known & ompd_ext_ompt_type, info.type);
	say_number(answer, "number", info.known & ompd_ext_ompt_thread_num, info.thread_num);
	say_number(answer, "data", info.known & ompd_ext_ompt_task_data, (long long)info.task_data);
	say_number(answer, "exit", info.known & ompd_ext_ompt_frame,
		   (long long)info.exit_frame.frame_address.address);
	return rc;
}

ASK(ompt_parallel)
{
	ompd_ext_ompt_parallel_info info = { 0 };
	ompd_rc_t rc = ompd_ext_get_ompt_parallel_info(handles->thread, variant, &info);

	say(answer, "%d", info.team_size);
	say_number(answer, "data", info.known & ompd_ext_ompt_parallel_data,
		   (long long)info.parallel_data);
	return rc;
}

ASK(ompt_thread)
{
	uint64_t words[3] = { 0 };
	size_t count = 0;
	int numbers[4] = { 0 };
	ompd_rc_t rc = ompd_rc_ok;

	switch (variant) {
	case 0:
		rc = ompd_ext_get_thread_data(handles->thread, &words[0]);
		break;
	case 1:
		rc = ompd_ext_get_task_memory(handles->thread, 0, &words[0], &words[1]);
		break;
	case 2:
		rc = ompd_ext_get_proc_id(handles->thread, &numbers[0]);
		break;
	case 3:
		rc = ompd_ext_get_place_num(handles->thread, &numbers[0]);
		break;
	case 4:
		rc = ompd_ext_get_partition_place_nums(handles->thread, numbers, 4, &count);
		break;
	default:
		rc = ompd_ext_get_target_info(handles->thread, &words[0], &words[1], &words[2]);
	}
	say(answer, "%llx %llx %llx %zu %d %d", (unsigned long long)words[0],
	    (unsigned long long)words[1], (unsigned long long)words[2], count, numbers[0],
	    numbers[1]);
	return rc;
}
