// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libompdbg over damaged memory of recorded targets.

#ifndef DAMAGED_MODEL_H
#define DAMAGED_MODEL_H

#include <stddef.h>
#include <stdint.h>

/** Open the recorded targets in a file, which are asked about with an OMPD library. */
void model_targets(const char *path, const char *library);
/** Take an input: the number of a target, whether it is damaged after it is opened, a view, and damage.
 *  Print the view, as text and as JSON. @return how many bytes were printed. */
size_t model_ask(const uint8_t *data, size_t size);

#endif
