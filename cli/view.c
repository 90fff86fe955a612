// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The commands that show one side of a core file or process: as in a debugger.

#include <string.h>

#include "choice.h"
#include "spool.h"
#include "terminal.h"

// What the views have in common.
#define VIEW(name)                                                                          \
	struct ompdbg_error *name(struct looked *looked, const struct arguments *arguments, \
				  const struct form *form, struct sink *sink,               \
				  struct failure *failure, bool *is_suspicious)

VIEW(show_threads)
{
	struct chosen chosen;

	(void)is_suspicious;
	if (!choose_threads(looked->process, arguments, false, &chosen, failure))
		return NULL;
	const struct threads_options options = { chosen.threads, chosen.count };
	return print_threads(looked->process, &options, form, sink);
}

VIEW(show_tasks)
{
	(void)failure, (void)is_suspicious;
	if (arguments->by_function)
		return print_tasks_by_function(looked->process, form, sink);
	return print_tasks(looked->process, arguments->queued, form, sink);
}

VIEW(show_task)
{
	(void)is_suspicious;
	struct ompdbg_error *error = print_task(looked->process, arguments->task, form, sink);

	if (!error || error->code != OMPDBG_BAD_INPUT)
		return error;
	fail_with(failure, STATUS_USAGE, "%s", error->message);
	ompdbg_error_destroy(error);
	return NULL;
}

VIEW(show_stacks)
{
	struct chosen chosen;

	(void)is_suspicious;
	if (!choose_named(looked->process, arguments, &chosen, failure))
		return NULL;
	const struct bt_options options = {
		.threads = chosen.threads,
		.num_threads = chosen.count,
		.raw = arguments->raw,
		.full = arguments->full,
		.limit = arguments->limit,
		.form = arguments->tree	   ? BT_TREE :
			arguments->no_tree ? BT_STACKS :
					     BT_FOLDED,
	};
	return print_stacks(looked->process, &options, form, sink);
}

VIEW(show_values)
{
	struct chosen chosen;
	struct values values;

	(void)is_suspicious;
	if (!choose_threads(looked->process, arguments, true, &chosen, failure))
		return NULL;
	if (!chosen.count) {
		fail_with(failure, STATUS_USAGE, "no such OpenMP thread");
		return NULL;
	}
	struct ompdbg_error *error = values_evaluate(looked->process, chosen.threads, chosen.count,
						     arguments->expression, arguments->format,
						     &values);
	if (error && error->code == OMPDBG_BAD_INPUT) {
		fail_with(failure, STATUS_USAGE, "%s", error->message);
		ompdbg_error_destroy(error);
		return NULL;
	}
	return error ? error : print_values(looked->process, &values, form, sink);
}

VIEW(show_regions)
{
	(void)arguments, (void)failure, (void)is_suspicious;
	return print_regions(looked->process, form, sink);
}

VIEW(show_icvs)
{
	struct chosen chosen;

	(void)is_suspicious;
	if (!choose_openmp(looked->process, arguments, &chosen, failure))
		return NULL;
	return print_icvs(looked->process, chosen.threads, chosen.count, arguments->scope, form,
			  sink);
}

VIEW(show_environment)
{
	(void)failure, (void)is_suspicious;
	return print_environment(looked->process, arguments->all, form, sink);
}

VIEW(show_locks)
{
	(void)arguments, (void)failure, (void)is_suspicious;
	return print_locks(looked->process, form, sink);
}

/** Tell first of a core file the signal that has ended the program. */
VIEW(show_why)
{
	struct process *process = looked->process;
	struct ompdbg_error *error = NULL;
	bool has_crashed = false;
	struct chosen chosen;
	struct crash crash;

	if (!choose_named(process, arguments, &chosen, failure))
		return NULL;
	if (!looked->pid && looked_crash(looked, &crash)) {
		pid_t pid = target_end(looked->target)->process;
		has_crashed = crash_is_own(&crash, pid);
		if (!form->json)
			error = print_crash(process, &crash, pid, form, sink);
	}
	if (!error)
		error = print_why(process, arguments->thread < 0 ? NULL : chosen.threads[0], form,
				  sink, is_suspicious);
	*is_suspicious |= has_crashed;
	return error;
}

VIEW(show_history)
{
	struct chosen chosen;

	(void)is_suspicious;
	if (!choose_named(looked->process, arguments, &chosen, failure))
		return NULL;
	const struct history_options options = {
		.thread = arguments->thread < 0 ? NULL : chosen.threads[0],
		.last = arguments->all	? 0 :
			arguments->last ? arguments->last :
					  SHOWN_EVENTS,
	};
	return print_history(looked->process, &options, form, sink);
}

VIEW(show_thread_info)
{
	struct chosen chosen;

	(void)is_suspicious;
	if (!choose_openmp(looked->process, arguments, &chosen, failure))
		return NULL;
	return print_inquiries(looked->process, chosen.threads, chosen.count, INQUIRY_THREAD,
			       NOT_KNOWN, form, sink);
}

static struct ompdbg_error *show_inquiries(struct looked *looked, const struct arguments *arguments,
					   enum inquiry_kind which, const struct form *form,
					   struct sink *sink, struct failure *failure)
{
	int64_t level = arguments->level ? number_in(arguments->level) : NOT_KNOWN;
	struct chosen chosen;

	if (arguments->level && (level < 0 || level > INT32_MAX)) {
		fail_with(failure, STATUS_USAGE, "invalid level \"%s\" (expected 0, 1, ...)",
			  arguments->level);
		return NULL;
	}
	if (!choose_openmp(looked->process, arguments, &chosen, failure))
		return NULL;
	return print_inquiries(looked->process, chosen.threads, chosen.count, which, (int)level,
			       form, sink);
}

VIEW(show_task_info)
{
	(void)is_suspicious;
	return show_inquiries(looked, arguments, INQUIRY_TASK, form, sink, failure);
}

VIEW(show_parallel_info)
{
	(void)is_suspicious;
	return show_inquiries(looked, arguments, INQUIRY_PARALLEL, form, sink, failure);
}

VIEW(show_status)
{
	(void)arguments, (void)failure, (void)is_suspicious;
	return print_status(looked->process, form, sink);
}

int run_view(const struct arguments *arguments, struct failure *failure)
{
	const struct place place = {
		.name = arguments->target,
		.program = arguments->program,
		.sysroot = arguments->sysroot,
		.is_detailed = arguments->raw,
	};
	const struct form form = terminal_form(arguments->json, arguments->color);
	bool is_suspicious = false;
	struct looked looked;
	struct spool spool;

	if (!look_at(&place, &looked, failure))
		return failure->status;
	if (spool_begin(&spool, STANDARD_OUTPUT, looked.pid != 0, failure)) {
		struct ompdbg_error *error = arguments->command->show(
			&looked, arguments, &form, &spool.sink, failure, &is_suspicious);
		if (spool_check(&spool, failure))
			looked_check(&looked, error, failure);
	}
	looked_close(&looked);
	looked_warn(&looked, failure);
	if (!failure->status)
		spool_end(&spool, failure);
	return is_suspicious ? STATUS_FOUND : STATUS_FINE;
}
