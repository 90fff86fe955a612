// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The commands that show one side of a core file or process: as in a debugger.

#include <string.h>

#include "children.h"
#include "choice.h"
#include "spool.h"
#include "terminal.h"

/** Fill in which task, level or expression is meant. */
static struct ompdbg_error *understand(struct looked *looked, const struct arguments *arguments,
				       struct view_options *options, struct values *values,
				       struct failure *failure)
{
	int64_t level = arguments->level ? number_in(arguments->level) : NOT_KNOWN;

	if (arguments->command->view == VIEW_INQUIRIES) {
		if (arguments->level && (level < 0 || level > INT32_MAX))
			fail_with(failure, STATUS_USAGE,
				  "invalid level \"%s\" (expected 0, 1, ...)", arguments->level);
		options->level = (int)level;
	}
	if (failure->status || !choose_threads(looked->process, arguments, options, failure) ||
	    arguments->command->view != VIEW_VALUES)
		return NULL;
	options->values = values;
	return values_evaluate(looked->process, options->threads, options->num_threads,
			       arguments->expression, arguments->format, values);
}

/** Print the diagnosis; of a core file first the signal that has ended the program. */
static struct ompdbg_error *show_why(struct looked *looked, struct view_options *options,
				     const struct form *form, struct sink *sink, bool *suspicious)
{
	struct process *process = looked->process;
	struct ompdbg_error *error = NULL;
	bool has_crashed = false;
	struct crash crash;

	if (!looked->pid && looked_crash(looked, &crash)) {
		pid_t pid = target_end(looked->target)->process;
		has_crashed = crash_is_own(&crash, pid);
		if (!form->json)
			error = print_crash(process, &crash, pid, form, sink);
	}
	options->findings = diagnose(process, options->thread, &options->num_findings);
	add_children(looked, options);
	*suspicious = has_crashed ||
		      is_suspicious(worst_finding(options->findings, options->num_findings));
	return error ? error : print_view(process, VIEW_WHY, options, form, sink);
}

/** Print what a command is about. *suspicious: something was found. *unknown: nothing is known by a name
 *  that was given. */
static struct ompdbg_error *show(struct looked *looked, const struct arguments *arguments,
				 const struct form *form, struct sink *sink,
				 struct failure *failure, bool *suspicious, bool *unknown)
{
	enum view view = arguments->command->view;
	struct view_options options = {
		.queued = arguments->queued,
		.raw = arguments->raw,
		.full = arguments->full,
		.form = arguments->tree	   ? BT_TREE :
			arguments->no_tree ? BT_STACKS :
					     BT_FOLDED,
		.limit = (size_t)arguments->limit,
		.number = (uint64_t)arguments->task,
		.scope = arguments->scope,
		.all = arguments->all,
		.last = arguments->all	? 0 :
			arguments->last ? (size_t)arguments->last :
					  SHOWN_EVENTS,
		.inquiry = arguments->command->inquiry,
	};
	struct values values;
	struct ompdbg_error *error = understand(looked, arguments, &options, &values, failure);

	if (!error && failure->status)
		return NULL;
	if (view == VIEW_WHY)
		return show_why(looked, &options, form, sink, suspicious);
	if (!error)
		error = print_view(looked->process,
				   arguments->by_function ? VIEW_TASK_COUNTS : view, &options, form,
				   sink);
	*unknown = !error && view == VIEW_VALUES && values_name_nothing(&values);
	if (!error || error->code != OMPDBG_BAD_INPUT)
		return error;
	fail_with(failure, STATUS_USAGE, "%s", error->message);
	ompdbg_error_destroy(error);
	return NULL;
}

int run_view(const struct arguments *arguments, struct failure *failure)
{
	const struct place place = {
		.name = arguments->target,
		.is_kept = arguments->coredump,
		.program = arguments->program,
		.sysroot = arguments->sysroot,
		.is_detailed = arguments->raw,
	};
	const struct form form = terminal_form(arguments->json, arguments->color);
	bool is_suspicious = false, is_unknown = false;
	struct looked looked;
	struct spool spool;

	if (!look_at(&place, &looked, failure))
		return failure->status;
	if (spool_begin(&spool, STANDARD_OUTPUT, looked.pid != 0, failure)) {
		struct ompdbg_error *error = show(&looked, arguments, &form, &spool.sink, failure,
						  &is_suspicious, &is_unknown);
		if (spool_check(&spool, failure))
			looked_check(&looked, error, failure);
	}
	looked_close(&looked);
	looked_warn(&looked, failure);
	if (!failure->status)
		spool_end(&spool, failure);
	return is_unknown ? STATUS_USAGE : is_suspicious ? STATUS_FOUND : STATUS_FINE;
}
