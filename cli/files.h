// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that are named by whoever calls, and files without a name.

#ifndef OMPDBG_FILES_H
#define OMPDBG_FILES_H

#include <stdbool.h>
#include <stddef.h>

/** Open a regular file: a pipe or a device would block, or never end. @return -1 with *why. */
int open_regular(const char *path, const char **why);
/** Make an empty file without a name in TMPDIR. @return -1 with errno. */
int open_unnamed(void);
/** Make one that holds data, to be read from the begin. @return -1 with errno. */
int open_holding(const void *data, size_t size);
/** Write all of it. @return false with errno. */
bool write_all(int file, const void *data, size_t size);

#endif
