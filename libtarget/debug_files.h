// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files with debug information that a program names.

#ifndef OMPDBG_TARGET_DEBUG_FILES_H
#define OMPDBG_TARGET_DEBUG_FILES_H

#include <stdbool.h>
#include <stdint.h>

/** Check whether a file names another one as that which has what several have in common (dwz). */
bool debug_file_has_alternate(const char *path, const char *link);
/**
 * Open the file that another one names in .gnu_debuglink or .gnu_debugaltlink. It must be a regular file,
 * with that checksum or that build id.
 * @param path The file with the name.
 * @param ret Its path, to be released.
 * @return a descriptor, or -1.
 */
int debug_file_open(const char *path, const char *link, uint32_t checksum, char **ret);
/** Make a file that has no debug information: libdw looks for one that is missing by itself, and would wait
 *  at a FIFO. @return a descriptor, or -1. */
int debug_file_make_empty(void);

#endif
