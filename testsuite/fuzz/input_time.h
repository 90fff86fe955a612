// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The processor time that a call for an input of a fuzzer may take: more is a finding. The wall clock does not count,
// for the machine may have other work.

#ifndef OMPDBG_FUZZ_INPUT_TIME_H
#define OMPDBG_FUZZ_INPUT_TIME_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

// The sanitizers make everything slower.
#if __has_feature(address_sanitizer)
#define MAX_CALL_SECONDS 1.0
#else
#define MAX_CALL_SECONDS 0.1
#endif

/** Return the processor time that the process has used, in seconds. */
static inline double processor_time(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/** Abort if the input that was begun at that processor time, with so many calls, took too long. */
static inline void check_input_time(double begun, unsigned int calls)
{
	double seconds = processor_time() - begun;

	if (seconds <= calls * MAX_CALL_SECONDS)
		return;
	fprintf(stderr, "an input that takes %.0f ms\n", 1e3 * seconds);
	abort();
}

#endif
