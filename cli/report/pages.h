// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pages for browsers, and pictures of many reports: a part of ompdbg in Python makes them.

#ifndef OMPDBG_PAGES_H
#define OMPDBG_PAGES_H

#include "failure.h"

/** Write the page of a report. */
bool write_page(const char *path, const struct buffer *document, struct failure *failure);
/** Make one picture of many reports. @p words: options and reports, as of `ompdbg merge`.
 *  @return the exit status. */
int merge_reports(char *const *words, size_t num_words, struct failure *failure);

#endif
