// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors of handles, which the debugger frees after releasing each handle in them.

#ifndef OMPDBG_VECTORS_H
#define OMPDBG_VECTORS_H

#include "front.h"

/** A handle with that number in a region. */
typedef core_rc_t (*vector_member_fn)(core_parallel_handle_t *parallel, int number, void **ret);

/**
 * Make a handle for each thread of a region's team.
 * @param[out] vector NULL: only their number is wanted.
 * @return ok; nomem; or what the core says. A thread that is about to join or to leave the team
 *         has no place in it.
 */
ompd_rc_t vector_of_team(ompd_parallel_handle_t *parallel, vector_member_fn member,
			 enum handle_kind kind, void ***vector, int *num_handles);

/** Release @p count handles, and the vector. */
void vector_discard(void **vector, size_t count, enum handle_kind kind);

#endif
