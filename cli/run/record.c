// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `ompdbg record`: a command whose OpenMP programs record what they do, in memory or in a file.

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "inherited.h"
#include "options.h"
#include "recording.h"
#include "supervisor.h"
#include "terminal.h"

int run_record(const struct arguments *arguments, struct failure *failure)
{
	char *const *command = arguments->words;
	struct recording recording;
	struct arena arena = { 0 };
	const char *why;

	(void)failure;
	if (!recording_find(&arena, &recording, &why)) {
		say("ompdbg record: %s.", why);
		return COMMAND_NOT_STARTED;
	}
	if (arguments->output) {
		recording.trace = recording_trace(&arena, arguments->output, &why);
		if (!recording.trace) {
			say("ompdbg record: %s.", why);
			return COMMAND_NOT_STARTED;
		}
	}
	why = recording_obstacle(&arena, command[0]);
	if (why)
		say("ompdbg record: %s.", why);
	recording_set(&recording);
	restore_inherited_signals();
	execvp(command[0], command);
	int status = errno == ENOENT ? COMMAND_NOT_FOUND : COMMAND_NOT_EXECUTABLE;
	say("ompdbg record: %s: %s.", command[0], strerror(errno));
	return status;
}
