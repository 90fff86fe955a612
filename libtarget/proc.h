// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Processes and threads as /proc has them. A thread's number does for a process's, too.

#ifndef OMPDBG_PROC_H
#define OMPDBG_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** Fields of /proc/PID/stat. */
struct proc_stat {
	char state; // a letter, as ps shows it
	bool has_ended;
	pid_t parent;
	uint64_t used, began; // ticks of processors; ticks since the system was started
};
/** Read them. @return false: there is no such thread. */
bool proc_stat(pid_t pid, struct proc_stat *ret);
/** Check whether a thread has ended; also if nobody has taken note of that yet. */
bool proc_has_ended(pid_t thread);
/** Find the first thread that has not ended: by it the system tells what belongs to the process. */
pid_t proc_living_thread(pid_t pid);

/** A mapping of memory. */
struct proc_mapping {
	uint64_t start, end, offset;
	char permissions[5]; // "r-xp"
	const char *name;    // of the file, or "[stack]"; ""
	const char *line;    // all of it
};
/** Take all mappings. @return false with errno: they cannot be read, or @p take does not go on. */
bool proc_mappings(pid_t pid, bool (*take)(void *context, const struct proc_mapping *mapping),
		   void *context);

/** Read a field of /proc/PID/status. @return false: there is none. */
bool proc_status(pid_t pid, const char *field, char *text, size_t size);
/** Read its word of that index as a number. @return -1: there is none. */
int64_t proc_status_number(pid_t pid, const char *field, int word, int base);

#endif
