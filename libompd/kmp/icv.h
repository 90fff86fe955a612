// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The internal control variables of libomp: one table, one row a variable.

#ifndef OMPDBG_KMP_ICV_H
#define OMPDBG_KMP_ICV_H

#include "kmp/kmp.h"
#include "runtime/icv.h"

/** What a variable is asked of. Members that the handle does not tell are null. */
struct kmp_icv_query {
	const struct kmp_runtime *runtime;
	const struct kmp_thread *thread;
	const struct kmp_region *region;
	const struct kmp_task *task;
};

/** Value of a variable as an integer. ompd_rc_incomplete: a list, of which this is the first. */
ompd_rc_t kmp_icv_value(enum icv icv, const struct kmp_icv_query *query, ompd_word_t *ret);
/** Its text of at most ICV_TEXT_MAX bytes. */
ompd_rc_t kmp_icv_text(enum icv icv, const struct kmp_icv_query *query, char *text);

/** Environment variables that steer the runtime; a null name ends them. */
extern const struct icv_control_var kmp_control_vars[];

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

#define ICV_ROW(id, name, scope, form) KMP_ICV_READER(id);
#include "runtime/icvs.def"

KMP_ICV_FORMATTER(affinity_format);
KMP_ICV_FORMATTER(nthreads);
KMP_ICV_FORMATTER(place_partition);
KMP_ICV_FORMATTER(run_sched);
KMP_ICV_FORMATTER(tool_libraries);
KMP_ICV_FORMATTER(tool_verbose_init);

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
