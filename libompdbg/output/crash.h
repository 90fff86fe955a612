// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The signal that has ended a program, or is about to, and the thread that it has reached.

#ifndef OMPDBG_OUTPUT_CRASH_H
#define OMPDBG_OUTPUT_CRASH_H

#include <signal.h>

#include "model/model.h"
#include "output/json/json.h"
#include "output/output.h"

struct crash {
	int signal;
	pid_t lwp;
	bool has_info;
	siginfo_t info;
};

/** Check for a signal that ends a program with a core file. */
bool is_fatal(int number);
/** Name a signal: "SIGSEGV"; NULL if it has no name. */
const char *signal_name(struct arena *arena, int number);
/** Check that the signal of a core file's last thread has ended the program: a debugger may have written
 *  the file, of a program that went on. */
bool crash_ended_core(struct process *process, const struct crash *crash);
/** Find the thread that the signal has reached; NULL. */
struct thread *crash_thread(struct process *process, const struct crash *crash);
/** Check that nobody else has ended the program. @p pid: its own; 0: unknown. */
bool crash_is_own(const struct crash *crash, pid_t pid);
/** Let all tables say of its thread that the signal has come there, if it is the program's own. */
void crash_mark(struct process *process, const struct crash *crash, pid_t pid);
void json_crash(struct json *json, struct process *process, const struct crash *crash, pid_t pid);
/** Tell it in words: "SIGSEGV in thread 3 (2/8): flux at solver.c:8, invalid read at 0x8 (p->next; p is
 *  null)". */
const char *crash_text(struct process *process, const struct crash *crash, pid_t pid);
/** Print it, with its line of the source. */
struct ompdbg_error *print_crash(struct process *process, const struct crash *crash, pid_t pid,
				 const struct form *form, struct sink *sink);

#endif
