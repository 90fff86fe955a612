// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the makers of an ELF file have left in it about themselves.

#ifndef OMPDBG_COMMENT_H
#define OMPDBG_COMMENT_H

#include <stddef.h>

/**
 * Return the texts in the sections .comment of a file, each ended by a null character, most often
 * the compilers that made its parts. Compressed sections and those over 1 MiB are passed over.
 * @param file A descriptor of a regular file, which stays the caller's.
 * @param ret_size In bytes.
 * @return To be released with free(); NULL if it is no ELF file, a damaged one, or has no text.
 */
char *comment_read(int file, size_t *ret_size);

#endif
