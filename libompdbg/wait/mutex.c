// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mutexes of the C library, as of std::mutex, that threads sleep on: they hold one another up as locks
// of OpenMP do. The GNU C library keeps in a mutex whether somebody waits for it, and its owner.

#include <string.h>

#include "wait/evidence.h"

enum { AWAITED = 2 };

/** How pthread_mutex_t begins. */
struct mutex_head {
	int32_t word; // AWAITED: it is held, and threads wait for it
	uint32_t count;
	int32_t owner; // id of the thread in the system
};

bool read_awaited_mutex(struct process *process, uint64_t address, int32_t *owner)
{
	struct mutex_head head;

	if (!process_read(process, address, &head, sizeof(head)) || head.word != AWAITED)
		return false;
	*owner = head.owner;
	return true;
}

uint64_t awaited_mutex(struct thread *thread)
{
	struct process *process = thread->runtime->process;
	const uint32_t wanted = 1U << OMPDBG_RDI;
	struct ompdbg_registers registers;
	const char *function;
	int32_t owner;

	if (!thread_is_asleep(thread))
		return 0;
	// Others end by themselves.
	function = thread_system_function(thread);
	if (!function || (strcmp(function, "pthread_mutex_lock") != 0 &&
			  strcmp(function, "pthread_mutex_lock_full") != 0))
		return 0;
	if (!is_ok(SERVICE(process, registers, thread->target->number, wanted, &registers)) ||
	    !(registers.known & wanted) ||
	    !read_awaited_mutex(process, registers.values[OMPDBG_RDI], &owner))
		return 0;
	return registers.values[OMPDBG_RDI];
}
