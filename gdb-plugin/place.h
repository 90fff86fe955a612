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

struct place {
	uint64_t pc, sp;
	struct register_value {
		uint64_t value;
		bool known;
	} kept[CALL_FRAME_REGISTERS];
};

struct place place_of_registers(const struct user_regs_struct *registers);

/** Read all registers of a thread, which only its tracer may do. @return false if the thread is gone,
 *  is running, or may not be looked at. */
bool place_registers(pid_t lwp, struct user_regs_struct *ret);

#endif
