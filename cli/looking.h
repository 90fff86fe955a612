// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens what a command line names, and its OpenMP runtimes.

#ifndef OMPDBG_LOOKING_H
#define OMPDBG_LOOKING_H

#include "failure.h"
#include "model/model.h"
#include "ompd/runtimes.h"
#include "output/crash.h"
#include "services.h"

/** A process that its tracer keeps stopped. */
struct halted {
	pid_t pid;
	int memory; // its open memory
	struct target_stopped *threads;
	void *registers; // that these point to
	size_t num_threads;
};

/** The process or core file that is looked at, and the means. */
struct place {
	const char *name; // a core file, or the number of a process
	bool is_kept;	  // a core file that coredumpctl has by this name; NULL: the newest
	const char *program, *sysroot;
	bool is_detailed;	     // frames of the system's libraries, too
	const struct halted *halted; // the process, if its tracer keeps it stopped
};

/** A target that is open, and what is missing of it. All zero is closed. */
struct looked {
	const struct place *place;
	struct arena arena;
	int core;  // the core file
	pid_t pid; // 0: a core file
	struct target *target;
	const struct ompdbg_services *services;
	struct ompd_library *library;
	struct runtimes runtimes;
	struct constants *constants;
	struct process *process;
	const char **problems;
	size_t num_problems, capacity;
	bool has_split; // note_split() has noted
};

/** Name a target for people. */
const char *place_name(const struct place *place);
/** Open a target: a process goes on when it is closed. */
bool look_at(const struct place *place, struct looked *looked, struct failure *failure);
/** Close a target; what is missing of it stays known. */
void looked_close(struct looked *looked);
/** Tell people what is missing, unless a failure has told it. To be called last, once. */
void looked_warn(struct looked *looked, const struct failure *failure);
/** Forget what is missing, in place of looked_warn(). */
void looked_deinit(struct looked *looked);
/** Note that a question has failed, if it has: what is missing may be why. @return whether it has not. */
bool looked_check(const struct looked *looked, struct ompdbg_error *error, struct failure *failure);
/** Find how the program of a core file has ended. @return false: no signal has ended it. */
bool looked_crash(const struct looked *looked, struct crash *ret);

#endif
