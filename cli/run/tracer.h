// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows all processes of a command with ptrace, and keeps one stopped while it is looked at.
//
// A traced process stops only when it makes a process or thread, when it runs another program, and
// when it gets a signal. It stays traced all the time: when this process ends, however it does, the
// kernel ends what is traced. What is traced only while it is looked at then goes on.

#ifndef OMPDBG_TRACER_H
#define OMPDBG_TRACER_H

#include <signal.h>

#include "below.h"
#include "looking.h"

/** How a stopped thread goes on. */
struct going {
	pid_t process, thread;
	bool listens; // it does not: a signal has stopped the whole process
	int signal;
};

/** A signal that has a handler, and the thread that gets it. Threads of a process get such signals one after
 *  the other: the handler may be for the first one only (SA_RESETHAND), and the next one ends all. */
struct delivery {
	struct going going;
	bool has_begun;
};

/** A process that is kept because of a signal that is about to end it. */
struct crashed {
	struct halted halted;
	struct crash crash;
};

struct tracer {
	bool (*is_watched)(int number); // for a signal that ends a program: that is a crash
	void (*say)(const char *format, ...) __attribute__((format(printf, 1, 2)));
	struct pids kept;     // processes that are stopped until they are resumed
	struct going *goings; // their threads
	size_t num_goings, going_capacity;
	struct delivery *deliveries;
	size_t num_deliveries;
	struct pids seized;	 // threads that are traced only while they are looked at
	struct pids seen;	 // processes whose crash is no longer of interest
	struct crashed *crashes; // that nobody has looked at
	size_t num_crashes;
};

/** Why something cannot be traced. */
struct trace_error {
	char text[256];
};

/** Trace a process from now on. */
bool tracer_follow(struct tracer *tracer, pid_t pid, struct trace_error *error);
/** Handle what waitpid() has reported of a thread that has stopped. */
void tracer_stopped(struct tracer *tracer, pid_t thread, int status);
/** Stop a process, also one that is not traced. @return false with @p error: it goes on. */
bool tracer_halt(struct tracer *tracer, pid_t process, struct halted *ret,
		 struct trace_error *error);
/** Let a process go on. */
void tracer_resume(struct tracer *tracer, pid_t process);
/** Take no interest in how a process ends. */
void tracer_forget(struct tracer *tracer, pid_t process);
/** Handle the end of a thread or process, whose number may be given to another. */
void tracer_ended(struct tracer *tracer, pid_t thread);
void halted_deinit(struct halted *halted);

/** Wait for the stop of a thread that has not been reported yet; its end stays to be reported.
 *  @return false: there is none. */
bool find_stop(pid_t thread, int *event, int *number);

#endif
