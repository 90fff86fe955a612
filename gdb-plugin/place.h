// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a stopped thread of this machine is, as the kernel tells, past the debugger.

#ifndef OMPDBG_PLACE_H
#define OMPDBG_PLACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

#include "call_frames.h"

enum { CALL_ARGUMENTS = 6 };

struct place {
	uint64_t pc, sp;
	struct register_value {
		uint64_t value;
		bool known;
	} kept[CALL_FRAME_REGISTERS];
	bool in_call;			   // a system call
	uint64_t call[1 + CALL_ARGUMENTS]; // its number and arguments
};

/**
 * @param threads file descriptor of /proc/PID/task.
 * @return false if the thread is gone, is running, or may not be looked at.
 */
bool place_read(int threads, pid_t lwp, struct place *ret);

struct place place_of_registers(const struct user_regs_struct *registers);

/** All of its registers, which only whoever traces it may read. @return false likewise. */
bool place_registers(pid_t lwp, struct user_regs_struct *ret);

#endif
