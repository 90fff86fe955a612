// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The JSON documents of commands.

#ifndef OMPDBG_DOCUMENTS_H
#define OMPDBG_DOCUMENTS_H

#include "output/icv_rows.h"
#include "output/json/parts.h"
#include "output/output.h"

// ---- Documents of commands, as docs/json.md has them -------------------------------------------

/** Write the members of a document, or a value of which a document consists. */
typedef void json_view(struct json *json, const struct view_options *options);
json_view json_threads, json_tasks, json_task, json_values, json_history, json_status;
json_view json_team_list, json_stack_list, json_thread_list, json_finding_list, json_icv_list,
	json_inquiry_list, json_region_list, json_lock_list, json_task_count_list, json_environment;

/** Write everything that the commands tell into one document, and `about`, which @p write_about writes
 *  as an object: it gets what could not be told. (report.c) */
struct ompdbg_error *json_report(struct process *process,
				 void (*write_about)(void *context, struct json *json,
						     const char *const *problems, size_t count),
				 void *context, struct sink *sink);

// Sections of a report that are long: files that frames name, variables of frames, and tasks.
json_view report_sources, report_variables, report_tasks;

// ---- Members that several documents have -------------------------------------------------------

/** Write the members of a task into an object that may have more. @p in_full: if it has begun, also the
 *  variables of its code's frame. */
void json_task_members(struct json *json, struct task *task, bool in_full);
/** Write the identities of the tasks that wait for one; null: they cannot be read. */
void json_member_dependers(struct json *json, struct task *task);
/** Write what is known of a recording; null: there is none. */
void json_recording(struct json *json);
/** Write the latest events, of one thread of the recording or of all (NULL), as a member. */
void json_member_events(struct json *json, const struct history_thread *only, size_t last);

#endif
