// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a thread is and where its frames return to, without unwinding in full: call frame information
// tells where return addresses are.

#ifndef OMPDBG_CHAIN_H
#define OMPDBG_CHAIN_H

#include "call_frames.h"
#include "direct.h"
#include "place.h"

enum { CHAIN_DEPTH = 128 };

struct chain_reader {
	struct direct *memory;
	struct call_frames *frames;
	/** Check whether the chain goes on past an address. -1: that has failed. NULL: always. */
	int (*is_passed)(void *context, uint64_t address);
	void *context;
	struct step *steps; // places in code: a hash table by address
	size_t num_steps;
};

bool chain_init(struct chain_reader *reader);
void chain_deinit(struct chain_reader *reader);

/**
 * Collect up to CHAIN_DEPTH addresses from @p at on, down to the first that is not passed, or to the
 * end; @p at gets there.
 * @return how many; 0 if the stack can't be followed so simply; -1 if is_passed() has failed.
 */
int chain_follow(struct chain_reader *reader, struct place *at, uint64_t *addresses, bool *whole);

#endif
