// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Core files, also compressed ones: expanded by a program of the system into an unnamed file.

#ifndef OMPDBG_CORE_FILE_H
#define OMPDBG_CORE_FILE_H

#include "failure.h"

/** Open a core file. @return a descriptor of the plain core file; -1 with @p failure. */
int core_file_open(const char *path, struct failure *failure);

#endif
