// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects of the model as JSON (docs/json.md), as several documents have them. NULL gives null.

#ifndef OMPDBG_JSON_PARTS_H
#define OMPDBG_JSON_PARTS_H

#include "output/json/json.h"
#include "output/output.h"

/** Write how texts call code: a function by its name, if that is long abbreviated; without one by @p title. */
void json_member_title(struct json *json, const char *function, const char *title);
void json_member_location(struct json *json, const char *name, const struct location *location);
void json_member_wait(struct json *json, const struct wait *wait);
void json_member_tristate(struct json *json, const char *name, enum tristate value);
/** Write the debugger's number of a thread, or of several. */
void json_member_thread(struct json *json, const char *name, const struct thread *thread);
void json_member_threads(struct json *json, const char *name, const struct thread_list *threads);
/** Write what a thread does, in words and as an activity: members of its object. */
void json_doing(struct json *json, const struct doing *doing);
/** Write the members of a team into an object that has more. */
void json_team_members(struct json *json, struct team *team);
void json_thread(struct json *json, struct thread *thread);
/** Write a member "recorded" with what was recorded, if anything was (history.c). */
void json_recorded_thread(struct json *json, struct thread *thread);
void json_recorded_task(struct json *json, struct task *task);
void json_recorded_region(struct json *json, struct region *region);
void json_recorded_lock(struct json *json, const struct lock *lock);

/** How much of a stack is shown. */
struct shown_frames {
	bool raw;     // frames of runtimes and libraries, too
	size_t limit; // of innermost frames, over all parts; 0: all
};
/** Write the members of a stack into an object that may have more. */
void json_stack_members(struct json *json, const struct logical_stack *stack,
			const struct shown_frames *shown);

#endif
