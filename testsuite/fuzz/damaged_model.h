// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libompdbg over damaged memory of recorded targets.

#ifndef DAMAGED_MODEL_H
#define DAMAGED_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "ompdbg/ompdbg.h"

/** An input: the number of a target, whether it is damaged after it is opened (odd), a view, damage. */
enum { MODEL_TARGET, MODEL_AFTER, MODEL_VIEW, MODEL_DAMAGES };
enum { MODEL_VIEWS = OMPDBG_VIEW_ENVIRONMENT + 1 };

/** Open the recorded targets in a file, which are asked about with an OMPD library. */
void model_targets(const char *path, const char *library);
/** What was printed: how many bytes, and a sum over them. */
struct model_answer {
	size_t size;
	uint64_t sum;
};

/** Print a view as text and as JSON. */
struct model_answer model_print(struct ompdbg_program *program, enum ompdbg_view view);
/** Take an input, and print the view that it names. No input changes the answer to another. */
struct model_answer model_ask(const uint8_t *data, size_t size);

#endif
