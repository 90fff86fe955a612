// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "stop_wait.h"

#include "proc.h"

enum { MOST_LOOKS = 5000 };

bool stop_wait_note(struct stop_wait *wait, char state, int64_t waits)
{
	wait->looks = state != 'D' || waits != wait->waits ? 0 : wait->looks + 1;
	wait->waits = waits;
	return wait->looks < MOST_LOOKS;
}

const char *stop_obstacle(struct stop_wait *wait, pid_t thread)
{
	struct proc_stat stat;

	if (!proc_stat(thread, &stat))
		return NULL; // it has ended
	if (stop_wait_note(wait, stat.state,
			   proc_status_number(thread, "voluntary_ctxt_switches", 0, 10)))
		return proc_status_number(thread, "CoreDumping", 0, 10) > 0 ?
			       "the kernel writes its core file" :
			       NULL;
	return "it is in an uninterruptible system call";
}
