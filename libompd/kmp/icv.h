// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The internal control variables of libomp: one table, one row a variable.

#ifndef OMPDBG_KMP_ICV_H
#define OMPDBG_KMP_ICV_H

#include "kmp/kmp.h"
#include "runtime/icv.h"
#include "runtime/icv_list.h"

// What an object leads to (kmp/icv_scoped.c); bad_input if it does not tell.
ompd_rc_t kmp_icv_task(const struct runtime *runtime, const struct object *of, struct task *ret);
ompd_rc_t kmp_icv_region(const struct runtime *runtime, const struct object *of,
			 struct region *ret);
/** Address of the kmp_internal_control with the variables of the object's task. */
ompd_rc_t kmp_icv_base(const struct runtime *runtime, const struct object *of, uint64_t *ret);

/** Read a member of the kmp_internal_control of the object's task. */
ompd_rc_t kmp_icv_read(const struct runtime *runtime, const struct object *of, enum kmp_field field,
		       ompd_word_t *ret);

// Readers of integers and writers of texts, used by the table (kmp/icv_table.c).
#define KMP_ICV_READER(name)                                                      \
	ompd_rc_t kmp_icv_##name(const struct runtime *runtime,                   \
				 __attribute__((unused)) const struct object *of, \
				 ompd_word_t *ret)
#define KMP_ICV_WRITER(name)                                                            \
	ompd_rc_t kmp_icv_write_##name(const struct runtime *runtime,                   \
				       __attribute__((unused)) const struct object *of, \
				       char *text)

#define ICV_ROW(id, name, scope, form) KMP_ICV_READER(id);
#define ICV_TEXT(id, name, scope) KMP_ICV_WRITER(id);
#include "runtime/icvs.def"

// The rest of those whose text is their own.
KMP_ICV_WRITER(bind);
KMP_ICV_WRITER(nthreads);
KMP_ICV_WRITER(run_sched);

#endif
