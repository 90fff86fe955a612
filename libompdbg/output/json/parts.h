// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects of the model as JSON (docs/json.md), as several documents have them. NULL gives null.

#ifndef OMPDBG_JSON_PARTS_H
#define OMPDBG_JSON_PARTS_H

#include "base/buffer.h"
#include "output/json/json.h"
#include "output/output.h"

void json_location(struct json *json, const struct location *location);
void json_wait(struct json *json, const struct wait *wait);
/** Write what a thread does, in words and as an activity: members of its object. */
void json_doing(struct json *json, const struct doing *doing);
void json_team(struct json *json, struct team *team);
/** Write the members of a team into an object that has more. */
void json_team_members(struct json *json, struct team *team);
void json_thread(struct json *json, struct thread *thread);
/** Write a member "recorded" with what was recorded, if anything was (json_history.c). */
void json_recorded_thread(struct json *json, struct thread *thread);
void json_recorded_task(struct json *json, struct task *task);
void json_recorded_region(struct json *json, struct region *region);
void json_recorded_lock(struct json *json, const struct lock *lock);
/** Write all teams of parallel regions, as an array. */
void json_teams(struct json *json, struct process *process);

/** How much of a stack is shown. */
struct shown_frames {
	bool raw;     // frames of runtimes and libraries, too
	size_t limit; // of innermost frames, over all parts; 0: all
};
/** Write the members of a stack into an object that may have more. */
void json_stack_members(struct json *json, const struct logical_stack *stack,
			const struct shown_frames *shown);

// ---- Whole documents ---------------------------------------------------------------------------

/** A document whose largest list is last, with one element on each line: nothing of it is kept. */
struct json_document {
	struct json json;
	struct buffer buffer;
	struct sink *sink;
	bool has_element;
};
/** Begin a document. Members that come before the list are written to `json` next. */
void json_document_begin(struct json_document *document, struct sink *sink);
/** Begin the list. */
void json_document_list(struct json_document *document, const char *name);
/** Begin an element of the list, which is written to `json` next; passes on what was written. */
struct ompdbg_error *json_document_element(struct json_document *document);
/** End the list; members that come after it are written to `json` next. */
void json_document_end_list(struct json_document *document);
/** End the document, and release it. @p error: of an element, or NULL; it is passed on. */
struct ompdbg_error *json_document_end(struct json_document *document, struct ompdbg_error *error);

/** Print the stacks of `bt -json`. (json_stack.c) */
struct ompdbg_error *print_stacks_json(struct process *process, const struct bt_options *options,
				       struct sink *sink);

#endif
