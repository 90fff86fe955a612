// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef OMPDBG_OUTPUT_SOURCE_LINE_H
#define OMPDBG_OUTPUT_SOURCE_LINE_H

#include "model/model.h"

/** Read the line of a source file at a place in the code. @return NULL: this machine does not have the
 *  file, or it is newer than the program. */
const char *source_line(struct process *process, const struct location *location);

#endif
