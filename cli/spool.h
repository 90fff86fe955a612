// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Output that is written only when the process that it is about goes on: who reads it, in a pager,
// say, may take his time.

#ifndef OMPDBG_SPOOL_H
#define OMPDBG_SPOOL_H

#include <stdio.h>

#include "failure.h"
#include "output/output.h"

#define STANDARD_OUTPUT "-"

/** One output: a file, written whole or not at all, or standard output. All zero is none. */
struct spool {
	struct sink sink; // what is written here is kept, or goes on
	const char *path;
	FILE *file;    // where it goes
	char *scratch; // the name that the file has until it is whole; NULL: none
	struct buffer kept;
	int overflow;	 // an unnamed file, once there is too much to keep
	int number;	 // errno of a write that failed
	bool is_unnamed; // the file gets its name when it is whole
	bool waits;
};

/** Write into a buffer. */
struct sink buffer_sink(struct buffer *buffer);
/** Begin an output. @p waits: it is kept until spool_end(). */
bool spool_begin(struct spool *spool, const char *path, bool waits, struct failure *failure);
/** Write what was kept, and end the output. */
bool spool_end(struct spool *spool, struct failure *failure);
/** Drop what was not written. */
void spool_drop(struct spool *spool);
/** Write what a file has. */
bool spool_copy(struct spool *spool, int file);
/** Note why a write to an output failed, if one did. */
bool spool_check(const struct spool *spool, struct failure *failure);

/** Return the descriptor of an output that is open, for a program that writes it. */
int spool_descriptor(const struct spool *spool);
/** Check whether such a program wrote anything. */
bool spool_has_something(const struct spool *spool);

/** Check whether a name in a folder is of a file that a process has not finished. */
bool is_scratch(const char *name, int writer);
/** Remove files that are not whole; for handlers of signals. */
void remove_scratch(void);

#endif
