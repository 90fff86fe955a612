// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Events of all kinds of mutexes.

#ifndef OMPT_GOMP_MUTEX_H
#define OMPT_GOMP_MUTEX_H

#include "state.h"

/** Tell the tool that a thread is about to acquire, or initialises, a mutex. */
void gomp_mutex_acquire(struct thread *thread, ompt_mutex_t kind, ompt_callbacks_t event,
			uint64_t wait_id, const void *code);
/** Tell the tool that a mutex was acquired, released or destroyed. */
void gomp_mutex_event(ompt_mutex_t kind, ompt_callbacks_t event, uint64_t wait_id,
		      const void *code);

#endif
