// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `ompdbg COMMAND ...`

#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "options.h"
#include "run/inherited.h"
#include "spool.h"
#include "terminal.h"

/** End at once: the kernel lets a process go on that is being looked at. */
static void end_by_signal(int number)
{
	remove_scratch(); // NOLINT(bugprone-signal-handler): it calls unlink() alone
	_exit(128 + number);
}

static void handle_signals(void)
{
	static const int ends[] = { SIGTERM, SIGHUP, SIGINT };
	struct sigaction before;

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		// Whoever is started in the background or by nohup ignores some of them.
		if (sigaction(ends[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
			signal(ends[i], end_by_signal);
	}
	ignore_signals_of_writes();
}

/** Write what is left for standard output. */
static int flush(int status)
{
	int number = fflush(stdout) == 0 ? 0 : errno;

	if (!number || number == EPIPE)
		return number ? STATUS_FINE : status;
	say("ompdbg: standard output: %s.", strerror(number));
	return STATUS_NOT_WRITTEN;
}

int main(int count, char **words)
{
	struct failure failure = { 0 };
	struct arguments arguments;
	int status;

	open_standard_streams();
	setlocale(LC_CTYPE, "");
	handle_signals();
	if (parse_arguments(count - 1, words + 1, &arguments, &status))
		status = arguments.command->run(&arguments, &failure);
	if (failure.status) {
		status = failure.is_silent ? STATUS_FINE : failure.status;
		if (!failure.is_silent)
			say("ompdbg %s: %s.", arguments.command->name, failure.reason.data);
	}
	if (failure.status != STATUS_NOT_WRITTEN)
		status = flush(status);
	// Without taking everything apart first.
	_exit(status);
}
