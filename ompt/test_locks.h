// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before LLVM 15, libomp reports a lock that is tested as one that is set. Its functions tell.

#ifndef OMPDBG_TEST_LOCKS_H
#define OMPDBG_TEST_LOCKS_H

#include <stdbool.h>
#include <stdint.h>

/** Find the functions of LLVM's runtime that test a lock, if that is loaded. */
void find_lock_tests(void);
/** Check whether a callback was called by one of these functions. */
bool tests_lock(uintptr_t caller);

#endif
