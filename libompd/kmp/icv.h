// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Readers of the internal control variables of LLVM's runtime, for the table (kmp/icv_table.c).

#ifndef OMPDBG_KMP_ICV_H
#define OMPDBG_KMP_ICV_H

#include "kmp/kmp.h"

// Of the process (kmp/icv_process.c).
ICV_VALUE(kmp_icv_variable);
ICV_TEXT(kmp_icv_string);

// Lists by level (kmp/icv_lists.c).
ICV_LIST(kmp_icv_nthreads);
ICV_LIST(kmp_icv_bind);

// Of the data environment, tasks and regions (kmp/icv_scoped.c).
ICV_VALUE(kmp_icv_of_environment);
ICV_VALUE(kmp_icv_schedule);
ICV_TEXT(kmp_icv_schedule_text);
ICV_VALUE(kmp_icv_of_task);
ICV_VALUE(kmp_icv_of_region);

// Of threads (kmp/icv_thread.c).
ICV_VALUE(kmp_icv_thread_num);
ICV_VALUE(kmp_icv_def_allocator);
ICV_VALUE(kmp_icv_place);
ICV_TEXT(kmp_icv_places);
ICV_VALUE(kmp_icv_of_league);

/** Find the region that an object leads to; bad_input if it leads to none. */
ompd_rc_t kmp_icv_region(const struct runtime *runtime, const struct object *of,
			 struct region *ret);
/** Read a member of the kmp_internal_control of the object's task. */
ompd_rc_t kmp_icv_read(const struct runtime *runtime, const struct object *of, enum kmp_field field,
		       ompd_word_t *ret);

#endif
