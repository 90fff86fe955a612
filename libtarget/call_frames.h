// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the functions of a process keep what their callers need, by their call frame information.

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
	bool from_bp;  // the caller's stack is found from rbp, else from the stack pointer
	uint64_t size; // and is so many bytes above it
	enum {
		CALL_FRAME_BP_KEPT, // rbp is the caller's
		CALL_FRAME_BP_SAVED,
		CALL_FRAME_BP_LOST, // or not where it is simple to find
	} bp;
	uint64_t saved; // how far below the caller's stack its rbp is
};

/** Reads the mappings of a process of this machine. NULL if that is not possible. */
struct call_frames *call_frames_open(pid_t pid);
void call_frames_close(struct call_frames *frames);

/**
 * The frame of the function at @p address; @p address is in the instruction that has not ended.
 * Answers only where the frame is at a fixed distance from the stack pointer or rbp.
 */
struct call_frame call_frames_at(struct call_frames *frames, uint64_t address);

#endif
