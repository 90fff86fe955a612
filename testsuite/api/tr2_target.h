// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What two debuggers in one program, one of each interface, share: a target, memory of their own
// that is counted, and what they found out, a line a value.

#ifndef TR2_TARGET_H
#define TR2_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** Opens a core file, or the process with that number. */
bool tr2_open(const char *what);
void tr2_close(void);

bool tr2_read(uint64_t address, void *buffer, size_t size);
/** @p file_name NULL: in any file, the program first. */
bool tr2_symbol(const char *name, const char *file_name, uint64_t *ret);
size_t tr2_num_threads(void);
/** Kernel's ids, in the order of the target. */
int tr2_lwp(size_t thread);
uint64_t tr2_pthread(size_t thread);
/** Address of a thread-local variable of the first file that has one of that name. */
bool tr2_thread_local(size_t thread, const char *name, uint64_t *ret);

struct tr2_frame {
	uint64_t pc, sp;
};

/** The frames of a thread, innermost first. @return how many, at most @p max. */
size_t tr2_frames(size_t thread, struct tr2_frame *frames, size_t max);

/** Whether the code there is in the program's own file. */
bool tr2_is_program(uint64_t pc);

/** Blocks that were allocated and not freed. */
extern long tr2_blocks;
void *tr2_alloc(size_t size);
void tr2_free(void *memory);

/** A function of the library that a walk was given; ends the program if there is none. */
void *tr2_function(void *library, const char *name);

// The walks: everything that a debugger can ask, each value in a line of its own. Both write the
// same lines if they are told the same.

void walk_2016(void *library, FILE *out);
void walk_later(void *library, FILE *out);
/** Section 11.4: the frames of the program's own code, a line for each thread and frame. */
void unwind_2016(void *library, FILE *out);

enum {
	NO_STATE = 0x70, // as 2016 numbers "undefined"
	MAX_DEPTH = 64,	 // of regions and tasks that are asked of
};

#endif
