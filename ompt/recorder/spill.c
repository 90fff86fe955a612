// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The start and the end of the trace, and what the threads have to do that write events.

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "spill_writer.h"

#define PATIENCE_NS 100000000 // then a waiting thread looks for itself
#define STACK (size_t)65536
#define THREAD_DATA 8192 // for debuggers, which look for a thread's descriptor
#define SUFFIX 64	 // bytes that a suffix has at most
#define LINE 160

struct writer writer;

bool spill_is_wanted(void)
{
	return state_now() != SPILL_OFF;
}

// ---- The start ---------------------------------------------------------------------------------

/** Tell the user of an error, in one line. */
static void tell(int error)
{
	char line[LINE + PATH_MAX];
	int size = snprintf(line, sizeof(line), "ompdbg: %s: cannot write the trace: %s\n",
			    writer.file, strerror(error));

	if (size > 0 && write(STDERR_FILENO, line, strlen(line)) < 0)
		return; // there is nobody else to tell
}

/** Start the thread for a file; return an errno, or 0. */
static int start_thread(void)
{
	// As the C library's threads have them: valgrind knows no others.
	const unsigned long flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
				    CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS;
	uint64_t all = UINT64_MAX, mask;
	long result;

	if (!writer.stack) {
		writer.stack = mmap(NULL, STACK + THREAD_DATA, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
		if (writer.stack == MAP_FAILED) {
			writer.stack = NULL;
			return errno;
		}
	}
	writer.error = 0;
	system_call(SYS_rt_sigprocmask, SIG_SETMASK, POINTER(&all), POINTER(&mask), sizeof(mask));
	result = spill_clone(flags, writer.stack + STACK, writer.stack + STACK, write_trace);
	system_call(SYS_rt_sigprocmask, SIG_SETMASK, POINTER(&mask), 0, sizeof(mask));
	if (result < 0)
		return (int)-result;
	while (state_now() == SPILL_STARTING)
		wait_for(&writer.state, SPILL_STARTING, PATIENCE_NS);
	return writer.error;
}

/** Start the trace. The state is SPILL_STARTING. */
static void start(bool is_child)
{
	int error;

	writer.pid = getpid();
	writer.is_child = is_child;
	writer.is_asleep = 0;
	writer.ending = 0;
	modules_forget();
	error = start_thread();
	if (!error)
		return;
	set_state(SPILL_OFF);
	tell(error);
}

void spill_begin(const char *path)
{
	int saved_errno = errno;

	if (!path || !*path)
		return;
	strncpy(writer.file, path, sizeof(writer.file) - 1);
	if (strlen(path) >= sizeof(writer.path) - SUFFIX) {
		tell(ENAMETOOLONG);
		return;
	}
	memcpy(writer.path, path, strlen(path) + 1);
	writer.state = SPILL_STARTING;
	start(false);
	errno = saved_errno;
}

// ---- Threads that write events -----------------------------------------------------------------

/** Wait until a ring has room. */
static void wait_for_room(struct spill *spill, uint64_t tail)
{
	__atomic_store_n(&spill->waiting, 1, __ATOMIC_SEQ_CST);
	ring_bell();
	if (__atomic_load_n(&spill->tail, __ATOMIC_SEQ_CST) == tail && state_now() == SPILL_ON)
		wait_for(tail_word(spill), (uint32_t)tail, PATIENCE_NS);
	__atomic_store_n(&spill->waiting, 0, __ATOMIC_SEQ_CST);
}

/** Start the trace of a child of fork. */
static void start_after_fork(void)
{
	uint32_t expected = SPILL_FORKED;

	if (__atomic_compare_exchange_n(&writer.state, &expected, SPILL_STARTING, false,
					__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		start(true);
	while (state_now() == SPILL_STARTING)
		wait_for(&writer.state, SPILL_STARTING, PATIENCE_NS);
}

/** Wait for the writer where a thread has no room, and find when to come back. */
static void find_limit(struct thread *thread)
{
	struct spill *spill = thread->spill;
	uint64_t head = thread->shown.head, size = thread->ring_mask + 1;

	// The first event here: what is before it is another thread's, or that of a process that forked
	// while it wrote an event.
	if (spill && !thread->limit)
		__atomic_store_n(&spill->tail, head, __ATOMIC_RELEASE);
	if (state_now() == SPILL_FORKED || state_now() == SPILL_STARTING)
		start_after_fork();
	thread->limit = UINT64_MAX;
	while (spill && state_now() == SPILL_ON) {
		uint64_t tail = __atomic_load_n(&spill->tail, __ATOMIC_ACQUIRE);

		if (head - tail < size / 2) {
			thread->limit = tail + size / 2;
			break;
		}
		if (head - tail < size) {
			ring_bell();
			thread->limit = tail + size - 1;
			break;
		}
		wait_for_room(spill, tail);
	}
}

/** Let a thread write its next event when the writer has made room. */
void make_room(struct thread *thread)
{
	int saved_errno = errno;

	for (;;) {
		uint32_t forks = __atomic_load_n(&writer.forks, __ATOMIC_RELAXED);

		ordered();
		find_limit(thread);
		ordered();
		if (forks == __atomic_load_n(&writer.forks, __ATOMIC_RELAXED))
			break;
		// The handler of a signal has forked, and the child's ring is empty.
		thread->limit = 0;
	}
	errno = saved_errno;
}

uint64_t spill_bytes(void)
{
	return writer.path[0] ? sizeof(struct spill) : 0;
}

void spill_begin_thread(struct thread *thread)
{
	thread->limit = UINT64_MAX;
	if (!thread->spill || state_now() == SPILL_OFF)
		return;
	thread->spill->lost_before = thread->shown.lost_events;
	thread->spill->dropped_before = thread->shown.dropped_tasks;
	thread->spill->has_begun = false;
	thread->spill->chunk_at = 0;
	__atomic_store_n(&thread->spill->tail, 0, __ATOMIC_RELEASE);
	thread->limit = 0;
}

bool spill_end_thread(struct thread *thread)
{
	if (!thread->spill || state_now() != SPILL_ON)
		return false;
	__atomic_store_n(&thread->spill->ended, 1, __ATOMIC_RELEASE);
	return true;
}

// ---- The program's rights ----------------------------------------------------------------------

/** Check for the process that the writer is in. A child of vfork has its parent's memory. */
static bool is_in_this_process(void)
{
	return writer.pid == system_call(SYS_getpid, 0, 0, 0, 0);
}

bool spill_lock_rights(void)
{
	if ((state_now() != SPILL_ON && state_now() != SPILL_STARTING) || !is_in_this_process())
		return false;
	while (__atomic_exchange_n(&writer.rights_lock, 1, __ATOMIC_ACQUIRE))
		wait_for(&writer.rights_lock, 1, PATIENCE_NS);
	return true;
}

void spill_unlock_rights(void)
{
	__atomic_store_n(&writer.rights_lock, 0, __ATOMIC_RELEASE);
	wake(&writer.rights_lock);
}

void spill_follow(long number, long a, long b, long c)
{
	int saved_errno = errno;
	uint32_t wanted;

	while (state_now() == SPILL_STARTING)
		wait_for(&writer.state, SPILL_STARTING, PATIENCE_NS);
	if (state_now() != SPILL_ON)
		return;
	writer.call = (struct rights_call){ number, a, b, c };
	wanted = __atomic_add_fetch(&writer.calls_wanted, 1, __ATOMIC_SEQ_CST);
	ring_bell();
	while (state_now() == SPILL_ON &&
	       __atomic_load_n(&writer.calls_made, __ATOMIC_SEQ_CST) != wanted)
		wait_for(&writer.calls_made, wanted - 1, PATIENCE_NS);
	if (writer.error)
		tell(writer.error);
	errno = saved_errno;
}

// ---- The end, and fork -------------------------------------------------------------------------

/** Check whether there is a trace of this process. */
static bool is_mine(void)
{
	return state_now() == SPILL_ON && is_in_this_process();
}

void spill_flush(void)
{
	uint32_t wanted, served;
	int saved_errno = errno;

	if (!is_mine())
		return;
	wanted = __atomic_add_fetch(&writer.wanted, 1, __ATOMIC_SEQ_CST);
	ring_bell();
	while (state_now() == SPILL_ON &&
	       (int32_t)((served = __atomic_load_n(&writer.served, __ATOMIC_SEQ_CST)) - wanted) < 0)
		wait_for(&writer.served, served, PATIENCE_NS);
	errno = saved_errno;
}

void spill_flush_modules(void)
{
	if (!is_mine())
		return;
	__atomic_store_n(&writer.changing, 1, __ATOMIC_SEQ_CST);
	spill_flush();
}

void spill_end(void)
{
	if (!is_mine())
		return;
	// LLVM's runtime ends after this library: what it says is still written.
	if (__atomic_exchange_n(&writer.ending, 1, __ATOMIC_SEQ_CST))
		return;
	spill_flush();
	if (trace_file.error)
		tell(trace_file.error);
}

void spill_after_fork(void)
{
	struct thread *thread;

	if (writer.path[0] && writer.state != SPILL_OFF)
		writer.state = SPILL_FORKED;
	writer.wanted = writer.served = writer.bell = 0;
	writer.calls_wanted = writer.calls_made = writer.rights_lock = 0;
	writer.forks++;
	for (thread = first_thread(); thread;
	     thread = (struct thread *)(uintptr_t)thread->shown.next) {
		if (!thread->spill)
			continue;
		thread->spill->ended = thread->spill->waiting = 0;
		spill_begin_thread(thread);
	}
}
