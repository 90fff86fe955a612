// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The access to memory for which a thread has got a signal.

#ifndef OMPDBG_FAULT_H
#define OMPDBG_FAULT_H

#include "model/model.h"

enum fault_kind {
	FAULT_ACCESS, // it is unknown which
	FAULT_READ,
	FAULT_WRITE,
	FAULT_JUMP, // to code that cannot be executed
};

struct fault {
	enum fault_kind kind;
	bool has_address;
	uint64_t address;
	const char *expression; // of the source, that is accessed: "mesh->next[2]"; NULL: unknown
	const char *pointer;	// in it, that is null: "mesh->next"; NULL: none, or unknown
	bool is_below_stack; // the thread's stack pointer has probably come to the end of its stack
};

/** Find what a thread's innermost instruction accesses where it must not. @p address: the one that the
 *  kernel names; NULL: it names none, as of addresses that no memory can have, or of a signal that
 *  a handler raised again. */
struct fault thread_fault(struct thread *thread, const uint64_t *address);

/** Read by what the integer division divides at which a thread is. @return false: it is unknown. */
bool thread_divisor(struct thread *thread, uint64_t *ret);

/** Find the construct in which a thread has ended the program, because an exception was caught by nobody
 *  (exception.c). *@p is_thrown: it was thrown; else the thread may have been about to end by pthread_exit().
 *  @return NULL: it has not, or was in none. */
const struct logical_frame *thread_uncaught(struct thread *thread, bool *is_thrown);

#endif
