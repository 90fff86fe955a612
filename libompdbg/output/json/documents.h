// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The JSON documents of commands.

#ifndef OMPDBG_DOCUMENTS_H
#define OMPDBG_DOCUMENTS_H

#include "output/icv_rows.h"
#include "output/json/parts.h"
#include "output/output.h"

// ---- Documents of commands, as docs/json.md has them -------------------------------------------

typedef struct ompdbg_error *json_view(struct process *process, const struct view_options *options,
				       struct sink *sink);
json_view json_threads, json_tasks, json_task, json_values, json_history, json_status,
	json_environment;

/** Write everything that the commands tell into one document, and `about`, which @p write_about writes
 *  as an object: it gets what could not be told. (report.c) */
struct ompdbg_error *json_report(struct process *process,
				 void (*write_about)(void *context, struct json *json,
						     const char *const *problems, size_t count),
				 void *context, struct sink *sink);

// ---- Lists, of which most documents consist ----------------------------------------------------

// The lists of views are of the options of theirs (struct view_options).
json_list json_stack_list, json_thread_list, json_finding_list, json_icv_list, json_inquiry_list,
	json_region_list, json_lock_list, json_task_count_list;
/** Events that are shown. */
struct shown_events {
	struct history *history;
	const struct history_event *events;
	size_t count;
};
json_list json_event_list; // of const struct shown_events *

// ---- Members that several documents have -------------------------------------------------------

/** Write the members of a task into an object that may have more. @p in_full: if it has begun, also the
 *  variables of its code's frame. */
void json_task_members(struct json *json, struct task *task, bool in_full);
/** Write what is known of a recording; null: there is none. */
void json_recording(struct json *json, struct process *process);
/** Write the array of the document of `env`. */
void json_environments(struct json *json, struct process *process);
/** Write the members of the document of `status`. */
void json_status_members(struct json *json, struct process *process);

#endif
