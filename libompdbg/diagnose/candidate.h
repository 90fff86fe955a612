// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that perhaps hold a lock whose owner nobody records.

#ifndef OMPDBG_CANDIDATE_H
#define OMPDBG_CANDIDATE_H

#include "diagnose/room.h"

/**
 * Find who may hold a lock: functions on a stack whose own calls have set it and, on some way to where
 * they are, have not unset it; if there is none, frames of other threads that hold its address.
 */
void find_candidates(struct process *process, struct lock *lock);
/** Check for a function of a runtime that unsets locks, or ends a critical or atomic construct. */
bool is_unset_function(const char *function);
/** Find the owner of a lock in the recording (taking.c). @return false: it is not certain. */
bool find_owner_in_history(struct process *process, struct lock *lock);
/** Find when and where the owner of a lock took it, and whether the recording has another owner than the
 *  runtime (taking.c). */
void find_taking(struct process *process, struct lock *lock);

#endif
