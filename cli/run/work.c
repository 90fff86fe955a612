// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "work.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "below.h"
#include "files.h"

enum { SECONDS_TO_DIE = 5 };

void answer_line(struct answer *answer, const char *format, ...)
{
	static const char gap[] = "...";
	va_list arguments;
	char *text;

	if (answer->num_lines == MOST_LINES)
		return;
	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		out_of_memory();
	va_end(arguments);
	// The reason comes last: of a line that is too long, the middle is left out.
	char *line = answer->lines[answer->num_lines++];
	size_t length = strlen(text), tail = length < LONGEST_LINE ? length : LONGEST_LINE / 2;
	if (length <= LONGEST_LINE)
		memcpy(line, text, length + 1);
	else
		snprintf(line, LONGEST_LINE + 1, "%.*s%s%s",
			 (int)(LONGEST_LINE - tail - strlen(gap)), text, gap, text + length - tail);
	free(text);
}

/** Do the work, and end. */
static _Noreturn void become(void (*run)(void *context, struct answer *answer), void *context,
			     int end, pid_t parent)
{
	struct answer answer = { .severity = NO_OPENMP };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	run(context, &answer);
	_exit(write_all(end, &answer, sizeof(answer)) ? 0 : 1);
}

bool work_start(struct work *work, void (*run)(void *context, struct answer *answer), void *context,
		double seconds)
{
	pid_t parent = getpid();
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		return false;
	*work = (struct work){ .end = ends[0], .seconds = seconds, .deadline = now() + seconds };
	work->pid = fork();
	if (work->pid == 0)
		become(run, context, ends[1], parent);
	int number = errno;
	close(ends[1]);
	if (work->pid < 0)
		close(ends[0]);
	errno = number;
	return work->pid > 0;
}

void work_ended(struct work *work, int status)
{
	work->has_ended = true;
	work->status = status;
}

bool work_is_over(const struct work *work)
{
	return work->has_ended || (work->why_ended[0] && now() > work->given_up);
}

void work_check_time(struct work *work)
{
	char why[sizeof(work->why_ended)];

	if (now() < work->deadline)
		return;
	snprintf(why, sizeof(why), "not finished after %g s", work->seconds);
	work_end(work, why);
}

void work_end(struct work *work, const char *why)
{
	if (work->has_ended || work->why_ended[0])
		return;
	snprintf(work->why_ended, sizeof(work->why_ended), "%s", why);
	work->given_up = now() + SECONDS_TO_DIE;
	kill(work->pid, SIGKILL);
}

bool work_answer(struct work *work, struct answer *ret, char *reason, size_t size)
{
	fcntl(work->end, F_SETFL, O_NONBLOCK);
	ssize_t got = read(work->end, ret, sizeof(*ret));
	close(work->end);
	if (got == sizeof(*ret))
		return true;
	if (work->why_ended[0])
		snprintf(reason, size, "%s", work->why_ended);
	else if (work->has_ended && WIFSIGNALED(work->status))
		snprintf(reason, size, "ended by signal %d", WTERMSIG(work->status));
	else
		snprintf(reason, size, "failed");
	return false;
}
