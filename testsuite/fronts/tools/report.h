// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What both tools share: numbers of events, and complaints. At the end they are written into the file that
// OMPT_CHECKER_OUT names.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Count an event; `kind` and `endpoint` may be null. Both are constant strings. */
void count(const char *event, const char *kind, const char *endpoint);
/** Note a number under a name. */
void note(const char *event, const char *kind, uint64_t number);
/** Note what is wrong. */
__attribute__((format(printf, 1, 2))) void complain(const char *format, ...);
/** Write all of it. */
void report(void);

#define REQUIRE(condition)                                                         \
	do {                                                                       \
		if (!(condition))                                                  \
			complain("%s:%d: not %s", __func__, __LINE__, #condition); \
	} while (0)

/** A thread or a task, which a tool's data point to. */
struct instance {
	uint64_t magic;
	uint64_t region; // of an implicit task
	bool has_begun;	 // of an explicit one
};
#define LIVES UINT64_C(0x6c69766573)
#define ENDED UINT64_C(0x656e646564)

/** Return a new one. They are never freed. */
struct instance *new_instance(void);
/** Check whether it lives. */
bool lives(const void *instance);
/** Check whether it is one, even if it has ended. */
bool was_instance(const void *instance);
/** Check whether an address is on this thread's stack, in a frame around the caller's. */
bool is_around(const void *address);
