// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far the functions of a process have moved the stack pointer, by their call frame information.

#ifndef OMPDBG_CALL_FRAMES_H
#define OMPDBG_CALL_FRAMES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct call_frames;

/** What is known of an instruction. */
struct call_frame {
	enum {
		CALL_FRAME_UNKNOWN,  // not told, or in no simple way
		CALL_FRAME_CALLED,   // the return address is the word below the caller's stack
		CALL_FRAME_OUTERMOST // nobody called
	} kind;
	uint64_t size; // bytes from the stack pointer there to the caller's
};

/** Reads the mappings of a process of this machine. NULL if that is not possible. */
struct call_frames *call_frames_open(pid_t pid);
void call_frames_close(struct call_frames *frames);

/**
 * The frame of the function at @p address; @p address is in the instruction that has not ended.
 * Answers only where the frame is found from the stack pointer alone.
 */
struct call_frame call_frames_at(struct call_frames *frames, uint64_t address);

#endif
