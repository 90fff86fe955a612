// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Why the last call failed, in words. One text for the whole library: OMPD is called by one
// thread at a time (OpenMP 5.2, 20.1).

#ifndef OMPDBG_REASON_H
#define OMPDBG_REASON_H

#include <stdarg.h>

#include "ompd/ompd.h"

enum {
	REASON_MAX = 256, // bytes of the text
};

/** Forget the text; every entry point of the API does so first. */
void reason_clear(void);

/** Return the text, "" if there is none. */
const char *reason_text(void);

/** Store a text. */
void reason_set(const char *format, ...) __attribute__((format(printf, 1, 2)));

/** Stores a text and is @p rc, so that a failing function can end with it. */
#define reason(rc, ...) (reason_set(__VA_ARGS__), (rc))

#endif
