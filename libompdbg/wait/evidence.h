// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the files of wait/ share: the evidence about a thread, and the conclusion from it.

#ifndef OMPDBG_EVIDENCE_H
#define OMPDBG_EVIDENCE_H

#include "wait/wait.h"

struct code_flow;

/** States that are concluded here (ompt_state_t, OpenMP 5.2, 19.4.4.30). */
enum {
	STATE_WORK_SERIAL = 0x000,
	STATE_WORK_PARALLEL = 0x001,
	STATE_BARRIER = 0x010,
	STATE_BARRIER_PARALLEL = 0x011,
	STATE_BARRIER_WORKSHARE = 0x012,
	STATE_BARRIER_IMPLICIT = 0x013,
	STATE_BARRIER_EXPLICIT = 0x014,
	STATE_BARRIER_IMPLEMENTATION = 0x015,
	STATE_BARRIER_TEAMS = 0x016,
	STATE_TASKWAIT = 0x020,
	STATE_TASKGROUP = 0x021,
	STATE_MUTEX = 0x040,
	STATE_LOCK = 0x041,
	STATE_CRITICAL = 0x042,
	STATE_ATOMIC = 0x043,
	STATE_ORDERED = 0x044,
	STATE_IDLE = 0x100,
	STATE_OVERHEAD = 0x101,
	STATE_UNKNOWN = -1,
};

/** Name of a lock. */
struct lock_name {
	const char *symbol;   // the same everywhere: "locks[3]"; NULL
	const char *variable; // if there is none: what a frame knows it by, "this->lock_"; NULL
	const char *function; // of that frame, if it is not the waiter's innermost; NULL
};

/** A lock for which a thread waits outside of the runtime. */
struct awaited_lock {
	uint32_t kind;	  // 0: none
	uint64_t address; // 0: unknown
};

/** The evidence about a thread. */
struct evidence {
	int level;	  // of its region; 0: outside of any
	int64_t recorded; // its state in the runtime's memory; STATE_UNKNOWN
	uint64_t wait_id; // recorded with it
	bool has_call;	  // the innermost user frame called this function of the runtime
	ompd_ext_wait_site call;
	uint64_t futex;	     // address on which the thread sleeps, or of its lock; 0: none
	bool has_futex_site; // the runtime keeps this at that address
	ompd_ext_wait_site futex_site;
	struct ompdbg_symbol futex_symbol; // name NULL: there is none
	struct awaited_lock lock;	   // for which the thread waits outside of the runtime
	struct lock_name name;		   // of the lock at the one address or the other
	bool is_users;	       // the address belongs neither to the runtime nor to a library
	bool is_from_jump;     // of no known use, and the user's code jumped to where it is used
	bool for_dependences;  // its task waits for tasks that it depends on
	bool in_runtime;       // frames of the runtime are younger than any user frame
	bool after_user_code;  // no user frame: the runtime went on by itself after the code
	bool in_users_code;    // user frames are younger than any frame of the runtime
	bool in_no_users_code; // there are frames of the runtime, and none of the user's
	bool is_outside;       // the whole stack is the system's
	bool in_routine;       // the user's code called one that does not wait
	bool has_failed;       // a signal of the runtime's own doing ended the thread
	bool is_unseen;	       // its stack is unknown: a core file may lack its registers, and the
			       // debugger fail to unwind
};

/** The conclusion; it hangs at struct thread. */
struct verdict {
	struct evidence evidence;
	struct stack_frame *place; // its innermost frame in the program's own files; NULL
	int64_t state;		   // STATE_UNKNOWN
	const char *reason;	   // why it is unknown; NULL
	const struct wait *wait;   // NULL
	const struct location *location;
	bool has_location;
	struct doing doing;
	bool has_doing;
};

/** Look at a stopped thread (observe.c): fills the evidence and the place. */
void observe(struct thread *thread, struct verdict *verdict);
/** Draw the conclusion, or say why there is none (conclude.c). */
void conclude(struct thread *thread, struct verdict *verdict);
/** Return the verdict on a thread, made when it is first asked for (thread_state.c). */
const struct verdict *thread_verdict(struct thread *thread);

