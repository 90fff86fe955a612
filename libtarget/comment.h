// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the makers of an ELF file have left in it about themselves.

#ifndef OMPDBG_COMMENT_H
#define OMPDBG_COMMENT_H

/** Find the latest major release of GCC that compiled a part of a file: each compiler leaves its
 *  version in the section .comment. @return 0: none is known, or one of them is not. */
int comment_newest_gcc(const char *path);

#endif
