// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts a command and waits for its end, or for the reason to end it.

#ifndef OMPDBG_SUPERVISOR_H
#define OMPDBG_SUPERVISOR_H

#include "tracer.h"
#include "work.h"

/** Exit statuses of whoever runs a command, as those of a shell. */
enum {
	COMMAND_NOT_STARTED = 125,
	COMMAND_NOT_EXECUTABLE = 126,
	COMMAND_NOT_FOUND = 127,
};

/** Work for the supervisor. */
struct plan {
	char **command;
	const struct recording *recording; // NULL: it is not recorded
	double timeout;			   // 0: none
	double report_seconds;		   // for each report
	bool on_hang, on_term, traces, with_core;
};

/** A question about a process, answered in a process of its own. */
struct question {
	const struct halted *halted;
	const char *reason; // of a report; NULL: only how bad it is
	const struct crash *crash;
	void *context; // of struct reports
};

/** How reports are made. */
struct reports {
	void *context;
	void (*say)(const char *format, ...) __attribute__((format(printf, 1, 2)));
	/** Answer a struct question. */
	void (*look)(void *question, struct answer *answer);
	/** Keep in mind what was written. */
	void (*take)(void *context, const struct answer *answer);
	/** Remove what a process that was ended has left half written. */
	void (*clear)(void *context, pid_t writer);
	/** Make what belongs to all reports. */
	void (*finish)(void *context, struct answer *answer);
	bool (*has_to_finish)(void *context);
};

/** Run the command. @return its exit status, whatever becomes of the reports. */
int supervise(const struct plan *plan, const struct reports *reports);

#endif
