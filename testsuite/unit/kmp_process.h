// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This process as a target, with one of LLVM's runtimes loaded and at work in it: a region of six
// threads, two of them in tasks that were run at once, three with tasks in their queues, one in a task
// on which two others depend; and two locks.

#ifndef OMPDBG_TEST_KMP_PROCESS_H
#define OMPDBG_TEST_KMP_PROCESS_H

#include "target/target.h"

/**
 * Loads the runtime at @p path and calls @p look in the midst of the region. Leaves threads behind:
 * for a process that ends then. Returns false if it can't be loaded.
 */
bool kmp_process_run(const char *path, void (*look)(const struct target *target));

#endif
