// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recorder: an OMPT tool that leaves in memory what happened (include/ompt/recorder.h).
//
// An event is written by the thread that it happens in, without locks, calls or allocation. Two
// things may see the data between any two stores: a debugger that has stopped the program, and a
// signal handler of the same thread that calls the runtime. For the former, what is being changed is
// marked and `ordered()` keeps the compiler from moving stores; for the latter there is `inside`.
//
// Other threads see only these data of a thread: holds (a release by another thread ends them), free
// blocks of threads, and tasks, which the runtime passes from thread to thread.

#ifndef OMPDBG_RECORDER_RECORDER_H
#define OMPDBG_RECORDER_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "include/ompt/omp-tools.h"
#include "include/ompt/recorder.h"

#define MAX_HOLDS 1024
#define MAX_LEVELS 64
#define MAX_WAITS 64
#define MAX_REGIONS 64

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define COLD __attribute__((cold, noinline))
#define INLINED static inline __attribute__((always_inline))

// What is not declared PUBLIC is reached without a look into the table of symbols.
#pragma GCC visibility push(hidden)

/** Keep the compiler from moving loads and stores across this point. */
static inline void ordered(void)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/** A region that lives: what ompt_data_t of the region points to. */
struct region {
	uint64_t number;
	uint64_t code;
};

/** A thread's block. */
struct thread {
	struct record_thread shown;
	// 1 while the thread writes. An event that comes then is that of a signal handler.
	uint32_t inside;
	uint32_t claimed; // 0: another thread may use the block; atomic
	uint64_t ring_mask;
	// `head` at which the writer of the trace has to be asked for room: before, two events have room.
	uint64_t limit;
	struct record_event *ring;
	struct record_hold *holds;
	struct record_level *levels;
	uint64_t renew_at; // ticks, when the clock is next compared with the system's
	// The same as far as enter_plainly() is concerned. 0: never: it is another clock, or there is something
	// to be done first.
	uint64_t plain_until;
	uint64_t region;  // number of that of its innermost implicit task; 0: unknown
	uint64_t numbers; // for keys
	uint64_t outer_tasks[MAX_LEVELS];
	uint32_t num_waits;		     // may be more than MAX_WAITS: inner ones are not kept
	uint32_t num_regions;		     // likewise
	struct record_wait waits[MAX_WAITS]; // at barriers and for tasks, outermost first
	struct region regions[MAX_REGIONS];
	// Records of tasks to use: a list, linked by `parent`; the rest of a block; numbers.
	struct record_task *free_tasks;
	uint32_t num_free_tasks;
	uint32_t num_fresh_tasks;
	struct record_task *fresh_tasks;
	uint64_t next_task_id, last_task_id;
	uint16_t turn;	     // see record_hold
	struct spill *spill; // its part of the trace; null: there is none
};

extern __attribute__((visibility("default"))) struct record_root ompdbg_record;

/** Settings, and what all threads share. */
struct recorder {
	bool tsc;	       // the clock is the processor's
	uint64_t budget, used; // bytes; `used` is atomic
	uint64_t ring_bytes;
	uint64_t num_regions, num_task_ids; // ever; atomic
	uint64_t next_renewal;		    // ticks; atomic
};
extern struct recorder recorder;

// A thread's block, or one of the two that stand for none: `no_thread` before its first event,
// `lost_thread` if it found no room or has ended. Both have `inside` set for ever.
extern struct thread no_thread, lost_thread;
extern __thread struct thread *this_thread __attribute__((tls_model("initial-exec")));

// options.c
void read_options(const char *text);

// clock.c
void start_clock(void);
void renew_clock(struct thread *thread, uint64_t now) COLD;
uint64_t system_ticks(void) COLD;

// memory.c
void *map_memory(uint64_t size) COLD;

// threads.c
bool prepare_threads(void);
struct thread *begin_thread(ompt_thread_t type) COLD;
void end_thread(struct thread *thread) COLD;
struct thread *enter_otherwise(struct thread *thread) COLD;
struct thread *first_thread(void);

