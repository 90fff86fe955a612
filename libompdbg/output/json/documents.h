// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The JSON documents of commands.

#ifndef OMPDBG_DOCUMENTS_H
#define OMPDBG_DOCUMENTS_H

#include "output/icv_rows.h"
#include "output/json/parts.h"
#include "output/output.h"

// ---- Documents of commands, as docs/json.md has them -------------------------------------------

struct ompdbg_error *json_threads(struct process *process, const struct threads_options *options,
				  struct sink *sink);
struct ompdbg_error *json_tasks(struct process *process, bool queued, struct sink *sink);
struct ompdbg_error *json_one_task(struct process *process, uint64_t number, struct sink *sink);
struct ompdbg_error *json_values(struct process *process, const struct values *values,
				 struct sink *sink);
struct ompdbg_error *json_history(struct history *history, const struct history_options *options,
				  struct sink *sink);
struct ompdbg_error *json_status(struct process *process, struct sink *sink);
struct ompdbg_error *json_environment(struct process *process, struct sink *sink);

/** Write everything that the commands tell into one document, and `about`, which @p write_about writes
 *  as an object: it gets what could not be told. (report.c) */
struct ompdbg_error *json_report(struct process *process,
				 void (*write_about)(void *context, struct json *json,
						     const char *const *problems, size_t count),
				 void *context, struct sink *sink);

// ---- Lists, of which most documents consist ----------------------------------------------------

struct shown_findings {
	const struct finding *findings;
	size_t count;
};
struct shown_icvs {
	struct thread *const *threads;
	size_t num_threads;
	const char *scope; // NULL: all
};
struct shown_inquiries {
	struct thread *const *threads;
	size_t num_threads;
	enum inquiry_kind which;
	int level;
};
struct shown_events {
	struct history *history;
	const struct history_event *events;
	size_t count;
};
json_list json_stack_list;   // of const struct bt_options *
json_list json_thread_list;  // of const struct threads_options *
json_list json_finding_list; // of const struct shown_findings *
json_list json_icv_list;     // of const struct shown_icvs *
json_list json_inquiry_list; // of const struct shown_inquiries *
json_list json_event_list;   // of const struct shown_events *
json_list json_region_list, json_lock_list, json_task_count_list; // of NULL: all of the process

// ---- Members that several documents have -------------------------------------------------------

/** Write the members of a task into an object that may have more. */
void json_task_members(struct json *json, struct task *task);
/** Write what is known of a recording; null: there is none. */
void json_recording(struct json *json, struct process *process);
/** Write the array of the document of `env`. */
void json_environments(struct json *json, struct process *process);
/** Write the members of the document of `status`. */
void json_status_members(struct json *json, struct process *process);

#endif
