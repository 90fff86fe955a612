// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The vectors of tasks that depend on others, in the order in which a walk comes to them. That is
// roughly the order in which the tasks were made, and in which they lie in memory; to follow each
// chain of dependences to its end would lead through all of the memory for every chain.

#ifndef OMPDBG_GOMP_TASK_VECTORS_H
#define OMPDBG_GOMP_TASK_VECTORS_H

#include "gomp/gomp.h"

enum { TASK_VECTORS_CHUNK = 64 }; // pointers that are read at once

/** A vector, with its first element: most have one only. */
struct task_vector {
	uint64_t elements, first;
	uint64_t parent; // of its tasks, 0 if it has ended
	uint32_t next, count;
};

/** All zero is empty. */
struct task_vectors {
	struct task_vector *ring;
	size_t begin, count, capacity;	    // capacity is a power of two, or 0
	uint64_t chunk[TASK_VECTORS_CHUNK]; // part of the vector that is in turn
	uint64_t chunk_address;		    // 0: nothing
};

/**
 * Add the vector at @p vector, of tasks that @p parent generated.
 * @return ok; error if it cannot be read or makes no sense; nomem.
 */
ompd_rc_t task_vectors_add(struct task_vectors *vectors, const struct runtime *runtime,
			   uint64_t vector, uint64_t parent);

/**
 * Take the next task.
 * @param[out] parent as of task_vectors_add().
 * @return ok; unavailable if there are no more; error if the rest of a vector cannot be read: it is
 *         given up.
 */
ompd_rc_t task_vectors_take(struct task_vectors *vectors, const struct runtime *runtime,
			    uint64_t *task, uint64_t *parent);

/** Give up the vector that is in turn. */
void task_vectors_drop(struct task_vectors *vectors);

void task_vectors_close(struct task_vectors *vectors, const struct runtime *runtime);

#endif