/** Check for the variable that GCC makes for a critical construct with a name. */
bool is_critical_symbol(const struct ompdbg_symbol *symbol);
/** Check for a function of the runtime in which threads do not wait, none of struct wait_kind. */
bool is_routine(const char *function);
/** Check for a site at which threads wait. */
bool site_waits(const ompd_ext_wait_site *site);
/** Check for a site at which threads wait for their turn at an object of the program's. */
bool site_is_mutex(const ompd_ext_wait_site *site);

/** Name a lock in the program's memory; @p frame: of a thread that waits for it, or NULL. (lock_name.c) */
struct lock_name name_lock(struct thread *thread, const struct stack_frame *frame,
			   uint64_t address);
/** Write what people call a lock: "lock second", "mutex this->mutex_ (0x55...)". @p title: of its kind. */
const char *lock_title(struct arena *arena, const char *title, const struct lock_name *name,
		       uint64_t address);
/** Find the lock of the C library for which a thread waits (system_lock.c). @return false: none. */
bool awaited_system_lock(struct thread *thread, struct awaited_lock *ret);

/** Find which function begins at an address that sets or unsets locks, or that the OMPD library knows
 *  (lock_function.c). */
bool classify_lock_entry(struct runtime *runtime, uint64_t entry, ompd_ext_wait_site *ret);
/** Check for a function that sets a lock if that is free, and says whether it did. */
bool is_test_function(const char *function);

/** Find the lock that a thread passed to the runtime, confirmed by the runtime's memory
 *  (argument.c). @p user: the innermost user frame, or NULL; @p oldest: of the runtime's frames.
 *  @return its address; 0: it cannot be told. */
uint64_t passed_lock(struct thread *thread, struct stack_frame *user, struct stack_frame *oldest,
		     const ompd_ext_wait_site *call);

/** Write a function of the C library by the name under which it is called (doing.c). */
const char *system_function_name(struct process *process, const char *function);

/** Find the lock that a thread tests in a loop until it gets it (spin.c). @return false: none. */
bool tested_lock(struct thread *thread, struct awaited_lock *ret);

/** Check for a function of the runtime whose argument is asked for. */
typedef bool passed_filter(const ompd_ext_wait_site *site, const void *context);
/**
 * Work out which lock a call of a frame passes to the runtime, directly or through functions of the user's
 * code (evaluate.c): the instructions before the call, and those of the called functions, are carried out
 * on what registers and memory hold now. What has changed since the call makes the value wrong, so that
 * it is a proposal: something else must confirm it, or it is shown as a guess.
 * @param returns the address to which the call returns, in the function of @p frame. If that is not
 *        the frame's pc, registers count as unchanged that no way from the call to there writes.
 * @param flow of the frame's function, perhaps without the ways that are known not to have been taken
 *        since the call; NULL: all of it.
 * @param is_wanted of the functions that the call reaches; the first such gets the lock.
 * @return 0: the code does not tell.
 */
uint64_t passed_lock_at(struct thread *thread, struct stack_frame *frame, uint64_t returns,
			const struct code_flow *flow, passed_filter *is_wanted,
			const void *context);
/** Functions of the runtime and of locks that a call has reached. */
enum { MAX_OPERATIONS = 8 };
struct lock_operations {
	ompd_ext_wait_site all[MAX_OPERATIONS];
	size_t count;
};
/** Carry out likewise a call of a frame to its end. @return false: not all of it could be carried out. */
bool lock_operations_at(struct thread *thread, struct stack_frame *frame, uint64_t returns,
			const struct code_flow *flow, struct lock_operations *ret);
/** Work out likewise which function a call of a frame reaches, as through a pointer or a table of virtual
 *  functions. @return 0: the code does not tell. */
uint64_t called_function_at(struct thread *thread, struct stack_frame *frame, uint64_t returns,
			    const struct code_flow *flow);

#endif
