// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What has to be preloaded into a program, and into those that it starts, so that what their OpenMP
// threads do is recorded in their memory. Programs without OpenMP are not changed by that.

#ifndef OMPDBG_RECORDING_H
#define OMPDBG_RECORDING_H

#include <stdbool.h>

struct arena;

/** Values of environment variables. NULL: the variable stays as it is. */
struct recording {
	const char *preload;	  // LD_PRELOAD
	const char *asan_options; // ASAN_OPTIONS
	const char *trace;	  // OMPDBG_TRACE
};

/** Find out what to set in this process's environment. @return false, with *why in one line. */
bool recording_find(struct arena *arena, struct recording *ret, const char **why);
/** Find the file for the trace of a command, which must not exist when the command starts. @return NULL,
 *  with *why in one line. */
const char *recording_trace(struct arena *arena, const char *path, const char **why);
/** Set it. */
void recording_set(const struct recording *recording);
/** Tell why a command is not recorded, in one line; NULL: it is, or has no OpenMP. */
const char *recording_obstacle(struct arena *arena, const char *command);

#endif
