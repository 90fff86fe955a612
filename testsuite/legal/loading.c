// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// loading PROGRAM: stops a program after each mmap() by which the dynamic linker loads libgomp, and asks
// libompd. It must not refuse the library: what it exports cannot be read before all of it is mapped.

#define _GNU_SOURCE

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../api/callbacks.h"
#include "../api/tr2_target.h"
#include "ompd/ompd_ext.h"

static bool maps_libgomp(pid_t pid)
{
	char path[32], line[512];
	bool found = false;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	FILE *file = fopen(path, "re");
	if (!file)
		return false;
	while (!found && fgets(line, sizeof(line), file))
		found = strstr(line, "/libgomp.so") != NULL;
	fclose(file);
	return found;
}

/** Run the program to the system call's begin or end that comes next. @return false: it has ended. */
static bool go_on(pid_t pid)
{
	int status;

	ptrace(PTRACE_SYSCALL, pid, NULL, NULL);
	return waitpid(pid, &status, 0) == pid && WIFSTOPPED(status);
}

/** Start the program, and leave it stopped after the mmap() with that number. @return -1: there are fewer. */
static pid_t start(char *const *program, int number)
{
	struct user_regs_struct registers;
	pid_t pid = fork();

	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execv(program[0], program);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, NULL, 0) != pid)
		return -1;
	for (bool is_end = false; go_on(pid); is_end = !is_end) {
		ptrace(PTRACE_GETREGS, pid, NULL, &registers);
		if (!is_end || registers.orig_rax != SYS_mmap || !maps_libgomp(pid) || --number > 0)
			continue;
		kill(pid, SIGSTOP);
		go_on(pid); // to where it gets the signal
		ptrace(PTRACE_DETACH, pid, NULL, SIGSTOP);
		return pid;
	}
	return -1;
}

/** Ask libompd about a process. @return Whether it says that there is no runtime yet, or that it knows it. */
static bool is_not_refused(pid_t pid)
{
	ompd_address_space_handle_t *space = NULL;
	char name[16];

	snprintf(name, sizeof(name), "%d", (int)pid);
	if (!tr2_open(name))
		return false;
	ompd_rc_t rc = ompd_process_initialize(plain_context(), &space);
	const bool is_right = rc == ompd_rc_ok || rc == ompd_rc_unavailable;

	if (!is_right)
		printf("code %d, %s\n", (int)rc, ompd_ext_last_reason());
	if (space)
		ompd_rel_address_space_handle(space);
	tr2_close();
	return is_right;
}

int main(int argc, char **argv)
{
	int number = 1;
	pid_t pid;

	if (argc != 2 || ompd_initialize(202111, &plain_callbacks) != ompd_rc_ok)
		return 2;
	while ((pid = start(argv + 1, number)) > 0) {
		bool is_right = is_not_refused(pid);

		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		if (!is_right) {
			printf("after mmap() %d\n", number);
			return 1;
		}
		number++;
	}
	printf("stopped after %d mmap()s\n", number - 1);
	return number > 3 ? 0 : 1; // the library has more segments
}
