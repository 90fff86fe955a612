// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thread that writes the trace, and how others wait for it and it for them.

#ifndef OMPDBG_RECORDER_SPILL_WRITER_H
#define OMPDBG_RECORDER_SPILL_WRITER_H

#include <limits.h>
#include <linux/futex.h>

#include "spill.h"
#include "spill_system.h"

enum {
	SPILL_OFF,
	SPILL_FORKED,	// the trace is the parent's
	SPILL_STARTING, // a thread starts the writer
	SPILL_ON,
};

/** A system call that changes the rights of a thread. */
struct rights_call {
	long number, a, b, c;
};

extern struct writer {
	uint32_t state;	       // SPILL_...; atomic
	uint32_t bell;	       // changes when there is something to write; atomic
	uint32_t is_asleep;    // the writer; atomic
	uint32_t wanted;       // number of the latest flush that was asked for; atomic
	uint32_t served;       // number of the latest flush that was done; atomic
	uint32_t ending;       // the program ends; atomic
	uint32_t changing;     // modules change now; atomic
	uint32_t rights_lock;  // of the thread that changes the program's rights; atomic
	uint32_t calls_wanted; // how many calls the writer is to make; atomic
	uint32_t calls_made;   // atomic
	struct rights_call call;
	int64_t pid;
	int is_child;	// of a fork
	uint32_t forks; // how many there were on the way to this process
	int error;	// of the start, or of the latest call
	char path[PATH_MAX];
	char file[PATH_MAX]; // of this process: `path`, or that and a suffix
	char *stack;
	uint64_t modules_at; // ticks, when to look for modules again
} writer;

/** Write until the program ends: the code of the thread. */
void write_trace(void);

/** Wait until a word changes from a value, or so many ns. */
static inline void wait_for(uint32_t *word, uint32_t value, int64_t ns)
{
	int64_t timeout[2] = { 0, ns };

	system_call(SYS_futex, POINTER(word), FUTEX_WAIT_PRIVATE, (long)value, POINTER(timeout));
}

/** Wake all who wait for a word. */
static inline void wake(uint32_t *word)
{
	system_call(SYS_futex, POINTER(word), FUTEX_WAKE_PRIVATE, INT_MAX, 0);
}

/** Let the writer come. */
static inline void ring_bell(void)
{
	__atomic_add_fetch(&writer.bell, 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&writer.is_asleep, __ATOMIC_SEQ_CST))
		wake(&writer.bell);
}

static inline uint32_t state_now(void)
{
	return __atomic_load_n(&writer.state, __ATOMIC_ACQUIRE);
}

static inline void set_state(uint32_t state)
{
	__atomic_store_n(&writer.state, state, __ATOMIC_SEQ_CST);
	wake(&writer.state);
}

/** Return the low half of a thread's `tail`, to wait for. */
static inline uint32_t *tail_word(struct spill *spill)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return (uint32_t *)(void *)&spill->tail;
#else
	return (uint32_t *)(void *)&spill->tail + 1;
#endif
}

#endif
