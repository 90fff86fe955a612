// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What each command prints: a JSON document, or lines.

#include "output/json/documents.h"
#include "output/text/text.h"

struct ompdbg_error *print_line(struct process *process, const char *line, const struct form *form,
				struct sink *sink)
{
	struct text text;

	text_init(&text, process, form);
	text_wrap(&text, line);
	return text_write(&text, sink);
}

static struct ompdbg_error *check_recording(struct process *process,
					    const struct view_options *options)
{
	const char *problem = history_problem(process);

	if (problem)
		return ompdbg_error_create(OMPDBG_UNAVAILABLE, "cannot read the recording: %s",
					   problem);
	if (!process_history(process))
		return ompdbg_error_create(OMPDBG_UNAVAILABLE,
					   "nothing was recorded (start the program with \"ompdbg "
					   "record\")");
	if (options->thread && !history_of(options->thread))
		return ompdbg_error_create(OMPDBG_UNAVAILABLE, "thread %s was not recorded",
					   options->thread->target->label);
	return NULL;
}

/** The forms of a view. A document that is nothing but a list needs no function of its own. */
static const struct {
	text_view *text;
	const char *name;
	json_list *list;
	json_view *json;
} views[NUM_VIEWS] = {
	[VIEW_THREADS] = { text_threads, .json = json_threads },
	[VIEW_TASKS] = { text_tasks, .json = json_tasks },
	[VIEW_TASK_COUNTS] = { text_task_counts, "counts", json_task_count_list },
	[VIEW_TASK] = { text_task, .json = json_task },
	[VIEW_STACKS] = { text_stacks, "stacks", json_stack_list },
	[VIEW_FRAME] = { text_frame },
	[VIEW_VALUES] = { text_values, .json = json_values },
	[VIEW_REGIONS] = { text_regions, "regions", json_region_list },
	[VIEW_LOCKS] = { text_locks, "locks", json_lock_list },
	[VIEW_WHY] = { text_why, "findings", json_finding_list },
	[VIEW_HISTORY] = { text_history, .json = json_history },
	[VIEW_STATUS] = { text_status, .json = json_status },
	[VIEW_ICVS] = { text_icvs, "icvs", json_icv_list },
	[VIEW_ENVIRONMENT] = { text_environment, .json = json_environment },
	[VIEW_INQUIRIES] = { text_inquiries, "inquiries", json_inquiry_list },
};

struct ompdbg_error *print_view(struct process *process, enum view view,
				const struct view_options *options, const struct form *form,
				struct sink *sink)
{
	struct ompdbg_error *error = view == VIEW_HISTORY ? check_recording(process, options) :
							    NULL;
	struct text text;

	if (error)
		return error;
	if (form->json && views[view].list)
		return json_list_document(process, views[view].name, views[view].list, options,
					  sink);
	if (form->json && views[view].json)
		return views[view].json(process, options, sink);
	text_init(&text, process, form);
	error = views[view].text(&text, options);
	if (!error && process_is_interrupted(process))
		error = &ompdbg_error_interrupted;
	return error ? error : text_write(&text, sink);
}
