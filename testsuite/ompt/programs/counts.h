// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program counts of its own doings. At its end the numbers are written into the file that
// OMPT_PROGRAM_OUT names.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum count {
#define COUNT(name) COUNT_##name,
#include "counts.def"
#undef COUNT
	COUNTS
};

extern uint64_t counts[COUNTS];

#define ADD(name, number) \
	((void)__atomic_add_fetch(&counts[COUNT_##name], (uint64_t)(number), __ATOMIC_RELAXED))
#define COUNT(name) ADD(name, 1)

/** Count the thread, if it is a new one, and its implicit task. */
void count_implicit(void);
/** Count the thread, if it is a new one, and its initial task. */
void count_team(void);
/** Count a thread that the program itself has created, before its first region. */
void count_foreign(void);
/** Do something for a while, differently long each time. */
void dwell(void);

#ifdef __cplusplus
}
#endif
