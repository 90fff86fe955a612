// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The threads of a glibc process, from glibc's own descriptors (_thread_db_*), which exist for
// libthread_db. Needs nothing from the debugger but symbols and memory.

#ifndef OMPDBG_NPTL_H
#define OMPDBG_NPTL_H

#include "target/cycle.h"
#include "target/target.h"

/** Symbols and descriptors; constant for the life of a process. */
struct nptl {
	bool available;
	uint32_t tid_offset;	// in struct pthread
	uint32_t list_offset;	// in struct pthread
	uint32_t start_offset;	// of the start routine in struct pthread
	uint32_t next_offset;	// in list_t
	uint64_t list_heads[2]; // threads on glibc's stacks, threads on the user's stacks
};

/** Find the descriptors. Set available to false where there are none. */
void nptl_init(struct nptl *nptl, const struct target *target);

/** Kernel's id of the thread whose struct pthread is at @p pthread. */
ompd_rc_t nptl_tid(const struct nptl *nptl, const struct target *target, uint64_t pthread,
		   uint32_t *ret);

enum { NPTL_KNOWN = 4096 };

/** Threads that glibc's list had when it was last read, by kernel ids. Starts zeroed. */
struct nptl_known {
	uint64_t pthreads[NPTL_KNOWN]; // each is looked at before it is believed
};

/**
 * Return the pthread_t of the thread with kernel id @p tid. unavailable: glibc lists none; error: a
 * list is damaged, and what is left of it does not name the thread.
 */
ompd_rc_t nptl_find(const struct nptl *nptl, const struct target *target, struct nptl_known *known,
		    uint32_t tid, uint64_t *ret);

/**
 * Check whether @p pthread is the thread that runs main: it alone has no start routine. error:
 * there is no descriptor of a thread.
 */
ompd_rc_t nptl_is_initial(const struct nptl *nptl, const struct target *target, uint64_t pthread,
			  bool *ret);

/** Argument of the thread's start routine: glibc keeps it behind the routine's address. */
ompd_rc_t nptl_argument(const struct nptl *nptl, const struct target *target, uint64_t pthread,
			uint64_t *ret);

/**
 * Processor on which the thread whose struct pthread is at @p pthread last ran its own code: the
 * kernel writes it into the thread's memory if glibc (2.35 and later) has registered a place for
 * it.
 */
ompd_rc_t nptl_processor(const struct target *target, uint64_t pthread, uint32_t *ret);

/** Addresses between which the frames of a thread are. */
struct nptl_stack {
	uint64_t start, end;
};

/** Find the stack that glibc gave a thread. unavailable: it is not known (target/stack.c). */
ompd_rc_t nptl_stack(const struct nptl *nptl, const struct target *target, uint64_t pthread,
		     struct nptl_stack *ret);

/** Position in the list of all threads. */
struct nptl_cursor {
	unsigned int list;
	uint64_t node;
	struct cycle cycle;
	bool damaged; // a list could not be read to its end, or has none
};

/** Next pthread_t; ompd_rc_unavailable at the end. Start with a zeroed cursor. */
ompd_rc_t nptl_next(const struct nptl *nptl, const struct target *target,
		    struct nptl_cursor *cursor, uint64_t *ret);

#endif
