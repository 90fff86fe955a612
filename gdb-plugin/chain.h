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

/** Bytes of the stack that was read last. */
struct chain_window {
	uint64_t start;
	size_t size;
	uint8_t bytes[4096];
};

struct chain_reader {
	struct direct *memory;
	struct call_frames *frames;
	struct step *steps; // places in code: a hash table by address
	size_t num_steps;
	struct chain_window window;
};

bool chain_init(struct chain_reader *reader);
void chain_deinit(struct chain_reader *reader);
/** Forget what was read of stacks: the program has moved. */
void chain_forget(struct chain_reader *reader);

/** Collect up to CHAIN_DEPTH addresses from @p at on, to the end of the stack. @return how many; 0 if
 *  the stack can't be followed so simply. */
size_t chain_follow(struct chain_reader *reader, struct place *at, uint64_t *addresses);
/** Go up so many frames from that of a thread. @return false if they can't be followed so simply. */
bool chain_climb(struct chain_reader *reader, struct place *at, size_t frames);

#endif
