// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The recorder's clock: the processor's time stamp counter where it is the same for all processors
// and never stops, else CLOCK_MONOTONIC. Now and then it is compared with the system's clock, so that
// a reader can convert.

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "recorder.h"

#ifdef __x86_64__
#include <cpuid.h>
#endif

#define NANOSECONDS UINT64_C(1000000000)
#define FIRST_MEASURE_NS 20000 // then the rate is known to some tenths of a percent
#define MAX_INTERVAL_SECONDS 1
#define TRIES 4

/** Read a clock of the system. */
static uint64_t nanoseconds(clockid_t clock)
{
	struct timespec time = { 0 };

	// By a system call: the C library's function begins anew whenever the kernel's clock ticks, and
	// so without end in a thread that is stepped by instructions.
	syscall(SYS_clock_gettime, clock, &time);
	return (uint64_t)time.tv_sec * NANOSECONDS + (uint64_t)time.tv_nsec;
}

/** Return the time where the processor's counter cannot be used. */
uint64_t system_ticks(void)
{
	struct timespec time = { 0 };

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * NANOSECONDS + (uint64_t)time.tv_nsec;
}

/** Check whether the time stamp counter has one rate, on all processors and for ever. */
static bool tsc_is_invariant(void)
{
#ifdef __x86_64__
	unsigned int a, b, c, d;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1u << 8);
#else
	return false;
#endif
}

/** Read both clocks at one moment: the best of some tries, for the thread may lose the processor. */
static void read_both(uint64_t *now, uint64_t *monotonic)
{
	uint64_t best = 0;

	for (int i = 0; i < TRIES; i++) {
		uint64_t before = ticks();
		uint64_t between = nanoseconds(CLOCK_MONOTONIC);
		uint64_t after = ticks();

		if (i > 0 && after - before >= best)
			continue;
		best = after - before;
		*now = before + best / 2;
		*monotonic = between;
	}
}

/** Return a rate in ticks per second. */
static uint64_t rate(uint64_t passed, uint64_t passed_ns)
{
	return (uint64_t)((double)passed * (double)NANOSECONDS / (double)passed_ns);
}

/** Measure the clock for the first time. */
void start_clock(void)
{
	struct record_root *root = &ompdbg_record;
	uint64_t now, monotonic;

	recorder.tsc = tsc_is_invariant();
	read_both(&root->start_ticks, &root->start_monotonic);
	root->start_realtime = nanoseconds(CLOCK_REALTIME);
	root->later_ticks = root->start_ticks;
	root->later_monotonic = root->start_monotonic;
	root->ticks_per_second = NANOSECONDS;
	recorder.next_renewal = UINT64_MAX;
	if (!recorder.tsc)
		return;
	do
		read_both(&now, &monotonic);
	while (monotonic - root->start_monotonic < FIRST_MEASURE_NS);
	root->ticks_per_second = rate(now - root->start_ticks, monotonic - root->start_monotonic);
	recorder.next_renewal = now + (now - root->start_ticks);
}

/** Compare the clock with the system's again, unless another thread has done so. Each interval is as
 *  long as all before, up to a second. */
void renew_clock(struct thread *thread, uint64_t now)
{
	struct record_root *root = &ompdbg_record;
	uint64_t next = __atomic_load_n(&recorder.next_renewal, __ATOMIC_ACQUIRE);
	uint32_t turn = __atomic_load_n(&root->renewing, __ATOMIC_RELAXED);

	if (now >= next && !(turn & 1) &&
	    __atomic_compare_exchange_n(&root->renewing, &turn, turn + 1, false, __ATOMIC_ACQUIRE,
					__ATOMIC_RELAXED)) {
		uint64_t monotonic, passed, second, interval;

		ordered();
		read_both(&now, &monotonic);
		passed = now - root->start_ticks;
		second = rate(passed, monotonic - root->start_monotonic);
		interval = MAX_INTERVAL_SECONDS * second;
		next = now + (passed < interval ? passed : interval);
		root->later_ticks = now;
		root->later_monotonic = monotonic;
		root->ticks_per_second = second;
		__atomic_store_n(&recorder.next_renewal, next, __ATOMIC_RELEASE);
		__atomic_store_n(&root->renewing, turn + 2, __ATOMIC_RELEASE);
	}
	thread->renew_at = next;
	set_plain(thread);
}
