// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A debugger as the specification has it: callbacks over a stopped child process, or over the
// process itself. Any callback fails on demand, and any page cannot be read.

#ifndef DEBUGGER_H
#define DEBUGGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "ompd/ompd.h"

enum callback {
	CALLBACK_ALLOC,
	CALLBACK_FREE,
	CALLBACK_PRINT,
	CALLBACK_SIZEOF,
	CALLBACK_SYMBOL,
	CALLBACK_READ,
	CALLBACK_READ_STRING,
	CALLBACK_DEVICE_TO_HOST,
	CALLBACK_HOST_TO_DEVICE,
	CALLBACK_CONTEXT,
	CALLBACKS,
};

extern const char *const callback_names[CALLBACKS];

/** What goes wrong. All zero: nothing. */
struct fault {
	enum callback callback;
	long index;	     // of the call that fails, from 1 on; 0: none
	ompd_rc_t code;	     // what it returns; ok: it does, and its output is garbage
	uint64_t garbage;    // decides which
	uint64_t hole;	     // start of a page that cannot be read; 0: none
	unsigned int rarity; // of bytes that are read, one of so many is another; 0: none
};

extern struct fault fault;

/** What is asked, for messages. */
extern const char *question_name;
extern int question_variant;

/** Calls of each callback since the last debugger_begin(). */
extern long callback_calls[CALLBACKS];
/** Blocks that were allocated and not freed. */
extern long debugger_blocks;

extern const ompd_callbacks_t debugger_callbacks;
ompd_address_space_context_t *debugger_context(void);

/** Begins a question that is asked with such a fault; forgets the calls and pages so far. */
void debugger_begin(struct fault with);
/** Ends it. @return whether the call that shall fail was made, or the hole was read. */
bool debugger_end(void);

enum { PAGE_SIZE = 4096, MOST_PAGES = 4096 };

/** The pages that were read since debugger_begin(), each once. */
extern uint64_t pages_read[MOST_PAGES];
extern size_t page_count;

/**
 * Stops all threads of a child, whose memory is read from now on; 0: the process itself is.
 * @return false with a message.
 */
bool debugger_attach(pid_t pid);
/** Reads memory of it, in which there are no holes; ends the program if it cannot be read. */
void debugger_copy(uint64_t address, void *to, size_t size);

#endif
