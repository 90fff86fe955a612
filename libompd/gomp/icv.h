// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The internal control variables of libgomp: one table, one row a variable.

#ifndef OMPDBG_GOMP_ICV_H
#define OMPDBG_GOMP_ICV_H

#include "gomp/gomp.h"
#include "runtime/icv.h"
#include "runtime/icv_list.h"

/** Return the value of an integer of @p bits bits with its sign. */
static inline ompd_word_t gomp_icv_signed(uint64_t value, unsigned int bits)
{
	return (ompd_word_t)(value << (64 - bits)) >> (64 - bits);
}

// What the readers share (gomp/icv_scoped.c).
ompd_rc_t gomp_icv_region(const struct runtime *runtime, const struct object *of,
			  struct region *ret);
/** Read a member of the struct gomp_task_icv of the object's task. */
ompd_rc_t gomp_icv_read(const struct runtime *runtime, const struct object *of,
			enum gomp_field field, uint64_t *ret);

// Readers of integers and writers of texts, used by the table (gomp/icv_table.c).
#define GOMP_ICV_READER(name)                                                      \
	ompd_rc_t gomp_icv_##name(const struct runtime *runtime,                   \
				  __attribute__((unused)) const struct object *of, \
				  ompd_word_t *ret)
#define GOMP_ICV_WRITER(name)                                                            \
	ompd_rc_t gomp_icv_write_##name(const struct runtime *runtime,                   \
					__attribute__((unused)) const struct object *of, \
					char *text)

#define ICV_ROW(id, name, scope, form) GOMP_ICV_READER(id);
#define ICV_TEXT(id, name, scope) GOMP_ICV_WRITER(id);
#include "runtime/icvs.def"
/** For what a release does not keep. */
GOMP_ICV_READER(not_kept);

// The rest of those whose text is their own.
GOMP_ICV_WRITER(bind);
GOMP_ICV_WRITER(nthreads);
GOMP_ICV_WRITER(run_sched);

#endif
