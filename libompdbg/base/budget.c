// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "base/budget.h"

#include <stdint.h>
#include <sys/resource.h>

static const size_t most = (size_t)4 << 30;

// Of all programs that are open in this process, in whichever of its threads: it is the process that has no
// more memory.
static _Atomic size_t held, limit;

/** Find out how much may be held. */
static size_t find_limit(void)
{
	struct rlimit system;
	size_t least = most;

	for (int i = 0; i < 2; i++) {
		if (getrlimit(i ? RLIMIT_DATA : RLIMIT_AS, &system) == 0 &&
		    system.rlim_cur != RLIM_INFINITY && system.rlim_cur / 2 < least)
			least = system.rlim_cur / 2;
	}
	return least;
}

void budget_take(size_t bytes)
{
	held += bytes;
}

void budget_give(size_t bytes)
{
	held -= bytes;
}

bool budget_is_spent(void)
{
	if (!limit)
		limit = find_limit();
	return held > limit;
}

struct ompdbg_error *interruption(void)
{
	return budget_is_spent() ? &error_over_budget : &ompdbg_error_interrupted;
}
