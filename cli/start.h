// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Other programs that do a part of the work.

#ifndef OMPDBG_START_H
#define OMPDBG_START_H

#include <sys/types.h>

/** Descriptors that a program gets; -1: /dev/null. */
struct streams {
	int in, out, err;
};

/** Start a program, which ends with this one. @return -1 with *number, an errno. */
pid_t start_program(char *const *words, struct streams streams, int *number);
/** Wait for a program's end. @return its exit status; 128 and a signal's number. */
int wait_for(pid_t child);

#endif
