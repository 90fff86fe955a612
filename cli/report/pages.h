// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pages for browsers, and pictures of many reports: a part of ompdbg in Python makes them.

#ifndef OMPDBG_PAGES_H
#define OMPDBG_PAGES_H

#include "failure.h"

/** Write the page of a report. @p owner: with whose rights source files are read, USER:GROUP,...; NULL: ours. */
bool write_page(const char *path, const struct buffer *document, const char *owner,
		struct failure *failure);
/** Make one picture of many reports, in files; NULL is none. @return the exit status. */
int merge_reports(const char *text, const char *html, const char *json, char *const *reports,
		  size_t num_reports, struct failure *failure);

#endif
