// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is wrong with the files that a target has mapped.

#ifndef OMPDBG_MAPPED_FILES_H
#define OMPDBG_MAPPED_FILES_H

#include "looking.h"

/** Note which files are missing, are others than the program had, or may be. */
void note_files(struct looked *looked);
/** Note which split debug information was found to be missing when it was asked for. */
void note_split(struct looked *looked);
/** Tell why a runtime that is loaded cannot be looked at, if one is; NULL. */
const char *hidden_runtime(struct looked *looked);

#endif
