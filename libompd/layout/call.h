// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which function a call instruction calls, and what it passes.

#ifndef OMPDBG_CALL_H
#define OMPDBG_CALL_H

#include "ompd/ompd_ext.h"
#include "target/target.h"

/**
 * Entry point of the function that the call instruction just before @p return_address calls:
 * directly, or through a pointer in memory at a fixed address (the GOT). A stub of the PLT is
 * followed to the function.
 * ompd_rc_unavailable if no such instruction ends there.
 */
ompd_rc_t call_target(const struct target *target, uint64_t return_address, uint64_t *ret);

/**
 * Check whether code from @p begin to before the call that returns to @p return_address calls @p
 * function.
 */
ompd_rc_t call_precedes(const struct target *target, uint64_t begin, uint64_t return_address,
			uint64_t function, bool *ret);

/** Follow stubs of the PLT at @p entry to the function; @p entry itself if it is none. */
ompd_rc_t call_follow_stub(const struct target *target, uint64_t entry, uint64_t *ret);

/**
 * Return what the code before the call that returns to @p return_address passes as argument @p
 * number, the first being 0. If other code jumps to between there and the call, that is not seen.
 */
ompd_rc_t call_argument(const struct target *target, uint64_t return_address, unsigned int number,
			ompd_ext_argument *ret);

#endif
