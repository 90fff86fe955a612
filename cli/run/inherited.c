// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "inherited.h"

#include <signal.h>
#include <stddef.h>

static const int numbers[] = { SIGPIPE, SIGXFSZ };

enum { COUNT = sizeof(numbers) / sizeof(*numbers) };

static struct sigaction inherited[COUNT];

void ignore_signals_of_writes(void)
{
	const struct sigaction ignored = { .sa_handler = SIG_IGN };

	for (size_t i = 0; i < COUNT; i++)
		sigaction(numbers[i], &ignored, &inherited[i]);
}

void restore_inherited_signals(void)
{
	for (size_t i = 0; i < COUNT; i++)
		sigaction(numbers[i], &inherited[i], NULL);
}
