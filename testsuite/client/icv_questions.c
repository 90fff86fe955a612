// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Questions about control variables.

#include "answer.h"

static ompd_rc_t ask_icv(void *handle, ompd_scope_t scope, int variant, struct answer *answer)
{
	const ompd_icv_id_t id = (ompd_icv_id_t)variant / 2;
	ompd_word_t value = -77;
	const char *text = NULL;
	ompd_rc_t rc;

	if (variant % 2)
		return say_text(ompd_get_icv_string_from_scope(handle, scope, id, &text), &text,
				answer);
	rc = ompd_get_icv_from_scope(handle, scope, id, &value);
	say(answer, "%lld", (long long)value);
	return rc;
}

ASK(process_icv)
{
	return ask_icv(handles->space, ompd_scope_address_space, variant, answer);
}

ASK(thread_icv)
{
	return ask_icv(handles->thread, ompd_scope_thread, variant, answer);
}

ASK(parallel_icv)
{
	return ask_icv(handles->parallel, ompd_scope_parallel, variant, answer);
}

ASK(task_icv)
{
	return ask_icv(handles->task, variant % 4 / 2 ? ompd_scope_task : ompd_scope_implicit_task,
		       variant, answer);
}

ASK(nest_icv)
{
	ompd_word_t value = -77;
	ompd_rc_t rc = ompd_ext_get_icv(handles->task, ompd_scope_task, "nest-var", &value);

	(void)variant;
	say(answer, "%lld", (long long)value);
	return rc;
}
