// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Recorded events in words, and by the names that JSON has for them.

#ifndef OMPDBG_HISTORY_WORDS_H
#define OMPDBG_HISTORY_WORDS_H

#include "diagnose/diagnose.h"

/** Name the kind of an event: "acquired". */
const char *event_kind_name(const struct record_event *event);
/** Name what it is about: "lock", "barrier"; NULL: nothing. */
const char *event_detail_name(const struct record_event *event);
/** Check for an event about a lock, critical construct or the like. */
bool event_is_of_mutex(const struct record_event *event);
/** Check for a single construct that another thread executes. */
bool event_is_passed(const struct record_event *event);
/** Name the lock or variable that it is about; NULL: none, or it has no name. */
const char *event_object_name(struct process *process, const struct record_event *event);
/** Name a lock, or a critical construct by its variable; NULL. @p near: code that may see the variable. */
const char *mutex_name(struct process *process, uint64_t object, bool is_critical, uint64_t near);
/** Write the kind and the name of a mutex, which may be NULL. Of what has no name but locks, the place
 *  tells which it is. */
const char *mutex_title(struct arena *arena, const char *kind, const char *name, bool is_lock,
			uint64_t object);
/** Say what the thread did: "took lock v.lock_". */
const char *event_text(struct process *process, const struct record_event *event);

#endif
