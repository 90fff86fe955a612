// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "start.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run/inherited.h"

/** Give the program a standard stream. */
static void set_stream(int number, int from)
{
	int null = from < 0 ? open("/dev/null", (number ? O_WRONLY : O_RDONLY) | O_CLOEXEC) : from;

	if (null != number)
		dup2(null, number);
	else
		fcntl(null, F_SETFD, 0);
}

static _Noreturn void become(char *const *words, struct streams streams, pid_t parent, int tell)
{
	struct sigaction action;
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	// Handlers are this program's; what was ignored when it began stays ignored.
	restore_inherited_signals();
	for (int number = 1; number < NSIG; number++) {
		if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_IGN)
			signal(number, SIG_DFL);
	}
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	set_stream(0, streams.in);
	set_stream(1, streams.out);
	set_stream(2, streams.err);
	execvp(words[0], words);
	int number = errno;
	(void)!write(tell, &number, sizeof(number));
	_exit(127);
}

pid_t start_program(char *const *words, struct streams streams, int *number)
{
	pid_t parent = getpid();
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0) {
		*number = errno;
		return -1;
	}
	pid_t child = fork();
	if (child == 0)
		become(words, streams, parent, ends[1]);
	*number = errno;
	close(ends[1]);
	// Nothing comes once the program runs.
	if (child > 0 && read(ends[0], number, sizeof(*number)) > 0) {
		wait_for(child);
		child = -1;
	}
	close(ends[0]);
	return child;
}

int wait_for(pid_t child)
{
	int status = 0;

	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
