// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads' blocks: a list that only grows, from which blocks of ended threads are used again.

#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "recorder.h"
#include "spill.h"

#define PAGE UINT64_C(4096)

struct thread no_thread = { .inside = 1 };
struct thread lost_thread = { .inside = 1 };
__thread struct thread *this_thread = &no_thread;

static pthread_key_t end_key;

/** Return the first block; the others follow by `shown.next`. */
struct thread *first_thread(void)
{
	return (struct thread *)(uintptr_t)__atomic_load_n(&ompdbg_record.threads,
							   __ATOMIC_ACQUIRE);
}

/** Check whether a block records a mutex as held. */
static bool holds_mutex(const struct thread *thread)
{
	uint32_t number = __atomic_load_n(&thread->shown.num_holds, __ATOMIC_RELAXED);

	for (uint32_t i = 0; i < number && i < MAX_HOLDS; i++)
		if (__atomic_load_n(&thread->holds[i].kind, __ATOMIC_RELAXED))
			return true;
	return false;
}

/** Claim a block that no thread uses: one that holds nothing, or any. */
static struct thread *claim_block(bool any)
{
	struct thread *thread;

	for (thread = first_thread(); thread;
	     thread = (struct thread *)(uintptr_t)thread->shown.next) {
		uint32_t free = 0;

		if (!__atomic_load_n(&thread->claimed, __ATOMIC_RELAXED) &&
		    (any || !holds_mutex(thread)) &&
		    __atomic_compare_exchange_n(&thread->claimed, &free, 1, false, __ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return thread;
	}
	return NULL;
}

/** Map a block and whatever it points to, as one piece of memory. */
static struct thread *map_block(void)
{
	uint64_t block = (sizeof(struct thread) + 63) / 64 * 64;
	uint64_t holds = MAX_HOLDS * sizeof(struct record_hold);
	uint64_t levels = MAX_LEVELS * sizeof(struct record_level);
	uint64_t spill = block + levels + holds;
	uint64_t front = (spill + spill_bytes() + PAGE - 1) / PAGE * PAGE;
	char *memory = map_memory(front + recorder.ring_bytes);
	struct thread *thread = (struct thread *)memory;

	if (!memory)
		return NULL;
	thread->claimed = 1;
	thread->spill = spill_bytes() ? (struct spill *)(memory + spill) : NULL;
	thread->levels = (struct record_level *)(memory + block);
	thread->holds = (struct record_hold *)(memory + block + levels);
	thread->ring = (struct record_event *)(memory + front);
	thread->ring_mask = recorder.ring_bytes / sizeof(struct record_event) - 1;
	thread->shown.ring = (uint64_t)(uintptr_t)thread->ring;
	thread->shown.holds = (uint64_t)(uintptr_t)thread->holds;
	thread->shown.levels = (uint64_t)(uintptr_t)thread->levels;
	return thread;
}

/** Append a block to the list. */
static void link_block(struct thread *thread)
{
	uint64_t first = __atomic_load_n(&ompdbg_record.threads, __ATOMIC_RELAXED);

	do
		thread->shown.next = first;
	while (!__atomic_compare_exchange_n(&ompdbg_record.threads, &first,
					    (uint64_t)(uintptr_t)thread, false, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED));
	__atomic_add_fetch(&ompdbg_record.num_threads, 1, __ATOMIC_RELAXED);
}

/** Forget whatever a block says of the thread that used it before. */
static void clear_block(struct thread *thread)
{
	struct record_thread *shown = &thread->shown;

	shown->begun = 0;
	ordered();
	shown->ended = 0;
	shown->head = 0;
	shown->dropped_tasks = 0;
	shown->wait.kind = 0;
	shown->acquire.kind = 0;
	for (uint32_t i = 0; i < shown->num_holds; i++)
		__atomic_store_n(&thread->holds[i].kind, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&shown->num_holds, 0, __ATOMIC_RELAXED);
	shown->num_levels = 0;
	shown->lost_holds = 0;
	shown->lost_events = 0;
	shown->task = 0;
	thread->region = 0;
	thread->num_waits = 0;
	thread->num_regions = 0;
	thread->renew_at = 0;
	thread->plain_until = 0;
	spill_begin_thread(thread);
}

/** Claim any block: the writer of the trace may have some of threads that have ended. */
static struct thread *claim_any_block(void)
{
	struct thread *thread = claim_block(true);

	if (thread)
		return thread;
	spill_flush();
	return claim_block(true);
}

/** Record a thread from now on; return null if there is no room. */
struct thread *begin_thread(ompt_thread_t type)
{
	struct thread *thread;
	uint64_t now;

	this_thread = &lost_thread; // what a signal handler does meanwhile is lost
	ordered();
	thread = claim_block(false);
	if (!thread) {
		thread = map_block();
		if (thread)
			link_block(thread);
		else
			thread = claim_any_block();
	}
	if (!thread) {
		__atomic_add_fetch(&ompdbg_record.threads_dropped, 1, __ATOMIC_RELAXED);
		return NULL;
	}
	clear_block(thread);
	now = ticks();
	thread->shown.number = __atomic_fetch_add(&ompdbg_record.threads_seen, 1, __ATOMIC_RELAXED);
	thread->shown.lwp = (uint64_t)syscall(SYS_gettid);
	thread->shown.type = (uint32_t)type;
	thread->inside = 1;
	put(thread, now, RECORD_THREAD_BEGIN, 0, 0, (uint16_t)type, NULL);
	thread->shown.begun = now;
	ordered();
	pthread_setspecific(end_key, thread);
	this_thread = thread;
	ordered();
	thread->inside = 0;
	return thread;
}

/** Let the block of a thread that writes no more be used again. */
void end_thread(struct thread *thread)
{
	uint64_t now = ticks();

	put(thread, now, RECORD_THREAD_END, 0, 0, 0, NULL);
	thread->shown.ended = now;
	this_thread = &no_thread;
	pthread_setspecific(end_key, NULL);
	thread->inside = 0;
	if (!spill_end_thread(thread))
		__atomic_store_n(&thread->claimed, 0, __ATOMIC_RELEASE);
}

/** Find out why the thread cannot write at once; return it if that has changed. */
struct thread *enter_otherwise(struct thread *thread)
{
	if (thread == &no_thread)
		return begin_thread(ompt_thread_unknown);
	if (thread != &lost_thread)
		thread->shown.lost_events++;
	return NULL;
}

/** End a thread whose end the runtime has not reported, when the system ends it. */
static void end_key_value(void *block)
{
	struct thread *thread = block;

	if (thread == this_thread) {
		thread->inside = 1; // or is so since the thread was cancelled
		ordered();
		end_thread(thread);
	}
	// Destructors of other keys may still call the runtime.
	this_thread = &lost_thread;
}

/** Begin anew in the child of a fork: it has but the thread that called fork. */
static void after_fork(void)
{
	struct record_root *root = &ompdbg_record;
	uint64_t now = ticks();
	struct thread *thread;

	root->pid = (uint64_t)getpid();
	root->renewing = 0;
	for (thread = first_thread(); thread;
	     thread = (struct thread *)(uintptr_t)thread->shown.next) {
		thread->shown.head = 0;
		if (thread == this_thread) {
			thread->shown.lwp = root->pid;
			continue;
		}
		if (!thread->shown.ended)
			thread->shown.ended = now;
		thread->shown.wait.kind = 0;
		thread->shown.acquire.kind = 0;
		thread->shown.num_levels = 0;
		thread->shown.task = 0;
		thread->free_tasks = NULL; // may have been half changed
		thread->num_free_tasks = 0;
		thread->num_fresh_tasks = 0;
		thread->inside = 0;
		thread->claimed = 0;
	}
	spill_after_fork();
	forget_tasks(this_thread->inside ? 0 : this_thread->shown.task);
}

/** Prepare for threads that begin, end and fork. */
bool prepare_threads(void)
{
	return !pthread_key_create(&end_key, end_key_value) &&
	       !pthread_atfork(NULL, NULL, after_fork);
}
