// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A report of an open target.

#ifndef OMPDBG_REPORT_H
#define OMPDBG_REPORT_H

#include "about.h"
#include "spool.h"

enum { FILE_WIDTH = 199 }; // columns of a text that is written into a file

/** Where a report is written; NULL: nowhere. */
struct report_files {
	const char *text, *html, *json;
};

/** A report that is being made. All zero is none. */
struct report {
	struct spool text, json;
	const char *html;
	struct buffer document; // for the page
	struct buffer owner;	// whose rights its source lines are read with; empty: ours
	bool is_suspicious;
	enum severity severity; // of the worst
	struct buffer verdict;	// in words
};

/** Look at a target, and write what need not wait. */
bool report_make(struct report *report, struct looked *looked, const struct report_files *files,
		 const struct crash *crash, const char *cause, const struct form *form,
		 struct failure *failure);
/** Write the rest: the target may be closed. */
bool report_finish(struct report *report, struct failure *failure);
/** Print only the crash and the diagnosis. */
bool report_print_diagnosis(struct looked *looked, const struct crash *crash, const char *cause,
			    const struct form *form, struct sink *sink, struct failure *failure);
void report_deinit(struct report *report);

#endif
