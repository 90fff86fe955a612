// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory that arenas, texts and OMPD libraries hold, and how much that may be. Memory of a damaged
// program can describe tasks, teams and names without end: a command that has taken too much ends like one
// that the user interrupts, with an error of its own. What it holds goes with its stop.

#ifndef OMPDBG_BUDGET_H
#define OMPDBG_BUDGET_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

void budget_take(size_t bytes);
void budget_give(size_t bytes);
/** Check that more is held than may be: 4 GiB, or half of what the system lets this process have. */
bool budget_is_spent(void);
/** Return the error that ends a command at once: the budget is spent, or else the user has interrupted it. */
struct ompdbg_error *interruption(void);

#endif
