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

/** The forms of a view. */
static const struct {
	text_view *text;
	json_view *json;
	const char *name; // of the one value that the document has; NULL: it has several
} views[NUM_VIEWS] = {
	[VIEW_THREADS] = { text_threads, json_threads },
	[VIEW_TASKS] = { text_tasks, json_tasks },
	[VIEW_TASK_COUNTS] = { text_task_counts, json_task_count_list, "counts" },
	[VIEW_TASK] = { text_task, json_task, "task" },
	[VIEW_STACKS] = { text_stacks, json_stack_list, "stacks" },
	[VIEW_FRAME] = { text_frame },
	[VIEW_VALUES] = { text_values, json_values },
	[VIEW_REGIONS] = { text_regions, json_region_list, "regions" },
	[VIEW_LOCKS] = { text_locks, json_lock_list, "locks" },
	[VIEW_WHY] = { text_why, json_finding_list, "findings" },
	[VIEW_HISTORY] = { text_history, json_history },
	[VIEW_STATUS] = { text_status, json_status },
	[VIEW_ICVS] = { text_icvs, json_icv_list, "icvs" },
	[VIEW_ENVIRONMENT] = { text_environment, json_environment, "environment" },
	[VIEW_INQUIRIES] = { text_inquiries, json_inquiry_list, "inquiries" },
};

static struct ompdbg_error *print_document(struct process *process, enum view view,
					   const struct view_options *options, struct sink *sink)
{
	struct json json;

	json_begin_document(&json, process, sink);
	if (views[view].name)
		json_key(&json, views[view].name);
	views[view].json(&json, options);
	return json_end_document(&json);
}

struct ompdbg_error *print_view(struct process *process, enum view view,
				const struct view_options *options, const struct form *form,
				struct sink *sink)
{
	struct ompdbg_error *error = view == VIEW_HISTORY ? check_recording(process, options) :
							    NULL;
	struct text text;

	if (error)
		return error;
	if (form->json && views[view].json) {
		error = print_document(process, view, options, sink);
		return !error && budget_is_spent() ? interruption() : error;
	}
	text_init(&text, process, form);
	error = views[view].text(&text, options);
	if (!error && process_is_interrupted(process))
		error = interruption();
	return error ? error : text_write(&text, sink);
}
