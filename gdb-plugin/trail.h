// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an answer rests on: the memory and the registers that were read for it. While a trail is
// being laid, whoever reads of the target notes it here.

#ifndef OMPDBG_TRAIL_H
#define OMPDBG_TRAIL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

struct trail;

/** The one that is being laid; NULL: nothing has to be noted. */
extern struct trail *trail_laid;

/** Notes memory as it was read. */
void trail_add_memory(struct trail *trail, uint64_t address, const void *bytes, size_t size);
/** Notes all registers of a thread. */
void trail_add_registers(struct trail *trail, pid_t lwp, const struct user_regs_struct *registers);
/** Something was asked for that can't be looked up again. */
void trail_break(struct trail *trail);

static inline void trail_memory(uint64_t address, const void *bytes, size_t size)
{
	if (trail_laid)
		trail_add_memory(trail_laid, address, bytes, size);
}

static inline void trail_registers(pid_t lwp, const struct user_regs_struct *registers)
{
	if (trail_laid)
		trail_add_registers(trail_laid, lwp, registers);
}

static inline void trail_lost(void)
{
	if (trail_laid)
		trail_break(trail_laid);
}

#endif
