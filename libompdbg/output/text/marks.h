// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which threads stand out: one that has crashed, and those that can never go on.

#ifndef OMPDBG_OUTPUT_MARKS_H
#define OMPDBG_OUTPUT_MARKS_H

#include "model/model.h"
#include "output/text/palette.h"

struct marks;
/** Look for threads that stand out. Takes as long as a diagnosis: only for paper with colors. */
struct marks *process_marks(struct process *process);
/** Return how what a thread does is painted; NULL: as all else. */
painter *thread_painter(const struct marks *marks, struct thread *thread);

#endif
