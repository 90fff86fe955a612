// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Core files, also compressed ones: expanded by a program of the system into an unnamed file.

#ifndef OMPDBG_CORE_FILE_H
#define OMPDBG_CORE_FILE_H

#include "failure.h"

/** Open a core file. @return a descriptor of the plain core file; -1 with @p failure. */
int core_file_open(const char *path, struct failure *failure);
/** Copy a core file that systemd-coredump keeps, by coredumpctl.
 *  @param match what coredumpctl finds it by: a PID, a program; NULL: the newest
 *  @return a descriptor; -1 with @p failure. */
int core_file_of_system(const char *match, struct failure *failure);

#endif
