// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The processes below this one, as /proc has them.

#ifndef OMPDBG_BELOW_H
#define OMPDBG_BELOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** Numbers of processes or threads. All zero is none. */
struct pids {
	pid_t *all;
	size_t count, capacity;
};
void pids_add(struct pids *pids, pid_t pid);
bool pids_have(const struct pids *pids, pid_t pid);
void pids_remove(struct pids *pids, pid_t pid);
void pids_deinit(struct pids *pids);

/** Let processes whose parent ends stay below this one. */
void adopt_orphans(void);
/** List all that live below this process, parents first. */
struct pids processes_below(void);
/** List the threads of a process by number. */
struct pids tasks_of(pid_t pid);
/** Check whether a thread has ended; also if nobody has taken note of that yet. */
bool has_ended(pid_t thread);
/** Find the first thread that has not ended: by it the system tells what belongs to the process. */
pid_t living_thread(pid_t pid);
/** Sum up what all of them have used, in ticks. */
uint64_t processor_time(void);

enum { PROGRAM_NAME = 256 };
/** Write what a process's program is called. @return @p name. */
const char *program_name(pid_t pid, char name[PROGRAM_NAME]);

/** Read a field of /proc/PID/status. @return false: there is none. */
bool status_text(pid_t pid, const char *field, char *text, size_t size);
/** Read its word of that index as a number. @return -1: there is none. */
int64_t status_number(pid_t pid, const char *field, int word, int base);
/** Check whether a signal ends a process: it has no handler, and does not ignore it. */
bool would_end(pid_t pid, int number);

/** Count what was ended, and what of other users is left. */
struct ended {
	size_t ended, others;
};
/** End all processes below this one. */
struct ended end_all(void);

/** Return seconds that pass evenly. */
double now(void);
void pause_for(double seconds);

#endif
