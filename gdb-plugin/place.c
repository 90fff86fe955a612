// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "place.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <unistd.h>

/** What whoever traces the thread may ask for: reads its registers, and changes nothing. */
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
		.in_call = (int64_t)registers->orig_rax >= 0,
		.call = { registers->orig_rax, registers->rdi, registers->rsi, registers->rdx,
			  registers->r10, registers->r8, registers->r9 },
	};
}

static bool from_registers(pid_t lwp, struct place *ret)
{
	struct user_regs_struct registers;

	if (!place_registers(lwp, &registers))
		return false;
	*ret = place_of_registers(&registers);
	return true;
}

/** What others are told of a thread that is not running: less. */
static bool from_file(int threads, pid_t lwp, struct place *ret)
{
	char path[32], line[256], *at = line;
	uint64_t words[3 + CALL_ARGUMENTS];
	size_t count = 0;

	snprintf(path, sizeof(path), "%d/syscall", (int)lwp);
	int file = openat(threads, path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return false;
	ssize_t size = read(file, line, sizeof(line) - 1);
	close(file);
	if (size <= 0)
		return false;
	line[size] = '\0';
	while (count < 3 + CALL_ARGUMENTS) {
		char *end;

		// The number is decimal, and negative outside of system calls; the rest is hexadecimal.
		words[count] = count ? strtoull(at, &end, 16) : (uint64_t)strtoll(at, &end, 10);
		if (end == at)
			break;
		at = end;
		count++;
	}
	if (count != 3 && count != 3 + CALL_ARGUMENTS)
		return false;
	*ret = (struct place){
		.pc = words[count - 1],
		.sp = words[count - 2],
		.in_call = count > 3,
	};
	for (size_t i = 0; ret->in_call && i <= CALL_ARGUMENTS; i++)
		ret->call[i] = words[i];
	return true;
}

bool place_read(int threads, pid_t lwp, struct place *ret)
{
	return from_registers(lwp, ret) || from_file(threads, lwp, ret);
}
