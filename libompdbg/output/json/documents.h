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
struct ompdbg_error *json_tasks_by_function(struct process *process, struct sink *sink);
struct ompdbg_error *json_values(struct process *process, const struct values *values,
				 struct sink *sink);
struct ompdbg_error *json_regions(struct process *process, struct sink *sink);
struct ompdbg_error *json_locks(struct process *process, struct sink *sink);
struct ompdbg_error *json_why(struct process *process, const struct finding *findings, size_t count,
			      struct sink *sink);
struct ompdbg_error *json_history(struct history *history, const struct history_options *options,
				  struct sink *sink);
struct ompdbg_error *json_status(struct process *process, struct sink *sink);
struct ompdbg_error *json_icvs(struct process *process, struct thread *const *threads,
			       size_t num_threads, const char *scope, struct sink *sink);
struct ompdbg_error *json_environment(struct process *process, struct sink *sink);
struct ompdbg_error *json_inquiries(struct process *process, struct thread *const *threads,
				    size_t num_threads, enum inquiry_kind which, int level,
				    struct sink *sink);

/** Write everything that the commands tell into one document, and `about`, which @p write_about writes
 *  as an object: it gets what could not be told. (json_report.c) */
struct ompdbg_error *json_report(struct process *process,
				 void (*write_about)(void *context, struct json *json,
						     const char *const *problems, size_t count),
				 void *context, struct sink *sink);

/** Write one object each, for the members that several documents have. */
void json_icv(struct json *json, const struct icv_row *row);
void json_count(struct json *json, const struct task_count *count);
void json_region(struct json *json, struct region *region);
void json_lock(struct json *json, const struct lock *lock);
void json_finding(struct json *json, const struct finding *finding);
/** Write the members of a task into an object that may have more. @p in_full: if it has begun, also the
 *  variables of its code's frame. */
void json_task_members(struct json *json, struct task *task, bool in_full);
/** Write what is known of a recording; null: there is none. */
void json_recording(struct json *json, struct process *process);
void json_event(struct json *json, struct history *history, const struct history_event *event);
/** Write the members of a time of the recording into an object that may have more. */
void json_moment(struct json *json, const struct history *history, uint64_t time);
/** Write the array of the document of `env`. */
void json_environments(struct json *json, struct process *process);
/** Write the members of the document of `status`. */
void json_status_members(struct json *json, struct process *process);
/** Begin the next element of a document's list, unless the user interrupts. */
struct ompdbg_error *next_element(struct json_document *document, struct process *process);

#endif
