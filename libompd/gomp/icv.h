// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The internal control variables of libgomp: one table, one row a variable.

#ifndef OMPDBG_GOMP_ICV_H
#define OMPDBG_GOMP_ICV_H

#include "gomp/gomp.h"

/** What a variable is asked of. Members that the handle does not tell are null. */
struct gomp_icv_query {
	const struct gomp_runtime *runtime;
	const struct gomp_thread *thread;
	const struct gomp_region *region;
	const struct gomp_task *task;
};

enum {
	GOMP_ICV_TEXT_MAX = 256,
};

struct gomp_icv {
	const char *name;
	ompd_scope_t scope;
	/** Value as an integer. ompd_rc_incomplete: a list, of which this is the first. */
	ompd_rc_t (*read)(const struct gomp_icv_query *query, ompd_word_t *ret);
	/** Value as text, if it is not just the integer in decimal. */
	ompd_rc_t (*format)(const struct gomp_icv_query *query, ompd_word_t value, char *text);
};

extern const struct gomp_icv gomp_icvs[];
extern const size_t gomp_icv_count;

/** Value of an ICV as text of at most GOMP_ICV_TEXT_MAX bytes. */
ompd_rc_t gomp_icv_text(const struct gomp_icv *icv, const struct gomp_icv_query *query, char *text);

enum {
	GOMP_CONTROL_VAR_MAX = GOMP_ICV_TEXT_MAX + 64,
};

/** Environment variables that steer the runtime (gomp/control_vars.c). */
size_t gomp_control_var_count(void);
/** "NAME=value" with the value in force in the process: from the runtime's variables, where they
 * are known; else from the environment that the process was started with; "undefined" if it is
 * not there, "unknown" if either cannot be read.
 * @p text has GOMP_CONTROL_VAR_MAX bytes. */
void gomp_control_var_text(const struct gomp_runtime *runtime, size_t index, char *text);

/** The value of an integer of @p bits bits with its sign. */
static inline ompd_word_t gomp_icv_signed(uint64_t value, unsigned int bits)
{
	return (ompd_word_t)(value << (64 - bits)) >> (64 - bits);
}

// Readers, used by the table (gomp/icv_table.c).
#define GOMP_ICV_READER(name) \
	ompd_rc_t gomp_icv_##name(const struct gomp_icv_query *query, ompd_word_t *ret)
#define GOMP_ICV_FORMATTER(name)                                                                \
	ompd_rc_t gomp_icv_format_##name(const struct gomp_icv_query *query, ompd_word_t value, \
					 char *text)

GOMP_ICV_READER(dyn);
GOMP_ICV_READER(nthreads);
GOMP_ICV_READER(default_device);
GOMP_ICV_READER(run_sched);
GOMP_ICV_READER(thread_limit);
GOMP_ICV_READER(max_active_levels);
GOMP_ICV_READER(bind);
GOMP_ICV_READER(final_task);
GOMP_ICV_READER(implicit_task);
GOMP_ICV_READER(explicit_task);
GOMP_ICV_READER(def_allocator);
GOMP_ICV_READER(thread_num);
GOMP_ICV_READER(place_partition);
GOMP_ICV_READER(place_assignment);
GOMP_ICV_READER(team_num);
GOMP_ICV_READER(league_size);
GOMP_ICV_READER(levels);
GOMP_ICV_READER(active_levels);
GOMP_ICV_READER(team_size);
GOMP_ICV_READER(stacksize);
GOMP_ICV_READER(cancel);
GOMP_ICV_READER(max_task_priority);
GOMP_ICV_READER(display_affinity);
GOMP_ICV_READER(affinity_format);
GOMP_ICV_READER(num_procs);
GOMP_ICV_READER(wait_policy);
GOMP_ICV_READER(target_offload);
GOMP_ICV_READER(nteams);
GOMP_ICV_READER(teams_thread_limit);
GOMP_ICV_READER(no_tool_interface);
GOMP_ICV_READER(not_kept);

GOMP_ICV_FORMATTER(boolean);
GOMP_ICV_FORMATTER(nthreads);
GOMP_ICV_FORMATTER(schedule);
GOMP_ICV_FORMATTER(bind);
GOMP_ICV_FORMATTER(places);
GOMP_ICV_FORMATTER(affinity_format);
GOMP_ICV_FORMATTER(wait_policy);
GOMP_ICV_FORMATTER(target_offload);
GOMP_ICV_FORMATTER(allocator);

/** The affinity format; @p text has GOMP_ICV_TEXT_MAX bytes. */
ompd_rc_t gomp_icv_affinity_format_text(const struct gomp_icv_query *query, char *text);

enum {
	GOMP_NTHREADS_LIST_MAX = 64, // levels beyond are left out
};

/** OMP_NUM_THREADS as a list by level, if it is one; length 0 if it is not. */
struct gomp_nthreads_list {
	uint64_t values[GOMP_NTHREADS_LIST_MAX];
	size_t length;
};

ompd_rc_t gomp_icv_nthreads_list(const struct gomp_icv_query *query,
				 struct gomp_nthreads_list *ret);

#endif
