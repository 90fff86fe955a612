// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Readers of the internal control variables of libgomp.

#ifndef OMPDBG_GOMP_ICV_H
#define OMPDBG_GOMP_ICV_H

#include "gomp/gomp.h"

// Named in runtime/icvs.def.
ICV_VALUE(gomp_icv_variable);
ICV_TEXT(gomp_icv_string);
ICV_VALUE(gomp_icv_environment);
ICV_LIST(gomp_icv_list);
ICV_SCHEDULE(gomp_icv_schedule);
ICV_VALUE(gomp_icv_task);
ICV_VALUE(gomp_icv_region);
ICV_VALUE(gomp_icv_league);
ICV_VALUE(gomp_icv_thread_num);
ICV_VALUE(gomp_icv_allocator);
ICV_VALUE(gomp_icv_place);
ICV_TEXT(gomp_icv_places);

/** For what the release does not keep. */
ompd_rc_t gomp_icv_not_kept(void);

/** Find the region that an object leads to; bad_input if it leads to none. */
ompd_rc_t gomp_region_of(const struct runtime *runtime, const struct object *of,
			 struct region *ret);
/** Read a member of the struct gomp_task_icv of the object's task. */
ompd_rc_t gomp_icv_read(const struct runtime *runtime, const struct object *of,
			enum gomp_field field, uint64_t *ret);

#endif
