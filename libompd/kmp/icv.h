// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Readers of the internal control variables of LLVM's runtime.

#ifndef OMPDBG_KMP_ICV_H
#define OMPDBG_KMP_ICV_H

#include "kmp/kmp.h"

// Named in runtime/icvs.def.
ICV_VALUE(kmp_icv_variable);
ICV_TEXT(kmp_icv_string);
ICV_VALUE(kmp_icv_environment);
ICV_LIST(kmp_icv_list);
ICV_SCHEDULE(kmp_icv_schedule);
ICV_VALUE(kmp_icv_task);
ICV_VALUE(kmp_icv_region);
ICV_VALUE(kmp_icv_league);
ICV_VALUE(kmp_icv_thread_num);
ICV_VALUE(kmp_icv_allocator);
ICV_VALUE(kmp_icv_place);
ICV_TEXT(kmp_icv_places);

/** Find the region that an object leads to; bad_input if it leads to none. */
ompd_rc_t kmp_region_of(const struct runtime *runtime, const struct object *of, struct region *ret);
/** Read a member of the kmp_internal_control of the object's task. */
ompd_rc_t kmp_icv_read(const struct runtime *runtime, const struct object *of, enum kmp_field field,
		       ompd_word_t *ret);

#endif
