// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is printed of a profile: as text, as JSON, and as events for viewers of traces.

#ifndef OMPDBG_PROFILE_VIEW_H
#define OMPDBG_PROFILE_VIEW_H

#include "base/table.h"
#include "output/json/json.h"
#include "output/output.h"
#include "profile/profile.h"

/** A profile, and what is known of the program. */
struct profile_view {
	const char *path; // of the trace
	struct trace *trace;
	struct process *process; // the files that the program had, without its memory
	struct profile *profile;
	const char *const *notes; // about files
	size_t num_notes;
	size_t top; // rows of each table; 0: all
	bool full, tree;
	uint64_t task;		    // that was asked for; 0: none
	struct string_table places; // of profile_place()
};

/** Find the address that stands for all calls in a line of a function; 0: an unknown place. */
uint64_t profile_place(struct profile_view *view, uint64_t code, uint64_t time);
/** Describe a place; NULL: unknown. Of code without names it has the address and the file alone. */
const struct location *profile_location(const struct profile_view *view, uint64_t code);
/** Write what a construct is and where: "task in fib at fib.c:12". */
const char *profile_title(const struct profile_view *view, uint32_t construct);
/** Name kinds of constructs, and lanes, as in JSON. */
const char *profile_kind_name(enum profile_kind kind);
const char *profile_lane_name(enum profile_lane lane);
const char *task_time_name(enum task_time time);
/** Name the runtimes of the program. */
const char *profile_runtime(const struct profile_view *view);
/** Tell how the run has ended; NULL: it is unknown. */
const char *profile_end_name(const struct profile_view *view);
/** Find the name of a lock; NULL. */
const char *profile_lock_name(const struct profile_view *view, const struct profile_lock *lock);
/** List what people have to know about the profile: what is missing, damaged or unknown. */
const char *const *profile_notes(const struct profile_view *view, size_t *count);
/** Return indices of those that have figures of a kind, the one with the most time first. */
enum profile_table { TABLE_TASKS, TABLE_REGIONS, TABLE_WAITS, TABLE_LOOPS };
const uint32_t *profile_sorted(const struct profile_view *view, enum profile_table table,
			       size_t *count);
const struct profile_lock *const *profile_sorted_locks(const struct profile_view *view);
const struct path_part *profile_sorted_path(const struct profile_view *view, size_t *count);

struct ompdbg_error *print_profile(const struct profile_view *view, const struct form *form,
				   struct sink *sink);
struct ompdbg_error *json_profile(const struct profile_view *view, struct sink *sink);

/** Write events for viewers of traces (Chrome, Perfetto), each when it is known. */
struct slice_writer {
	const struct profile_view *view;
	struct json json;    // with the process and the sink
	struct table titles; // of constructs
};
void slices_begin(struct slice_writer *writer);
void slices_add(struct slice_writer *writer, const struct profile_slice *slice);
struct ompdbg_error *slices_end(struct slice_writer *writer);

#endif
