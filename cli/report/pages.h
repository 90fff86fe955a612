// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pages for browsers, and pictures of many reports: a part of ompdbg in Python makes them.

#ifndef OMPDBG_PAGES_H
#define OMPDBG_PAGES_H

#include "failure.h"

/** Write the page of a report. */
bool write_page(const char *path, const struct buffer *document, struct failure *failure);
/** Make one picture of many reports, in files; NULL is none. @return the exit status. */
int merge_reports(const char *text, const char *html, const char *json, char *const *reports,
		  size_t num_reports, struct failure *failure);

#endif
