// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks libompd of a stopped program, and compares what it answers with the program's records.

#ifndef ASK_H
#define ASK_H

#include <stdbool.h>
#include <stddef.h>

#include "truth.h"

/** What was found at all stops so far. */
struct tally {
	unsigned long stops, threads, skipped, answers, differences;
};

extern struct tally tally;

/** Compares at one stop. @p truths are the records that hold. @p begun: there have been some. */
void ask(const struct truth *truths, size_t count, bool begun);
/** Prints how often which question was not answered. */
void ask_print_unanswered(void);

#endif
