// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What threads do and wait for. thread_state(), thread_wait() and their like (model/model.h) are
// implemented here.
//
// A runtime may not record the state of its threads. Then two observations tell: which function of
// the runtime the innermost user frame called, and on which address the thread sleeps in the kernel.
// Where they contradict each other, or say nothing, the state is unknown, with the reason.

#ifndef OMPDBG_WAIT_H
#define OMPDBG_WAIT_H

#include "model/model.h"
#include "stack/stack.h"

/** Kinds of waits that OMPD does not have. */
enum {
	WAIT_MUTEX = 1 << 16, // for a lock or critical construct, which are not told apart
	WAIT_PTHREAD_MUTEX,   // for a lock of the C library; the others follow
	WAIT_PTHREAD_RWLOCK,
	WAIT_PTHREAD_SPINLOCK,
};

/** Families of kinds: kinds of one family do not contradict each other. */
enum wait_family {
	FAMILY_RUNTIME, // no wait of the program's
	FAMILY_BARRIER,
	FAMILY_MUTEX,
	FAMILY_ORDERED,
	FAMILY_DOACROSS,
	FAMILY_TASK,
	FAMILY_IDLE,
	FAMILY_RUNTIME_LOCK,
};

/** A kind of wait (kinds.c). */
struct wait_kind {
	const char *name;  // in JSON
	const char *title; // in tables; "" if a thread is not said to wait there
	enum wait_family family;
};
const struct wait_kind *wait_kind(uint32_t kind);
/** Check whether the title of a kind begins so. */
bool is_wait_title(const char *begin);
/** Check for a barrier, at any place; for a lock of the C library; for a lock or critical construct; and for
 *  an ordered region. */
static inline bool is_barrier_kind(uint32_t kind)
{
	return wait_kind(kind)->family == FAMILY_BARRIER;
}
static inline bool is_system_lock_kind(uint32_t kind)
{
	return kind >= WAIT_PTHREAD_MUTEX;
}
static inline bool is_lock_kind(uint32_t kind)
{
	return wait_kind(kind)->family == FAMILY_MUTEX && kind != ompd_ext_wait_atomic &&
	       !is_system_lock_kind(kind);
}
static inline bool is_ordered_kind(uint32_t kind)
{
	return kind == ompd_ext_wait_ordered || kind == ompd_ext_wait_doacross;
}

// ---- What a thread does (doing.c) ---------------------------------------------------------------

/** Kinds of what threads do. */
enum activity {
	DOES_UNKNOWN,
	DOES_CRASH,
	DOES_RUN, // it does not stand still
	DOES_WORK,
	DOES_SLEEP,
	DOES_SPIN,
	DOES_START_OR_END,
	DOES_RUNTIME,
	DOES_BARRIER,
	DOES_LOCK, // or another turn at something
	DOES_TASKS,
	DOES_IDLE,
	NUM_ACTIVITIES,
};

/** Activity of a thread at the stop, in the words of all tables. */
struct doing {
	enum activity activity;
	const char *word; // without what differs from thread to thread: "lock", "sleeps"
	const char *text; // "lock second", "sleeps in poll", "SIGSEGV here"
};
/** Tell what a thread does: OpenMP's wait, or else what it does according to the C library, the kernel
 *  and its code. */
const struct doing *thread_doing(struct thread *thread);
/** Name an activity as in JSON: "asleep". */
const char *activity_name(enum activity activity);
/** Check whether a word for what threads do begins so. */
bool is_doing_word(const char *begin);

/** The signal that has ended a process, or is about to. */
struct process_signal {
	struct thread *thread;
	const char *name; // "SIGSEGV"
	bool is_sent;	  // by another process
	/** Tell it in words. */
	const char *(*describe)(struct process *process, void *context);
	void *context;
};
/** Keep it with the process. If it is the thread's own, thread_doing() tells it. */
void process_set_signal(struct process *process, const struct process_signal *signal);
/** Return it; NULL: none is known. */
const struct process_signal *process_signal(struct process *process);
/** Return the name of the signal of its own that has ended a thread; NULL: none. */
const char *thread_signal(const struct thread *thread);

// ---- In the kernel (asleep.c) ------------------------------------------------------------------

/** The system call in which a thread is. */
struct system_call {
	uint64_t number;
	uint64_t arguments[2]; // the first ones
	bool is_futex_wait;
	uint64_t address;   // of the futex
	bool sleeps;	    // on a futex whose word is still as it was: nobody has woken the thread
	bool waits_outside; // for something that no thread of the process is known to do
	bool is_timed;	    // it ends by itself, as nanosleep()
	bool is_shared; // other processes may wake the thread, or the kernel when another one ends
};
/** @return false: it is in none, or that cannot be told. */
bool thread_system_call(struct thread *thread, struct system_call *ret);
bool thread_is_asleep(struct thread *thread);

// ---- Outside of the runtime (doing.c) ----------------------------------------------------------

/** Find the function of the system that the user's code called, by the name under which it is called
 *  ("pthread_mutex_lock"); NULL. */
const char *thread_system_function(struct thread *thread);

// ---- Locks of the C library (system_lock.c) ------------------------------------------------------

/** Record of such a lock. */
struct lock_state {
	bool records_nobody;
	int32_t owner; // the system's id of the thread; 0: none is recorded
	uint32_t num_readers;
};
/** Read a lock for which a thread waits. @return false: it cannot be read, or is not held. */
bool read_system_lock(struct process *process, uint32_t kind, uint64_t address,
		      struct lock_state *ret);

// ---- Loops that only look at memory (spin.c) ---------------------------------------------------

struct spin {
	const char **variables; // that it reads, where their names are known
	size_t num_variables;
	bool is_endless; // nothing that it reads can end it
	bool is_held;	 // what it reads does not end it as it is now; else that is not known
	uint64_t tested; // where the call returns to whose result alone ends it; 0: there is none
};
/** Find the loop in which a thread spins; NULL if it is in none that is known to only read. */
const struct spin *thread_spin(struct thread *thread);
/** Find the address at which the innermost function of a thread looks in such a loop, by a register; 0: it is
 *  in none, or looks at several. */
uint64_t spin_address(struct thread *thread);

#endif
