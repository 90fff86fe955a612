// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which function a call instruction calls. One file an architecture.

#ifndef OMPDBG_CALL_H
#define OMPDBG_CALL_H

#include "target/target.h"

/**
 * Entry point of the function that the call instruction just before @p return_address calls:
 * directly, or through a pointer in memory at a fixed address (the GOT). A stub of the PLT is
 * followed to the function.
 * ompd_rc_unavailable if no such instruction ends there.
 */
ompd_rc_t call_target(const struct target *target, uint64_t return_address, uint64_t *ret);

/** Follows stubs of the PLT at @p entry to the function; @p entry itself if it is none. */
uint64_t call_follow_stub(const struct target *target, uint64_t entry);

#endif
