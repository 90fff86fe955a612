// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Readers of the internal control variables of libgomp, for the table (gomp/icv_table.c).

#ifndef OMPDBG_GOMP_ICV_H
#define OMPDBG_GOMP_ICV_H

#include "gomp/gomp.h"

// Of the process (gomp/icv_process.c).
ICV_VALUE(gomp_icv_variable);
ICV_VALUE(gomp_icv_not_kept);
ICV_VALUE(gomp_icv_no_tools);
ICV_TEXT(gomp_icv_affinity_format);

// Lists by level (gomp/icv_lists.c).
ICV_LIST(gomp_icv_list);

// Of the data environment, tasks, threads and regions (gomp/icv_scoped.c).
ICV_VALUE(gomp_icv_of_environment);
ICV_VALUE(gomp_icv_nest);
ICV_VALUE(gomp_icv_schedule);
ICV_TEXT(gomp_icv_schedule_text);
ICV_VALUE(gomp_icv_of_task);
ICV_VALUE(gomp_icv_def_allocator);
ICV_VALUE(gomp_icv_thread_num);
ICV_VALUE(gomp_icv_place);
ICV_TEXT(gomp_icv_places);
ICV_VALUE(gomp_icv_of_league);
ICV_VALUE(gomp_icv_of_region);
ICV_VALUE(gomp_icv_generator);

/** Find the region that an object leads to; bad_input if it leads to none. */
ompd_rc_t gomp_icv_region(const struct runtime *runtime, const struct object *of,
			  struct region *ret);
/** Read a member of the struct gomp_task_icv of the object's task. */
ompd_rc_t gomp_icv_read(const struct runtime *runtime, const struct object *of,
			enum gomp_field field, uint64_t *ret);

#endif
