// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "questions.h"

#include "answer.h"

struct scene_truth truth;
uint64_t code_addresses[CODE_ADDRESSES];

void place_open(struct handles *handles)
{
	handles->parallel = handles->outer = NULL;
	handles->task = NULL;
	if (!handles->thread)
		return;
	if (ompd_get_curr_parallel_handle(handles->thread, &handles->parallel) != ompd_rc_ok)
		handles->parallel = NULL;
	if (handles->parallel &&
	    ompd_get_enclosing_parallel_handle(handles->parallel, &handles->outer) != ompd_rc_ok)
		handles->outer = NULL;
	if (ompd_get_curr_task_handle(handles->thread, &handles->task) != ompd_rc_ok)
		handles->task = NULL;
}

void place_close(struct handles *handles)
{
	if (handles->task)
		ompd_rel_task_handle(handles->task);
	if (handles->outer)
		ompd_rel_parallel_handle(handles->outer);
	if (handles->parallel)
		ompd_rel_parallel_handle(handles->parallel);
	if (handles->thread)
		ompd_rel_thread_handle(handles->thread);
	*handles = (struct handles){ .space = handles->space };
}

#define QUESTION(name, needs, is_list, variants, function) \
	{ #name, NEEDS_##needs, is_list, variants, ask_##function },
const struct question questions[] = {
#include "questions.def"
};
#undef QUESTION

const size_t question_count = sizeof(questions) / sizeof(questions[0]);

bool ask(const struct question *question, const struct handles *handles, int variant,
	 struct answer *answer)
{
	const void *const needed[] = {
		[NEEDS_SPACE] = handles->space,	      [NEEDS_THREAD] = handles->thread,
		[NEEDS_PARALLEL] = handles->parallel, [NEEDS_OUTER] = handles->outer,
		[NEEDS_TASK] = handles->task,
	};

	answer->used = 0;
	answer->text[0] = '\0';
	if (!needed[question->needs])
		return false;
	answer->rc = question->ask(handles, variant, answer);
	return true;
}