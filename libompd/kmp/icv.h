// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The internal control variables of libomp: one table, one row a variable.

#ifndef OMPDBG_KMP_ICV_H
#define OMPDBG_KMP_ICV_H

#include "kmp/kmp.h"
#include "runtime/icv.h"
#include "runtime/icv_list.h"

/** The handle for which a variable is read. Members that the handle does not determine are null. */
struct kmp_icv_query {
	const struct kmp_runtime *runtime;
	const struct kmp_thread *thread;
	const struct kmp_region *region;
	const struct kmp_task *task;
};

/** Value of a variable as an integer. ompd_rc_incomplete: a list, of which this is the first. */
ompd_rc_t kmp_icv_value(enum icv icv, const struct kmp_icv_query *query, ompd_word_t *ret);
/** Write a variable's text, at most ICV_TEXT_MAX bytes. */
ompd_rc_t kmp_icv_text(enum icv icv, const struct kmp_icv_query *query, char *text);

/** Environment variables that steer the runtime; a null name ends them. */
extern const struct icv_control_var kmp_control_vars[];

// What a query is about (kmp/icv_scoped.c); bad_input if it does not tell.
ompd_rc_t kmp_icv_task(const struct kmp_icv_query *query, struct kmp_task *ret);
ompd_rc_t kmp_icv_region(const struct kmp_icv_query *query, struct kmp_region *ret);
/** Address of the kmp_internal_control with the variables of the query's task. */
ompd_rc_t kmp_icv_base(const struct kmp_icv_query *query, uint64_t *ret);

/** Read a member of the kmp_internal_control of the query's task. */
ompd_rc_t kmp_icv_read(const struct kmp_icv_query *query, enum kmp_field field, ompd_word_t *ret);

// Readers of integers and writers of texts, used by the table (kmp/icv_table.c).
#define KMP_ICV_READER(name) \
	ompd_rc_t kmp_icv_##name(const struct kmp_icv_query *query, ompd_word_t *ret)
#define KMP_ICV_WRITER(name) \
	ompd_rc_t kmp_icv_write_##name(const struct kmp_icv_query *query, char *text)

#define ICV_ROW(id, name, scope, form) KMP_ICV_READER(id);
#define ICV_TEXT(id, name, scope) KMP_ICV_WRITER(id);
#include "runtime/icvs.def"

// The rest of those whose text is their own.
KMP_ICV_WRITER(bind);
KMP_ICV_WRITER(nthreads);
KMP_ICV_WRITER(run_sched);

#endif
