// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The internal control variables of libomp: one table, one row a variable.

#ifndef OMPDBG_KMP_ICV_H
#define OMPDBG_KMP_ICV_H

#include "kmp/kmp.h"

/** What a variable is asked of. Members that the handle does not tell are null. */
struct kmp_icv_query {
	const struct kmp_runtime *runtime;
	const struct kmp_thread *thread;
	const struct kmp_region *region;
	const struct kmp_task *task;
};

enum {
	KMP_ICV_TEXT_MAX = 256,
	KMP_CONTROL_VAR_MAX = KMP_ICV_TEXT_MAX + 64,
};

struct kmp_icv {
	const char *name;
	ompd_scope_t scope;
	/** Value as an integer. ompd_rc_incomplete: a list, of which this is the first. */
	ompd_rc_t (*read)(const struct kmp_icv_query *query, ompd_word_t *ret);
	/** Value as text, if it is not just the integer in decimal. */
	ompd_rc_t (*format)(const struct kmp_icv_query *query, ompd_word_t value, char *text);
};

extern const struct kmp_icv kmp_icvs[];
extern const size_t kmp_icv_count;

/** Value of an ICV as text of at most KMP_ICV_TEXT_MAX bytes. */
ompd_rc_t kmp_icv_text(const struct kmp_icv *icv, const struct kmp_icv_query *query, char *text);

/** Environment variables that steer the runtime (kmp/control_vars.c). */
size_t kmp_control_var_count(void);
/** "NAME=value" with the value in force in the process: from the runtime's variables, where they
 * are known; else from the environment that the process was started with; "undefined" if it is
 * not there, "unknown" if either cannot be read.
 * @p text has KMP_CONTROL_VAR_MAX bytes. */
void kmp_control_var_text(const struct kmp_runtime *runtime, size_t index, char *text);

// What a query is about (kmp/icv_scoped.c); bad_input if it does not tell.
ompd_rc_t kmp_icv_task(const struct kmp_icv_query *query, struct kmp_task *ret);
ompd_rc_t kmp_icv_region(const struct kmp_icv_query *query, struct kmp_region *ret);
/** Address of the kmp_internal_control with the variables of the query's task. */
ompd_rc_t kmp_icv_base(const struct kmp_icv_query *query, uint64_t *ret);

/** Schedule as omp_get_schedule() answers it; @p chunk 0: none was set. */
ompd_rc_t kmp_icv_schedule(const struct kmp_icv_query *query, ompd_word_t *kind, int32_t *chunk);

// Readers, used by the table (kmp/icv_table.c).
#define KMP_ICV_READER(name) \
	ompd_rc_t kmp_icv_##name(const struct kmp_icv_query *query, ompd_word_t *ret)
#define KMP_ICV_FORMATTER(name)                                                               \
	ompd_rc_t kmp_icv_format_##name(const struct kmp_icv_query *query, ompd_word_t value, \
					char *text)

KMP_ICV_READER(dyn);
KMP_ICV_READER(nthreads);
KMP_ICV_READER(default_device);
KMP_ICV_READER(run_sched);
KMP_ICV_READER(thread_limit);
KMP_ICV_READER(max_active_levels);
KMP_ICV_READER(bind);
KMP_ICV_READER(final_task);
KMP_ICV_READER(implicit_task);
KMP_ICV_READER(explicit_task);
KMP_ICV_READER(def_allocator);
KMP_ICV_READER(thread_num);
KMP_ICV_READER(place_partition);
KMP_ICV_READER(place_assignment);
KMP_ICV_READER(team_num);
KMP_ICV_READER(league_size);
KMP_ICV_READER(levels);
KMP_ICV_READER(active_levels);
KMP_ICV_READER(team_size);
KMP_ICV_READER(stacksize);
KMP_ICV_READER(cancel);
KMP_ICV_READER(max_task_priority);
KMP_ICV_READER(debug);
KMP_ICV_READER(display_affinity);
KMP_ICV_READER(affinity_format);
KMP_ICV_READER(tool);
KMP_ICV_READER(tool_libraries);
KMP_ICV_READER(tool_verbose_init);
KMP_ICV_READER(num_procs);
KMP_ICV_READER(wait_policy);
KMP_ICV_READER(target_offload);
KMP_ICV_READER(nteams);
KMP_ICV_READER(teams_thread_limit);

KMP_ICV_FORMATTER(boolean);
KMP_ICV_FORMATTER(enabled);
KMP_ICV_FORMATTER(nthreads);
KMP_ICV_FORMATTER(schedule);
KMP_ICV_FORMATTER(bind);
KMP_ICV_FORMATTER(places);
KMP_ICV_FORMATTER(affinity_format);
KMP_ICV_FORMATTER(tool_libraries);
KMP_ICV_FORMATTER(tool_verbose_init);
KMP_ICV_FORMATTER(wait_policy);
KMP_ICV_FORMATTER(target_offload);
KMP_ICV_FORMATTER(allocator);

enum {
	KMP_NTHREADS_LIST_MAX = 64, // levels beyond are left out
};

/** OMP_NUM_THREADS, or a num_threads clause, as a list by level; length 0 if it is none. */
struct kmp_nthreads_list {
	uint64_t values[KMP_NTHREADS_LIST_MAX];
	size_t length;
};

ompd_rc_t kmp_icv_nthreads_list(const struct kmp_icv_query *query, const struct kmp_region *region,
				struct kmp_nthreads_list *ret);

#endif
