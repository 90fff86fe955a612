// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "place.h"

#include <elf.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

bool place_registers(pid_t lwp, struct user_regs_struct *ret)
{
	struct iovec room = { .iov_base = ret, .iov_len = sizeof(*ret) };

	return ptrace(PTRACE_GETREGSET, lwp, NT_PRSTATUS, &room) == 0 &&
	       room.iov_len == sizeof(*ret);
}

struct place place_of_registers(const struct user_regs_struct *registers)
{
	return (struct place){
		.pc = registers->rip,
		.sp = registers->rsp,
		.kept = {
			[CALL_FRAME_RBX] = { registers->rbx, true },
			[CALL_FRAME_RBP] = { registers->rbp, true },
			[CALL_FRAME_R12] = { registers->r12, true },
			[CALL_FRAME_R13] = { registers->r13, true },
			[CALL_FRAME_R14] = { registers->r14, true },
			[CALL_FRAME_R15] = { registers->r15, true },
		},
	};
}
