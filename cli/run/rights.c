// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "rights.h"

#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "proc.h"
#include "stop_wait.h"
#include "tracer.h"

#define PAUSE 0.001

enum { BELOW = 512 /* bytes below the stack pointer, past the red zone */ };
enum { EFFECTIVE = 1 /* which of the numbers in the lines Uid and Gid */ };

// ---- What was lost -----------------------------------------------------------------------------

/** Read the set of capabilities that a file permits. */
static uint64_t capabilities_of(const char *path)
{
	struct vfs_cap_data data = { 0 };
	ssize_t size = getxattr(path, "security.capability", &data, sizeof(data));

	if (size <= 0)
		return 0;
	uint64_t high = size > (ssize_t)XATTR_CAPS_SZ_1 ? le32toh(data.data[1].permitted) : 0;
	return le32toh(data.data[0].permitted) | high << 32;
}

/** Name the kind of the rights that the program should have and has not; NULL: none.
 *  *is_hidden: that cannot be told. */
static const char *lost_rights(pid_t pid, bool *is_hidden)
{
	struct statvfs system;
	struct stat program;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	*is_hidden = false;
	if (stat(path, &program) != 0 || statvfs(path, &system) != 0) {
		*is_hidden = errno == EACCES || errno == EPERM;
		return NULL;
	}
	if (system.f_flag & ST_NOSUID || proc_status_number(pid, "NoNewPrivs", 0, 10) == 1)
		return NULL;
	if (program.st_mode & S_ISUID &&
	    proc_status_number(pid, "Uid", EFFECTIVE, 10) != (int64_t)program.st_uid)
		return "set-user-id";
	if (program.st_mode & S_ISGID && program.st_mode & S_IXGRP &&
	    proc_status_number(pid, "Gid", EFFECTIVE, 10) != (int64_t)program.st_gid)
		return "set-group-id";
	uint64_t wanted = capabilities_of(path) &
			  (uint64_t)proc_status_number(pid, "CapBnd", 0, 16);
	if (wanted & ~(uint64_t)proc_status_number(pid, "CapPrm", 0, 16))
		return "privileged by file capabilities";
	return NULL;
}

// ---- Running it again --------------------------------------------------------------------------

/** The stack of a new program, as the kernel makes it. */
struct stack {
	int memory;
	uint64_t arguments, environment, file_name, system_call;
};

static bool read_word(const struct stack *stack, uint64_t address, uint64_t *ret)
{
	return pread(stack->memory, ret, sizeof(*ret), (off_t)address) == sizeof(*ret);
}

/** Find an instruction that calls the system: the kernel's own code has one. */
static uint64_t find_system_call(const struct stack *stack, uint64_t start)
{
	static const char code[] = { 0x0f, 0x05 };
	char bytes[4096];
	ssize_t size = pread(stack->memory, bytes, sizeof(bytes), (off_t)start);
	const char *found = size > 0 ? memmem(bytes, (size_t)size, code, sizeof(code)) : NULL;

	return found ? start + (uint64_t)(found - bytes) : 0;
}

static bool read_stack(struct stack *stack, uint64_t pointer)
{
	const uint64_t width = sizeof(uint64_t);
	uint64_t count, word, value, kernel = 0;

	if (!read_word(stack, pointer, &count))
		return false;
	stack->arguments = pointer + width;
	stack->environment = stack->arguments + width * (count + 1);
	uint64_t at = stack->environment;
	do {
		if (!read_word(stack, at, &word))
			return false;
		at += width;
	} while (word);
	for (;; at += 2 * width) {
		if (!read_word(stack, at, &word) || !read_word(stack, at + width, &value))
			return false;
		if (word == AT_NULL)
			break;
		if (word == AT_EXECFN)
			stack->file_name = value;
		else if (word == AT_SYSINFO_EHDR)
			kernel = value;
	}
	if (kernel)
		stack->system_call = find_system_call(stack, kernel);
	return stack->file_name && stack->system_call;
}

/** Let the program come out of the system call in which it was loaded, and no further. @return false:
 *  it has been killed. */
