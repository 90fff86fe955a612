// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a frame passed in a call: the instructions before the call are carried out on what registers
// and memory hold now. What has changed since the call makes the value wrong, so that it is a proposal:
// something else must confirm it, or it is shown as a guess.

#ifndef OMPDBG_EVALUATE_H
#define OMPDBG_EVALUATE_H

#include "libcode/code.h"
#include "wait/evidence.h"

/**
 * Work out an argument of a call.
 * @param returns the address to which the call returns, in the function of @p frame. If that is not
 *        the frame's pc, registers count as unchanged that no way from the call to there writes.
 * @param number of the argument, from 0 on.
 * @param flow of the frame's function, perhaps without the ways that are known not to have been taken
 *        since the call; NULL: all of it.
 * @return false: the code does not tell.
 */
bool evaluate_argument(struct thread *thread, struct stack_frame *frame, uint64_t returns,
		       unsigned int number, const struct code_flow *flow, uint64_t *ret);

#endif
