// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the decoder found, as one line that a test can compare: for each access R, W, U or P, its
// width, its base, and the offsets. "R8 thread+0x10, R4 thread+0x10->0x0".

#ifndef OMPDBG_TEST_REPORT_TEXT_H
#define OMPDBG_TEST_REPORT_TEXT_H

#include "libcode/code.h"

/** Writes @p report to @p text; reads of thread-local offsets are left out. */
void report_text(const struct code_report *report, char *text, size_t size);

#endif