static bool end_call(pid_t pid, int *event, int *number)
{
	if (ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) != 0 ||
	    ptrace(PTRACE_CONT, pid, NULL, NULL) != 0)
		return false;
	struct stop_wait wait = { 0 };
	while (!proc_has_ended(pid) && !stop_obstacle(&wait, pid)) {
		if (find_stop(pid, event, number))
			return true;
		pause_for(PAUSE);
	}
	return false;
}

/** Check that the name by which the program was called leads to it now. It may be that of a descriptor which
 *  is closed by then, and of a script it is the script's. */
static bool has_name(const struct stack *stack, pid_t pid)
{
	static const char descriptors[] = "/dev/fd/";
	struct stat program, named;
	char name[PATH_MAX], path[PATH_MAX + 64], exe[64];
	ssize_t size = pread(stack->memory, name, sizeof(name), (off_t)stack->file_name);

	if (size <= 0 || !memchr(name, '\0', (size_t)size))
		return false;
	bool is_descriptor = strncmp(name, descriptors, strlen(descriptors)) == 0;
	snprintf(path, sizeof(path), "/proc/%d/%s/%s", (int)pid,
		 is_descriptor	? "fd" :
		 name[0] == '/' ? "root" :
				  "cwd",
		 is_descriptor ? name + strlen(descriptors) : name);
	snprintf(exe, sizeof(exe), "/proc/%d/exe", (int)pid);
	return stat(exe, &program) == 0 && stat(path, &named) == 0 &&
	       program.st_dev == named.st_dev && program.st_ino == named.st_ino;
}

/** Put the name that each program has for itself where nothing is: below the stack. */
static bool put_own_name(struct stack *stack, pid_t pid, uint64_t pointer)
{
	static const char own[2 * sizeof(uint64_t)] = "/proc/self/exe";
	uint64_t words[2];

	memcpy(words, own, sizeof(own));
	stack->file_name = pointer - BELOW;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (ptrace(PTRACE_POKEDATA, pid, stack->file_name + i * sizeof(*words), words[i]) !=
		    0)
			return false;
	}
	return true;
}

/** Make the program's next step the system call execve, and no longer trace it. */
static bool run_again(pid_t pid)
{
	struct user_regs_struct registers;
	struct iovec piece = { &registers, sizeof(registers) };
	struct stack stack = { 0 };
	int event, number;
	char path[64];

	if (!end_call(pid, &event, &number) ||
	    ptrace(PTRACE_GETREGSET, pid, (void *)NT_PRSTATUS, &piece) != 0 ||
	    piece.iov_len != sizeof(registers))
		return false;
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	stack.memory = open(path, O_RDONLY | O_CLOEXEC);
	if (stack.memory < 0)
		return false;
	bool ok = read_stack(&stack, registers.rsp) &&
		  (has_name(&stack, pid) || put_own_name(&stack, pid, registers.rsp));
	close(stack.memory);
	if (!ok)
		return false;
	registers.rdi = stack.file_name;
	registers.rsi = stack.arguments;
	registers.rdx = stack.environment;
	registers.rax = SYS_execve;
	registers.rip = stack.system_call;
	return ptrace(PTRACE_SETREGSET, pid, (void *)NT_PRSTATUS, &piece) == 0 &&
	       ptrace(PTRACE_DETACH, pid, NULL, (void *)(intptr_t)(event ? 0 : number)) == 0;
}

bool give_back_rights(pid_t pid, void (*say)(const char *format, ...))
{
	char name[64] = "program";
	bool is_hidden;
	const char *lost = lost_rights(pid, &is_hidden);

	if (!lost && !is_hidden)
		return false;
	proc_status(pid, "Name", name, sizeof(name));
	if (is_hidden) {
		say("%s (%d) may not be read: rights of its own are withheld (use --no-trace)",
		    name, (int)pid);
		return false;
	}
	if (run_again(pid)) {
		say("%s (%d) is %s: not traced, no report", name, (int)pid, lost);
		return true;
	}
	say("%s (%d) is %s and runs without these rights (use --no-trace)", name, (int)pid, lost);
	return false;
}
