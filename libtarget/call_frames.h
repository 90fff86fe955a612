// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the functions of a process keep what their callers need, by their call frame information.

#ifndef OMPDBG_CALL_FRAMES_H
#define OMPDBG_CALL_FRAMES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct call_frames;

/** The registers that functions keep for their callers, save the stack pointer. */
enum {
	CALL_FRAME_RBX,
	CALL_FRAME_RBP,
	CALL_FRAME_R12,
	CALL_FRAME_R13,
	CALL_FRAME_R14,
	CALL_FRAME_R15,
	CALL_FRAME_REGISTERS
};
#define CALL_FRAME_LOST UINT32_MAX // or not where it is simple to find

/** The frame at an instruction, as far as it is known. */
struct call_frame {
	enum {
		CALL_FRAME_UNKNOWN,  // not told, or in no simple way
		CALL_FRAME_CALLED,   // the return address is the word below the caller's stack
		CALL_FRAME_OUTERMOST // nobody called
	} kind;
	bool from_bp;  // the caller's stack is found from rbp, else from the stack pointer
	uint64_t size; // and is so many bytes above it
	// How far below the caller's stack its registers are, 0: they are unchanged.
	uint32_t saved[CALL_FRAME_REGISTERS];
};

/** Read the mappings of a process of this machine. NULL if that is not possible. */
struct call_frames *call_frames_open(pid_t pid);
void call_frames_close(struct call_frames *frames);

/**
 * Return the frame of the function at @p address; @p address is in the instruction that has not
 * ended. Answers only where the frame is at a fixed distance from the stack pointer or rbp.
 */
struct call_frame call_frames_at(struct call_frames *frames, uint64_t address);

#endif