// spill.c
void make_room(struct thread *thread) COLD;

// task_memory.c
bool refill_tasks(struct thread *thread) COLD;
void return_tasks(struct thread *thread) COLD;
void forget_tasks(uint64_t but);

// mutexes.c
void mutexes_set_callbacks(ompt_set_callback_t set);

// tasks.c
void tasks_set_callbacks(ompt_set_callback_t set);

// phases.c
void phases_set_callbacks(ompt_function_lookup_t lookup);

// regions.c
void regions_set_callbacks(ompt_set_callback_t set);

/** Return the time, in ticks of the recorder's clock. */
static inline uint64_t ticks(void)
{
#ifdef __x86_64__
	if (LIKELY(recorder.tsc))
		return __builtin_ia32_rdtsc();
#endif
	return system_ticks();
}

/** Set when the thread writes events plainly, from now on. */
static inline void set_plain(struct thread *thread)
{
	thread->plain_until = recorder.tsc ? thread->renew_at : 0;
}

/** Begin to write: return the thread, or null if this event cannot be recorded. */
static inline struct thread *enter(void)
{
	struct thread *thread = this_thread;

	if (UNLIKELY(thread->inside)) {
		thread = enter_otherwise(thread);
		if (!thread)
			return NULL;
	}
	thread->inside = 1;
	ordered();
	// Whatever comes after a wait for a mutex, it is over: also a lock that was only tested.
	if (UNLIKELY(thread->shown.acquire.kind)) {
		thread->shown.acquire.kind = 0;
		set_plain(thread);
		ordered();
	}
	return thread;
}

/** End writing. */
static inline void leave(struct thread *thread)
{
	ordered();
	thread->inside = 0;
}

/** Begin to write if nothing keeps the thread from writing two events at once, with write_event() alone.
 *  This is for callbacks that come often: they make no calls, and so have no registers to save. Any other
 *  event goes by enter() and put(). */
INLINED bool enter_plainly(struct thread *thread, uint64_t *now)
{
#ifdef __x86_64__
	if (UNLIKELY(thread->inside))
		return false;
	thread->inside = 1; // before the time is taken: no signal handler comes between
	ordered();
	*now = __builtin_ia32_rdtsc();
	if (LIKELY(*now < thread->plain_until) && LIKELY(thread->shown.head < thread->limit))
		return true;
	leave(thread);
#endif
	return false;
}

/** Write the event behind the latest ones. */
INLINED void write_event(struct thread *thread, uint64_t head, uint64_t now, uint32_t kind,
			 uint64_t object, uint32_t number, uint16_t detail, const void *code)
{
	struct record_event *event = &thread->ring[head & thread->ring_mask];

	event->time = now;
	event->code = (uint64_t)(uintptr_t)code;
	event->object = object;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	uint64_t rest = number | (uint64_t)detail << 32 | (uint64_t)kind << 48;

	__builtin_memcpy(&event->number, &rest, sizeof(rest));
#else
	event->number = number;
	event->detail = detail;
	event->kind = (uint8_t)kind;
	event->unused = 0;
#endif
}

/** Show the events up to @p head. */
INLINED void publish(struct thread *thread, uint64_t head)
{
	__atomic_store_n(&thread->shown.head, head, __ATOMIC_RELEASE);
	ordered();
}

/** Append an event to the ring. */
static inline void put(struct thread *thread, uint64_t now, uint32_t kind, uint64_t object,
		       uint32_t number, uint16_t detail, const void *code)
{
	uint64_t head;

	if (UNLIKELY(thread->shown.head >= thread->limit))
		make_room(thread);
	ordered();
	head = thread->shown.head; // make_room() may have been forked
	write_event(thread, head, now, kind, object, number, detail, code);
	publish(thread, head + 1);
	if (UNLIKELY(now >= thread->renew_at))
		renew_clock(thread, now);
}

#pragma GCC visibility pop

#endif
