// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why a command ends early: an exit status and one line.

#ifndef OMPDBG_FAILURE_H
#define OMPDBG_FAILURE_H

#include <stdbool.h>

#include "base/buffer.h"

/** Exit statuses of all commands but `run`, which passes on that of its command. */
enum status {
	STATUS_FINE = 0,
	STATUS_FOUND = 1, // something is wrong with the program
	STATUS_USAGE = 2,
	STATUS_UNREADABLE = 3,	// the target, or what is needed to read it
	STATUS_NO_OPENMP = 4,	// no OpenMP runtime, or none that is understood
	STATUS_NOT_WRITTEN = 5, // what was to be written
	STATUS_INTERNAL = 70,	// a mistake in ompdbg (EX_SOFTWARE of sysexits.h)
};

/** All zero is none. */
struct failure {
	int status;
	bool is_silent;	      // the reader of standard output has seen enough: that is no failure
	struct buffer reason; // without a full stop
};

/** Note why a command ends. The first reason stays. @return false. */
bool fail_with(struct failure *failure, enum status status, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/** Add to the reason: "; missing". */
void fail_also(struct failure *failure, const char *text);
void failure_deinit(struct failure *failure);

#endif
